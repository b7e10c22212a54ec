"""`improve` on tours: rows stay permutations, and become shorter or come back as given."""

from __future__ import annotations

from itertools import permutations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.exceptions import (
    InvalidParameterError,
    InvalidProblemError,
    InvalidTourError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.tours.tensors.steps import steps_of

SIZES = (2, 3, 4, 5, 7, 8, 33, 130)


def instances(count: int, n: int, seed: int = 1, dtype: str = "float64") -> Any:
    return np.random.default_rng(seed).random((count, n, 2)).astype(dtype)


def random_rows(*shape: int, seed: int = 2, dtype: str = "int64") -> Any:
    return np.argsort(np.random.default_rng(seed).random(shape), axis=-1).astype(dtype)


def lengths(coordinates: Any, rows: Any) -> Any:
    """Return the exact costs of rows (B, P, n)."""
    return np.array(
        [gls.TSP(own, "EUC").cost(some) for own, some in zip(coordinates, rows, strict=True)]
    )


@pytest.mark.parametrize("kicks", [None, 20])
@pytest.mark.parametrize("n", SIZES)
def test_rows_become_better_tours(n, kicks):
    coordinates, rows = instances(5, n), random_rows(5, 3, n)
    found = gls.improve(coordinates, rows, kicks=kicks)
    assert (np.sort(found.rows) == np.arange(n)).all()
    assert found.valid.all()
    if n > 2:
        np.testing.assert_allclose(found.costs, lengths(coordinates, found.rows), rtol=1e-13)
        assert (found.costs <= lengths(coordinates, rows)).all()
        assert n < 5 or (found.costs < lengths(coordinates, rows)).any()


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16"])
@pytest.mark.parametrize("item", ["uint8", "int16", "int32", "int64"])
def test_types_and_shapes_are_those_of_the_caller(item, dtype):
    coordinates = (100 * instances(4, 20)).astype(dtype)
    rows = random_rows(4, 20, dtype=item)
    before = rows.copy(), coordinates.copy()
    found = gls.improve(coordinates, rows)
    assert (found.rows.dtype, found.costs.dtype, found.valid.dtype) == (item, "float64", bool)
    assert (found.rows.shape, found.costs.shape, found.valid.shape) == ((4, 20), (4,), (4,))
    assert (before[0] == rows).all()
    assert (before[1] == coordinates).all()


def test_a_row_does_not_depend_on_the_other_instances():
    coordinates, rows = instances(6, 40), random_rows(6, 2, 40)
    together = gls.improve(coordinates, rows)
    for k in range(6):
        alone = gls.improve(coordinates[k : k + 1], rows[k : k + 1])
        assert (alone.rows == together.rows[k : k + 1]).all()


def test_results_are_local_optima():
    """A queue of cities leaves a move in few tours, as that of `LocalSearch` does."""
    coordinates = instances(20, 60)
    once = gls.improve(coordinates, random_rows(20, 60))
    twice = gls.improve(coordinates, once.rows)
    assert (once.rows != twice.rows).any(axis=1).sum() <= 2


def test_kicks_repeat_with_the_seed_and_find_optima():
    coordinates, rows = instances(8, 8), random_rows(8, 8)
    found = [gls.improve(coordinates, rows, kicks=200, seed=seed) for seed in (1, 1, 2)]
    assert (found[0].rows == found[1].rows).all()
    every = np.array([(0, *rest) for rest in permutations(range(1, 8))])
    optima = [gls.TSP(own, "EUC").cost(every).min() for own in coordinates]
    np.testing.assert_allclose(found[0].costs, optima, rtol=1e-9)


def test_moves_are_limited():
    coordinates, rows = instances(4, 50), random_rows(4, 50)
    none, some, free = (gls.improve(coordinates, rows, moves=most) for most in (0, 5, None))
    assert (none.rows == rows).all()
    assert (free.costs < some.costs).all()
    assert (some.costs < none.costs).all()


def test_distances_are_lengths():
    coordinates, rows = instances(4, 30), random_rows(4, 30)
    distances = np.linalg.norm(coordinates[:, :, None] - coordinates[:, None], axis=-1)
    found = gls.improve(None, rows, distances=distances, kicks=20)
    np.testing.assert_allclose(
        found.costs, lengths(coordinates, found.rows[:, None])[:, 0], rtol=1e-12
    )
    assert (found.costs < lengths(coordinates, rows[:, None])[:, 0]).all()


@pytest.mark.parametrize("kicks", [None, 5])
def test_invalid_rows_come_back_unchanged(kicks):
    coordinates, rows = instances(6, 20), random_rows(6, 2, 20)
    rows[1, 0, 3] = rows[1, 0, 4]
    rows[2, 1, 0] = -1
    rows[3, 0, 0] = 2**40
    coordinates[4, 7, 1] = np.nan
    coordinates[5, 0, 0] = np.inf
    found = gls.improve(coordinates, rows, kicks=kicks)
    expected = np.ones((6, 2), bool)
    expected[[1, 2, 3], [0, 1, 0]] = expected[4:] = False
    assert (found.valid == expected).all()
    assert (found.rows[~expected] == rows[~expected]).all()
    assert (np.isnan(found.costs) == ~expected).all()
    with pytest.raises(InvalidTourError, match=r"row \(1, 0\)"):
        gls.improve(coordinates, rows, check=True)


@pytest.mark.parametrize("fault", ["negative", "not symmetric", "not a number"])
def test_matrices_with_faults_are_found(fault):
    distances = np.ones((3, 9, 9))
    distances[1, 2, 3] = {"negative": -1, "not symmetric": 2, "not a number": np.nan}[fault]
    distances[1, 3, 2] = {"negative": -1, "not symmetric": 1, "not a number": np.nan}[fault]
    found = gls.improve(None, random_rows(3, 9), distances=distances)
    assert found.valid.tolist() == [True, False, True]


def test_nothing_is_copied_to_the_host(monkeypatch):
    def refuse(*arguments: Any) -> None:
        raise AssertionError("the call waits for the device")

    backend = type(get_backend("cpu"))
    for name in ("to_numpy", "wait"):
        monkeypatch.setattr(backend, name, refuse)
    coordinates, rows = instances(3, 20), random_rows(3, 20)
    gls.improve(coordinates, rows, kicks=5)
    with pytest.raises(AssertionError, match="waits"):
        gls.improve(coordinates, rows, check=True)


@pytest.mark.parametrize("kicks", [None, 5])
def test_calls_of_a_kind_are_prepared_once_and_allocate_four_arrays(monkeypatch, kicks):
    made = []

    def empty(*given: Any, **options: Any) -> Any:
        made.append(given)
        return np.empty(*given, **options)

    coordinates, rows = instances(3, 20), random_rows(3, 20)
    first = gls.improve(coordinates, rows, kicks=kicks)
    prepared = steps_of.cache_info().misses
    operations = SimpleNamespace(empty=empty, ascontiguousarray=np.ascontiguousarray)
    monkeypatch.setattr(type(get_backend("cpu")), "xp", operations)  # it has no others
    again = gls.improve(coordinates, rows, kicks=kicks)
    assert len(made) == 4  # rows, costs, validity, and the memory of the search
    assert steps_of.cache_info().misses == prepared
    assert (again.rows == first.rows).all()


def test_a_search_is_given():
    coordinates, rows = instances(4, 60), random_rows(4, 60)
    ours = gls.IteratedLocalSearch(
        gls.LocalSearch([gls.LinKernighan()], gls.Nearest(6)), accept=gls.Better()
    )
    found = [
        gls.improve(coordinates, rows, search=search, kicks=10).costs.mean()
        for search in (ours, "two_opt/nearest(5)", None)
    ]
    assert len(set(found)) == 3


def test_a_problem_is_one_instance():
    problem = gls.TSP(100 * instances(1, 30)[0], "EUC_2D")
    rows = random_rows(4, 30)
    rows[2, 0] = rows[2, 1]
    found = gls.improve(problem, rows)
    assert found.valid.tolist() == [True, True, False, True]
    assert (found.costs[found.valid] == problem.cost(found.rows[found.valid])).all()
    assert (found.rows[2] == rows[2]).all()


XY, ROWS = instances(3, 6), random_rows(3, 6)
BAD: dict[str, tuple[tuple[Any, Any], dict[str, Any], type[Exception], str]] = {
    "other count": ((XY, ROWS[:2]), {}, InvalidProblemError, "3 instances, but rows have 2"),
    "other size": ((XY, ROWS[:, :5]), {}, InvalidTourError, "5 columns"),
    "no coordinates": ((None, ROWS), {}, InvalidParameterError, "pass coordinates"),
    "unequal lists": (([[[0, 1]], [[0, 1], [2, 3]]], ROWS), {}, InvalidTypeError, "no array"),
    "problems": (([gls.TSP(XY[0])], ROWS), {}, InvalidTypeError, "solve_many"),
    "a problem's own": (
        *((gls.TSP(XY[0]), ROWS), {"capacity": 3}),
        *(InvalidParameterError, "capacity: a problem has its own"),
    ),
    "both": ((XY, ROWS), {"distances": np.ones((3, 6, 6))}, InvalidParameterError, "not both"),
    "3D": ((np.ones((3, 6, 3)), ROWS), {}, InvalidProblemError, r"not \(B, n, 2\)"),
    "flat": ((XY[0], ROWS), {}, InvalidProblemError, r"not \(B, n, 2\)"),
    "not square": (
        *((None, ROWS), {"distances": np.ones((3, 6, 5))}),
        *(InvalidProblemError, r"not \(B, n, n\)"),
    ),
    "real rows": ((XY, ROWS * 1.0), {}, InvalidTypeError, "not an integer type"),
    "one row": ((XY, ROWS[0]), {}, InvalidTourError, r"neither \(B, n\) nor"),
    "no rows": ((XY[:0], ROWS[:0]), {}, InvalidTourError, "neither"),
    "text": (("xy", ROWS), {}, InvalidTypeError, "str is not an array"),
    "complex": ((XY * 1j, ROWS), {}, InvalidTypeError, "not a type of real numbers"),
    "kicks": ((XY, ROWS), {"kicks": -1}, InvalidParameterError, "kicks"),
    "seed": ((XY, ROWS), {"seed": -1}, InvalidParameterError, "seed"),
    "search": ((XY, ROWS), {"search": 7}, InvalidTypeError, "neither a LocalSearch"),
    "moves alone": ((XY, ROWS), {"search": [gls.TwoOpt()]}, InvalidTypeError, "neither a LocalS"),
    "pivoting": (
        *((XY, ROWS), {"search": gls.LocalSearch(pivoting=gls.Multi())}),
        *(UnsupportedProblemError, "First"),
    ),
    "candidates": (
        *((XY, ROWS), {"search": gls.LocalSearch(candidates=gls.Alpha(5))}),
        *(UnsupportedProblemError, "Nearest or Quadrant"),
    ),
    "real demands": (
        *((XY, ROWS), {"demands": ROWS * 1.0, "capacity": 9}),
        *(InvalidTypeError, "astype"),
    ),
    "check": ((XY, 0 * ROWS), {"check": True}, InvalidTourError, "not a permutation"),
    "check of loads": (
        *((XY, ROWS), {"demands": 0 * ROWS + 1, "capacity": 3, "check": True}),
        *(InvalidTourError, "within the capacity"),
    ),
    "demands alone": ((XY, ROWS), {"demands": ROWS}, InvalidParameterError, "belong together"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_named(case):
    arguments, options, error, words = BAD[case]
    with pytest.raises(error, match=words):
        gls.improve(*arguments, **options)
