"""Cuts and sub-problems: each route is in one part, and parts cost as much as the whole."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.routes.searches.decomposition.cuts import grouped
from gpu_ls_plugin.routes.searches.decomposition.run import chains_of_part
from gpu_ls_plugin.routes.searches.decomposition.sub_problem import SubProblem
from tests.helpers.routing import KINDS, random_cvrp

EACH_KIND = pytest.mark.parametrize("kind", KINDS)


def routed(kind: str, customers: int = 60, seed: int = 3) -> tuple[gls.CVRP, list[list[int]]]:
    problem = random_cvrp(kind, customers, seed)
    return problem, problem.routes(gls.savings(problem, seed=1, backend="cpu")[0])


@EACH_KIND
@pytest.mark.parametrize("turn", [0, 1])
@pytest.mark.parametrize("count", [1, 2, 4, 7, 1000])
def test_groups_contain_each_route_once_and_are_about_equal(kind, turn, count):
    problem, routes = routed(kind, 120)
    for seed in range(5):
        groups = grouped(problem, routes, count, turn, np.random.default_rng(seed))
        assert 1 <= len(groups) <= count
        assert sorted(np.concatenate(groups).tolist()) == list(range(len(routes)))
        assert all(len(group) for group in groups)
        sizes = [sum(len(routes[route]) for route in group) for group in groups]
        if count <= 4:
            assert len(groups) == count
            assert max(sizes) <= problem.customers / count + 2 * max(map(len, routes))


def test_cuts_of_two_turns_differ():
    problem, routes = routed("capacity")
    random = np.random.default_rng(1)
    cuts = [
        {frozenset(group.tolist()) for group in grouped(problem, routes, 4, turn, random)}
        for turn in range(4)
    ]
    assert all(cuts[turn] != cuts[turn + 1] for turn in range(3))


def test_a_sector_contains_neighbouring_directions():
    angles = np.repeat(np.arange(8) * np.pi / 4, 5) + 0.01
    points = np.r_[[[0, 0]], 100 * np.c_[np.cos(angles), np.sin(angles)]]
    problem = gls.CVRP(points, np.r_[0, np.ones(40, int)], 5, metric="EUC")
    routes = np.arange(1, 41).reshape(8, 5).tolist()
    for seed in range(20):
        for group in grouped(problem, routes, 4, 0, np.random.default_rng(seed)):
            places = np.sort(group)
            neighbours = (np.diff(np.r_[places, places[0] + 8]) > 1).sum()
            assert len(group) == 2 and neighbours == 1


@EACH_KIND
def test_parts_cost_as_much_as_the_whole(kind):
    whole, routes = routed(kind)
    groups = grouped(whole, routes, 3, 1, np.random.default_rng(0))
    total, joined, feasible = 0, [], []
    for group in groups:
        its = [routes[route] for route in group]
        sub = SubProblem.of(whole, its, len(its))
        assert sub.routes(sub.tour) == its
        feasible.append(sub.problem.feasible(sub.tour)[0])
        assert sub.problem.copies == len(its) and sub.problem.integer == whole.integer
        total += sub.problem.cost(sub.tour)[0]
        joined += sub.routes(sub.tour)
    tour = whole.tour(joined)
    assert whole.cost(tour)[0] == pytest.approx(total, rel=1e-12)
    assert whole.feasible(tour)[0] == all(feasible)
    assert all(feasible) or whole.resources  # which savings do not know


@EACH_KIND
def test_parts_have_the_violations_of_the_whole(kind):
    whole, routes = routed(kind)
    merged = [[*routes[0], *routes[1], *routes[2], *routes[3]], *routes[4:8]]
    sub = SubProblem.of(whole, merged, len(merged) + 9)
    rest = routes[8:]
    its = whole.violations(whole.tour([*merged, *rest]))
    mine = sub.problem.violations(sub.tour)
    assert mine.load == its.load > 0
    assert mine.duration == pytest.approx(its.duration)
    assert (sub.problem.route_limit is None) == (whole.route_limit is None)


def test_parts_have_the_penalties_of_the_whole():
    whole, routes = routed("capacity")
    soft = whole.penalised(load=7)
    sub = SubProblem.of(soft, routes[:3], 4)
    assert sub.problem.penalties == soft.penalties and sub.problem.fleet == 4
    assert SubProblem.of(whole, routes[:3], 4).problem.penalties is None


@pytest.mark.parametrize(
    ("chains", "parts", "each"), [(2112, 8, 256), (2112, 132, 16), (2112, 5, 416), (64, 8, 8)]
)
def test_chains_of_a_part_fill_blocks(chains, parts, each):
    assert chains_of_part(chains, parts) == each
    assert chains_of_part(2, parts) == 1 or parts <= 2
