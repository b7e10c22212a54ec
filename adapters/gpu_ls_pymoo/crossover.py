"""Recombinations of two tours as pymoo operators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from pymoo.core.crossover import Crossover

import gpu_ls_plugin as gls
from gpu_ls_plugin.evolution.batches.crossing import Crossing
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters
from gpu_ls_pymoo.parameters import probability
from gpu_ls_pymoo.problems import as_tsp
from gpu_ls_pymoo.view import unmeasured

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.core.problem import Problem


class RecombinationCrossover(ShownParameters, Crossover):
    """Cross pairs of tours by a recombination of gpu_ls_plugin, all pairs in one batch.

    Parameters
    ----------
    part : Recombination or str
        For example ``gls.EdgeAssembly()``, or the name of a registered one, such as a plugin's.
    prob : float or pymoo Real
        Probability of a pair to be crossed; otherwise the child is one of the parents.
    backend : {"auto", "cpu", "cuda"}
        Where they are crossed.

    Raises
    ------
    InvalidTypeError, InvalidParameterError, UnknownPartError
        `part` is not a recombination, `prob` is not from 0 to 1, or no backend has that name.
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
        """Return the problem that the part is told of."""
        instance: Problem = self.part.instance(as_tsp(problem))
        return instance


class PermutationCrossover(RecombinationCrossover):
    """Cross permutations of any problem by a recombination that does not look at lengths.

    Parameters
    ----------
    part, prob, backend
        As in `RecombinationCrossover`.
    """

    def _instance(self, problem: Any, n: int) -> Problem:
        return unmeasured(n)


class OrderCrossover(PermutationCrossover):
    """Keep a section of the first parent, and take the order of the other cities from the second.

    Order crossover (Davis 1985), of permutations of any problem.

    Parameters
    ----------
    prob, backend
        As in `RecombinationCrossover`.
    """

    def __init__(self, prob: Any = 1.0, **kwargs: Any) -> None:
        super().__init__(gls.OrderRecombination(), prob, **kwargs)


class SegmentCrossover(PermutationCrossover):
    """Put a segment of the second parent into the first, at its place and in its direction.

    The child is a path of the second parent, followed by the cities of the first that are not in
    it, in the first parent's order from the end of the path on, in the direction in which that
    parent runs through most of the path's end. Positions do not matter, so unlike in order
    crossover no edge is lost to a shift: new edges arise only where the parents disagree inside the
    path and at its end.

    Parameters
    ----------
    shortest, longest : float
        Bounds of the segment's length as a part of the tour; it is drawn uniformly for each child.
    prob, backend
        As in `RecombinationCrossover`.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        Not ``0 < shortest <= longest <= 1``, or `prob` is not from 0 to 1.
    """

    def __init__(
        self, shortest: float = 0.125, longest: float = 0.5, prob: Any = 1.0, **kwargs: Any
    ) -> None:
        part = gls.SegmentRecombination(shortest=shortest, longest=longest)
        super().__init__(part, prob, **kwargs)

    @property
    def shortest(self) -> float:
        """Least length of a segment as a part of the tour."""
        return float(self.part.shortest)

    @property
    def longest(self) -> float:
        """Largest length of a segment as a part of the tour."""
        return float(self.part.longest)


class PartiallyMappedCrossover(PermutationCrossover):
    """Keep a section of the first parent, and the other cities where the second has them.

    Partially mapped crossover (Goldberg and Lingle 1985), of permutations of any problem.

    Parameters
    ----------
    prob, backend
        As in `RecombinationCrossover`.
    """

    def __init__(self, prob: Any = 1.0, **kwargs: Any) -> None:
        super().__init__(gls.PartiallyMappedRecombination(), prob, **kwargs)


class CycleCrossover(PermutationCrossover):
    """Take every city from a place where one of the parents has it.

    Cycle crossover (Oliver, Smith and Holland 1987), of permutations of any problem.

    Parameters
    ----------
    prob, backend
        As in `RecombinationCrossover`.
    """

    def __init__(self, prob: Any = 1.0, **kwargs: Any) -> None:
        super().__init__(gls.CycleRecombination(), prob, **kwargs)


class EdgeAssemblyCrossover(RecombinationCrossover):
    """Let the first parent take over from the second what makes it shorter.

    Edge assembly (Nagata and Kobayashi 2013): a child is never longer than its first parent.

    Parameters
    ----------
    offspring : int
        Of a pair, at most: exchanges that are tried.
    prob, backend
        As in `RecombinationCrossover`.
    strategy : {"single", "block"}
        What is exchanged: AB-cycles one by one, or blocks of them.
    """

    def __init__(
        self, offspring: int = 32, prob: Any = 1.0, strategy: str = "single", **kwargs: Any
    ) -> None:
        part = gls.EdgeAssembly(offspring=offspring, strategy=strategy)
        super().__init__(part, prob, **kwargs)


class EdgeRecombinationCrossover(PermutationCrossover):
    """Go from city to city along the parents' edges, common ones first.

    Edge recombination (Whitley, Starkweather and Fuquay 1989), of permutations of any problem.

    Parameters
    ----------
    prob, backend
        As in `RecombinationCrossover`.
    """

    def __init__(self, prob: Any = 1.0, **kwargs: Any) -> None:
        super().__init__(gls.EdgeRecombination(), prob, **kwargs)


class PartitionCrossover(RecombinationCrossover):
    """Take the shorter parent's edges in each part in which the parents differ.

    Partition crossover (Whitley, Hains and Howe 2009; Tinos, Whitley and Ochoa 2014): a child is
    never longer than the shorter parent.

    Parameters
    ----------
    prob, backend
        As in `RecombinationCrossover`.
    """

    def __init__(self, prob: Any = 1.0, **kwargs: Any) -> None:
        super().__init__(gls.PartitionRecombination(), prob, **kwargs)
