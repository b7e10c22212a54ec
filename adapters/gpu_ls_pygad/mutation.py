"""Mutations of a whole generation: local search and kicks, one batch for all chosen."""

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

    import numpy as np
    from numpy.typing import NDArray

    from gpu_ls_pygad.run import GaRun


class LocalSearchMutation(SelectiveMutation):
    """Improve solutions by a local search, all of a generation in one batch.

    For ``mutation_type`` of `pygad.GA`. Tours come out in canonical form, different from each other
    and from those of the population: known tours are kicked before the search, and those that it
    leads back to known tours are replaced by kicked ones. A time limit of the run
    (``stop_criteria="time_10"``) cuts the search, compiling does not count, and Ctrl-C ends the
    run after the generation. Counts of all searches are in ``ga_instance.local_search``.

    Parameters
    ----------
    problem : object
        A TSP, a CVRP, whose solutions are giant tours then, a `TourFitness`, PyGAD's benchmark
        TSP, or anything else that a plugin makes a problem of.
    search : callable or str, optional
        A search of gpu_ls_plugin, or a text for one such as "two_opt+or_opt/quadrant(10)";
        Lin-Kernighan steps if None, 2-opt and Or-opt where `moves` limits it to a few simple moves.
    prob : float
        Probability of a solution to be searched; drawn before the search, once. PyGAD's
        ``mutation_probability`` is that of a gene and has no effect here.
    backend : str
        "auto", "cpu" or "cuda".
    moves : int, optional
        Applied improving moves per tour and call, at least 1; None: to the local optimum.
    kicks : int, optional
        Kicks per tour and call of an `IteratedLocalSearch`; None: its `kicks_per_city`
        where `moves` does not limit it.

    Raises
    ------
    InvalidTypeError, InvalidParameterError, UnknownPartError
        A parameter is out of range; `search` is neither a search that improves given tours nor a
        text for one; `kicks` is given where the search makes none; no problem of tours.
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
        self, rows: NDArray[Any], others: NDArray[Any], state: np.random.Generator, run: GaRun
    ) -> NDArray[Any]:
        return self.search.renewed(rows, (run.ga.population, others), state, run)


class PerturbationMutation(SelectiveMutation):
    """Kick tours by a perturbation of gpu_ls_plugin, all of them in one batch.

    For ``mutation_type`` of `pygad.GA`.

    Parameters
    ----------
    problem : object
        As in `LocalSearchMutation`.
    part : Perturbation or str
        For example ``gls.DoubleBridge(segment=50)``, or the name of a registered one:
        "double_bridge", "restart", "ruin_recreate" or "string_removal" of routes, or a plugin's.
    prob : float
        Probability of a solution to be kicked; drawn first, once.
    backend : str
        "auto", "cpu" or "cuda".

    Raises
    ------
    InvalidTypeError, InvalidParameterError, UnknownPartError
        `part` is not a perturbation, another parameter is out of range, or the problem is not one
        of tours.
    FaultyPartError
        In a run: a perturbation of a third party returned other rows than tours.
    """

    def __init__(
        self, problem: object, part: Any = "double_bridge", prob: float = 1.0, backend: str = "auto"
    ) -> None:
        super().__init__(prob)
        self.problem = problem_for_operators(problem)
        self.kick = Kick(part, backend)

    def prepare(self, size: int = 1) -> None:
        """Compile for generations of `size` ahead of a timed run."""
        self.kick.prepare(self.problem, size)

    def _mutated(
        self, rows: NDArray[Any], others: NDArray[Any], state: np.random.Generator, run: GaRun
    ) -> NDArray[Any]:
        return self.kick(self.problem, checked_rows(self.problem, rows, "offspring"), state)


class DoubleBridgeMutation(PerturbationMutation):
    """Kick tours by a random double bridge, which changes four edges; all of them in one batch.

    For ``mutation_type`` of `pygad.GA`.

    Parameters
    ----------
    segment : int, optional
        Longest window of positions that holds all four cuts; None is uniform over the tour. A
        short window changes a tour in one place only, which a local search repairs cheaply.
    problem, prob, backend
        As in `PerturbationMutation`.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        `segment` is too short for a double bridge, another parameter is out of range, or the
        problem is not one of tours.
    """

    def __init__(
        self, problem: object, segment: int | None = 50, prob: float = 1.0, backend: str = "auto"
    ) -> None:
        super().__init__(problem, gls.DoubleBridge(segment=segment), prob, backend)
