"""Many instances in one call: both backends agree, and the GPU keeps its time limit."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.tours.many import many_input
from gpu_ls_plugin.tours.many.side_by_side import NEIGHBOURHOODS
from tests.helpers.random_problems import COORDINATE, random_problem

pytestmark = pytest.mark.gpu
INTEGER = tuple(name for name in COORDINATE if name != "EUC")


@pytest.mark.parametrize("metric", INTEGER)
@pytest.mark.parametrize("sizes", [(40,) * 30, (9, 300, 64, 70, 8, 1200, 5)])
@pytest.mark.filterwarnings("ignore::gpu_ls_plugin.core.exceptions.PrecisionWarning")
def test_both_backends_find_the_same(metric: str, sizes: tuple[int, ...]) -> None:
    problems = [random_problem(metric, n, seed=k, span=10_000) for k, n in enumerate(sizes)]
    host, device = (
        gls.solve_many(problems, math.inf, kicks=25, replicas=2, seed=3, backend=backend)
        for backend in ("cpu", "cuda")
    )
    np.testing.assert_array_equal(host.costs, device.costs)
    for one, other in zip(host.tours, device.tours, strict=True):
        np.testing.assert_array_equal(one, other)
    for name in ("kicks", "accepted", "moves", "passes"):
        assert getattr(host.statistics, name) == getattr(device.statistics, name), name


@pytest.mark.parametrize("metric", COORDINATE)
@pytest.mark.filterwarnings("ignore::gpu_ls_plugin.core.exceptions.PrecisionWarning")
def test_both_backends_list_the_same_candidates(metric: str) -> None:
    problems = [random_problem(metric, n, span=500) for n in (9, 33, 400, 70)]
    near = []
    for name in ("cpu", "cuda"):
        backend = get_backend(name)
        (group,) = many_input.instances_of(problems)
        composed = group.composed(backend, NEIGHBOURHOODS)
        cut = group.parts(backend, composed, np.arange(4), math.inf)
        assert cut is not None
        rows = backend.to_numpy(cut.near).astype(np.int64)
        if composed.grid == "fine":  # the upper half of each word is a length
            rows &= 0xFFFF
        near.append([rows[part, : problem.n] for part, problem in enumerate(problems)])
    for one, other in zip(*near, strict=True):
        np.testing.assert_array_equal(one, other)


def test_arrays_of_cupy_and_real_lengths() -> None:
    cupy = get_backend("cuda").xp
    points = np.random.default_rng(1).random((500, 60, 2))
    result, other = (
        gls.solve_many(given, math.inf, kicks=25, backend="cuda")
        for given in (cupy.asarray(points), points)
    )
    for own, tour, cost in zip(points, result.tours, result.costs, strict=True):
        assert gls.TSP(own).cost(tour)[0] == cost
    np.testing.assert_array_equal(result.costs, other.costs)


@pytest.mark.timed
def test_seconds_are_kept() -> None:
    points = np.random.default_rng(2).random((2000, 100, 2))
    gls.solve_many(points, 0.5, backend="cuda")  # compiles
    begin = time.perf_counter()
    gls.solve_many(points, 0.5, backend="cuda")
    assert time.perf_counter() - begin < 1.0
