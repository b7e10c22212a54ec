"""Recombinations of tours and of routes as crossovers of pymoo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from pymoo.core.crossover import Crossover

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidTypeError, UnsupportedProblemError
from gpu_ls_plugin.evolution.batches.crossing import Crossing
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters
from gpu_ls_pymoo.parameters import probability
from gpu_ls_pymoo.problems import as_tsp, view_of
from gpu_ls_pymoo.view import unmeasured

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.core.problem import Problem


class RecombinationCrossover(ShownParameters, Crossover):
    """Cross pairs of tours with a recombination of gpu_ls_plugin, all pairs in one batch.

    Parameters
    ----------
    part : Recombination or str
        For example ``gls.EdgeAssembly()``, or the name of a registered one, such as a plugin's.
    prob : float or pymoo Real
        Probability that a pair is crossed; otherwise the child is a copy of one of the parents.
    backend : {"auto", "cpu", "cuda"}
        The backend of the crossover.

    Raises
    ------
    InvalidTypeError, InvalidParameterError, UnknownPartError
        `part` is not a recombination, `prob` is not between 0 and 1, or the backend is unknown.
    """

    def __init__(self, part: Any, prob: Any = 1.0, backend: str = "auto", **kwargs: Any) -> None:
        self.crossing = Crossing(part, backend)
        super().__init__(n_parents=2, n_offsprings=1, **kwargs)
        self.prob = probability(prob)

    def _do(
        self, problem: Any, parents: Any, *args: Any, random_state: Any = None, **kwargs: Any
    ) -> NDArray[Any]:
        """Return children (1, P, n) of parents (2, P, n)."""
        tsp = self._instance(problem, np.shape(parents)[-1])
        first, second = parents
        children = self.crossing(tsp, first, second, np.random.default_rng(random_state))
        return children[np.newaxis]

    def prepare(self, problem: Any, size: int = 1) -> None:
        """Compile for batches of `size` ahead of a timed run."""
        self.crossing.prepare(self._instance(problem, problem.n_var), size)

    @property
    def part(self) -> Any:
        """The recombination."""
        return self.crossing.part

    def _instance(self, problem: Any, n: int) -> Problem:
        """Return the problem to pass to the part."""
        instance: Problem = self.part.instance(as_tsp(problem))
        return instance


class PermutationCrossover(RecombinationCrossover):
    """Cross permutations of any problem with a recombination that does not use lengths.

    Parameters
    ----------
    part, prob, backend
        As in `RecombinationCrossover`.
    """

    def _instance(self, problem: Any, n: int) -> Problem:
        try:
            found = view_of(problem).for_kicks()
        except (InvalidTypeError, UnsupportedProblemError):
            return unmeasured(n)
        return unmeasured(n) if found.tsp is not None else found  # sequences may fix some items


class OrderCrossover(PermutationCrossover):
    """Order crossover: a section of one parent, the other cities in the order of the other parent.

    Davis (1985); for permutations of any problem.

    Parameters
    ----------
    prob, backend
        As in `RecombinationCrossover`.
    """

    def __init__(self, prob: Any = 1.0, **kwargs: Any) -> None:
        super().__init__(gls.OrderRecombination(), prob, **kwargs)


class SegmentCrossover(PermutationCrossover):
    """Insert a segment of the second parent into the first one.

    The child begins with a path of the second parent. It then follows the first parent from the
    city at the end of this path, and skips the cities that it has visited. It follows the first
    parent forward or backward, whichever direction has more of the path's last edges. Positions in
    the rows do not matter, so fewer edges are lost than in order crossover. For permutations of any
    problem.

    Parameters
    ----------
    shortest, longest : float
        Bounds on the length of the segment as a share of the tour; the length is drawn uniformly.
    prob, backend
        As in `RecombinationCrossover`.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        ``0 < shortest <= longest <= 1`` does not hold, or `prob` is not between 0 and 1.
    """

    def __init__(
        self, shortest: float = 0.125, longest: float = 0.5, prob: Any = 1.0, **kwargs: Any
    ) -> None:
        part = gls.SegmentRecombination(shortest=shortest, longest=longest)
        super().__init__(part, prob, **kwargs)

    @property
    def shortest(self) -> float:
        """Minimum length of a segment as a share of the tour."""
        return float(self.part.shortest)

    @property
    def longest(self) -> float:
        """Maximum length of a segment as a share of the tour."""
        return float(self.part.longest)


class PartiallyMappedCrossover(PermutationCrossover):
    """Partially mapped crossover: a section of one parent, the rest placed as in the other parent.

    Goldberg and Lingle (1985); for permutations of any problem.

    Parameters
    ----------
    prob, backend
        As in `RecombinationCrossover`.
    """

    def __init__(self, prob: Any = 1.0, **kwargs: Any) -> None:
        super().__init__(gls.PartiallyMappedRecombination(), prob, **kwargs)


class CycleCrossover(PermutationCrossover):
    """Cycle crossover: each city has the position that it has in one of the parents.

    Oliver, Smith and Holland (1987); for permutations of any problem.

    Parameters
    ----------
    prob, backend
        As in `RecombinationCrossover`.
    """

    def __init__(self, prob: Any = 1.0, **kwargs: Any) -> None:
        super().__init__(gls.CycleRecombination(), prob, **kwargs)


class EdgeAssemblyCrossover(RecombinationCrossover):
    """Edge assembly crossover: exchanges of edges that make the first parent shorter.

    Nagata and Kobayashi (2013). A child is never longer than its first parent.

    Parameters
    ----------
    offspring : int
        Maximum number of exchanges that are tried for a pair.
    prob, backend
        As in `RecombinationCrossover`.
    strategy : {"single", "block"}
        Whether single AB-cycles or blocks of them are exchanged.
    """

    def __init__(
        self, offspring: int = 32, prob: Any = 1.0, strategy: str = "single", **kwargs: Any
    ) -> None:
        part = gls.EdgeAssembly(offspring=offspring, strategy=strategy)
        super().__init__(part, prob, **kwargs)


class EdgeRecombinationCrossover(PermutationCrossover):
    """Edge recombination: a walk along edges of the parents, common edges first.

    Whitley, Starkweather and Fuquay (1989); for permutations of any problem.

    Parameters
    ----------
    prob, backend
        As in `RecombinationCrossover`.
    """

    def __init__(self, prob: Any = 1.0, **kwargs: Any) -> None:
        super().__init__(gls.EdgeRecombination(), prob, **kwargs)


class PartitionCrossover(RecombinationCrossover):
    """Partition crossover: the shorter of the parents' paths in each component where they differ.

    Whitley, Hains and Howe (2009); Tinos, Whitley and Ochoa (2014). A child is never longer than
    the shorter parent.

    Parameters
    ----------
    prob, backend
        As in `RecombinationCrossover`.
    """

    def __init__(self, prob: Any = 1.0, **kwargs: Any) -> None:
        super().__init__(gls.PartitionRecombination(), prob, **kwargs)


class SplitCrossover(RecombinationCrossover):
    """Cross the order of the customers, and cut the child into routes with Split.

    For giant tours of a `CVRPProblem`: order crossover without copies of the depot (Prins 2004).
    Children respect the limits on load and duration even if the parents do not.

    Parameters
    ----------
    prob, backend
        As in `RecombinationCrossover`.
    """

    def __init__(self, prob: Any = 1.0, **kwargs: Any) -> None:
        super().__init__(gls.SplitRecombination(), prob, **kwargs)


class RouteEdgeAssemblyCrossover(RecombinationCrossover):
    """Exchange one AB-cycle of edges in which two solutions differ; the depot is one node.

    For giant tours of a `CVRPProblem` (Nagata and Bräysy 2009). Children may violate the limits on
    load and duration; the search then repairs them.

    Parameters
    ----------
    prob, backend
        As in `RecombinationCrossover`.
    """

    def __init__(self, prob: Any = 1.0, **kwargs: Any) -> None:
        super().__init__(gls.RouteEdgeAssembly(), prob, **kwargs)
