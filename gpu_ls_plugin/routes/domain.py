"""The domain of vehicle routing: what clients such as `solve` and ``gpu-ls`` ask of it."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.figures import require_image
from gpu_ls_plugin.routes.many.solving import improve_routes, solve_many
from gpu_ls_plugin.routes.moves.between_routes import RouteMoves
from gpu_ls_plugin.routes.plan import drawing
from gpu_ls_plugin.routes.plan.charts import plot_chart
from gpu_ls_plugin.routes.plan.few_customers import are_few, best_routes
from gpu_ls_plugin.routes.plan.fewer_vehicles import first_try, pay, seconds_of_a_try
from gpu_ls_plugin.routes.plan.first_generations import first_generations
from gpu_ls_plugin.routes.plan.reports import RouteDisplay, about_routes, route_lines
from gpu_ls_plugin.routes.plan.settings import (
    check_demands,
    divided,
    settings_of_routes,
    softened,
    why_routes,
)
from gpu_ls_plugin.routes.problem.cvrp import CVRP, ROUNDINGS, routing_problem
from gpu_ls_plugin.routes.problem.cvrp_instances import DEMANDS, DEPOTS, POSITIONING
from gpu_ls_plugin.routes.problem.cvrplib import fits_routes
from gpu_ls_plugin.routes.problem.giant_tsp import GiantTSP
from gpu_ls_plugin.routes.problem.schedules import check_ending
from gpu_ls_plugin.routes.problem.solomon import fits_solomon
from gpu_ls_plugin.routes.problem.vrp import VRP
from gpu_ls_plugin.runs.domain import Command, FileKind, Output, first_row
from gpu_ls_plugin.tours.candidates.nearest import Nearest
from gpu_ls_plugin.tours.crossovers.tour_crossovers import SegmentRecombination
from gpu_ls_plugin.tours.domain import Tours, check_plot, measured, refuse_ending
from gpu_ls_plugin.tours.plan.enumeration import best_of_all, enumerated
from gpu_ls_plugin.tours.searches.local_search import LocalSearch

if TYPE_CHECKING:
    import argparse
    import os
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.progress import SearchDisplay
    from gpu_ls_plugin.core.result import Result
    from gpu_ls_plugin.runs.many import ManyFound, ManyRequest
    from gpu_ls_plugin.runs.plan import Stage
    from gpu_ls_plugin.runs.settings import Request, Settings
    from gpu_ls_plugin.runs.tensors import ImprovedRows, Tensors


ROUTE_SEARCH = LocalSearch([RouteMoves()], Nearest(20))


class Routes(Tours):
    """Vehicle routing: rows are giant tours, so that searches of tours work on them."""

    name = "routes"
    rows = "routes"
    problems = (CVRP,)

    def serves(self, problem: Problem) -> bool:
        """Return whether a problem is a CVRP, or the TSP of its giant tours."""
        return isinstance(problem, (CVRP, GiantTSP))

    def files(self) -> Sequence[FileKind]:
        title, options = "vehicle routing problem", ("vehicles", "rounding")
        windows = f"{title} with time windows"
        return (
            FileKind("cvrp", title, CVRP.read, fits_routes, (".vrp", ".cvrp"), options),
            FileKind("vrptw", windows, VRP.read, fits_solomon, (".txt",), options),
        )

    def of_array(self, array: NDArray[Any]) -> Problem | None:
        """Return None: an array of coordinates or distances describes a TSP."""
        return None

    def of_arrays(self, arrays: Any, metric: Any) -> Sequence[Problem] | None:
        """Return None: arrays of coordinates describe TSPs."""
        return None

    def solve_many(self, request: ManyRequest) -> ManyFound:
        return solve_many(self, request)

    def improver(self, tensors: Tensors) -> Callable[..., ImprovedRows] | None:
        return None if tensors.demands is None else improve_routes

    def why_not_many(self, problem: Any) -> str | None:
        return None

    def asked(self, problem: Any) -> Problem:
        """Return a CVRP as it is, and the TSP of giant tours as its CVRP."""
        return routing_problem(problem)

    def settings(self, problem: Any, request: Request) -> Settings:
        return settings_of_routes(problem, request)

    def divided(self, problem: Any, given: Settings, chosen: Settings) -> Settings:
        """Return the chosen settings, changed to search in parts if there are many customers."""
        return divided(problem, given, chosen) if isinstance(problem, CVRP) else chosen

    def why(self, problem: Any, chosen: Settings) -> str:
        return why_routes(routing_problem(problem), chosen)

    def stages(self, problem: Any, request: Request, chosen: Settings) -> tuple[Stage, ...]:
        """Return the stages: if they pay, generations and tries of smaller fleets; then chains."""
        if not isinstance(problem, CVRP):
            return super().stages(problem, request, chosen)
        given, ordinary = request.given, not (request.generations or request.islands)
        if ordinary and given.by_time_alone and (rows := best_of_few(problem)) is not None:
            return (enumerated(problem, rows, chosen.population),)
        check_demands(problem, given)
        searched = searched_as(problem, given, chosen)
        main = self.main_stage(problem, searched, chosen, flexible=given.search is None)
        untimed = request.alike if request.generations else not math.isfinite(given.seconds)
        if untimed and not ordinary:
            return (main,)
        breeding = first_generations(problem, request, chosen)
        stages = [] if breeding is None else [breeding]
        if not request.islands and pay(problem, request, chosen):
            left = chosen.seconds - sum(stage.seconds for stage in stages)
            seconds = seconds_of_a_try(left)
            shorter = replace(request, given=replace(given, seconds=seconds, seed=chosen.seed))
            stages.append(first_try(main, self.settings(problem, shorter), seconds))
        return (*stages, main)

    def fitness(self, problem: Any, rows: NDArray[np.int32]) -> NDArray[Any]:
        """Return the costs of giant tours; infeasible tours cost more than any feasible one.

        An upper bound on tour lengths is added to the cost of each infeasible tour. On a
        `penalised` problem, nothing is added to the problem's cost.
        """
        costs: NDArray[Any] = problem.cost(rows)
        routes = routing_problem(problem)
        if problem.constrained and routes.penalties is None:
            barrier = (math.ceil(routes.longest) + 1) * problem.n
            costs[~problem.feasible(rows)] += costs.dtype.type(barrier)
        return costs

    def offspring_search(
        self, problem: Any | None, backend: str = "auto", *, thorough: bool = False
    ) -> Callable[..., Any]:
        """Return a local search with moves within and between routes."""
        return ROUTE_SEARCH

    def construction(self, problem: Any) -> str | None:
        return "savings"

    def crossover(self, problem: Any) -> Any:
        """Return a crossover of tour segments. Its children may break constraints."""
        return SegmentRecombination()

    def display(self, problem: Any, settings: Settings) -> SearchDisplay:
        """Return the live display, which shows the cost of the best feasible routes."""
        return RouteDisplay(problem, settings.seconds)

    def facts(self, problem: Any, result: Result) -> dict[str, Any]:
        return about_routes(problem, result) | {"symmetric": problem.symmetric}

    def size(self, found: Mapping[str, Any]) -> str:
        return f"{found['customers']:,} customers, {measured(found)}"

    def lines(self, found: Mapping[str, Any], gap: str) -> dict[str, str | None]:
        lines = super().lines(found, gap)
        mean = lines.pop("mean")
        return {**lines, **route_lines(dict(found)), "mean": mean}

    def outputs(self) -> Mapping[str, Output]:
        plot = Output(
            lambda problem, path: check_plot(problem.nodes, path),
            lambda problem, result, path: drawing.plot_routes(problem, result.best_tour, path),
        )
        chart = Output(
            lambda problem, path: require_image(path),
            lambda problem, result, path: plot_chart(problem, result.best_tour, path),
        )
        schedule = Output(
            lambda problem, path: check_ending(path),
            lambda problem, result, path: problem.write_schedule(result.best_tour, path),
        )
        files = {"tour": SOLUTION, "out": SOLUTION, "schedule": schedule}
        return {**files, "plot": plot, "gantt": chart}

    def plot(
        self, problem: Any, row: Any, path: str | os.PathLike[str] | None, title: str = ""
    ) -> Figure:
        """Return a map of the routes, with bars for the loads."""
        return drawing.plot_routes(routing_problem(problem), row, path, title=title)

    def chart(
        self, problem: Any, row: Any, path: str | os.PathLike[str] | None, title: str = ""
    ) -> Figure:
        return plot_chart(routing_problem(problem), row, path, title)

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the options for the fleet and the rounding of lengths."""
        add = parser.add_argument
        add("--vehicles", type=int, metavar="N", help="size of the fleet (default: as in the file)")
        add(
            "--rounding",
            choices=ROUNDINGS,
            help="rounding of EUC_2D lengths in routing problems; dimacs truncates to tenths "
            "(default: auto, as for best known costs)",
        )

    def commands(self) -> Mapping[str, Command]:
        """Return ``gpu-ls generate``."""
        return {"generate": GENERATE}


def best_of_few(problem: CVRP) -> NDArray[np.int32] | None:
    """Return rows with an optimal one first; None if the problem is too large to enumerate."""
    rows = best_of_all(problem)
    if rows is not None or not are_few(problem):
        return rows
    routes = best_routes(problem)
    return None if routes is None else problem.tour(routes)[None]


def searched_as(problem: CVRP, given: Settings, chosen: Settings) -> Problem:
    """Return the problem to search, with soft constraints if they pay."""
    if hasattr(given.search, "kick"):
        return problem
    within_parts = getattr(chosen.search, "search", None)  # of `Decomposed`
    search = within_parts if hasattr(within_parts, "kick") else chosen.search
    first = partial(first_row, problem, chosen.start, chosen.backend)
    return softened(problem, search, chosen.seconds, lambda: first()[0])


SOLUTION = Output(
    lambda _, path: refuse_ending(
        path, ".tour", "a tour, but the problem has routes; name it .sol"
    ),
    lambda problem, result, path: problem.write_solution(result.best_tour, path),
)

RULES = ("depot", "positioning", "demands", "route_size")


def _add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of ``gpu-ls generate``; see `CVRP.generated`."""
    add = command.add_argument
    add("file", type=Path, metavar="FILE", help="write the instance here (.vrp)")
    add("--customers", type=int, metavar="N", required=True)
    add("--depot", choices=DEPOTS, default="random", help="position of the depot (default: random)")
    add(
        "--positioning",
        choices=POSITIONING,
        default="random_clustered",
        help="positions of customers (default: half at random, half in clusters)",
    )
    add("--demands", choices=DEMANDS, default="1-100", help="demands (default: 1-100)")
    add(
        "--route-size",
        type=float,
        metavar="R",
        help="customers that fill a vehicle on average (default: random, 3 to 25)",
    )
    add("--seed", type=int, default=1, help="seed of the random numbers (default: 1)")


def _generate(options: argparse.Namespace) -> tuple[dict[str, object], str]:
    """Write a generated instance; return facts about it and a line to print."""
    rules = {name: getattr(options, name) for name in RULES}
    problem = CVRP.generated(options.customers, seed=options.seed, **rules)
    problem.write(options.file)
    names = ("name", "comment", "customers", "capacity", "vehicles")
    facts = {"file": str(options.file)} | {name: getattr(problem, name) for name in names}
    return facts, f"{options.file}: {problem!r}, {problem.comment}"


GENERATE = Command(
    "Write a vehicle routing instance, generated by the rules of the X set.",
    _add_options,
    _generate,
)
