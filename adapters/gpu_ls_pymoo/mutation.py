"""Mutations of tours by local search and by kicks, all chosen individuals in one batch."""

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
from gpu_ls_plugin.evolution.batches.rows import keys
from gpu_ls_pymoo.clock import seconds_left
from gpu_ls_pymoo.duplicates import CanonicalTourRepair
from gpu_ls_pymoo.problems import canonical_tours, view_of
from gpu_ls_pymoo.search import improve, improve_distinct, known_tours, offspring_so_far
from gpu_ls_pymoo.selective_mutation import SelectiveMutation
from gpu_ls_pymoo.view import Weighting

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.random import Generator
    from numpy.typing import NDArray

    from gpu_ls_plugin.evolution.batches.rows import Tours
    from gpu_ls_pymoo.view import Fitness


class LocalSearchMutation(SelectiveMutation):
    """Improve individuals with a local search, all of a generation in one batch.

    Improved tours are in canonical form (`CanonicalTourRepair`), so that equal tours are equal
    rows. Their fitness is set, so that pymoo does not evaluate them again; each counts as one
    evaluation in ``n_eval``. A time limit of the run ends the search early.

    In a run, improved tours differ from each other and from those of the population. Otherwise
    pymoo would mate and search again to replace duplicates, up to a hundred times in a generation.
    Known tours are kicked before the search. If the search returns a known tour, a kicked tour
    replaces it, without another search. If kicks find no new tour, as on tiny problems, nothing is
    searched. Outside a run, when `do` gets no `algorithm`, duplicates are not kicked, so no tour
    becomes worse.

    Parameters
    ----------
    search : callable or str, optional
        A search of gpu_ls_plugin, or its text, such as "two_opt+or_opt/quadrant(10)". None:
        Lin-Kernighan steps, or 2-opt and Or-opt if `moves` is given; for sequences, insertions.
    prob : float or pymoo Real
        Probability that an individual is searched.
    backend : str
        "auto", "cpu" or "cuda".
    moves : int, optional
        Maximum number of improving moves per tour and call, at least 1; None: no limit.
    kicks : int, optional
        Kicks per tour and call of an `IteratedLocalSearch`. None: `kicks_per_city` of the search
        times the number of cities, or no limit if `moves` is given.
    weights : Weights, optional
        Draws weights for the objectives of a `MultiObjectiveTSPProblem`, or of permutations with
        several objectives; each row is searched by its own weighted sum. None: `PositionWeights`.

    Raises
    ------
    InvalidTypeError, InvalidParameterError, UnknownPartError
        A parameter is out of range; `search` is neither a search that improves given tours nor the
        text of one; `kicks` is given, but the search makes no kicks.
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
        self.search.prepare(view_of(problem).for_compiling(size, self.weights), size)

    def _drawn(self, size: int, random_state: Generator, algorithm: Any) -> NDArray[np.bool_]:
        drawn = super()._drawn(size, random_state, algorithm)
        if seconds_left(algorithm) <= 0:  # kick all duplicates, or pymoo would mate again
            drawn[:] = True
        return drawn

    def _mutate(
        self, problem: Any, chosen: Any, others: Any, random_state: Generator, algorithm: Any
    ) -> tuple[Tours, Fitness | None]:
        if algorithm is None:  # outside a run, duplicates do not matter
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
        """Return whether a repair may change tours after their fitness was set."""
        holders = (self, algorithm, getattr(algorithm, "mating", None))
        repairs = (getattr(holder, "repair", None) for holder in holders)
        return not all(isinstance(r, None | NoRepair | CanonicalTourRepair) for r in repairs)


class PerturbationMutation(SelectiveMutation):
    """Kick tours with a perturbation of gpu_ls_plugin, all rows in one batch.

    Parameters
    ----------
    part : Perturbation or str, optional
        For example ``gls.DoubleBridge(segment=50)``, or the name of a registered one, such as a
        plugin's; for sequences also ``gls.DestroyRepair(removed=4)``. By default, the perturbation
        of the problem's domain: a double bridge for tours, random insertions for sequences. A
        perturbation that does not use lengths kicks permutations of any problem. On permutations
        with several objectives, any other perturbation uses a weighted sum of the objectives, with
        different weights for each row (`PositionWeights`).
    prob : float or pymoo Real
        Probability that an individual is kicked.
    backend : str
        "auto", "cpu" or "cuda".

    Raises
    ------
    InvalidTypeError, InvalidParameterError, UnknownPartError
        `part` is not a perturbation, `prob` is not between 0 and 1, or the backend is unknown.
    FaultyPartError
        In a run: a third party's perturbation returned rows that are not tours.
    """

    def __init__(
        self, part: Any = None, prob: Any = 1.0, backend: str = "auto", **kwargs: Any
    ) -> None:
        super().__init__(prob, **kwargs)
        self.kick = Kick(part, backend)

    @property
    def part(self) -> Any:
        """The perturbation."""
        return self.kick.part

    def prepare(self, problem: Any, size: int = 1) -> None:
        """Compile for batches of `size` ahead of a timed run."""
        self.kick.prepare(view_of(problem).for_kick(self.kick), size)

    def _mutate(
        self, problem: Any, chosen: Any, others: Any, random_state: Generator, algorithm: Any
    ) -> tuple[Tours, Fitness | None]:
        return view_of(problem).kicked(self.kick, chosen.get("X"), random_state), None


class DoubleBridgeMutation(PerturbationMutation):
    """Kick tours with a random double bridge, which changes four edges, in one batch.

    Parameters
    ----------
    segment : int, optional
        Length of the window of positions that contains all four cuts; None: the whole tour. A
        short window changes a tour in one place only, so a local search repairs it quickly.
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
