"""The rows that an island offers, and rows of others that are new to it."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.runs.elites import Elites, joined
from tests.distributed.conftest import PROBLEM, N
from tests.helpers.random_problems import random_tours

TOURS = random_tours(N, 12).astype(np.int32)


def elites(tours: np.ndarray) -> Elites:
    return Elites.of(PROBLEM, tours, PROBLEM.cost(tours))


def test_the_best_come_first_and_the_distant_behind() -> None:
    near = elites(TOURS).rows[0].copy()
    near[[3, 4]] = near[[4, 3]]
    given = elites(np.concatenate([TOURS, near[None], TOURS[:3, ::-1]]))
    chosen = given.chosen(PROBLEM, 2, 2)
    assert chosen.costs[:2].tolist() == sorted(set(given.costs.tolist()))[:2]
    apart = PROBLEM.difference(chosen.rows[0])
    others = [apart(row) for row in given.rows if PROBLEM.cost(row)[0] not in chosen.costs[:2]]
    assert sorted(map(apart, chosen.rows[2:])) == sorted(others)[-2:]


def test_equal_tours_count_once_however_they_are_written() -> None:
    turned = np.roll(TOURS[:1], 7, axis=1)[:, ::-1]
    assert len(elites(np.concatenate([TOURS[:1], turned])).chosen(PROBLEM, 5, 5)) == 1


def test_guests_that_are_here_already_do_not_arrive() -> None:
    here, guests = elites(TOURS[:4]), elites(np.concatenate([TOURS[2:6, ::-1]]))
    new = guests.without(PROBLEM, here)
    assert sorted(new.costs) == sorted(PROBLEM.cost(TOURS[4:6]))


def test_rows_that_break_no_constraint_are_better() -> None:
    problem = gls.CVRP([[0, 0], [9, 0], [0, 9], [9, 9]], [0, 3, 3, 3], 6, copies=3)
    rows = np.array([[0, 1, 3, 2, 4, 5], [0, 1, 4, 3, 2, 5]], np.int32)
    cheap, dear = costs = problem.cost(rows)
    assert cheap < dear and problem.feasible(rows).tolist() == [False, True]
    found = Elites.of(problem, rows, costs)
    assert found.costs.tolist() == [dear, cheap] and found.allowed.costs.tolist() == [dear]
    assert found.worth < Elites.of(problem, rows[:1], costs[:1]).worth < (True, np.inf)
    assert Elites.none(problem).worth == (True, np.inf)


def test_groups_join_by_cost_and_in_order() -> None:
    both = joined(PROBLEM, [elites(TOURS[:3]), elites(TOURS[3:6])])
    assert both.costs.tolist() == sorted(PROBLEM.cost(TOURS[:6]).tolist())
    assert len(joined(PROBLEM, [])) == 0


@pytest.mark.parametrize("best", [1, 3])
def test_without_distant_rows_there_are_the_best_alone(best: int) -> None:
    assert len(elites(TOURS).chosen(PROBLEM, best, 0)) == best


@pytest.mark.parametrize(
    ("least", "most", "each"),
    [(0, 255, 1), (0, 1001, 2), (-1, 100, 2), (0, 65535, 2), (0, 65536, 4)],
)
def test_rows_travel_in_as_few_bytes_as_their_numbers_take(least, most, each):
    rows = np.array([[least, most]], np.int32)
    sent = Elites(rows, np.array([1]), np.array([True]))
    assert sent.__getstate__()["rows"].dtype.itemsize == each
    arrived = pickle.loads(pickle.dumps(sent))
    assert (arrived.rows == rows).all() and arrived.rows.dtype == np.int32
