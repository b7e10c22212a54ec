"""Mutations of tours by local search and by kicks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gpu_ls_plugin as gls
from gpu_ls_deap.individuals import InPlaceMutation, random_state, rows_of, valid, write
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.evolution.batches.kick import Kick
from gpu_ls_plugin.evolution.batches.rows import checked_rows
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters
from gpu_ls_plugin.evolution.timed_run import TimedRun
from gpu_ls_plugin.evolution.tour_costs import problem_for_operators
from gpu_ls_plugin.evolution.tour_search import TourSearch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray


class LocalSearchMutation(ShownParameters):
    """Improve individuals in place with a local search.

    ``toolbox.register("mutate", LocalSearchMutation(problem))`` searches one individual per call.
    To search all offspring in one call, which is faster (and necessary on a GPU), call
    ``mutation.batch(offspring)`` between variation and evaluation. The loops in `deap.algorithms`
    do not allow that; with them, use ``toolbox.register("map", mutation.map)``, which searches the
    individuals before it evaluates them. Duplicates in a batch are kicked, so that all tours
    differ.

    The mutation deletes the fitness of the individuals, so that DEAP evaluates them again. Without
    a `run`, Ctrl-C raises KeyboardInterrupt once the individuals have been written.

    Parameters
    ----------
    problem : object
        A TSP, a CVRP (individuals are giant tours), a sequence problem such as a `FlowShop`, a
        `TourCost`, or an object that a plugin converts.
    search : callable or str, optional
        A search of gpu_ls_plugin, or its text, such as "two_opt+or_opt/quadrant(10)". None:
        Lin-Kernighan steps, or 2-opt and Or-opt if `moves` is given; for sequences, insertions.
    backend : str
        "auto", "cpu" or "cuda".
    moves : int, optional
        Maximum number of improving moves per tour and call, at least 1; None: no limit.
    kicks : int, optional
        Kicks per tour and call of an `IteratedLocalSearch`. None: `kicks_per_city` of the search
        times the number of cities, or no limit if `moves` is given.
    run : TimedRun, optional
        The run that limits the time of the search and counts all searches.

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
        """Improve an individual (in place) and return it in a tuple, as DEAP's mutations do."""
        run = self._run()
        write([individual], self.search.improved(rows_of([individual]), random_state(), run))
        self._end(run)
        return (individual,)

    def batch(self, individuals: Sequence[Any], known: Iterable[Any] = ()) -> Sequence[Any]:
        """Improve the individuals whose fitness is not valid (in place), in one batch.

        Parameters
        ----------
        individuals : sequence
            Individuals with a valid fitness are not changed; each improved tour differs from them.
        known : iterable of individuals
            More individuals that the improved ones must differ from, such as the survivors.

        Returns
        -------
        sequence
            `individuals` itself.
        """
        chosen = [individual for individual in individuals if not valid(individual)]
        if chosen:
            others = [individual for individual in individuals if valid(individual)]
            run, there = self._run(), (rows_of(others), rows_of(list(known)))
            write(chosen, self.search.renewed(rows_of(chosen), there, random_state(), run))
            self._end(run)
        return individuals

    def map(self, function: Callable[..., Any], individuals: Iterable[Any]) -> list[Any]:
        """Search individuals with `batch`, and return the value of `function` for each of them.

        Register it with ``toolbox.register("map", mutation.map)``. DEAP's algorithms call ``map``
        to evaluate the new individuals of a generation.
        """
        return [function(individual) for individual in self.batch(list(individuals))]

    def _run(self) -> TimedRun:
        return TimedRun() if self.run is None else self.run

    def _end(self, run: TimedRun) -> None:
        """Raise KeyboardInterrupt if Ctrl-C ended the search and the user passed no `run`."""
        if self.run is None and run.interrupted:
            raise KeyboardInterrupt


class PerturbationMutation(InPlaceMutation):
    """Kick tours in place with a perturbation of gpu_ls_plugin.

    Register it with ``toolbox.register("mutate", PerturbationMutation(problem, part))``. `batch`
    kicks a list of individuals.

    Parameters
    ----------
    problem : object
        As in `LocalSearchMutation`.
    part : Perturbation or str, optional
        For example ``gls.DoubleBridge(segment=50)``, or the name of a registered perturbation:
        "double_bridge" or "restart"; for routes, also "string_removal"; for sequences, also
        "destroy_repair". Plugins may register others. None: a double bridge for tours, random
        insertions for sequences.
    backend : str
        "auto", "cpu" or "cuda".

    Raises
    ------
    InvalidTypeError, InvalidParameterError, UnknownPartError
        `part` is not a perturbation, the backend is unknown, or rows of the problem are not tours.
    FaultyPartError
        In a call: a third party's perturbation returned rows that are not tours.
    """

    def __init__(self, problem: object, part: Any = None, backend: str = "auto") -> None:
        self.problem = problem_for_operators(problem)
        self.kick = Kick(part, backend)

    def prepare(self, size: int = 1) -> None:
        """Compile for batches of `size` ahead of a timed run."""
        self.kick.prepare(self.problem, size)

    def _mutated(self, rows: list[Any], state: Generator) -> NDArray[Any]:
        return self.kick(self.problem, checked_rows(self.problem, rows, "individuals"), state)


class DoubleBridgeMutation(PerturbationMutation):
    """Kick tours in place with a random double bridge, which changes four edges.

    Register it with ``toolbox.register("mutate", DoubleBridgeMutation(problem))``. `batch` kicks a
    list of individuals.

    Parameters
    ----------
    segment : int, optional
        Length of the window of positions that contains all four cuts; None: the whole tour. A
        short window changes a tour in one place only, so a local search repairs it quickly.
    problem, backend
        As in `PerturbationMutation`.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        `segment` is too short for a double bridge, the backend is unknown, or rows of the problem
        are not tours.
    """

    def __init__(self, problem: object, segment: int | None = 50, backend: str = "auto") -> None:
        super().__init__(problem, gls.DoubleBridge(segment=segment), backend)
