"""Kernels of an iteration one by one; constraints together and apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.helpers import common
from benchmarks.papers.paper000 import constrained
from gpu_ls_plugin.tours.problem.device_data import batch_data

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BACKEND = "cuda"
SIZES = {2: (399, 967, 2401), 3: (399,)}
PASSES = 20
KEPT_AGAIN = 20  # preparations of the data of a tour in one measurement
FLEET = 0.9  # vehicles of a limited fleet, as a share of the copies of the depot


def neighbourhood(edges: int, mapping: str = "") -> Any:
    """Return the complete 2-opt or 3-opt neighbourhood, if asked for with a mapping."""
    import gpu_ls_plugin as gls

    part = gls.TwoOpt() if edges == 2 else gls.ThreeOpt()
    given = (gls.Everything(), "masked", mapping) if mapping else (gls.Everything(),)
    return gls.FilteredNeighbourhood(part, *given)


def timed(call: Callable[[], Any]) -> float:
    """Return the seconds of one call."""
    return common.seconds_of(call, on_gpu=BACKEND == "cuda")[0]


def keep_seconds(problem: Any, tours: Any) -> float:
    """Return the seconds in which a search prepares its data of a tour."""
    from gpu_ls_plugin.backends import get_backend
    from gpu_ls_plugin.tours.engines.descent.best_sweep import keep_kernel
    from gpu_ls_plugin.tours.engines.filtered.filter_layouts import FILTER_STEP_LANES
    from gpu_ls_plugin.tours.problem.metric_with_objective import search_metric

    backend = get_backend(BACKEND)
    kernel = keep_kernel(search_metric(problem.tsp), backend.block(FILTER_STEP_LANES))
    arguments = {**batch_data(backend, problem.tsp, 1), "n": problem.n, "tours": tours}

    def make() -> None:
        for _ in range(KEPT_AGAIN):
            backend.launch(kernel, 1, arguments)

    make()  # compiles
    return min(timed(make) for _ in range(3)) / KEPT_AGAIN


def pass_seconds(problem: Any, tours: Any, edges: int, mapping: str = "") -> tuple[float, float]:
    """Return the seconds of evaluating all moves, and of making the best one."""
    from gpu_ls_plugin.backends import get_backend
    from gpu_ls_plugin.tours.engines.filtered.filtered_moves import FilteredMoves

    backend = get_backend(BACKEND)
    engine = FilteredMoves(backend, problem, tours.copy(), neighbourhood(edges, mapping), PASSES)
    arguments, step = engine.arguments, engine.kernels.step("TakeFiltered")
    kernels = engine.kernels.evaluation(engine.mode)

    def evaluate() -> None:
        for kernel in kernels:
            backend.launch(kernel, engine.slots, arguments)

    found: list[tuple[float, float]] = []
    for _ in range(PASSES * arguments["chunks"]):
        found.append((timed(evaluate), timed(lambda: backend.launch(step, 1, arguments))))
    warm = np.array(found[arguments["chunks"] :])  # the first pass compiles
    evaluation, taking = np.median(warm, axis=0) * arguments["chunks"]
    return float(evaluation), float(taking)


def under_constraints(n: int) -> Iterator[tuple[str, Any, Any]]:
    """Yield problems on giant tours: lengths alone, with each constraint alone, and with all."""
    import gpu_ls_plugin as gls

    problem, tours = constrained(n)
    nodes, demands, copies = problem.nodes.coordinates, problem.demands, problem.copies
    fleet, all_of_it = int(FLEET * copies), int(demands.sum())
    capacity, limit = int(np.ceil(problem.capacity / FLEET)), problem.route_limit
    yield "lengths", problem.tsp.under("length"), tours
    for name, most, longest, vehicles in (
        ("load", capacity, None, copies),
        ("duration", all_of_it, limit, copies),
        ("vehicles", all_of_it, None, fleet),
        ("all", capacity, limit, fleet),
    ):
        limits = {"route_limit": longest, "vehicles": vehicles, "copies": copies}
        yield name, gls.CVRP(nodes, demands, most, **limits).tsp, tours


def combined() -> Iterator[dict[str, Any]]:
    """Time evaluations under all constraints, and under each alone (figure 19)."""
    for edges, sizes in SIZES.items():
        for n in sizes:
            seconds = {
                name: pass_seconds(problem, tours, edges)[0]
                for name, problem, tours in under_constraints(n)
            }
            apart = seconds["load"] + seconds["duration"] + seconds["vehicles"]
            row = {"edges": edges, "n": n, **seconds, "apart": apart}
            yield {**row, "times": apart / seconds["all"]}


def shares() -> Iterator[dict[str, Any]]:
    """Time the kernels of an iteration (figure 24)."""
    for edges, sizes in SIZES.items():
        for n in sizes:
            problem, tours = constrained(n)
            evaluation, step = pass_seconds(problem.tsp, tours, edges)
            keeping = keep_seconds(problem, tours)
            row = {"edges": edges, "n": n, "evaluation": evaluation, "keeping": keeping}
            row["choice_and_move"] = step - keeping
            yield {**row, "share_of_evaluation": evaluation / (evaluation + step)}
