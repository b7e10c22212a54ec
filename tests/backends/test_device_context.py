"""A call works on its own device, even if another one is current.

The device is a CPU backend whose arrays can only be made while it is current in the thread, as CuPy
makes arrays on the current device.
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.cpu import CpuBackend
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTourError, InvalidTypeError
from gpu_ls_plugin.runs.compiling import compile_search
from gpu_ls_plugin.tours.problem.device_data import metric_data
from gpu_ls_plugin.tours.searches.best_moves import best_moves
from tests.helpers.configurations import SEARCHES
from tests.helpers.random_problems import random_problem, random_tours

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

N, SIZE = 56, 6
PROBLEM = random_problem("EUC_2D", N, span=1000)
STARTS = random_tours(N, SIZE)
_current = threading.local()


def current() -> Any:
    """Return the device that is current in this thread."""
    return getattr(_current, "device", None)


class NumPyOf:
    """NumPy that can only be used while a device is current."""

    def __init__(self, device: Elsewhere) -> None:
        self._device = device

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if current() is not self._device:
            raise AssertionError(f"xp.{name} on another device than that of the call")
        return np.array if name == "asarray" else getattr(np, name)  # copies, as from the host


class Elsewhere(CpuBackend):
    """Another device than the current one."""

    def __init__(self) -> None:
        super().__init__()
        self.xp: Any = NumPyOf(self)

    @contextmanager
    def current(self) -> Iterator[None]:
        before, _current.device = current(), self
        try:
            yield
        finally:
            _current.device = before


ITERATED = gls.IteratedLocalSearch()
KICKED = {
    "chains": ITERATED,
    "real lengths": ITERATED,
    "parts": replace(ITERATED, part=32),
    "patience": replace(ITERATED, accept=gls.Annealing(), restart_after=5),
    "stepped": gls.IteratedLocalSearch(gls.LocalSearch([gls.TwoOpt()], gls.All(), gls.Best())),
    "migration": replace(ITERATED, cooperation=gls.Migration(0.1)),
    "edge assembly": replace(ITERATED, cooperation=gls.EdgeAssembly(0.1)),
    "restart": replace(ITERATED, perturbation=gls.Restart()),
}
CONSTRUCTIONS = (
    gls.random_tours,
    gls.nearest_neighbour,
    gls.greedy,
    gls.space_filling_curve,
)


def searched(search: Any, problem: gls.TSP = PROBLEM) -> Callable[[Any], Any]:
    """Return a function: the result of a search on a backend, as NumPy arrays."""

    def call(backend: Any) -> Any:
        found = search(problem, STARTS, seed=3, budget=gls.Budget(kicks=20), backend=backend)
        return found.tours, found.costs

    return call


def restarts(backend: Any) -> Any:
    found = gls.RandomRestarts(climbs=40, keep=3)(PROBLEM, seed=3, backend=backend)
    return found.tours, found.costs


def moves(backend: Any) -> Any:
    part = gls.FilteredNeighbourhood(gls.TwoOpt(), gls.Radius(400))
    found = best_moves(part, PROBLEM, STARTS, 3, backend=backend)
    return found.positions, found.gains


def crossed(backend: Any) -> Any:
    return (gls.EdgeAssembly().cross(PROBLEM, STARTS, STARTS[::-1], seed=3, backend=backend),)


def many(backend: Any) -> Any:
    found = gls.solve_many(np.stack([PROBLEM.coordinates] * 3), 60.0, kicks=20, backend=backend)
    return found.tours, found.costs


CALLS: dict[str, Callable[[Any], Any]] = {
    **{name: searched(search) for name, search in SEARCHES.items()},
    **{name: searched(search) for name, search in KICKED.items()},
    "real lengths": searched(ITERATED, random_problem("EUC", N, span=1000)),
    "restarts": restarts,
    "best moves": moves,
    "crossed": crossed,
    "many": many,
    **{
        part.name: lambda backend, part=part: part.perturb(PROBLEM, STARTS, backend=backend)
        for part in (gls.DoubleBridge(), gls.Restart())
    },
    **{
        make.__name__: lambda backend, make=make: make(PROBLEM, 5, seed=2, backend=backend)
        for make in CONSTRUCTIONS
    },
}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(n, marks=[pytest.mark.slow] * (i % 6 > 0 or n == "3-opt, fused"))
        for i, n in enumerate(CALLS)
    ],
)
def test_a_call_works_on_its_own_device(name: str) -> None:
    here, there = CALLS[name]("cpu"), CALLS[name](Elsewhere())
    assert current() is None
    for mine, theirs in zip(here, there, strict=True):
        assert np.array_equal(mine, theirs)


def test_two_threads_search_on_two_devices_at_once() -> None:
    """The problem is new, so that both threads make its lists."""
    expected = CALLS["Lin-Kernighan"]("cpu")

    def work(device: Elsewhere) -> list[Any]:
        problem = random_problem("EUC_2D", N, span=1000)
        with device.current():
            call = searched(SEARCHES["Lin-Kernighan"], problem)
            found = [call(other) for other in (device, Elsewhere(), device)]
            assert current() is device
        return found

    with ThreadPoolExecutor(2) as threads:
        for found in threads.map(work, [Elsewhere(), Elsewhere()]):
            for tours, costs in found:
                assert np.array_equal(tours, expected[0])
                assert np.array_equal(costs, expected[1])


def test_two_threads_wait_for_the_same_lists() -> None:
    for _ in range(20):
        problem, lists = random_problem("EUC_2D", 300, span=1000), gls.Nearest(7)
        with ThreadPoolExecutor(4) as threads:
            assert all(threads.map(lists.ready, [problem] * 4))
        assert lists.of(problem) is lists.of(problem)


def test_an_error_leaves_the_current_device_as_it_was() -> None:
    here = Elsewhere()
    with here.current():
        with pytest.raises(InvalidTourError):
            gls.LocalSearch()(PROBLEM, np.zeros((2, N), int), backend=Elsewhere())
        assert current() is here


@pytest.mark.parametrize("name", ["chains", "stepped", "edge assembly"])
def test_searches_are_compiled_on_their_own_device(name: str) -> None:
    compile_search(KICKED[name], PROBLEM, STARTS, Elsewhere())
    assert current() is None


def test_each_device_caches_candidates_and_metric_data() -> None:
    first, second = Elsewhere(), Elsewhere()
    lists = gls.Nearest(5)
    for kept in (lambda device: lists.on(device, PROBLEM)[0], lambda d: metric_data(d, PROBLEM)):
        assert kept(first) is kept(first)
        assert kept(first) is not kept(second)


def test_a_backend_is_returned_unchanged() -> None:
    given = Elsewhere()
    assert get_backend(given) is given
    assert get_backend(given, tours=STARTS) is given
    with pytest.raises(InvalidParameterError, match="device: 1, but a Backend has its own"):
        get_backend(given, 1)
    for wrong in (Elsewhere, np, None):
        with pytest.raises((InvalidTypeError, InvalidParameterError), match="backend: "):
            get_backend(wrong)  # type: ignore[arg-type]
