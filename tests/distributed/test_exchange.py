"""The rows that islands exchange, their sources, and the stretches of a run."""

from __future__ import annotations

import math
import pickle
from itertools import pairwise

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.budget import Budget
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTypeError
from gpu_ls_plugin.distributed import Exchange
from gpu_ls_plugin.distributed.exchange import sources
from gpu_ls_plugin.distributed.run import Schedule
from gpu_ls_plugin.runs.elites import Elites, joined
from gpu_ls_plugin.runs.repeated_calls import derived
from tests.distributed.conftest import PROBLEM, N
from tests.helpers.random_problems import random_tours


def test_sources_in_a_ring():
    assert [sources("ring", 3, island, 5, 1) for island in range(3)] == [[2], [0], [1]]


def test_sources_in_a_complete_topology():
    assert sources("complete", 3, 1, 5, 1) == [0, 2]


def test_random_sources_depend_on_seed_and_stretch():
    drawn = [sources("random", 5, 2, number, 1)[0] for number in range(60)]
    assert set(drawn) == {0, 1, 3, 4}
    assert drawn == [sources("random", 5, 2, number, 1)[0] for number in range(60)]
    assert drawn != [sources("random", 5, 2, number, 2)[0] for number in range(60)]


@pytest.mark.parametrize("topology", ["ring", "complete", "random"])
def test_a_single_island_has_no_sources(topology):
    assert sources(topology, 1, 0, 0, 1) == []


@pytest.mark.parametrize(("kicks", "step"), [(100, None), (7, None), (95, 30), (1, None)])
def test_stretches_add_up_to_the_kicks(kicks, step):
    schedule = Schedule.of(Exchange(kicks=step), Budget(kicks=kicks), None)
    done, shares = 0, []
    while (stretch := schedule.stretch(done, 0.0)) is not None:
        assert stretch.seconds == math.inf and stretch.kicks is not None
        done += stretch.kicks
        shares.append((stretch.begin, stretch.end))
    assert schedule.together and done == kicks
    assert shares[0][0] == 0.0 and shares[-1][1] == 1.0
    assert all(one[1] == other[0] for one, other in pairwise(shares))


def test_stretches_add_up_to_the_seconds():
    schedule = Schedule.of(Exchange(every=0.4), Budget(seconds=1.0), None)
    elapsed, lengths = 0.0, []
    while (stretch := schedule.stretch(0, elapsed)) is not None:
        assert stretch.kicks is None
        lengths.append(stretch.seconds)
        elapsed += stretch.seconds
    assert not schedule.together and lengths == pytest.approx([0.4, 0.4, 0.2])


def test_first_stretches_may_be_shorter():
    schedule = Schedule.of(Exchange(every=0.4), Budget(seconds=1.0), None)
    lengths = [schedule.stretch(0, 0.0, part) for part in (0.25, 0.5, 1.0)]
    assert [s.seconds for s in lengths if s is not None] == pytest.approx([0.1, 0.2, 0.4])
    counted = Schedule.of(Exchange(kicks=5), Budget(kicks=10), None).stretch(0, 0.0, 0.25)
    assert counted is not None and (counted.kicks, counted.seconds) == (5, math.inf)


def test_a_search_without_limits_makes_its_own_kicks():
    assert Schedule.of(Exchange(), Budget(), 600).kicks == 600
    assert Schedule.of(Exchange(), Budget(), None).stretch(0, 0.0) is not None


def test_seeds_depend_on_every_word():
    seeds = {derived(a, b) for a in range(8) for b in range(8)}
    assert len(seeds) == 64 and max(seeds) > 2**60


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"every": 0}, InvalidParameterError),
        ({"kicks": 0}, InvalidParameterError),
        ({"best": 0}, InvalidParameterError),
        ({"distant": -1}, InvalidParameterError),
        ({"every": "1"}, InvalidTypeError),
        ({"best": 1.5}, InvalidTypeError),
    ],
)
def test_wrong_parameters(given, error):
    with pytest.raises(error, match=next(iter(given))):
        Exchange(**given)


TOURS = random_tours(N, 12).astype(np.int32)


def elites(tours: np.ndarray) -> Elites:
    return Elites.of(PROBLEM, tours, PROBLEM.cost(tours))


def test_the_best_come_first_and_the_distant_behind():
    near = elites(TOURS).rows[0].copy()
    near[[3, 4]] = near[[4, 3]]
    given = elites(np.concatenate([TOURS, near[None], TOURS[:3, ::-1]]))
    chosen = given.chosen(PROBLEM, 2, 2)
    assert chosen.costs[:2].tolist() == sorted(set(given.costs.tolist()))[:2]
    apart = PROBLEM.difference(chosen.rows[0])
    others = [apart(row) for row in given.rows if PROBLEM.cost(row)[0] not in chosen.costs[:2]]
    assert sorted(map(apart, chosen.rows[2:])) == sorted(others)[-2:]


def test_rotations_and_reversals_count_once():
    turned = np.roll(TOURS[:1], 7, axis=1)[:, ::-1]
    assert len(elites(np.concatenate([TOURS[:1], turned])).chosen(PROBLEM, 5, 5)) == 1


def test_guests_that_are_here_already_do_not_arrive():
    here, guests = elites(TOURS[:4]), elites(np.concatenate([TOURS[2:6, ::-1]]))
    new = guests.without(PROBLEM, here)
    assert sorted(new.costs) == sorted(PROBLEM.cost(TOURS[4:6]))


def test_rows_that_break_no_constraint_are_better():
    problem = gls.CVRP([[0, 0], [9, 0], [0, 9], [9, 9]], [0, 3, 3, 3], 6, copies=3)
    rows = np.array([[0, 1, 3, 2, 4, 5], [0, 1, 4, 3, 2, 5]], np.int32)
    cheap, dear = costs = problem.cost(rows)
    assert cheap < dear and problem.feasible(rows).tolist() == [False, True]
    found = Elites.of(problem, rows, costs)
    assert found.costs.tolist() == [dear, cheap] and found.allowed.costs.tolist() == [dear]
    assert found.worth < Elites.of(problem, rows[:1], costs[:1]).worth < (True, np.inf)
    assert Elites.none(problem).worth == (True, np.inf)


def test_groups_join_by_cost_and_in_order():
    both = joined(PROBLEM, [elites(TOURS[:3]), elites(TOURS[3:6])])
    assert both.costs.tolist() == sorted(PROBLEM.cost(TOURS[:6]).tolist())
    assert len(joined(PROBLEM, [])) == 0


@pytest.mark.parametrize("best", [1, 3])
def test_without_distant_rows_only_the_best_are_chosen(best):
    assert len(elites(TOURS).chosen(PROBLEM, best, 0)) == best


@pytest.mark.parametrize(
    ("least", "most", "each"),
    [(0, 255, 1), (0, 1001, 2), (-1, 100, 2), (0, 65535, 2), (0, 65536, 4)],
)
def test_pickles_use_the_smallest_type_for_rows(least, most, each):
    rows = np.array([[least, most]], np.int32)
    sent = Elites(rows, np.array([1]), np.array([True]))
    assert sent.__getstate__()["rows"].dtype.itemsize == each
    arrived = pickle.loads(pickle.dumps(sent))
    assert (arrived.rows == rows).all() and arrived.rows.dtype == np.int32
