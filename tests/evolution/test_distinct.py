"""Types and keys of rows, and batches whose tours differ from each other and from known tours."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidTourError
from gpu_ls_plugin.core.rows import canonical
from gpu_ls_plugin.evolution.batches.distinct import DistinctSearch, offspring_of
from gpu_ls_plugin.evolution.batches.improver import Improver
from gpu_ls_plugin.evolution.batches.kick import Kick
from gpu_ls_plugin.evolution.batches.rows import as_tours, keys, unknown
from tests.evolution.samples import cities, rows, undirected

SIXTY = gls.TSP(cities(60), "EUC_2D")
REAL = gls.TSP(cities(60), "EUC")
IDLE = Improver(lambda problem, tours, **_: gls.Result(tours, problem.cost(tours)))


def test_a_kick_that_finds_no_new_tour_is_repeated():
    tours = canonical(rows(60, 6))
    kick, idle = Kick(), [True, True]  # the first two calls change nothing
    distinct = DistinctSearch(
        IDLE,
        lambda problem, rows, state: rows if idle and idle.pop() else kick(problem, rows, state),
    )
    batch = distinct(SIXTY, tours, set(keys(tours)), np.random.default_rng(0))
    assert not idle
    assert batch.new.all()
    assert set(keys(batch.tours)).isdisjoint(keys(tours))
    assert batch.costs is not None
    assert batch.costs.tolist() == SIXTY.cost(batch.tours).tolist()


@pytest.mark.parametrize("problem", [SIXTY, REAL], ids=["integer", "real"])
def test_a_batch_of_known_tours_becomes_new(problem):
    known = gls.LocalSearch()(problem, rows(60, 100)).tours
    batch = DistinctSearch(Improver(), Kick())(
        problem, np.tile(known[:50], (2, 1)), set(keys(canonical(known))), np.random.default_rng(5)
    )
    assert len(set(keys(batch.tours))) == 100
    assert set(keys(batch.tours)).isdisjoint(keys(canonical(known)))
    assert (canonical(batch.tours) == batch.tours).all()
    if problem.integer:
        assert batch.costs is not None
        assert batch.costs.tolist() == problem.cost(batch.tours).tolist()
    else:
        assert batch.costs is None


def test_nothing_is_searched_if_no_tour_is_new():
    """Four cities have only three tours."""
    problem, everything = gls.TSP(cities(4)), canonical(rows(4, 200))

    def forbidden(problem: gls.TSP, tours: object, **options: object) -> None:
        raise AssertionError("searched")

    distinct = DistinctSearch(Improver(forbidden), Kick())
    batch = distinct(problem, rows(4, 5), set(keys(everything)), np.random.default_rng(0))
    assert not batch.new.any()
    assert batch.costs is None
    assert (batch.tours == canonical(rows(4, 5))).all()


def test_the_results_of_a_search_are_not_changed():
    kept = gls.LocalSearch()(SIXTY, rows(60, 5))
    costs, tours = kept.costs.copy(), kept.tours.copy()
    distinct = DistinctSearch(Improver(lambda problem, tours, **_: kept), Kick())
    batch = distinct(SIXTY, rows(60, 5, 9), set(keys(canonical(tours))), np.random.default_rng(0))
    assert batch.new.all()
    assert (kept.costs == costs).all()
    assert (kept.tours == tours).all()


def test_a_row_that_is_not_a_tour_is_named():
    wrong = rows(60, 5)
    wrong[3, 0] = wrong[3, 1]
    with pytest.raises(InvalidTourError, match="tours: row 3"):
        DistinctSearch(IDLE, Kick())(SIXTY, wrong, set(), np.random.default_rng(0))


def test_offspring_belong_to_a_run_and_a_generation():
    class Run:
        pass

    run, other = Run(), Run()
    made = offspring_of(run, 1)
    made.tours.add(b"one")
    assert offspring_of(run, 1) is made
    assert offspring_of(other, 1).tours == set()
    assert offspring_of(run, 2).tours == set()
    outside = offspring_of(run, None)
    outside.exhausted = True
    assert not offspring_of(run, None).exhausted


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 20])
def test_rotations_and_reversals_have_one_key(n):
    tour = rows(n, 1)[0]
    rotations = np.array([np.roll(tour, shift) for shift in range(n)])
    written = canonical(np.concatenate([rotations, rotations[:, ::-1]]))
    assert len(set(keys(written))) == 1
    assert written[0, 0] == 0
    assert n < 3 or written[0, 1] < written[0, -1]
    assert undirected(written[0]) == undirected(tour)


def test_unknown_finds_known_rows_and_repeated_rows():
    tours = canonical(rows(9, 4))
    batch = tours[[0, 1, 1, 2, 3]]
    assert unknown(batch, set(keys(tours[:1]))).tolist() == [False, True, False, True, True]


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float64, object])
def test_whole_numbers_of_any_type_are_tours(dtype):
    tours = as_tours(rows(9, 3).astype(dtype))
    assert tours.dtype == np.int32
    assert (tours == rows(9, 3)).all()


@pytest.mark.parametrize("value", [0.5, np.nan, np.inf, -1.0])
def test_other_numbers_are_not_changed(value):
    wrong = rows(9, 3).astype(float)
    wrong[1, 2] = value
    assert as_tours(wrong)[1, 2] == value or np.isnan(value)
