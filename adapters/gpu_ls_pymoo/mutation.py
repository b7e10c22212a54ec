"""Mutations of tours: local search and kicks, one batch for all chosen individuals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pymoo.core.repair import NoRepair

import gpu_ls_plugin as gls
import gpu_ls_pymoo
import gpu_ls_pymoo.individuals as individuals
from gpu_ls_plugin.core.exceptions import InvalidTypeError
from gpu_ls_plugin.evolution.batches.distinct import DistinctSearch
from gpu_ls_plugin.evolution.batches.improver import Improver
from gpu_ls_plugin.evolution.batches.kick import Kick
from gpu_ls_plugin.evolution.batches.rows import checked, keys
from gpu_ls_pymoo.clock import seconds_left
from gpu_ls_pymoo.domains import view_of
from gpu_ls_pymoo.problems import as_tsp, canonical_tours
from gpu_ls_pymoo.repair import CanonicalTourRepair
from gpu_ls_pymoo.search import improve, improve_distinct, known_tours, offspring_so_far
from gpu_ls_pymoo.selective_mutation import SelectiveMutation
from gpu_ls_pymoo.view import Weighting

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.evolution.batches.rows import Tours
    from gpu_ls_pymoo.view import Fitness


class LocalSearchMutation(SelectiveMutation):
    """Improve individuals by a local search, all of a generation in one batch.

    Tours come out in canonical form (`CanonicalTourRepair`), so that equal tours are equal rows,
    and with their fitness, so that pymoo does not evaluate them again; each counts as one
    evaluation in ``n_eval``. A time limit of the run cuts the search.

    In a run, all tours that come out are different from each other and from those of its
    population, so that pymoo finds no duplicates among them, for which it would mate and search
    up to a hundred times in a generation: known tours are kicked before the search, and those that
    it leads back to known tours are replaced by kicked, unsearched ones. Where not even kicks find
    a new tour (tiny problems), nothing is searched. Outside a run, without `algorithm`, each tour
    is just searched and none becomes worse.

    Parameters
    ----------
    search : callable or str, optional
        A search of gpu_ls_plugin, or a text for one such as "two_opt+or_opt/quadrant(10)";
        Lin-Kernighan steps if None, `default_search` where `moves` limits it to a few simple moves.
    prob : float or pymoo Real
        Probability of an individual to be searched; drawn before the search, once.
    backend : str
        "auto", "cpu" or "cuda".
    moves : int, optional
        Applied improving moves per tour and call, at least 1; None: to the local optimum.
    kicks : int, optional
        Kicks per tour and call of an `IteratedLocalSearch`; None: its `kicks_per_city`
        where `moves` does not limit it.
    weights : Weights, optional
        Of the objectives of a `MultiObjectiveTSPProblem`; each tour is searched by its own weighted
        sum; `PositionWeights` if None.

    Raises
    ------
    InvalidTypeError, InvalidParameterError, UnknownPartError
        A parameter is out of range; `search` is neither a search that improves given tours nor a
        text for one; `kicks` is given where the search makes none.
    """

    def __init__(
        self,
        search: Callable[..., Any] | str | None = None,
        prob: Any = 1.0,
        backend: str = "auto",
        moves: int | None = None,
        kicks: int | None = None,
        weights: Weighting | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(prob, **kwargs)
        improver = Improver(search, backend, moves, kicks, thorough=moves is None)
        self.weights = gpu_ls_pymoo.PositionWeights() if weights is None else weights
        if isinstance(self.weights, type) or not isinstance(self.weights, Weighting):
            raise InvalidTypeError(f"weights: {weights!r} is not a rule, such as RandomWeights()")
        self.search = DistinctSearch(improver, Kick(backend=backend))

    def prepare(self, problem: Any, size: int = 1) -> None:
        """Compile for batches of `size` ahead of a timed run."""
        self.search.prepare(view_of(problem).rehearsed(size, self.weights), size)

    def _drawn(
        self, size: int, random_state: np.random.Generator, algorithm: Any
    ) -> NDArray[np.bool_]:
        drawn = super()._drawn(size, random_state, algorithm)
        if seconds_left(algorithm) <= 0:  # nothing is searched; no duplicate, so no more mating
            drawn[:] = True
        return drawn

    def _mutate(
        self,
        problem: Any,
        chosen: Any,
        others: Any,
        random_state: np.random.Generator,
        algorithm: Any,
    ) -> tuple[Tours, Fitness | None]:
        if algorithm is None:  # nobody mates until all are new: better no tour that is worse
            rows = chosen.get("X")
            return improve(self.search.improver, problem, rows, random_state, None, self.weights)
        made = offspring_so_far(algorithm)
        if made.exhausted:
            return canonical_tours(problem, chosen.get("X")), None
        known = made.tours | known_tours(problem, getattr(algorithm, "pop", None), others)
        tours, values, new = improve_distinct(
            self.search, problem, chosen.get("X"), known, random_state, algorithm, self.weights
        )
        made.tours.update(keys(tours))
        made.exhausted = not new.any()
        if values is None or self._repaired_later(algorithm):
            return tours, None
        individuals.count(algorithm, len(tours))
        return tours, values

    def _repaired_later(self, algorithm: Any) -> bool:
        """Whether a repair may change tours after their fitness was set."""
        holders = (self, algorithm, getattr(algorithm, "mating", None))
        repairs = (getattr(holder, "repair", None) for holder in holders)
        return not all(isinstance(r, None | NoRepair | CanonicalTourRepair) for r in repairs)


class PerturbationMutation(SelectiveMutation):
    """Kick tours by a perturbation of gpu_ls_plugin, all rows in one batch.

    Parameters
    ----------
    part : Perturbation or str
        For example ``gls.DoubleBridge(segment=50)``, or the name of a registered one, such as a
        plugin's. One that does not look at lengths kicks permutations of any problem.
    prob : float or pymoo Real
        Probability of an individual to be kicked; drawn first, once.
    backend : str
        "auto", "cpu" or "cuda".

    Raises
    ------
    InvalidTypeError, InvalidParameterError, UnknownPartError
        `part` is not a perturbation, `prob` is not from 0 to 1, or no backend has that name.
    FaultyPartError
        In a run: a perturbation of a third party returned other rows than tours.
    """

    def __init__(self, part: Any, prob: Any = 1.0, backend: str = "auto", **kwargs: Any) -> None:
        super().__init__(prob, **kwargs)
        self.kick = Kick(part, backend)

    @property
    def part(self) -> Any:
        """The perturbation."""
        return self.kick.part

    def prepare(self, problem: Any, size: int = 1) -> None:
        """Compile for batches of `size` ahead of a timed run."""
        self.kick.prepare(self._instance(problem), size)

    def _instance(self, problem: Any) -> Problem:
        """Return the problem that the part is told of."""
        return as_tsp(problem) if self.kick.by_lengths else view_of(problem).kicked()

    def _mutate(
        self,
        problem: Any,
        chosen: Any,
        others: Any,
        random_state: np.random.Generator,
        algorithm: Any,
    ) -> tuple[Tours, Fitness | None]:
        instance = self._instance(problem)
        return self.kick(instance, checked(chosen.get("X"), instance.n, "X"), random_state), None


class DoubleBridgeMutation(PerturbationMutation):
    """Kick tours by a random double bridge, which changes four edges; all rows in one batch.

    Parameters
    ----------
    segment : int, optional
        Longest window of positions that holds all four cuts; None is uniform over the tour. A
        short window changes a tour in one place only, which a local search repairs cheaply.
    prob, backend
        As in `PerturbationMutation`.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        `segment` is too short for a double bridge, or another parameter is out of range.
    """

    def __init__(
        self, segment: int | None = 50, prob: Any = 1.0, backend: str = "auto", **kwargs: Any
    ) -> None:
        super().__init__(gls.DoubleBridge(segment=segment), prob, backend, **kwargs)
