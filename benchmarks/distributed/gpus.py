"""Several GPUs beside one: populations to a mean gap, and the time to a gap of the best tour."""

from __future__ import annotations

import json
import math
import statistics
import time
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import gpu_ls_plugin as gls
from benchmarks.helpers import common
from benchmarks.helpers.gaps import percent
from benchmarks.iterated.setting import lin_kernighan
from gpu_ls_plugin.distributed import Exchange, local_cluster

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

POPULATIONS = ("pr1002", "pr2392")
TOURS, MEAN_GAP, REPEATS = 33_792, 0.4, 3
KICKS_PER_CITY = (0.1, 0.2, 0.3, 0.5, 0.8)
TARGETS = {"fnl4461": 0.01, "rl11849": 0.05, "usa13509": 0.05}  # percent; of vehicle routing 0.2
ROUTES, ROUTES_GAP = ("X-n733-k159", "X-n957-k87", "X-n801-k40"), 0.2


def measure(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure with the given numbers of GPUs, by default one and two."""
    rows: list[dict[str, Any]] = []
    needed: dict[str, float] = {}  # kicks that one GPU needs: settings are equal
    for count in options.gpus:
        with local_cluster(gpus=count) as client, gls.Islands(client=client).opened() as islands:
            named = options.instances or (*POPULATIONS, *TARGETS, *ROUTES)
            populations = _populations(islands, needed, named)
            for row in chain(populations, _targets(islands, named, options)):
                rows.append({"gpus": count, **row})
                print(rows[-1], flush=True)
    return rows


def _populations(
    islands: gls.Islands, needed: dict[str, float], named: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Yield the tours a second at a mean gap; the first cluster finds the number of kicks."""
    crossed = lin_kernighan(accept=gls.Annealing(0.2), cooperation=gls.EdgeAssembly(0.05))
    for name in [name for name in POPULATIONS if name in named]:
        problem, optimum = _tour_problem(name)
        for each in [needed[name]] if name in needed else KICKS_PER_CITY:
            kicks = round(each * problem.n)
            once = replace(islands, exchange=Exchange(kicks=-(-kicks // 2)))
            given: dict[str, Any] = {"population": TOURS, "islands": once, "search": crossed}
            runs, phases = [], []
            for _ in range(1 + REPEATS):  # the first one compiles
                begin = time.perf_counter()
                found = gls.solve(problem, math.inf, kicks=kicks, **given)
                runs.append(time.perf_counter() - begin)
                phases.append(found.statistics.phases | {"all": found.statistics.seconds})
            seconds = statistics.median(runs[1:])
            mean = percent(float(found.costs.mean()), optimum)
            row = {"what": name, "kicks_per_city": each, "tours": len(found.tours), "gap": mean}
            row |= {"seconds": seconds, "tours_per_second": len(found.tours) / seconds}
            yield row | {"phases": phases[-1]}
            if mean <= MEAN_GAP:
                needed.setdefault(name, each)
                break


def _targets(
    islands: gls.Islands, named: Sequence[str], options: argparse.Namespace
) -> Iterator[dict[str, Any]]:
    """Yield the time until the best tour reaches a gap."""
    for name in [name for name in TARGETS if name in named]:
        yield from _runs(*_tour_problem(name), TARGETS[name], islands, options)
    folder = common.require_instances().parent / "cvrp"
    known = json.loads((folder / "solutions.json").read_text())
    for name in [name for name in named if name in known]:
        routes = gls.CVRP.read(folder / "X" / f"{name}.vrp")
        yield from _runs(routes, known[name], ROUTES_GAP, islands, options)


def _tour_problem(name: str) -> tuple[gls.TSP, int]:
    """Return an instance and its optimum."""
    return gls.TSP.read(common.require_instances() / f"{name}.tsp"), common.optima()[name]


def _runs(
    problem: Any, best: float, gap: float, islands: gls.Islands, options: argparse.Namespace
) -> Iterator[dict[str, Any]]:
    """Yield a run for each seed; before, a run that any tour satisfies compiles."""
    given: dict[str, Any] = {"islands": islands, "seconds": options.seconds}
    gls.solve(problem, target=math.inf, **given)
    target = best * (1 + gap / 100)
    for seed in options.seeds:
        begin = time.perf_counter()
        found = gls.solve(problem, seed=seed, target=target, **given)
        wall, counted = time.perf_counter() - begin, found.statistics
        row = {"what": problem.name, "seed": seed, "gap": percent(found.best_cost, best)}
        told = (point.elapsed for point in counted.history if point.best_cost <= target)
        times = {"reached": next(told, None), "seconds": counted.seconds, "wall": wall}
        yield row | times | {"by": counted.stopped_by}


def draw(axis: Any, rows: Sequence[dict[str, Any]]) -> None:
    """Draw seconds to a gap and their medians; a run that missed it counts with all its time."""
    times: dict[int, dict[str, list[float]]] = {}
    for row in rows:
        if "seed" in row:
            reached = row.get("reached") or row["seconds"]
            times.setdefault(row["gpus"], {}).setdefault(row["what"], []).append(reached)
    for count, own in times.items():
        medians = [statistics.median(each) for each in own.values()]
        (drawn,) = axis.plot(medians, list(own), "o", label=f"{count} GPU{'s' * (count > 1)}")
        for name, each in own.items():
            axis.plot(each, [name] * len(each), "|", color=drawn.get_color(), alpha=0.5)
        axis.legend()
    axis.set(xscale="log", xlabel="seconds to a gap", title="runs and medians")
    axis.set_visible(bool(times))
