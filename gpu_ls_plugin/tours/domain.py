"""The domain of tours: what the code shared by all domains needs to know about tours."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidProblemError
from gpu_ls_plugin.core.figures import require_image
from gpu_ls_plugin.core.progress import cost_text, in_units
from gpu_ls_plugin.runs.domain import LARGE, Domain, FileKind, Output
from gpu_ls_plugin.runs.settings import repairs
from gpu_ls_plugin.tours.candidates.nearest import All, Nearest
from gpu_ls_plugin.tours.kernels.edge_keys import edge_keys, edge_numbers
from gpu_ls_plugin.tours.kernels.evaluation import tour_costs
from gpu_ls_plugin.tours.kicks.double_bridge import DoubleBridge
from gpu_ls_plugin.tours.many import many_input
from gpu_ls_plugin.tours.many.solve_many import solve_many
from gpu_ls_plugin.tours.moves.lin_kernighan import LinKernighan
from gpu_ls_plugin.tours.moves.reconnections import ThreeOpt
from gpu_ls_plugin.tours.moves.segment_moves import OrOpt
from gpu_ls_plugin.tours.plan import drawing, preparation
from gpu_ls_plugin.tours.plan.enumeration import best_of_all, enumerated
from gpu_ls_plugin.tours.plan.first_stages import (
    first_tour_stage,
    good_tour_stage,
    patched_stage,
    too_short_for_descents,
)
from gpu_ls_plugin.tours.plan.settings import settings_of_tours, why_tours
from gpu_ls_plugin.tours.problem.tsp import TSP, tour_problem
from gpu_ls_plugin.tours.problem.tsplib import fits_tours
from gpu_ls_plugin.tours.searches.iterated import IteratedLocalSearch
from gpu_ls_plugin.tours.searches.local_search import LocalSearch
from gpu_ls_plugin.tours.tensors.improvement import improve_tours

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from gpu_ls_plugin.core.budget import Stopwatch
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Result
    from gpu_ls_plugin.runs.many import ManyFound, ManyRequest
    from gpu_ls_plugin.runs.plan import Stage
    from gpu_ls_plugin.runs.settings import Request, Settings
    from gpu_ls_plugin.runs.tensors import ImprovedRows, Tensors

# Local searches for offspring. The usual one is quick, because there are many generations.
USUAL_SEARCH = LocalSearch()
THOROUGH_SEARCH = LocalSearch([LinKernighan()], Nearest(8))
DIRECTED_SEARCH = LocalSearch([ThreeOpt(), OrOpt(3)], Nearest(10))  # reverses no paths
KICK = DoubleBridge(segment=50)  # number of cities in the window
SMALLEST = 3  # with fewer cities, tours do not differ in their edges
STOPPED_BY = {"optimum": "local optimum"}  # not the optimum of the problem


class Tours(Domain):
    """The travelling salesman problem, and other problems whose rows are tours."""

    name = "tours"
    rows = "tours"
    permutations = True
    problems: tuple[type[Problem], ...] = (TSP,)

    def serves(self, problem: Problem) -> bool:
        return isinstance(getattr(problem, "tsp", None), TSP)

    def files(self) -> Sequence[FileKind]:
        title = "travelling salesman problem"
        return (FileKind("tsp", title, TSP.read, fits_tours, (".tsp",)),)

    def improver(self, tensors: Tensors) -> Callable[..., ImprovedRows] | None:
        return improve_tours if tensors.demands is None else None

    def of_array(self, array: NDArray[Any]) -> Problem | None:
        if array.shape == (2, 2):
            raise InvalidProblemError(
                "problem: an array of shape (2, 2) may hold coordinates or distances; write "
                "TSP(array) or TSP.from_matrix(array)"
            )
        if len(array.shape) == 2 and array.shape[1] == 2:
            return TSP(array)
        if len(array.shape) == 2 and array.shape[0] == array.shape[1]:
            return TSP.from_matrix(array)
        return None

    def of_arrays(self, arrays: Any, metric: Any) -> Sequence[Problem] | None:
        """Return the problems of coordinates: an array (B, n, 2), or a list of arrays (n, 2)."""
        return many_input.read(arrays, metric)

    def settings(self, problem: Any, request: Request) -> Settings:
        tour_problem(problem)
        return settings_of_tours(problem, request)

    def why(self, problem: Any, chosen: Settings) -> str:
        return why_tours(problem, chosen)

    def prepare(self, stage: Stage, backend: str) -> None:
        preparation.compile_ahead(stage.searched, stage.search, stage.size, stage.start, backend)

    def ready(self, stage: Stage, backend: str, watch: Stopwatch) -> Any:
        """Make the candidate lists of a stage, or quicker ones; return a search that uses them."""
        search = stage.search
        if not hasattr(search, "kick") or isinstance(search.search.candidates, All):
            return search
        return preparation.with_lists(
            search, stage.problem, backend, watch, flexible=stage.flexible
        )

    def stages(self, problem: Any, request: Request, chosen: Settings) -> tuple[Stage, ...]:
        """Return the stages: first one good or quick tour, if that pays, then a population."""
        main = self.main_stage(problem, problem, chosen, flexible=request.given.search is None)
        if request.generations or request.islands:
            return (main,)
        if request.given.by_time_alone and (rows := best_of_all(problem)) is not None:
            return (enumerated(problem, rows, chosen.population),)
        good = good_tour_stage(problem, request, chosen)
        if good is not None:
            alone = good.seconds == math.inf
            return (good,) if alone else (good, replace(main, joins=True))
        patched = patched_stage(problem, request, chosen, partial(self._plain, problem, request))
        if patched is not None:
            return patched, main
        quick = first_tour_stage(problem, request, chosen)
        if quick is None:
            return (main,)
        return quick, replace(main, joins=too_short_for_descents(problem, request, chosen))

    def _plain(self, problem: Any, request: Request) -> Stage:
        """Return the stage of a search of an asymmetric problem without its symmetric form."""
        chosen = settings_of_tours(problem, request, twin=False)
        return self.main_stage(problem, problem, chosen, flexible=True)

    def solve_many(self, request: ManyRequest) -> ManyFound:
        """Search all tours side by side."""
        start = request.settings.start
        if start is not None and request.starts is None:
            rows = [self.quick_row(problem, request.settings) for problem in request.problems]
            request = replace(request, starts=rows)
        return solve_many(request)

    def why_not_many(self, problem: Any) -> str | None:
        return many_input.why_not(problem)

    def for_operators(self, problem: Any) -> Problem:
        return tour_problem(problem)

    def searched_costs(self, problem: Any, backend: Any, rows: Any) -> Any:
        """Return the costs of tours as kernels compute them."""
        return tour_costs(backend, tour_problem(problem), rows)

    def fitness(self, problem: Any, rows: NDArray[np.int32]) -> NDArray[Any]:
        """Return the costs of tours; infeasible tours without a penalty get a very large one."""
        costs: NDArray[Any] = problem.cost(rows)
        if problem.constrained:
            free = problem.objective.costs(problem, rows) == 0
            costs[free & ~problem.feasible(rows)] += costs.dtype.type(LARGE)
        return costs

    def offspring_search(
        self, problem: Any | None, backend: str = "auto", *, thorough: bool = False
    ) -> Callable[..., Any]:
        """Return a local search for offspring: quick or thorough, or one for asymmetric lengths."""
        if problem is not None and not problem.symmetric:
            return DIRECTED_SEARCH
        return THOROUGH_SEARCH if thorough else USUAL_SEARCH

    def construction(self, problem: Any) -> str | None:
        return "nearest_neighbour"

    def some_rows(self, problem: Any, size: int) -> NDArray[np.int32]:
        """Return `size` copies of the tour that visits the cities in the order of their numbers."""
        return np.tile(np.arange(problem.n, dtype=np.int32), (size, 1))

    def perturbation(self, problem: Any) -> Any | None:
        """Return a kick within a short segment, which is cheap to repair."""
        return KICK

    def goes_on(self, search: Any) -> bool:
        """Return whether one kernel kicks and repairs: only then can rows be continued."""
        return search is None or (repairs(search) and IteratedLocalSearch(search).fused)

    def features(self, problem: Any, xp: Any, rows: Any) -> Any:
        """Return the edges of tours as numbers."""
        if problem.n < SMALLEST:
            return xp.tile(xp.arange(problem.n, dtype=xp.int64), (len(rows), 1))
        return edge_numbers(xp, rows, **problem.tsp.writing)

    def keys(self, problem: Any, xp: Any, rows: Any) -> Any:
        """Return a key of each tour, computed from its edges."""
        return edge_keys(xp, rows, **problem.tsp.writing)

    def facts(self, problem: Any, result: Result) -> dict[str, Any]:
        """Return the number of cities, the metric, and whether it is symmetric."""
        metric = problem.metric.name
        return {"cities": problem.n, "metric": metric, "symmetric": problem.symmetric}

    def size(self, found: Mapping[str, Any]) -> str:
        """Return the number of cities and the metric as a string."""
        return f"{found['cities']:,} cities, {measured(found)}"

    def lines(self, found: Mapping[str, Any], gap: str) -> dict[str, str | None]:
        mean = f"{cost_text(found['mean_cost'])} over {found['population']:,} tours"
        return {"best": f"{cost_text(found['best_cost'])}{gap}", "mean": mean}

    def work(self, found: Mapping[str, Any]) -> dict[str, str | None]:
        restarts = found["restarts"]
        return {
            "moves": f"{in_units(found['evaluations'])} evaluated "
            f"({in_units(found['evaluations_per_second'])} a second), {found['moves']:,} applied",
            "kicks": f"{found['kicks']:,} ({in_units(found['kicks_per_second'])} a second), "
            f"{found['accepted']:,} accepted",
            "restarts": f"{restarts:,} chains, from random tours" if restarts else None,
        }

    def stopped_by(self, reason: str) -> str:
        return STOPPED_BY.get(reason, reason)

    def outputs(self) -> Mapping[str, Output]:
        return {"tour": TOUR, "out": TOUR, "plot": Output(check_plot, _save_plot)}

    def draw(self, problem: Any, rows: NDArray[Any], axes: Any) -> None:
        """Draw all edges of tours; the more tours contain an edge, the darker and wider it is."""
        axes.set_aspect("equal")
        drawing.draw_population(axes, drawing.coordinates(tour_problem(problem)), rows)

    def plot(
        self, problem: Any, row: Any, path: str | os.PathLike[str] | None, title: str = ""
    ) -> Figure:
        return drawing.plot_tour(problem, row, path, title=title)


def measured(found: Mapping[str, Any]) -> str:
    """Return the metric as a string, with a note if it is asymmetric."""
    return f"{found['metric']}{'' if found['symmetric'] else ', asymmetric'}"


def refuse_ending(path: Path, ending: str, reason: str) -> None:
    """Raise if `path` has the extension `ending`, which belongs to another kind of file."""
    if path.suffix.lower() == ending:
        raise InvalidParameterError(f"tour: {path.name!r} is the name of a file of {reason}")


def check_plot(problem: TSP, path: Path) -> None:
    """Raise if tours of a problem cannot be drawn, or a path does not name an image."""
    drawing.coordinates(problem)
    require_image(path)


def _save_plot(problem: TSP, result: Result, path: Path) -> None:
    title = f"{problem.name}: {cost_text(problem.published(result.best_cost))}"
    drawing.plot_tour(problem, result.best_tour, path, title=title)


TOUR = Output(
    lambda _, path: refuse_ending(path, ".sol", "routes, but the problem has tours; name it .tour"),
    lambda problem, result, path: problem.write_tour(path, result.best_tour),
)
