"""Results and times of one version of the library, as JSON: see compare_versions.py.

The library is the one that PYTHONPATH names. Only its public names are used, and the searches are
those of this checkout's contract suite, so that any versions can be compared.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import sys
import time
import traceback
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

import gpu_ls_plugin as gls

# The library is loaded, so only the tests are imported from here.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from benchmarks.versions.clock_cases import clock_cases
from benchmarks.versions.island_cases import island_cases, timed_island_cases
from benchmarks.versions.kernel_times import KernelTimes
from benchmarks.versions.memetic_cases import memetic_cases, timed_memetic_cases
from benchmarks.versions.plan_cases import plan_cases
from benchmarks.versions.search_cases import search_cases
from benchmarks.versions.virtual_clock import VirtualClock
from tests.helpers.patience import wait_for_all
from tests.helpers.random_problems import METRICS, random_problem, random_tours

Case = tuple[str, "Callable[[], Any]"]
THREADS = "2"  # of a CPU; sizes of populations depend on their number
HASHED_SIZES = (5, 8, 60, 137)
CUBIC_SIZES = (5, 8, 60)
ROWS = 7
SEVERAL = ("EUC_2D", "GEO", "EUC", "EXPLICIT")  # of searches that take long to compile
SCALE = {"cuda": 16, "cpu": 1}  # tours of a timed batch, by the backend's width
REPEATS = 5
SLOW = 2.0  # seconds, compiling included; slower cases are named


def hashed_cases(backend: str) -> Iterator[Case]:
    """Yield every engine, chain, cooperation and construction on small problems."""
    from tests.helpers import configurations  # an old version may lack some of the parts

    budget = gls.Budget(kicks=20)
    for metric in METRICS:
        for n in HASHED_SIZES:
            problem, starts = random_problem(metric, n), random_tours(n, ROWS)
            for name, search in configurations.SEARCHES.items():
                if name in configurations.CUBIC and n not in CUBIC_SIZES:
                    continue
                if name in configurations.FILTERED and metric not in SEVERAL:
                    continue
                yield (
                    f"{name} {problem.name}",
                    lambda s=search, p=problem, t=starts: s(p, t, seed=3, backend=backend),
                )
            for name, chain in chains().items():
                if n > CUBIC_SIZES[1] and (metric in SEVERAL or name == "chains"):
                    yield (
                        f"{name} {problem.name}",
                        lambda s=chain, p=problem, t=starts: s(
                            p, t, seed=3, budget=budget, backend=backend
                        ),
                    )
    for n in HASHED_SIZES:
        matrix = np.random.default_rng(n).integers(1, 60, (n, n))
        problem, starts = gls.TSP.from_matrix(matrix, name=f"asymmetric-{n}"), random_tours(n, ROWS)
        for name, search in configurations.ASYMMETRIC.items():
            yield (
                f"{name} {problem.name}",
                lambda s=search, p=problem, t=starts: s(p, t, seed=3, backend=backend),
            )


def chains() -> dict[str, Any]:
    """Return iterated searches of every kind of chains and cooperation."""
    steps = gls.LocalSearch([gls.LinKernighan(5)], gls.Nearest(5))
    return {
        "chains": gls.IteratedLocalSearch(),
        "chains of Lin-Kernighan": gls.IteratedLocalSearch(steps, gls.DoubleBridge(segment=30)),
        "annealed chains": gls.IteratedLocalSearch(accept=gls.Annealing()),
        "restarted chains": gls.IteratedLocalSearch(accept=gls.Threshold(), restart_after=2),
        "stepped chains": gls.IteratedLocalSearch(two_opt_climb()),
        "random restarts": gls.IteratedLocalSearch(steps, gls.Restart(), gls.Always()),
        "crossed chains": gls.IteratedLocalSearch(cooperation=gls.EdgeAssembly(0.05, 2, 8)),
        "migrating chains": gls.IteratedLocalSearch(cooperation=gls.Migration(0.05)),
        "parts": gls.IteratedLocalSearch(part=32),
    }


def two_opt_climb() -> gls.LocalSearch:
    """Return best improvement by 2-opt over all pairs of edges."""
    return gls.LocalSearch([gls.TwoOpt()], gls.All(), gls.Best())


def timed_cases(backend: str) -> Iterator[Case]:
    """Yield one call of each engine and kind of chains, and a tiny call."""
    width = SCALE[backend]
    problem = uniform(1000)
    near = gls.nearest_neighbour(problem, 132 * width, seed=1, backend=backend)
    random = gls.random_tours(problem, 4 * width, seed=1, backend=backend)
    small, few = uniform(200), 132 * width
    starts = gls.nearest_neighbour(small, few, seed=1, backend=backend)
    globe = gls.TSP(small.coordinates // 120, "GEO", name="globe-200")  # whole degrees
    large = uniform(20_000)
    one = gls.space_filling_curve(large, 1, backend=backend)
    everything, best = gls.All(), gls.Best()
    keep = gls.FilteredNeighbourhood(gls.TwoOpt(), gls.GainBound() & gls.Radius(2000))
    kicks = gls.Budget(kicks=100 if backend == "cuda" else 20)
    steps = gls.LocalSearch([gls.LinKernighan(3)], gls.Nearest(8))
    cubic = gls.LocalSearch([gls.ThreeOpt()], everything, best)
    draws = gls.LocalSearch([gls.TwoOpt()], everything, gls.RandomK(2000))
    crossed = gls.IteratedLocalSearch(cooperation=gls.EdgeAssembly(0.1, 2, 8))
    table: dict[str, tuple[Any, Any, Any, Any]] = {
        "default": (gls.LocalSearch(), problem, near, None),
        "Lin-Kernighan": (steps, problem, near, None),
        "default, random tours": (gls.LocalSearch(), problem, random, None),
        "multi, random tours": (gls.LocalSearch(pivoting=gls.Multi()), problem, random, None),
        "best sweeps": (gls.LocalSearch(pivoting=best), small, starts, None),
        "exhaustive 2-opt": (two_opt_climb(), small, starts, None),
        "exhaustive 3-opt": (cubic, small, starts[:8], gls.Budget(moves=20)),
        "random k": (draws, small, starts, None),
        "filtered": (gls.LocalSearch([keep], pivoting=best), small, starts[:20], None),
        "chains": (gls.IteratedLocalSearch(), problem, near[: 33 * width], kicks),
        "chains, GEO": (gls.IteratedLocalSearch(), globe, starts[: 33 * width], kicks),
        "crossed chains": (crossed, small, starts[: 33 * width], kicks),
        "parts": (gls.IteratedLocalSearch(), large, one, gls.Budget(kicks=20_000)),
        "small call": (gls.LocalSearch(), small, starts[:2], None),
    }
    for name, (search, where, tours, budget) in table.items():
        yield (
            name,
            lambda s=search, p=where, t=tours, b=budget: s(p, t, seed=1, backend=backend, budget=b),
        )


def uniform(n: int) -> gls.TSP:
    """Return n cities, uniform in a square, with rounded lengths."""
    places = np.random.default_rng(n).integers(0, 10_000, (n, 2))
    return gls.TSP(places, "EUC_2D", name=f"uniform-{n}")


def all_hashed_cases(backend: str, clock: VirtualClock | None) -> Iterator[Case]:
    """Yield all cases whose results are compared; timed ones if there is a clock."""
    yield from plan_cases(backend)
    yield from search_cases(backend)
    yield from memetic_cases(backend)
    if clock is not None:
        yield from clock_cases(clock)
        yield from timed_memetic_cases()
        yield from timed_island_cases()
    yield from island_cases(backend)
    yield from hashed_cases(backend)


def digest(found: Any) -> str:
    """Return a hash of rows, costs and the reason for stopping; after a slash, the kicks.

    It may be a result of this library, of many instances, or of pymoo, which has its own reasons.
    """
    if hasattr(found, "algorithm"):
        statistics, stopped_by = found.data["local_search"], ""
        rows, costs = found.pop.get("X"), found.pop.get("F")
    else:
        statistics, stopped_by = found.statistics, found.statistics.stopped_by
        rows, costs = found.tours, found.costs
    numbers = [np.asarray(row) for row in [*rows, costs]]
    facts = [(str(array.dtype), array.shape) for array in numbers]
    said = repr((facts, stopped_by)).encode()
    whole = hashlib.sha256(said + b"".join(map(np.ndarray.tobytes, numbers)))
    return f"{whole.hexdigest()[:16]}/{statistics.kicks}"


def hashed(call: Callable[[], Any], clock: VirtualClock | None) -> str:
    """Return a hash of the result of a case, or its error."""
    if clock is not None:
        clock.begin()
    try:
        return digest(call())
    except gls.exceptions.GpuLsError as error:
        return type(error).__name__
    except (Exception, KeyboardInterrupt) as error:
        traceback.print_exc()
        return f"{type(error).__name__}: {error}"


def seconds(call: Callable[[], gls.Result], kernels: KernelTimes | None) -> dict[str, list[Any]]:
    """Return the seconds of several calls after one that compiles; short ones are repeated.

    The second result has the seconds of every launch on the device, for the same calls.
    """
    call()
    taken = []
    for _ in range(REPEATS):
        begin, calls = time.perf_counter(), 0
        while calls == 0 or time.perf_counter() - begin < 0.02:
            call()
            calls += 1
        taken.append((time.perf_counter() - begin) / calls)
    return {"wall": taken, "kernels": [kernels.of(call) for _ in range(REPEATS)] if kernels else []}


def main() -> None:
    """Print the requested results as one line of JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=("hashes", "times", "compiled"))
    parser.add_argument("--backend", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--only", default="", help="cases whose name matches this expression")
    parser.add_argument(
        "--share", default="0/1", help="i/n selects every n-th case from the i-th on"
    )
    options = parser.parse_args()
    if options.what == "hashes":
        wait_for_all(pytest.MonkeyPatch())
    kernels = KernelTimes() if options.what == "times" and options.backend == "cuda" else None
    clock = None
    if options.what == "hashes" and options.backend == "cpu":
        os.environ["GPU_LS_THREADS"] = THREADS
        clock = VirtualClock().install()
    measure: Callable[[Callable[[], Any]], Any] = {
        "hashes": partial(hashed, clock=clock),
        "compiled": lambda call: len(call().tours),
        "times": lambda call: seconds(call, kernels),
    }[options.what]
    if options.what == "hashes":
        made = all_hashed_cases(options.backend, clock)
    else:
        made = timed_cases(options.backend)
    wanted = [(name, call) for name, call in made if re.search(options.only, name)]
    first, step = map(int, options.share.split("/"))
    found = {}
    for name, call in wanted[first::step]:
        begin = time.monotonic()
        found[name] = measure(call)
        if (taken := time.monotonic() - begin) > SLOW:
            print(f"{name}: {taken:.1f} s", file=sys.stderr)
    print(json.dumps({"library": str(Path(gls.__file__).parent), "found": found}))


if __name__ == "__main__":
    main()
