"""Arrays on the GPU as input and output; limits and errors of the CUDA backend."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin import backends
from gpu_ls_plugin.core.exceptions import (
    InsufficientMemoryError,
    InvalidParameterError,
    InvalidTourError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.tours.engines.descent.city_descent import Descent
from tests.gpu.test_crossovers_cuda import PARTS as TOUR_PARTS
from tests.helpers.configurations import two_opt_climb
from tests.helpers.parents import relatives
from tests.helpers.random_problems import METRICS, random_problem, random_tours

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.gpu

N, SIZE = 150, 7
PROBLEM = random_problem("EUC_2D", N, span=1000)
STARTS = random_tours(N, SIZE)
SEARCH, KICK = gls.LocalSearch(), gls.DoubleBridge()


@pytest.fixture
def cupy():
    return pytest.importorskip("cupy")


def test_a_gpu_is_the_first_choice():
    assert backends.available()["cuda"] is None
    assert backends.get_backend("auto").name == "cuda"
    assert SEARCH(PROBLEM, STARTS).statistics.backend == "cuda"
    assert SEARCH(PROBLEM, STARTS, device=0).statistics.backend == "cuda"


def test_cupy_goes_in_and_comes_out(cupy):
    expected = SEARCH(PROBLEM, STARTS, backend="cpu")
    given = cupy.asarray(STARTS)
    for backend in ("auto", "cuda"):
        result = SEARCH(PROBLEM, given, backend=backend)
        assert isinstance(result.tours, cupy.ndarray)
        assert isinstance(result.costs, cupy.ndarray)
        assert result.tours.dtype == np.int32
        assert result.costs.dtype == np.int64
        assert np.array_equal(result.tours.get(), expected.tours)
        assert np.array_equal(result.costs.get(), expected.costs)
        assert result.best_cost == expected.best_cost
        assert np.array_equal(result.best_tour.get(), expected.best_tour)
    assert np.array_equal(given.get(), STARTS)  # not changed


ITERATED = gls.IteratedLocalSearch()
MIGRATING = replace(ITERATED, cooperation=gls.Migration(0.1))
PARTS = (*TOUR_PARTS, gls.EdgeAssembly())


def found_by(search: Any) -> Callable[..., Any]:
    """Return a function that returns the tours that a search finds."""
    return lambda tours, **given: (
        search(PROBLEM, tours, seed=1, budget=gls.Budget(kicks=30), **given).tours
    )


# Functions that return rows, and the rows that they take.
CALLS: dict[str, tuple[Callable[..., Any], tuple[np.ndarray, ...]]] = {
    "chains": (found_by(ITERATED), (STARTS,)),
    "migrating chains": (found_by(MIGRATING), (STARTS,)),
    **{
        part.name: (partial(part.perturb, PROBLEM, seed=1), (STARTS,))
        for part in (KICK, gls.Restart())
    },
    **{
        part.name: (partial(part.cross, PROBLEM, seed=3), (STARTS, relatives(STARTS, 5, 1)))
        for part in PARTS
    },
}


@pytest.mark.parametrize("name", CALLS)
def test_rows_on_the_device_give_rows_there(cupy, name):
    call, rows = CALLS[name]
    given = [cupy.asarray(array) for array in rows]
    found = call(*given)
    assert isinstance(found, cupy.ndarray)
    assert np.array_equal(found.get(), call(*rows, backend="cpu"))
    for before, after in zip(rows, given, strict=True):
        assert np.array_equal(after.get(), before)  # not changed


def test_every_kind_of_cupy_array_is_taken(cupy):
    expected = SEARCH(PROBLEM, STARTS, backend="cpu").tours
    given = cupy.asarray(STARTS)
    for kind in (np.uint8, np.int16, np.int64, np.uint64, np.float32, np.float64):
        assert np.array_equal(SEARCH(PROBLEM, given.astype(kind)).tours.get(), expected)
    for other in (cupy.asfortranarray(given), cupy.repeat(given, 2, axis=0)[::2]):
        assert np.array_equal(SEARCH(PROBLEM, other).tours.get(), expected)
    assert np.array_equal(SEARCH(PROBLEM, given[0]).tours.get(), expected[:1])


@pytest.mark.parametrize("metric", [*METRICS, "FLOOR_2D", "HAVERSINE"])
def test_costs_of_cupy_tours(cupy, metric):
    for n in (1, 2, 3, 40):
        problem, tours = random_problem(metric, n), random_tours(n, 5)
        costs = problem.cost(cupy.asarray(tours))
        assert isinstance(costs, cupy.ndarray)
        assert costs.dtype == problem.cost_dtype
        assert np.array_equal(costs.get(), problem.cost(tours))


def test_torch_tensors_on_the_gpu_are_taken(cupy):
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("torch sees no GPU")
    result = SEARCH(PROBLEM, torch.as_tensor(STARTS, device="cuda"))
    assert isinstance(result.tours, cupy.ndarray)
    assert np.array_equal(result.tours.get(), SEARCH(PROBLEM, STARTS, backend="cpu").tours)


def test_results_do_not_depend_on_the_stream(cupy):
    expected = SEARCH(PROBLEM, STARTS, backend="cpu").tours
    with cupy.cuda.Stream(non_blocking=True):
        assert np.array_equal(SEARCH(PROBLEM, STARTS, backend="cuda").tours, expected)
        assert np.array_equal(SEARCH(PROBLEM, cupy.asarray(STARTS)).tours.get(), expected)


@pytest.mark.parametrize("call", [SEARCH, KICK.perturb, lambda problem, tours: problem.cost(tours)])
def test_wrong_cupy_tours_are_refused(cupy, call):
    twice = np.tile(np.arange(N), (3, 1))
    twice[2, 0] = 5
    for tours, error, words in (
        (twice, InvalidTourError, "row 2 is not a permutation: city 5 appears 2 times, city 0"),
        (twice + 1, InvalidTourError, f"row 0 holds city {N} at position {N - 1}"),
        (twice - 1, InvalidTourError, "row 0 holds city -1"),
        (twice[:, :9], InvalidTourError, r"tours: shape \(3, 9\)"),
        (twice[:0], InvalidTourError, r"tours: shape \(0, 150\)"),
        (twice + 0.5, InvalidTypeError, "tours: .*row 0 holds 0.5"),
        (twice > 3, InvalidTypeError, "tours: .*bool"),
    ):
        with pytest.raises(error, match=words):
            call(PROBLEM, cupy.asarray(tours))


def test_cupy_tours_need_the_gpu(cupy):
    for call in (SEARCH, KICK.perturb):
        with pytest.raises(InvalidTypeError, match=r"tours: .* GPU.*tours\.get\(\)"):
            call(PROBLEM, cupy.asarray(STARTS), backend="cpu")
    cross, given = gls.EdgeAssembly().cross, cupy.asarray(STARTS)
    with pytest.raises(InvalidTypeError, match="first: the array is on a GPU"):
        cross(PROBLEM, given, given, backend="cpu")


def test_wrong_cupy_parents_are_refused(cupy):
    wrong = STARTS.copy()
    wrong[2] = 0
    with pytest.raises(InvalidTourError, match=r"second: row 2 .* permutation"):
        gls.EdgeAssembly().cross(PROBLEM, cupy.asarray(STARTS), cupy.asarray(wrong))


def test_asymmetric_problems_are_refused(cupy):
    lopsided = gls.TSP.from_matrix(np.random.default_rng(0).integers(0, 99, (9, 9)))
    tours = cupy.asarray(random_tours(9, 3))
    with pytest.raises(UnsupportedProblemError, match="asymmetric"):
        SEARCH(lopsided, tours)
    kicked = KICK.perturb(lopsided, tours, seed=1).get()  # it reverses no path
    assert np.array_equal(kicked, KICK.perturb(lopsided, tours.get(), seed=1, backend="cpu"))
    assert np.array_equal(lopsided.cost(tours).get(), lopsided.cost(tours.get()))


def test_unknown_devices_are_refused():
    for device, words in ((-1, "not at least 0"), (99, "not one of the")):
        with pytest.raises(InvalidParameterError, match=f"device: {device} is {words}"):
            SEARCH(PROBLEM, STARTS, backend="cuda", device=device)


def test_batches_cut_by_the_memory_limit_give_the_same_tours():
    whole = SEARCH(PROBLEM, STARTS, backend="cuda")
    limit = PROBLEM.metric.data(PROBLEM.values).nbytes + 3 * Descent.bytes_per_tour(N)
    parts = SEARCH(PROBLEM, STARTS, backend="cuda", memory_limit=limit)
    assert parts.statistics.launches >= 3
    assert np.array_equal(parts.tours, whole.tours)
    with pytest.raises(InsufficientMemoryError, match=r"memory_limit: one tour needs .* cuda"):
        SEARCH(PROBLEM, STARTS, backend="cuda", memory_limit=100)


@pytest.mark.timed
def test_seconds_end_a_long_climb():
    problem = random_problem("EUC_2D", 10_000, span=10**6)
    starts = random_tours(10_000, 1000)
    search = two_opt_climb()
    search(problem, starts, budget=gls.Budget(moves=0), backend="cuda")  # compiles
    begin = time.perf_counter()
    result = search(problem, starts, budget=gls.Budget(seconds=0.3), backend="cuda")
    assert time.perf_counter() - begin < 1.5  # checks and copies of ten million cities included
    assert result.statistics.stopped_by == "seconds"
    assert np.array_equal(result.costs, problem.cost(result.tours))
    assert (result.costs <= problem.cost(starts)).all()


@pytest.mark.timed
def test_progress_and_ctrl_c(monkeypatch):
    monkeypatch.setattr("gpu_ls_plugin.backends.tuning.LAUNCH_SECONDS", 1e-9)
    seen: list[gls.Progress] = []
    result = SEARCH(PROBLEM, STARTS, backend="cuda", callback=seen.append)
    assert len(seen) == result.statistics.launches > 3
    assert (seen[-1].done, seen[-1].total) == (SIZE, SIZE)
    assert seen[-1].best_cost == result.best_cost < seen[0].best_cost

    def press_ctrl_c(progress: gls.Progress) -> None:
        raise KeyboardInterrupt

    stopped = SEARCH(PROBLEM, STARTS, backend="cuda", callback=press_ctrl_c)
    assert stopped.statistics.interrupted
    assert np.array_equal(stopped.costs, PROBLEM.cost(stopped.tours))
    assert (stopped.costs <= PROBLEM.cost(STARTS)).all()
    assert stopped.costs.sum() < PROBLEM.cost(STARTS).sum()
