"""Mutations of tours by local search and by kicks, a whole generation in one batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gpu_ls_plugin as gls
from gpu_ls_plugin.evolution.batches.kick import Kick
from gpu_ls_plugin.evolution.batches.rows import checked_rows
from gpu_ls_plugin.evolution.tour_costs import problem_for_operators
from gpu_ls_plugin.evolution.tour_search import TourSearch
from gpu_ls_pygad.selective_mutation import SelectiveMutation

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator
    from numpy.typing import NDArray

    from gpu_ls_pygad.run import GaRun


class LocalSearchMutation(SelectiveMutation):
    """Improve solutions with a local search, a whole generation in one batch.

    Pass it as ``mutation_type`` to `pygad.GA`. The improved tours are in canonical form, and differ
    from each other and from those of the population. To this end, the mutation kicks each known
    tour before the search. If the search returns a known tour, a kicked tour replaces it. A time
    limit of the run (``stop_criteria="time_10"``) ends the search early; waiting for kernels does
    not count. Ctrl-C ends the run after the current generation. ``ga_instance.local_search`` has
    the counts of all searches.

    Parameters
    ----------
    problem : object
        A TSP, a CVRP (solutions are giant tours), a sequence problem such as a `FlowShop`, a
        `TourFitness`, PyGAD's benchmark TSP, or an object that a plugin converts.
    search : callable or str, optional
        A search of gpu_ls_plugin, or its text, such as "two_opt+or_opt/quadrant(10)". None:
        Lin-Kernighan steps, or 2-opt and Or-opt if `moves` is given; for sequences, insertions.
    prob : float
        Probability that a solution is searched. PyGAD's ``mutation_probability`` applies to genes
        and has no effect here.
    backend : str
        "auto", "cpu" or "cuda".
    moves : int, optional
        Maximum number of improving moves per tour and call, at least 1; None: no limit.
    kicks : int, optional
        Kicks per tour and call of an `IteratedLocalSearch`. None: `kicks_per_city` of the search
        times the number of cities, or no limit if `moves` is given.

    Raises
    ------
    InvalidTypeError, InvalidParameterError, UnknownPartError
        A parameter is out of range; `search` is neither a search that improves given tours nor the
        text of one; `kicks` is given, but the search makes no kicks; rows of the problem are not
        tours.
    """

    def __init__(
        self,
        problem: object,
        search: Callable[..., Any] | str | None = None,
        prob: float = 1.0,
        backend: str = "auto",
        moves: int | None = None,
        kicks: int | None = None,
    ) -> None:
        super().__init__(prob)
        self.search = TourSearch(problem, search, backend, moves, kicks)

    def prepare(self, size: int = 1) -> None:
        """Compile for generations of `size` ahead of a timed run."""
        self.search.prepare(size)

    def _mutated(
        self, rows: NDArray[Any], others: NDArray[Any], state: Generator, run: GaRun
    ) -> NDArray[Any]:
        return self.search.renewed(rows, (run.ga.population, others), state, run)


class PerturbationMutation(SelectiveMutation):
    """Kick tours with a perturbation of gpu_ls_plugin, in one batch.

    Pass it as ``mutation_type`` to `pygad.GA`.

    Parameters
    ----------
    problem : object
        As in `LocalSearchMutation`.
    part : Perturbation or str, optional
        For example ``gls.DoubleBridge(segment=50)``, or the name of a registered perturbation:
        "double_bridge" or "restart"; for routes, also "string_removal"; for sequences, also
        "destroy_repair". Plugins may register others. None: a double bridge for tours, random
        insertions for sequences.
    prob : float
        Probability that a solution is kicked.
    backend : str
        "auto", "cpu" or "cuda".

    Raises
    ------
    InvalidTypeError, InvalidParameterError, UnknownPartError
        `part` is not a perturbation, another parameter is out of range, or rows of the problem are
        not tours.
    FaultyPartError
        In a run: a third party's perturbation returned rows that are not tours.
    """

    def __init__(
        self, problem: object, part: Any = None, prob: float = 1.0, backend: str = "auto"
    ) -> None:
        super().__init__(prob)
        self.problem = problem_for_operators(problem)
        self.kick = Kick(part, backend)

    def prepare(self, size: int = 1) -> None:
        """Compile for generations of `size` ahead of a timed run."""
        self.kick.prepare(self.problem, size)

    def _mutated(
        self, rows: NDArray[Any], others: NDArray[Any], state: Generator, run: GaRun
    ) -> NDArray[Any]:
        return self.kick(self.problem, checked_rows(self.problem, rows, "offspring"), state)


class DoubleBridgeMutation(PerturbationMutation):
    """Kick tours with a random double bridge, which changes four edges, in one batch.

    Pass it as ``mutation_type`` to `pygad.GA`.

    Parameters
    ----------
    segment : int, optional
        Length of the window of positions that contains all four cuts; None: the whole tour. A
        short window changes a tour in one place only, so a local search repairs it quickly.
    problem, prob, backend
        As in `PerturbationMutation`.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        `segment` is too short for a double bridge, another parameter is out of range, or rows of
        the problem are not tours.
    """

    def __init__(
        self, problem: object, segment: int | None = 50, prob: float = 1.0, backend: str = "auto"
    ) -> None:
        super().__init__(problem, gls.DoubleBridge(segment=segment), prob, backend)
