"""Mutations of tours: local search and kicks, of one individual or of whole lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gpu_ls_plugin as gls
from gpu_ls_deap.in_place import InPlaceMutation
from gpu_ls_deap.individuals import random_state, rows_of, valid, write
from gpu_ls_deap.run import TimedRun
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.evolution.batches.kick import Kick
from gpu_ls_plugin.evolution.batches.rows import checked_rows
from gpu_ls_plugin.evolution.bound.problem import tours_of
from gpu_ls_plugin.evolution.bound.search import TourSearch
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray


class LocalSearchMutation(ShownParameters):
    """Improve individuals by a local search, in place.

    ``toolbox.register("mutate", LocalSearchMutation(problem))`` searches one individual a call.
    A whole offspring list in one call, which a GPU needs and a CPU with several cores likes, is
    ``mutation.batch(offspring)`` between variation and evaluation; in `deap.algorithms`, which have
    no such place, ``toolbox.register("map", mutation.map)`` searches what is to be evaluated.
    In a batch tours become different from each other: known ones are kicked.

    Their fitness is invalid afterwards, so that DEAP evaluates them. Without a `run`, Ctrl-C is
    raised once the individuals are written.

    Parameters
    ----------
    problem : object
        A TSP, a CVRP, whose individuals are giant tours then, a `TourCost`, or anything else that
        a plugin makes a problem of.
    search : callable or str, optional
        A search of gpu_ls_plugin, or a text for one such as "two_opt+or_opt/quadrant(10)";
        Lin-Kernighan steps if None, 2-opt and Or-opt where `moves` limits it to a few simple moves.
    backend : str
        "auto", "cpu" or "cuda".
    moves : int, optional
        Applied improving moves per tour and call, at least 1; None: to the local optimum.
    kicks : int, optional
        Kicks per tour and call of an `IteratedLocalSearch`; None: its `kicks_per_city`
        where `moves` does not limit it.
    run : TimedRun, optional
        Whose time limit cuts the search, and which keeps its counts.

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
        backend: str = "auto",
        moves: int | None = None,
        kicks: int | None = None,
        run: TimedRun | None = None,
    ) -> None:
        self.search = TourSearch(problem, search, backend, moves, kicks)
        self.run = checks.instance("run", run, kind=TimedRun | None, wanted="TimedRun")

    def prepare(self, size: int = 1) -> None:
        """Compile for batches of `size` ahead of a timed run."""
        self.search.prepare(size)

    def __call__(self, individual: Any) -> tuple[Any]:
        """Improve one individual (in place) and return it as DEAP's mutations do."""
        run = self._run()
        write([individual], self.search.improved(rows_of([individual]), random_state(), run))
        self._end(run)
        return (individual,)

    def batch(self, individuals: Sequence[Any], known: Iterable[Any] = ()) -> Sequence[Any]:
        """Improve the individuals whose fitness is not valid (in place), all in one batch.

        Parameters
        ----------
        individuals : sequence
            Those with a valid fitness stay as they are, and no other becomes the same tour.
        known : iterable of individuals
            Others that are there already, such as a population that survives.

        Returns
        -------
        sequence
            `individuals` itself, so that the call fits around a variation.
        """
        chosen = [individual for individual in individuals if not valid(individual)]
        if chosen:
            others = [individual for individual in individuals if valid(individual)]
            run, there = self._run(), (rows_of(others), rows_of(list(known)))
            write(chosen, self.search.renewed(rows_of(chosen), there, random_state(), run))
            self._end(run)
        return individuals

    def map(self, function: Callable[..., Any], individuals: Iterable[Any]) -> list[Any]:
        """Search individuals by `batch`, and return what a function, an evaluation, says of them.

        For ``toolbox.register("map", mutation.map)``: the algorithms of DEAP evaluate by it what is
        new in a generation.
        """
        return [function(individual) for individual in self.batch(list(individuals))]

    def _run(self) -> TimedRun:
        return TimedRun() if self.run is None else self.run

    def _end(self, run: TimedRun) -> None:
        """Raise Ctrl-C that ended a search where there is no run that would end."""
        if self.run is None and run.interrupted:
            raise KeyboardInterrupt


class PerturbationMutation(InPlaceMutation):
    """Kick tours by a perturbation of gpu_ls_plugin, in place.

    ``toolbox.register("mutate", PerturbationMutation(problem, part))``, or `batch` for a whole
    list.

    Parameters
    ----------
    problem : object
        As in `LocalSearchMutation`.
    part : Perturbation or str
        For example ``gls.DoubleBridge(segment=50)``, or the name of a registered one:
        "double_bridge", "restart", "ruin_recreate" or "string_removal" of routes, or a plugin's.
    backend : str
        "auto", "cpu" or "cuda".

    Raises
    ------
    InvalidTypeError, InvalidParameterError, UnknownPartError
        `part` is not a perturbation, no backend has that name, or the problem is not one of tours.
    FaultyPartError
        When it is called: a perturbation of a third party returned other rows than tours.
    """

    def __init__(self, problem: object, part: Any = "double_bridge", backend: str = "auto") -> None:
        self.problem = tours_of(problem)
        self.kick = Kick(part, backend)

    def prepare(self, size: int = 1) -> None:
        """Compile for batches of `size` ahead of a timed run."""
        self.kick.prepare(self.problem, size)

    def _mutated(self, rows: list[Any], state: np.random.Generator) -> NDArray[Any]:
        return self.kick(self.problem, checked_rows(self.problem, rows, "individuals"), state)


class DoubleBridgeMutation(PerturbationMutation):
    """Kick tours by a random double bridge, which changes four edges; in place.

    ``toolbox.register("mutate", DoubleBridgeMutation(problem))``, or `batch` for a whole list.

    Parameters
    ----------
    segment : int, optional
        Longest window of positions that holds all four cuts; None is uniform over the tour. A
        short window changes a tour in one place only, which a local search repairs cheaply.
    problem, backend
        As in `PerturbationMutation`.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        `segment` is too short for a double bridge, no backend has that name, or the problem is not
        one of tours.
    """

    def __init__(self, problem: object, segment: int | None = 50, backend: str = "auto") -> None:
        super().__init__(problem, gls.DoubleBridge(segment=segment), backend)
