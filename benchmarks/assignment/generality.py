"""Successors a second of the built-in problems, beside NumPy."""

from __future__ import annotations

import multiprocessing
import os
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benchmarks.assignment import numpy_successors
from benchmarks.helpers import common

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    import gpu_ls_plugin as gls

CORES = 2
BARS = {"cuda": 100, "cpu": 20}  # times NumPy
ACTIVE = (1.0, 0.1)
NAMES = ("graph colouring", "generalised assignment", "quadratic assignment", "quadratic, wide")
LARGEST_WEIGHT = 100


class Sizes(NamedTuple):
    """Sizes of the measured problems and batches."""

    states: int = 1000
    variables: int = 1000
    values: int = 100

    @classmethod
    def tiny(cls) -> Sizes:
        """Return sizes for a trial run."""
        return cls(8, 30, 10)


class Case(NamedTuple):
    """A problem, weights, and a mask of them for the library and for NumPy."""

    problem: gls.Assignment
    weights: NDArray[Any]
    mask: Callable[[Any], Any]
    in_numpy: numpy_successors.Mask

    @property
    def heuristic(self) -> gls.Heuristic:
        """The table with its mask, as a user writes it."""
        import gpu_ls_plugin as gls

        return gls.Masked(gls.WeightTable(self.weights), self.mask(gls))


def case(name: str, sizes: Sizes) -> Case:
    """Make a case: the same one in every process."""
    import gpu_ls_plugin as gls

    n, v = sizes.variables, sizes.values
    rng = np.random.default_rng(1)
    if name == NAMES[0]:
        graph = gls.GraphColouring.random(n, 0.1, v, seed=1)
        weights = rng.integers(1, LARGEST_WEIGHT + 1, (n, v))
        own = numpy_successors.Conflicts(graph.edges, n, v)
        return Case(graph, weights, lambda gls: gls.Conflicts(graph.edges), own)
    if name == NAMES[1]:
        jobs = gls.GeneralisedAssignment.generated("C", n, v, seed=1)
        weights = 1 + jobs.costs.max() - jobs.costs  # cheap agents are likelier
        tables = jobs.capacities, jobs.resources
        own_room = numpy_successors.Capacities(*tables)
        return Case(jobs, weights, lambda gls: gls.Capacities(*tables), own_room)
    side = v if name == NAMES[2] else n
    plants = gls.QuadraticAssignment.generated(side, seed=1)
    weights = rng.integers(1, LARGEST_WEIGHT + 1, (side, side))
    return Case(plants, weights, lambda gls: gls.Distinct(), numpy_successors.Distinct(side))


def measure(
    seconds: float, backends: list[str], sizes: Sizes, names: list[str], blocks: list[int]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a row for each problem and share of active variables."""
    for name in NAMES:
        if names and name not in names:
            continue
        for share in ACTIVE:
            row = _row(name, share, seconds, backends, sizes, blocks)
            shown = {key: f"{row[key]:,.0f}" for key in row if key.endswith("_per_second")}
            ratios = {key: f"{row[key]:.3g}" for key in row if key.endswith("_ratio")}
            print(f"{name}, {share:.0%} active: {shown} {ratios}", flush=True)
            yield f"{name}, {share:.0%}", row


def _row(
    name: str, share: float, seconds: float, backends: list[str], sizes: Sizes, blocks: list[int]
) -> dict[str, Any]:
    own = case(name, sizes)
    row = {
        "states": sizes.states,
        "variables": own.problem.n,
        "values": own.weights.shape[1],
        "active": share,
        "seconds": {},
    }
    found = None
    for backend in backends:
        call, states = _ours(own, share, sizes, backend)
        with _two_cores(backend):
            found = call()
            times = _repeated(call, seconds, on_gpu=backend == "cuda")
        row["seconds"][backend] = common.median(times)
        row[f"{backend}_per_second"] = states / common.median(times)
    row["unassigned"] = float((found < 0).mean())
    for processes in (1, CORES):
        rate, unassigned = numpy_rate(name, share, sizes, seconds, processes, blocks)
        row[f"numpy_{processes}_per_second"] = rate
        row["numpy_unassigned"] = unassigned
        for backend in backends:
            row[f"{backend}_to_numpy_{processes}_ratio"] = row[f"{backend}_per_second"] / rate
    return row


def _ours(own: Case, share: float, sizes: Sizes, backend: str) -> tuple[Callable[[], Any], int]:
    """Return a call that makes successors from arrays on the backend, and their number."""
    import gpu_ls_plugin as gls

    generate = gls.SuccessorGeneration(own.heuristic)
    states, active = starts(own, share, sizes.states)
    if backend == "cuda":
        cupy = common.require_gpu()
        states, active = cupy.asarray(states), cupy.asarray(active)
    mask = None if share == 1 else active
    return (
        lambda: generate(own.problem, states, active=mask, seed=1, backend=backend),
        len(states),
    )


def starts(own: Case, share: float, count: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return states and a mask of their active variables; if all are active, states are empty.

    Other states are assigned by NumPy. The same number of random variables is active in each.
    """
    rng = np.random.default_rng(2)
    n = own.problem.n
    states = np.full((count, n), -1, np.int32)
    if share == 1:
        return states, np.ones((count, n), np.bool_)
    few = numpy_successors.Successors(own.weights, own.in_numpy)(
        states[: min(count, 32)], np.arange(n), rng
    )
    states = np.resize(few, (count, n))
    order = rng.random((count, n)).argsort(axis=1)
    return states, order < round(share * n)


@contextmanager
def _two_cores(backend: str) -> Iterator[None]:
    """Limit the CPU backend to two cores."""
    if backend != "cpu":
        yield
        return
    usual = os.sched_getaffinity(0)
    os.environ["GPU_LS_THREADS"] = str(CORES)
    os.sched_setaffinity(0, sorted(usual)[:CORES])
    try:
        yield
    finally:
        del os.environ["GPU_LS_THREADS"]
        os.sched_setaffinity(0, usual)


def _repeated(call: Callable[[], Any], seconds: float, *, on_gpu: bool) -> list[float]:
    """Return the times of calls for some seconds, at least three."""
    begin, times = time.perf_counter(), list[float]()
    while len(times) < 3 or time.perf_counter() - begin < seconds:
        times += common.seconds_of(call, on_gpu=on_gpu)
    return times


def numpy_rate(
    name: str, share: float, sizes: Sizes, seconds: float, processes: int, blocks: list[int]
) -> tuple[float, float]:
    """Return successors a second of some processes together, and the share of -1 in them.

    The processes work at the same time, each on its own core, and repeat their blocks of states.
    """
    context = multiprocessing.get_context("spawn")  # a process that uses a GPU must not be forked
    with ProcessPoolExecutor(processes, context) as pool:
        gate = context.Manager().Barrier(processes)
        work = [
            pool.submit(_numpy_process, name, share, sizes, seconds, core, gate, blocks)
            for core in range(processes)
        ]
        rates, unassigned = zip(*(one.result() for one in work), strict=True)
    return sum(rates), unassigned[0]


def _numpy_process(
    name: str, share: float, sizes: Sizes, seconds: float, core: int, gate: Any, blocks: list[int]
) -> tuple[float, float]:
    os.sched_setaffinity(0, [_core(core)])
    own = case(name, sizes)
    successors = numpy_successors.Successors(own.weights, own.in_numpy)
    rng = np.random.default_rng(3)
    best, unassigned = 0.0, 0.0
    blocks = sorted({min(block, sizes.states) for block in blocks})
    for block in blocks:
        states, active = starts(own, share, block)
        chosen = np.nonzero(active)[1].reshape(block, -1).T
        variables = np.arange(own.problem.n) if share == 1 else np.ascontiguousarray(chosen)
        gate.wait()
        begin, made = time.perf_counter(), 0
        while not made or time.perf_counter() - begin < seconds / len(blocks):
            found = successors(states, variables, rng)
            made += block
        best = max(best, made / (time.perf_counter() - begin))
        unassigned = float((found < 0).mean())
    return best, unassigned


def _core(number: int) -> int:
    cores = sorted(os.sched_getaffinity(0))
    return cores[number % len(cores)]
