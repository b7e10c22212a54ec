"""Recombinations of routes: children are valid giant tours with the edges of their parents."""

from __future__ import annotations

import itertools
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import (
    InsufficientMemoryError,
    InvalidTourError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.routes.crossovers.route_edge_assembly import HEADER, pair_bytes
from gpu_ls_plugin.testing import check_recombination
from tests.helpers import host_program
from tests.helpers.examples import examples
from tests.helpers.random_problems import random_tours

PARTS = (gls.SplitRecombination(), gls.RouteEdgeAssembly())
each_part = pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
KINDS = {"load": {}, "duration": {"limited": True}, "fleet": {"fleet": True}}


def routing(customers, seed, *, limited=False, fleet=False, metric="EUC_2D", **more):
    """Return a problem of random customers; a fleet has one vehicle more than the demand needs."""
    random = np.random.default_rng([customers, seed])
    places = random.integers(0, 1000, (customers + 1, 2))
    demands = np.r_[0, random.integers(1, 10, customers)]
    if limited:
        farthest = np.hypot(*(places - places[0]).T).max()
        more["route_limit"] = int(2.6 * farthest) + 3
    if fleet:
        more["vehicles"] = -(-int(demands.sum()) // 25) + 1
    return gls.CVRP(places, demands, 25, metric=metric, **more)


def made(problem, size, seed):
    """Return giant tours of two constructions, half of them by savings, rotated at random."""
    random = np.random.default_rng(seed)
    orders = 1 + random.permuted(np.tile(np.arange(problem.customers), (size, 1)), axis=1)
    rows = gls.split(problem, orders, backend="cpu")
    rows[::2] = gls.savings(problem, size + 1, seed=seed, backend="cpu")[1::2]
    return np.stack([np.roll(row, random.integers(problem.n)) for row in rows])


def edges(problem, row):
    """Return numbered edges, without loops; all copies of the depot are one node."""
    nodes = np.where(row > problem.customers, 0, row)
    pairs = np.sort(np.stack([nodes, np.roll(nodes, -1)], axis=1), axis=1)
    pairs = [tuple(pair) for pair in pairs.tolist() if pair[1] > 0]
    return {(pair, k) for pair in pairs for k in range(pairs.count(pair))}


@st.composite
def crossings(draw):
    """Return a problem, parents that are random or constructed, and a seed."""
    kind = draw(st.sampled_from([*KINDS, "real"]))
    options = {"metric": "EUC"} if kind == "real" else KINDS[kind]
    problem = routing(draw(st.integers(1, 40)), draw(st.integers(0, 99)), **options)
    size, seed = draw(st.integers(1, 4)), draw(st.integers(0, 99))
    makers = [made, lambda problem, size, seed: random_tours(problem.n, size, seed)]
    first, second = (draw(st.sampled_from(makers))(problem, size, seed + k) for k in range(2))
    return problem, first, second, draw(st.integers(0, 2**64 - 1))


@each_part
@examples(90)
@given(crossing=crossings())
def test_children_depend_on_parents_seed_and_row_alone(part, crossing):
    problem, first, second, seed = crossing
    kept = first.copy(), second.copy()
    children = part.cross(problem, first, second, seed=seed, backend="cpu", first_row=3)
    assert np.array_equal(first, kept[0]) and np.array_equal(second, kept[1])
    assert children.dtype == np.int32
    assert (np.sort(children, axis=1) == np.arange(problem.n)).all()
    for row in range(len(first)):
        alone = part.cross(
            problem, first[row], second[row], seed=seed, backend="cpu", first_row=3 + row
        )
        assert np.array_equal(alone[0], children[row])


@each_part
@pytest.mark.parametrize("kind", KINDS)
def test_the_child_of_equal_parents_is_the_parent(part, kind):
    problem = routing(40, 1, **KINDS[kind])
    parents = made(problem, 12, 1)
    if part.name == "split_recombination":  # reads orders alone and cuts them best
        for _ in range(20):  # each time in another order, until no cut is better
            parents = part.cross(problem, parents, parents, backend="cpu")
    children = part.cross(problem, parents, parents, seed=2, backend="cpu")
    assert np.array_equal(problem.canonical(children), problem.canonical(parents))


@each_part
def test_seeds_and_rows_have_numbers_of_their_own(part):
    problem = routing(60, 2)
    first, second = (np.repeat(made(problem, 2, seed)[:1], 8, axis=0) for seed in (1, 2))

    def children(**options):
        found = part.cross(problem, first, second, backend="cpu", **options)
        return set(map(tuple, problem.canonical(found).tolist()))

    here = children(seed=1)
    assert len(here) >= 4
    assert here != children(seed=2) and here != children(seed=1, first_row=8)
    assert here == children(seed=1)


@each_part
def test_a_batch_that_is_split_by_memory_is_the_same(part):
    problem = routing(30, 3)
    first, second = made(problem, 7, 1), made(problem, 7, 2)
    fixed = problem.tsp.metric.data(problem.tsp.values).nbytes
    limit = fixed + 2 * part.bytes_per_tour(problem.n)
    whole = part.cross(problem, first, second, seed=1, backend="cpu")
    split = part.cross(problem, first, second, seed=1, backend="cpu", memory_limit=limit)
    assert np.array_equal(whole, split)
    with pytest.raises(InsufficientMemoryError, match="memory_limit"):
        part.cross(problem, first, second, backend="cpu", memory_limit=fixed)


# Split


@pytest.mark.parametrize("kind", KINDS)
def test_split_crossover_keeps_constraints_and_cuts_best(kind):
    problem = routing(40, 4, copies=40, **KINDS[kind])
    first, second = random_tours(problem.n, 20, 1), random_tours(problem.n, 20, 2)
    children = gls.SplitRecombination().cross(problem, first, second, seed=3, backend="cpu")
    assert kind == "fleet" or problem.feasible(children).all()
    orders = [[c for c in row if 0 < c <= problem.customers] for row in children.tolist()]
    again = gls.split(problem, orders, backend="cpu")
    assert kind == "fleet" or np.array_equal(problem.cost(children), problem.cost(again))


@pytest.mark.parametrize("kind", KINDS)
def test_soft_split_crossover_has_no_more_routes_than_the_first_parent(kind):
    problem = routing(40, 3, **KINDS[kind])
    soft = problem.penalised(load=3, duration=1)
    first, second = (made(problem, 24, seed=seed) for seed in (3, 4))
    children = gls.SplitRecombination().cross(soft, first, second, seed=5, backend="cpu")
    used = [[len(problem.routes(row)) for row in rows] for rows in (children, first)]
    assert (np.array(used[0]) <= used[1]).all()
    assert problem.violations(children).load.any()
    dear = problem.penalised(load=10**6, duration=10**6)
    free = gls.SplitRecombination().cross(problem, first, second, seed=5, backend="cpu")
    kept = gls.SplitRecombination().cross(dear, first, second, seed=5, backend="cpu")
    same = problem.feasible(kept)
    assert same.any() and (problem.cost(kept) >= problem.cost(free))[same].all()


def test_split_crossover_keeps_a_section_and_the_order_of_the_rest():
    problem = routing(30, 5)
    first, second = made(problem, 40, 1), made(problem, 40, 2)
    children = gls.SplitRecombination().cross(problem, first, second, seed=3, backend="cpu")
    points = problem.nodes.coordinates - problem.nodes.coordinates[0]

    def visited(routes):
        return [customer for route in routes for customer in route]

    def around(row):
        """Return the customers route by route, in the order of routes around the depot."""
        routes = problem.routes(row)
        routes.sort(key=lambda route: np.arctan2(*points[route].mean(axis=0)[::-1]))
        return visited(routes)

    for row, *parents in zip(children, first, second, strict=True):
        child, (own, other) = visited(problem.routes(row)), map(around, parents)
        ways = []
        for begin, size in itertools.product(range(30), range(1, 30)):
            from_section = [(begin + k) % 30 for k in range(30)]
            kept = [own[place] for place in from_section[:size]]
            after = from_section[size:] + from_section[:size]
            rest = [other[place] for place in after if other[place] not in kept]
            order = dict(zip(from_section, kept + rest, strict=True))
            ways.append([order[place] for place in range(30)])
        assert child in ways


# edge assembly


def test_the_only_cycle_makes_the_second_parent():
    problem = gls.CVRP([(0, 0), (5, 9), (9, 5), (-5, 8), (-9, 6)], [0, 1, 1, 1, 1], 2)
    first, second = problem.tour([[1, 2], [3, 4]]), problem.tour([[1, 3], [2, 4]])
    child = gls.RouteEdgeAssembly().cross(problem, first, second, backend="cpu")
    assert np.array_equal(problem.canonical(child), problem.canonical(second))


def test_a_subtour_is_joined_as_well_as_it_can_be():
    """The parents differ by two cycles. One of them leaves the subtour 2, 3, 4, 5."""
    places = np.random.default_rng(3).integers(0, 10**6, (7, 2))
    problem = gls.CVRP(places, [0] + [1] * 6, 6, vehicles=2)
    first, second = problem.tour([[1, 2, 3, 4, 5, 6]]), problem.tour([[1, 6], [3, 2, 5, 4]])
    children = gls.RouteEdgeAssembly().cross(
        problem, np.tile(first, (40, 1)), np.tile(second, (40, 1)), seed=1, backend="cpu"
    )
    found = {tuple(row) for row in problem.canonical(children).tolist()}
    joined = [
        problem.tour([route])
        for ring in (rolled[::way] for rolled in rings([2, 3, 4, 5]) for way in (1, -1))
        for route in ([*ring, 1, 6], [1, *ring, 6], [1, 6, *ring])
    ] + [problem.tour([[1, 6], ring]) for ring in rings([2, 3, 4, 5])]
    best = min(joined, key=lambda tour: problem.cost(tour)[0])
    cut = problem.tour([[1, 2, 3], [4, 5, 6]])
    assert found == {tuple(row) for row in problem.canonical(np.stack([best, cut])).tolist()}


def rings(cities):
    return [cities[k:] + cities[:k] for k in range(len(cities))]


@pytest.mark.parametrize("metric", ["EUC_2D", "EUC"])
def test_new_edges_come_from_joins_of_subtours_alone(metric):
    problem = routing(120, 8, metric=metric)
    search = gls.LocalSearch([gls.RouteMoves()], candidates=gls.Nearest(10))
    first, second = (
        search(problem, made(problem, 40, seed), backend="cpu").tours for seed in (1, 2)
    )
    children = gls.RouteEdgeAssembly().cross(problem, first, second, seed=1, backend="cpu")
    new, changed, same = [], [], []
    for rows in zip(children, first, second, strict=True):
        child, own, other = (edges(problem, row) for row in rows)
        new.append(len(child - own - other))
        changed.append(len(own - child))
        lost = len((own & other) - child)
        assert lost <= new[-1]  # a join replaces two edges
        same.append(child == own)  # possible if a join undoes the exchange
        assert own != other or same[-1]
    assert np.mean(same) < 0.1 and np.mean(np.array(new) == 0) > 0.4
    assert sum(new) < 0.2 * sum(changed)


def test_children_inherit_the_number_of_routes():
    """Parents have different numbers of routes; loops at the depot are exchanged like edges."""
    problem = routing(30, 9, copies=30)
    many = np.tile(problem.tour([[c] for c in range(1, 31)]), (20, 1))
    few = made(problem, 20, 1)
    for first, second in ((many, few), (few, many)):
        children = gls.RouteEdgeAssembly().cross(problem, first, second, seed=1, backend="cpu")
        counts = [[len(problem.routes(row)) for row in rows] for rows in (children, first, second)]
        assert any(a != b for a, b in zip(counts[0], counts[1], strict=True))
        low, high = np.minimum(*counts[1:]), np.maximum(*counts[1:])
        assert (counts[0] >= low).all() and (counts[0] <= high + 1).all()


# refused problems, and crossovers as cooperations


@each_part
def test_problems_without_routes_are_refused(part):
    tsp = gls.TSP(np.arange(20).reshape(10, 2))
    with pytest.raises(UnsupportedProblemError, match="has no routes"):
        part.cross(tsp, random_tours(10, 2), random_tours(10, 2), backend="cpu")
    problem = routing(9, 1)
    with pytest.raises(InvalidTourError, match="second"):
        part.cross(problem, made(problem, 2, 1), made(problem, 3, 1), backend="cpu")


def test_directed_lengths():
    problem = gls.CVRP.from_matrix(
        np.random.default_rng(1).integers(1, 99, (20, 20)), [0] + [1] * 19, 5
    )
    first, second = made(problem, 4, 1), made(problem, 4, 2)
    problem.check(gls.SplitRecombination().cross(problem, first, second, backend="cpu"))
    with pytest.raises(UnsupportedProblemError, match="asymmetric"):
        gls.RouteEdgeAssembly().cross(problem, first, second, backend="cpu")


def test_edge_assembly_keeps_most_directions_of_routes():
    """Windows, for example, depend on them."""
    problem, turned, routes = routing(30, 0), 0, 0
    first, second = made(problem, 200, 1), made(problem, 200, 2)
    children = gls.RouteEdgeAssembly().cross(problem, first, second, seed=1, backend="cpu")
    for parent, child in zip(first, children, strict=True):
        kept = {edge for route in problem.routes(parent) for edge in pairwise([0, *route, 0])}
        for route in problem.routes(child):
            ahead = sum(edge in kept for edge in pairwise([0, *route, 0]))
            back = sum(edge in kept for edge in pairwise([0, *route[::-1], 0]))
            turned, routes = turned + (ahead < back), routes + 1
    assert turned < 0.02 * routes


@pytest.mark.slow
@each_part
def test_chains_are_crossed_under_hard_constraints(part):
    problem = routing(30, 10)
    search = gls.IteratedLocalSearch(
        gls.LocalSearch([gls.RouteMoves()], gls.Nearest(6)), gls.StringRemoval(), cooperation=part
    )
    starts, budget = made(problem, 6, 1), gls.Budget(kicks=40)
    result = search(problem, starts, seed=1, budget=budget, backend="cpu")
    assert problem.feasible(result.best_tour)[0]
    assert result.best_cost == problem.cost(result.best_tour)[0] <= problem.cost(starts).min()
    with pytest.raises(UnsupportedProblemError, match=r"constraints are soft; use PricedMigration"):
        search(problem.penalised(load=9), starts, budget=budget, backend="cpu")


@pytest.mark.slow
@each_part
def test_the_check_of_recombinations_passes(part):
    check_recombination(part, backend="cpu")


@pytest.mark.parametrize(("city", "city_bytes"), [("uint16", 2), ("int", 4)])
@pytest.mark.parametrize("copies", [1, 9, 40])
def test_python_and_kernels_agree_on_the_memory_of_a_pair(copies, city, city_bytes):
    function = f"RouteEdgeAssembly<Host, Euc2D, HostMemory<{city}>>::bytes(n, {copies})"
    customers = [1, 2, 7, 50, 127, 128, 1000]
    found = host_program.memory_of(function, HEADER, counts=customers)
    assert found == [pair_bytes(n + copies, city_bytes, n) for n in customers]
