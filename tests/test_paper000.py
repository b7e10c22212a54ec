"""The kernels of the benchmark of paper 000: each choice finds the best move of an oracle."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from benchmarks.papers.paper000_ablation import Ablation, Variant

# Each value of each choice at least once.
CHOICES = {
    "first version": {},
    "no power of two": {"held": 1, "sizes": 1, "parts": (3,), "mapping": 1},
    "two levels": {"levels": 2, "held": 2, "sizes": 2, "shift": 1, "index": 2, "groups": 1},
    "structure of arrays": {"layout": 1, "index": 3, "held": 1, "mapping": 2, "order": 1},
    "rows of one length": {"index": 4, "held": 2, "align": 16, "levels": 0, "order": 1},
    "today": {"index": 4, "held": 2, "levels": 0, "groups": 2, "sink": 1, "value": "int"},
    "today, two levels": {
        **{"index": 1, "levels": 2, "parts": (2, 3), "groups": 2, "value": "int"},
        **{"layout": 1, "held": 0, "mapping": 1},
    },
}
EACH = pytest.mark.parametrize("choices", CHOICES.values(), ids=CHOICES)
EDGES = pytest.mark.parametrize("edges", [2, 3])


@cache
def problem_and_tour() -> tuple[gls.CVRP, np.ndarray]:
    """Return a problem whose constraints all bind, and a feasible tour."""
    random = np.random.default_rng(21)
    places, demands = random.integers(0, 100, (20, 2)), np.r_[0, random.integers(1, 20, 19)]
    loose = gls.CVRP(places, demands, 60, vehicles=6, copies=7, service_times=3)
    tour = gls.sweep(loose, 1, seed=1, backend="cpu")
    longest = int(loose.route_sums(tour).durations.max())
    tight = gls.CVRP(
        *(places, demands, 60),
        service_times=3,
        route_limit=longest,
        vehicles=int((loose.route_sums(tour).loads > 0).sum()),
        copies=7,
    )
    assert tight.feasible(tour).all()
    return tight, tour[0]


@cache
def neighbours(edges: int) -> np.ndarray:
    """Return all tours that a move makes; the tour begins and ends at one depot."""
    _, tour = problem_and_tour()
    n, rows = len(tour), []
    for x, y, *rest in combinations(range(n), edges):
        a, b = tour[: x + 1], tour[x + 1 : y + 1]
        if not rest:
            rows.append(np.r_[a, b[::-1], tour[y + 1 :]])
            continue
        c, d = tour[y + 1 : rest[0] + 1], tour[rest[0] + 1 :]
        rows += [np.r_[a, left, right, d] for left, right in
                 ((c, b), (c[::-1], b), (c, b[::-1]), (b[::-1], c[::-1]))]  # fmt: skip
    return np.array(rows, np.int32)


def best_change(edges: int) -> int:
    problem, tour = problem_and_tour()
    rows = neighbours(edges)
    return int(problem.cost(rows[problem.feasible(rows)]).min() - problem.cost(tour)[0])


def check_the_best_move(edges: int, choices: dict, backend: str) -> None:
    problem, tour = problem_and_tour()
    search = Ablation(problem, tour, Variant(edges, **choices), backend=backend)
    change, _ = search.best()
    search.apply()
    search.swap(change)
    assert change == best_change(edges) < 0
    assert problem.cost(search.tour())[0] == problem.cost(tour)[0] + change
    assert problem.feasible(search.tour()).all()


@EDGES
@EACH
def test_each_choice_finds_the_best_move(edges, choices):
    check_the_best_move(edges, choices, "cpu")


@pytest.mark.gpu
@EDGES
@EACH
def test_each_choice_finds_the_best_move_on_a_gpu(edges, choices):
    check_the_best_move(edges, choices, "cuda")


def check_the_counts(edges: int, backend: str) -> None:
    problem, tour = problem_and_tour()
    rows = neighbours(edges)
    kept = problem.route_sums(rows)
    loads, durations = kept.loads.max(axis=1), kept.durations.max(axis=1)
    kinds = (problem.cost(rows) < problem.cost(tour)) + 2 * (loads > problem.capacity)
    kinds += 4 * (durations > problem.route_limit)
    kinds += 8 * ((kept.loads > 0).sum(axis=1) > problem.fleet)
    expected = [Counter(kinds.tolist())[kind] for kind in range(16)]
    assert expected[5] > 0 and sum(expected[8:]) > 0  # the route limit alone; the fleet
    variant = Variant(edges, levels=0, index=4, held=2, groups=2, sink=1, value="int", mapping=1)
    assert Ablation(problem, tour, variant, backend=backend).counts().tolist() == expected


@EDGES
def test_moves_are_counted_by_the_constraints_that_they_break(edges):
    check_the_counts(edges, "cpu")


@pytest.mark.gpu
@EDGES
def test_moves_are_counted_on_a_gpu(edges):
    check_the_counts(edges, "cuda")


def test_a_search_goes_on_from_the_tour_it_made():
    problem, tour = problem_and_tour()
    search = Ablation(problem, tour, Variant(groups=2, sink=1), backend="cpu")
    while (change := search.best()[0]) < 0:
        before = problem.cost(search.tour())[0]
        search.apply()
        search.swap(change)
        assert problem.cost(search.tour())[0] == before + change
    part = gls.LocalSearch([gls.TwoOpt()], candidates=gls.All(), pivoting=gls.Best())
    assert part(problem, search.tour()[None], backend="cpu").statistics.moves == 0
