"""Two GPUs: a call uses its own device, not the current one; both can work at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.runs.compiling import compile_search
from gpu_ls_plugin.tours.problem.device_data import metric_data
from gpu_ls_plugin.tours.searches.best_moves import best_moves
from tests.helpers.configurations import SEARCHES
from tests.helpers.random_problems import random_problem, random_tours

if TYPE_CHECKING:
    from collections.abc import Callable

N, SIZE = 150, 24
ITERATED = gls.IteratedLocalSearch()
KICKED = {
    "chains": ITERATED,
    "parts": replace(ITERATED, part=48),
    "patience": replace(ITERATED, accept=gls.Annealing(), restart_after=5),
    "stepped": gls.IteratedLocalSearch(gls.LocalSearch([gls.TwoOpt()], gls.All(), gls.Best())),
    "restart": replace(ITERATED, perturbation=gls.Restart()),
    "migration": replace(ITERATED, cooperation=gls.Migration(0.1)),
    "edge assembly": replace(ITERATED, cooperation=gls.EdgeAssembly(0.1)),
}
CONSTRUCTIONS = (gls.random_tours, gls.nearest_neighbour, gls.greedy, gls.space_filling_curve)


def _why_not() -> str | None:
    """Return why there are not two devices; None if there are."""
    try:
        import cupy

        count = cupy.cuda.runtime.getDeviceCount()
    except Exception as error:
        return f"no CUDA device: {error}"
    return None if count > 1 else f"needs two CUDA devices, but there is {count}"


WHY_NOT = _why_not()
pytestmark = [pytest.mark.gpu, pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT))]


def problem_of(metric: str = "EUC_2D") -> gls.TSP:
    """Return a problem without cached device data."""
    return random_problem(metric, N, span=1000)


def searched(search: Any, metric: str = "EUC_2D") -> Callable[[int], Any]:
    """Return a function that searches on a device."""

    def call(device: int) -> Any:
        budget = gls.Budget(kicks=30)
        starts = random_tours(N, SIZE)
        found = search(problem_of(metric), starts, seed=3, budget=budget, device=device)
        return found.tours, found.costs

    return call


def restarts(device: int) -> Any:
    found = gls.RandomRestarts(climbs=500, keep=5)(problem_of(), seed=3, device=device)
    return found.tours, found.costs


def moves(device: int) -> Any:
    part = gls.FilteredNeighbourhood(gls.TwoOpt(), gls.Radius(400))
    found = best_moves(part, problem_of(), random_tours(N, SIZE), 3, device=device)
    return found.positions, found.ways, found.gains


CALLS: dict[str, Callable[[int], Any]] = {
    **{name: searched(search) for name, search in (SEARCHES | KICKED).items()},
    "real lengths": searched(gls.LocalSearch(), "EUC"),
    "chains of real lengths": searched(ITERATED, "EUC"),
    "matrix": searched(ITERATED, "EXPLICIT"),
    "restarts": restarts,
    "best moves": moves,
    **{
        repr(part): lambda device, part=part: part.perturb(
            problem_of(), random_tours(N, SIZE), seed=4, device=device
        )
        for part in (gls.DoubleBridge(), gls.DoubleBridge(50), gls.Restart())
    },
    **{
        make.__name__: lambda device, make=make: make(problem_of(), 9, seed=2, device=device)
        for make in CONSTRUCTIONS
    },
}


def assert_equal(mine: Any, theirs: Any) -> None:
    """Compare the arrays of two calls bit for bit."""
    assert all(np.array_equal(a, b) for a, b in zip(mine, theirs, strict=True))


@pytest.fixture
def cupy() -> Any:
    return pytest.importorskip("cupy")


@pytest.mark.parametrize("name", CALLS)
def test_both_devices_return_the_same(cupy: Any, name: str) -> None:
    expected = CALLS[name](0)
    for current in (0, 1):
        with cupy.cuda.Device(current):
            assert_equal(expected, CALLS[name](1))
            assert_equal(expected, CALLS[name](0))
            assert cupy.cuda.Device().id == current
    assert cupy.cuda.Device().id == 0


def test_two_threads_search_on_two_devices_at_once() -> None:
    names = [name for name in CALLS if "assembly" in name or name in SEARCHES or name in KICKED]
    expected = [CALLS[name](0) for name in names]

    def work(device: int) -> list[Any]:
        return [CALLS[name](device) for name in names]

    with ThreadPoolExecutor(2) as threads:
        for found in threads.map(work, (1, 0)):
            for mine, theirs in zip(expected, found, strict=True):
                assert_equal(mine, theirs)


def test_two_threads_share_a_problem() -> None:
    """The caches of a problem are filled for both devices at the same time."""
    for search in (SEARCHES["Lin-Kernighan"], KICKED["edge assembly"]):
        problem, starts = problem_of(), random_tours(N, SIZE)
        budget = gls.Budget(kicks=30)

        def work(device: int) -> Any:
            found = search(problem, starts, seed=3, budget=budget, device=device)
            return found.tours, found.costs

        with ThreadPoolExecutor(2) as threads:
            first, second = threads.map(work, (1, 0))
        assert_equal(first, second)


@pytest.mark.parametrize("name", ["Lin-Kernighan", "chains", "edge assembly"])
def test_tours_on_the_second_device_are_searched_there(cupy: Any, name: str) -> None:
    search, problem, starts = (SEARCHES | KICKED)[name], problem_of(), random_tours(N, SIZE)
    expected = CALLS[name](0)
    with cupy.cuda.Device(1):
        given = cupy.asarray(starts)
    for options in ({}, {"device": 1}, {"backend": "cuda"}):
        found = search(problem, given, seed=3, budget=gls.Budget(kicks=30), **options)
        assert found.tours.device.id == found.costs.device.id == 1
        assert_equal(expected, (found.tours.get(), found.costs.get()))
        assert found.best_cost == expected[1].min()
        assert np.array_equal(found.best_tour.get(), expected[0][expected[1].argmin()])
        ordered = found.sorted()
        assert ordered.tours.device.id == 1
        assert np.array_equal(ordered.costs.get(), np.sort(expected[1]))
        assert found.distinct(2).costs.device.id == 1
    assert np.array_equal(given.get(), starts)


def test_tours_go_from_device_to_device(cupy: Any) -> None:
    starts, problem = random_tours(N, SIZE), problem_of()
    with cupy.cuda.Device(1):
        given = cupy.asfortranarray(cupy.asarray(starts))
    found = gls.LocalSearch()(problem, given, device=0)
    assert found.tours.device.id == 0
    assert np.array_equal(
        found.tours.get(), gls.LocalSearch()(problem, starts, backend="cpu").tours
    )
    kicked = gls.DoubleBridge().perturb(problem, given, seed=1)
    assert kicked.device.id == 1


@pytest.mark.parametrize("metric", ["EUC_2D", "EUC", "GEO"])
def test_costs_of_tours_on_the_second_device(cupy: Any, metric: str) -> None:
    problem, starts = problem_of(metric), random_tours(N, SIZE)
    with cupy.cuda.Device(1):
        given = cupy.asarray(starts)
    costs = problem.cost(given)
    assert costs.device.id == 1
    assert np.allclose(costs.get(), problem.cost(starts), rtol=1e-12)


@pytest.mark.parametrize("name", ["chains", "stepped", "edge assembly"])
def test_searches_are_compiled_on_the_second_device(cupy: Any, name: str) -> None:
    compile_search(KICKED[name], problem_of(), random_tours(N, SIZE), get_backend("cuda", 1))
    assert cupy.cuda.Device().id == 0


def test_each_device_keeps_its_own_arrays(cupy: Any) -> None:
    problem, lists = problem_of(), gls.Nearest(5)
    for device in (0, 1):
        backend = get_backend("cuda", device)
        assert backend is get_backend("cuda", device) is get_backend(backend)
        assert lists.on(backend, problem)[0].device.id == device
        assert metric_data(backend, problem).device.id == device
