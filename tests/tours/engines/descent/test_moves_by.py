"""Moves are counted under the neighbourhood that made them, which the changed edges prove."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from tests.helpers.random_problems import random_problem, random_tours


def edges(tour):
    return {frozenset(pair) for pair in zip(tour.tolist(), np.roll(tour, -1).tolist(), strict=True)}


@pytest.mark.parametrize("pivoting", [gls.First(), gls.Best()], ids=lambda rule: rule.name)
@pytest.mark.parametrize(
    "parts", [[gls.TwoOpt(), gls.OrOpt()], [gls.OrOpt(), gls.TwoOpt()]], ids=lambda p: p[0].name
)
def test_2_opt_changes_two_edges_and_or_opt_three(parts, pivoting):
    problem, tours = random_problem("EUC_2D", 80, span=1000), random_tours(80, 24)
    search = gls.LocalSearch(parts, gls.Nearest(8), pivoting)
    counted = dict.fromkeys(("two_opt", "or_opt"), 0)
    for _ in range(40):
        found = search(problem, tours, budget=gls.Budget(moves=1), backend="cpu")
        changed = [len(edges(a) - edges(b)) for a, b in zip(tours, found.tours, strict=True)]
        made = found.statistics.moves_by
        assert list(made) == [part.name for part in parts]
        assert sum(made.values()) == changed.count(2) + changed.count(3)
        # Some Or-opt moves add one of the three edges again, such as a city's move by one place.
        disguised = made["or_opt"] - changed.count(3)
        assert 0 <= disguised <= 5
        counted = {name: counted[name] + made[name] for name in counted}
        tours = found.tours
    assert min(counted.values()) > 100


def test_three_neighbourhoods_and_one_twice():
    problem, tours = random_problem("EUC_2D", 80, span=1000), random_tours(80, 40)
    parts = [gls.OrOpt(1), gls.TwoOpt(), gls.OrOpt(3), gls.ThreeOpt()]
    search = gls.LocalSearch(parts, gls.Nearest(8))
    whole = search(problem, tours, backend="cpu").statistics
    assert list(whole.moves_by) == ["or_opt", "two_opt", "or_opt 2", "three_opt"]
    assert sum(whole.moves_by.values()) == whole.moves
    assert min(whole.moves_by.values()) > 10
    halves = [search(problem, half, backend="cpu").statistics for half in np.split(tours, 2)]
    halves[0].add(halves[1])
    assert halves[0].moves_by == whole.moves_by


@pytest.mark.parametrize(
    "search",
    [
        gls.LocalSearch([gls.TwoOpt()], gls.All(), gls.Best()),
        gls.LocalSearch([gls.ThreeOpt()], gls.All(), gls.RandomK(200)),
        gls.LocalSearch([gls.LinKernighan(3)], gls.Nearest(5)),
    ],
    ids=str,
)
def test_a_single_neighbourhood_has_all_moves(search):
    problem, tours = random_problem("EUC_2D", 60), random_tours(60, 5)
    counted = search(problem, tours, backend="cpu").statistics
    assert counted.moves_by == {search.neighbourhoods[0].name: counted.moves}


def test_parts_of_tours_count_their_moves():
    problem = random_problem("EUC_2D", 400, span=1000)
    tours = gls.greedy(problem, 2, seed=1, backend="cpu")
    search = gls.IteratedLocalSearch(accept=gls.Better(), part=100, search=gls.LocalSearch())
    counted = search(problem, tours, budget=gls.Budget(kicks=4000), backend="cpu").statistics
    made = sum(counted.moves_by.values())
    assert set(counted.moves_by) == {"two_opt", "or_opt"} and min(counted.moves_by.values()) > 50
    assert 0 <= made - counted.moves < 0.01 * made + 100  # a tour's share is rounded down
