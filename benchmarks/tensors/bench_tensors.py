"""Rows as tensors: improve beside numba, LKH and HGS on all cores; many routes; time of a call.

Instances are uniform in the unit square. Ours starts and ends with arrays on the device (NumPy on a
CPU); its seconds are wall time with the device's work, kernels compiled before, the median of some
calls. Peers work on the host with a thread or a process for each core, on the first instances if
`of` says so; `seconds_for_all` is the time for all instances at that rate. Lengths are recomputed
in float64.

numba runs 2-opt with best improvement on matrices, compiled before, at most 1,000 moves a tour.
elkai runs LKH once. HGS-CVRP (hygese) ends after 100 iterations without improvement.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.helpers import common
from benchmarks.peers.solvers import has
from benchmarks.tensors.numba_two_opt import two_opt

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from numpy.typing import NDArray

SETS = ((1024, 500), (8192, 100))  # numbers of instances and cities
KICKED = (1024, 100)
KICKS_PER_CITY = 100
ROUTES = (1024, 100)
SAMPLE = 256  # instances of slow peers
COLUMNS = ("start", "who", "of", "mean_length", "seconds", "seconds_for_all", "times")
CAPACITY, DEMANDS = 50, (1, 10)  # as in the usual benchmark of neural solvers for 100 customers


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Measure the chosen sections."""
    return common.measure_sections(options, name_of(options), SECTIONS, __doc__ or "")


def descents(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Compare local optima from random rows and from those of a greedy decoder."""
    rows = []
    for count, n in SETS:
        count = max(1, round(count * options.share))
        points = _points(count, n)
        starts = {"random": _random_rows(count, n), "greedy": _greedy_rows(points)}
        for start, given in starts.items():
            own = [_ours(options, points, given, search=search) for search in options.searches]
            peers = [_peer("numba 2-opt", count, two_opt, points, given)] if has("numba") else []
            rows += _table(f"{count:,} tours of {n} cities", start, points, [*own, *peers])
    return rows


def kicked(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Compare an iterated local search with LKH."""
    count, n = max(1, round(KICKED[0] * options.share)), KICKED[1]
    points, given = _points(count, n), _random_rows(count, n)
    own = _ours(options, points, given, kicks=KICKS_PER_CITY * n)
    some = min(SAMPLE, count)
    peers = [_peer("LKH (elkai)", some, _lkh, points[:some], given)] if has("elkai") else []
    return _table(f"{count:,} tours of {n} cities, kicked", "random", points, [own, *peers])


def routes(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Compare routes with HGS-CVRP."""
    count, n = max(1, round(ROUTES[0] * options.share)), ROUTES[1] + 1
    points = _points(count, n)
    demands = np.random.default_rng(3).integers(DEMANDS[0], DEMANDS[1], (count, n))
    demands[:, 0] = 0
    given = _decoded(points, demands)
    load = {"demands": demands, "capacity": CAPACITY}
    tries = [_ours(options, points, given, kicks=kicks, **load) for kicks in (None, n, 10 * n)]
    some = min(SAMPLE, count)
    peers = []
    if has("hygese"):
        peers = [_peer("HGS-CVRP, 100 iterations", some, _hgs, points[:some], demands[:some])]
    return _table(f"{count:,} CVRPs of {n - 1} customers", "decoder", points, [*tries, *peers])


def calls(options: argparse.Namespace) -> dict[str, Any]:
    """Measure the host's time of a call on a few small rows, which the device finishes at once."""
    import gpu_ls_plugin as gls

    points, given = (_on_device(options, a) for a in (_points(2, 6), _random_rows(2, 6)))
    times = {}
    for kicks in (None, 1):
        _wait(gls.improve(points, given, kicks=kicks).rows)
        seconds = []
        for _ in range(200):
            begin = time.perf_counter()
            found = gls.improve(points, given, kicks=kicks)
            seconds.append(time.perf_counter() - begin)
            _wait(found.rows)
        times["descent" if kicks is None else "kicks"] = float(np.median(seconds))
    print(times, flush=True)
    return times


def evotorch(options: argparse.Namespace) -> dict[str, Any]:
    """Compare the times to the optimum of rat783 of EvoTorch's `MemeticGA` here and of `solve`."""
    import gpu_ls_plugin as gls
    from gpu_ls_evotorch import DomainProblem, MemeticGA

    name = "rat783"
    optimum = common.optima()[name]
    problem = gls.TSP.read(common.require_instances() / f"{name}.tsp")
    times: dict[str, list[float]] = {"solve": [], "MemeticGA": []}
    for seed in range(options.repeats + 1):  # the first compiles
        options_of = {"target": optimum, "seed": seed, "backend": options.backend}
        found = gls.solve(problem, 60, **options_of)
        times["solve"].append(found.statistics.seconds if found.best_cost == optimum else np.inf)
        ga = MemeticGA(DomainProblem(problem, backend=options.backend, seed=seed), seconds=60)
        begin = time.perf_counter()
        ga.step()
        while not ga.is_terminated and ga.status["best_eval"] != optimum:
            ga.step()
        done = ga.status["best_eval"] == optimum
        times["MemeticGA"].append(time.perf_counter() - begin if done else np.inf)
    medians = {who: float(np.median(own[1:])) for who, own in times.items()}
    print(times, medians, flush=True)
    return {"instance": name, "times": times, "medians": medians}


SECTIONS: dict[str, Callable[[argparse.Namespace], Any]] = {
    "descents": descents,
    "kicked": kicked,
    "routes": routes,
    "calls": calls,
    "evotorch": evotorch,
}


def _points(count: int, n: int) -> NDArray[Any]:
    return np.random.default_rng(1).random((count, n, 2)).astype("float32")


def _random_rows(count: int, n: int) -> NDArray[Any]:
    return np.argsort(np.random.default_rng(2).random((count, n)), axis=1)


def _greedy_rows(points: NDArray[Any]) -> NDArray[Any]:
    """Return tours that go to the nearest city left, as greedy decoders do."""
    count, n, _ = points.shape
    rows, free = np.zeros((count, n), np.int64), np.ones((count, n), bool)
    every = np.arange(count)
    for place in range(n):
        free[every, rows[:, place]] = False
        if place + 1 < n:
            here = points[every, rows[:, place]]
            far = ((points - here[:, None]) ** 2).sum(axis=2) + np.where(free, 0.0, 1e9)
            rows[:, place + 1] = far.argmin(axis=1)
    return rows


def _decoded(points: NDArray[Any], demands: NDArray[Any]) -> NDArray[Any]:
    """Return actions that go to the nearest customer that fits, or back to the depot."""
    count, n, _ = points.shape
    actions = np.zeros((count, 2 * n), np.int64)
    free, left = np.ones((count, n), bool), np.full(count, CAPACITY)
    free[:, 0] = False
    every, here = np.arange(count), np.zeros(count, int)
    for step in range(2 * n):
        fits = free & (demands <= left[:, None])
        far = ((points - points[every, here][:, None]) ** 2).sum(axis=2)
        here = np.where(fits.any(axis=1), np.where(fits, far, np.inf).argmin(axis=1), 0)
        actions[:, step] = here
        free[every, here] = False
        left = np.where(here == 0, CAPACITY, left - demands[every, here])
    return actions


def _on_device(options: argparse.Namespace, array: NDArray[Any]) -> Any:
    if options.backend == "cpu":
        return array
    import torch

    return torch.from_numpy(array).cuda()


def _wait(array: Any) -> None:
    if not isinstance(array, np.ndarray):
        import torch

        torch.cuda.synchronize()


def _ours(
    options: argparse.Namespace, points: NDArray[Any], given: NDArray[Any], **more: Any
) -> dict[str, Any]:
    """Return the time and the costs of `improve`."""
    import gpu_ls_plugin as gls

    arrays = _on_device(options, points), _on_device(options, given)
    own = dict(more)
    if "demands" in own:
        own["demands"] = _on_device(options, own["demands"])
    seconds = []
    for _ in range(options.repeats + 1):
        _wait(arrays[0])
        begin = time.perf_counter()
        found = gls.improve(*arrays, **own)
        _wait(found.rows)
        seconds.append(time.perf_counter() - begin)
    costs = np.asarray(found.costs if options.backend == "cpu" else found.costs.cpu())
    said = ", ".join(f"{k}={v}" for k, v in more.items() if k in ("kicks", "search") and v)
    return {
        "who": f"improve({said})",
        "of": len(points),
        "seconds": float(np.median(seconds[1:])),
        "costs": costs,
    }


def _peer(
    who: str, count: int, solver: Callable[..., Any], points: NDArray[Any], given: NDArray[Any]
) -> dict[str, Any]:
    """Return the time and the costs of a peer; a short call before compiles or imports."""
    solver(points[:2], given[:2])
    begin = time.perf_counter()
    found = solver(points[:count], given[:count])
    seconds = time.perf_counter() - begin
    costs = found if found.ndim == 1 else _lengths(points[:count], found)
    return {"who": who, "of": count, "seconds": seconds, "costs": costs}


def _lengths(points: NDArray[Any], rows: NDArray[Any]) -> NDArray[Any]:
    own = np.take_along_axis(points.astype(float), rows[:, :, None], axis=1)
    costs: NDArray[Any] = np.linalg.norm(own - np.roll(own, -1, axis=1), axis=2).sum(axis=1)
    return costs


def _lkh(points: NDArray[Any], _rows: NDArray[Any]) -> NDArray[Any]:
    from benchmarks.searches.bench_many import PEERS

    with multiprocessing.get_context("spawn").Pool(len(os.sched_getaffinity(0))) as pool:
        return np.array(pool.map(PEERS["elkai"], points, chunksize=1))


def _hgs(points: NDArray[Any], demands: NDArray[Any]) -> NDArray[Any]:
    with multiprocessing.get_context("spawn").Pool(len(os.sched_getaffinity(0))) as pool:
        return np.array(pool.starmap(_hgs_one, zip(points, demands, strict=True), chunksize=1))


def _hgs_one(points: NDArray[Any], demands: NDArray[Any]) -> float:
    import hygese

    solver = hygese.Solver(hygese.AlgorithmParameters(nbIter=100), verbose=False)
    x, y = points.astype(float).T
    data = {
        "x_coordinates": x,
        "y_coordinates": y,
        "demands": demands,
        "vehicle_capacity": CAPACITY,
        "service_times": np.zeros(len(x)),
        "depot": 0,
    }
    found = solver.solve_cvrp(data, rounding=False)
    legs = [[0, *route, 0] for route in found.routes]
    own = points.astype(float)
    return float(sum(np.linalg.norm(np.diff(own[leg], axis=0), axis=1).sum() for leg in legs))


def _table(
    title: str, start: str, points: NDArray[Any], runs: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Print runs, with their speed relative to the last one, which is the peer."""
    for run in runs:
        run["seconds_for_all"] = run["seconds"] / run["of"] * len(points)
        some = runs[-1]["of"]
        run["mean_length"] = float(run["costs"][:some].mean())
    for run in runs:
        run["times"] = runs[-1]["seconds_for_all"] / run["seconds_for_all"]
        run |= {"set": title, "start": start}
        del run["costs"]
    common.show(title, COLUMNS, [[run[c] for c in COLUMNS] for run in runs])
    return runs


def name_of(options: argparse.Namespace) -> str:
    """Return the name of the record."""
    return f"tensors_{options.backend}"


if __name__ == "__main__":
    chosen = common.arguments(
        __doc__,
        common.sections_option(SECTIONS),
        common.backend_option(),
        common.SHARE,
        ("--repeats", {"type": int, "default": 5}),
        ("--searches", {"nargs": "*", "default": [None], "help": "of section descents"}),
    )
    common.finish(chosen, name_of(chosen), measure, None, __doc__ or "")
