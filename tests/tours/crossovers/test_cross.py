"""Crossing of given pairs, by each recombination."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.exceptions import (
    FaultyPartError,
    InsufficientMemoryError,
    InvalidParameterError,
    InvalidTourError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.core.registry import registry
from gpu_ls_plugin.runs.partners import Partners
from gpu_ls_plugin.testing import check_recombination
from gpu_ls_plugin.tours.crossovers import base, workspace
from gpu_ls_plugin.tours.crossovers.base import Recombination
from gpu_ls_plugin.tours.crossovers.edge_assembly import CANDIDATES
from gpu_ls_plugin.tours.crossovers.workspace import Workspace
from gpu_ls_plugin.tours.engines.chains.start import Start
from gpu_ls_plugin.tours.kernels import evaluation
from gpu_ls_plugin.tours.kernels.evaluation import tour_costs
from tests.helpers import assembly_oracle
from tests.helpers.examples import examples
from tests.helpers.graph_oracle import edges
from tests.helpers.marks import slow_after
from tests.helpers.random_problems import random_problem, random_tours

CPU = get_backend("cpu")
CROSS = gls.EdgeAssembly().cross
PROBLEM = random_problem("EUC_2D", 30, span=1000)
FIRST, SECOND = random_tours(30, 5, 1), random_tours(30, 5, 2)


# ---- Crossovers that share a property --------------------------------------------------------

# Crossovers that read no lengths; all but the last draw random numbers.
PERMUTATION_CROSSOVERS = [
    gls.EdgeRecombination(),
    gls.OrderRecombination(),
    gls.PartiallyMappedRecombination(),
    gls.SegmentRecombination(),
    gls.SegmentRecombination(shortest=0.4, longest=1),
    gls.CycleRecombination(),
]


@pytest.mark.parametrize(
    "part",
    slow_after(3, [gls.PartitionRecombination(), *PERMUTATION_CROSSOVERS]),
    ids=lambda part: part.name,
)
def test_meets_the_contract_of_recombinations(part):
    check_recombination(part, backend="cpu")


@pytest.mark.parametrize("part", PERMUTATION_CROSSOVERS, ids=lambda part: part.name)
def test_lengths_are_not_read(part, monkeypatch):
    """Asymmetric problems work, too, and no costs are computed."""

    def fail(*_):
        raise AssertionError("a cost was computed")

    expected = part.cross(PROBLEM, FIRST, SECOND, backend="cpu")
    for module in (base, evaluation, workspace):
        monkeypatch.setattr(module, "tour_costs", fail)
    problem = gls.TSP.from_matrix(np.random.default_rng(1).integers(1, 99, (30, 30)))
    assert np.array_equal(part.cross(problem, FIRST, SECOND, backend="cpu"), expected)


@pytest.mark.parametrize(
    "part", [*PERMUTATION_CROSSOVERS[:-1], gls.EdgeAssembly()], ids=lambda part: part.name
)
def test_rows_draw_numbers_of_their_own(part):
    first, second = (np.repeat(random_tours(200, 1, seed), 8, axis=0) for seed in (1, 2))
    problem = random_problem("EUC_2D", 200, span=10_000)
    found = [
        set(map(tuple, part.cross(problem, first, second, backend="cpu", **options).tolist()))
        for options in ({"seed": 1}, {"seed": 2}, {"seed": 1, "first_row": 8})
    ]
    assert len(set.union(*found)) == 24


@pytest.mark.parametrize("part", [gls.EdgeAssembly(), gls.PartitionRecombination()])
def test_asymmetric_problems_are_refused(part):
    problem = gls.TSP.from_matrix(np.arange(900).reshape(30, 30))
    name = type(part).__name__
    with pytest.raises(UnsupportedProblemError, match=f"problem: {name} reverses paths"):
        part.cross(problem, FIRST, SECOND, backend="cpu")


# ---- Edge assembly ---------------------------------------------------------------------------


STRATEGIES = ("single", "block")
FIRST_ROW = 2**40 + 7


@pytest.mark.parametrize("strategy", STRATEGIES)
@examples(60)
@given(st.integers(8, 60), st.integers(0, 999), st.integers(1, 40), st.booleans())
def test_children_are_the_oracles(strategy, n, seed, offspring, near_each_other):
    """Lengths are long and random, so no two exchanges cost the same."""
    random = np.random.default_rng([n, seed])
    problem = gls.TSP(random.integers(0, 10**6, (n, 2)), "EUC_2D")
    first, second = (random_tours(n, 2, seed + more) for more in (0, 1000))
    if near_each_other:
        second = first.copy()
        for tour in second:
            a, b, c, d = sorted(random.integers(0, n, 4))
            tour[a:b], tour[c:d] = tour[a:b][::-1], tour[c:d][::-1].copy()
            tour[a:d] = tour[a:d][::-1].copy()
    places = problem.coordinates.tolist()
    near = CANDIDATES.of(problem).cities.reshape(n, -1).tolist()

    def length(a, b):
        return int(math.dist(places[a], places[b]) + 0.5)

    options = {"seed": seed, "backend": "cpu", "first_row": FIRST_ROW}
    part = gls.EdgeAssembly(offspring=offspring, strategy=strategy)
    children = part.cross(problem, first, second, **options)
    for row, child in enumerate(children):
        pair = first[row].tolist(), second[row].tolist()
        numbers = {
            "seed": seed,
            "row": FIRST_ROW + row,
            "offspring": offspring,
            "strategy": strategy,
        }
        assert edges(child) == assembly_oracle.cross(*pair, length, near, **numbers)


@pytest.mark.parametrize("strategy", ["single", "block"])
def test_long_subtours_are_joined(strategy):
    """Two rings, joined at a bad place by one parent and at a good place by the other."""
    long, bad, good = 1200, 100, 600
    x = np.arange(long)
    rows = [np.column_stack([x, np.full(long, y)]) for y in (0, 1, 3, 4)]
    problem = gls.TSP(np.concatenate(rows), "EUC_2D")
    one = np.concatenate([x, x[::-1] + long])  # from the corner (0, 0) round to (0, 1)
    other = np.concatenate([x + 2 * long, x[::-1] + 3 * long])

    def joined(at: int, beside: int) -> Any:
        cut = 2 * long - 1 - at
        return np.concatenate([one[:cut], np.roll(other, -beside)[::-1], one[cut:]])

    parents = np.stack([joined(bad, bad + 50), joined(good, good)]).astype(np.int32)
    before, best = problem.cost(parents)
    assert before > best + 90
    part = gls.EdgeAssembly(strategy=strategy)
    child = part.cross(problem, parents[:1], parents[1:], backend="cpu")
    assert problem.cost(child)[0] <= best


def test_a_batch_that_is_split_by_memory_is_the_same():
    whole = CROSS(PROBLEM, FIRST, SECOND, seed=3, backend="cpu")
    fixed = PROBLEM.metric.data(PROBLEM.values).nbytes
    limit = fixed + 2 * gls.EdgeAssembly().bytes_per_tour(PROBLEM.n)
    split = CROSS(PROBLEM, FIRST, SECOND, seed=3, backend="cpu", memory_limit=limit)
    assert np.array_equal(split, whole)
    with pytest.raises(InsufficientMemoryError, match="memory_limit"):
        CROSS(PROBLEM, FIRST, SECOND, backend="cpu", memory_limit=fixed)


def test_a_population_makes_the_same_children():
    """The first generation of chains whose partners are known."""
    problem, tours = random_problem("EUC_2D", 90, span=10_000), random_tours(90, 8)
    usual = gls.LocalSearch(candidates=CANDIDATES)
    search = gls.IteratedLocalSearch(usual, accept=gls.Better())
    for first_row in (0, 17):
        chains = search.chains(Start(CPU, problem, tours.copy(), 5, first_row))
        gls.EdgeAssembly(generations=1).exchange(chains, 0.0)
        second = tours[Partners(np, 8, 5, first_row).of(0)]
        children = CROSS(problem, tours, second, seed=5, backend="cpu", first_row=first_row)
        assert np.array_equal(chains.best_tours, children)
        assert np.array_equal(chains.best_costs, problem.cost(children))


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"first": FIRST[:3]}, InvalidTourError, "second: 5 rows do not match the 3 of first"),
        ({"first": FIRST + 1}, InvalidTourError, r"first: row \d holds city 30"),
        ({"second": FIRST * 0}, InvalidTourError, "second: row 0 is not a permutation"),
        ({"second": SECOND / 2}, InvalidTypeError, "second: cities must be integers"),
        ({"second": SECOND[:, 1:]}, InvalidTourError, r"second: shape \(5, 29\)"),
        ({"second": None}, InvalidTourError, "second: shape"),
        ({"problem": 7}, InvalidTypeError, "problem: 7"),
        ({"seed": -1}, InvalidParameterError, "seed: -1"),
        ({"seed": 1.5}, InvalidTypeError, "seed: 1.5"),
        ({"first_row": -1}, InvalidParameterError, "first_row: -1"),
        ({"memory_limit": "much"}, InvalidTypeError, "memory_limit: 'much'"),
        ({"backend": "abacus"}, InvalidParameterError, "backend: 'abacus'"),
    ],
)
def test_bad_input(options, error, words):
    usual = {"problem": PROBLEM, "first": FIRST, "second": SECOND, "backend": "cpu"}
    with pytest.raises(error, match=words):
        CROSS(**usual | options)


# ---- A third-party recombination ---------------------------------------------------------------


@dataclass(frozen=True)
class Halves(Recombination):
    """The first half of one tour, then the other cities in the order of the other tour."""

    name = "halves"
    reverses = False

    def bytes_per_tour(self, n):
        return 8 * n

    def workspace(self, backend, problem, size, *, seed, first_row=0, parts=None):
        return HalvesWorkspace(backend, problem)


class HalvesWorkspace(Workspace):
    """Works on the host."""

    def __init__(self, backend, problem):
        self.backend, self.problem = backend, problem

    def cross(self, first, costs, second, partners, *, generation=0, seconds=np.inf):
        children = first.copy()
        half = first.shape[1] // 2
        for child, other in zip(children, second[partners], strict=True):
            child[half:] = other[~np.isin(other, child[:half])]
        return children, tour_costs(self.backend, self.problem, children)


@pytest.mark.parametrize("accept", [gls.Better(), gls.Annealing()], ids=lambda rule: rule.name)
def test_chains_adopt_only_children_that_are_cheaper(accept):
    search = gls.IteratedLocalSearch(gls.LocalSearch(), accept=accept)
    chains = search.chains(Start(CPU, PROBLEM, FIRST.copy(), 5))
    current = FIRST if accept == gls.Better() else SECOND
    chains.tours[:], chains.costs[:] = current, PROBLEM.cost(current)
    expected = Halves().cross(PROBLEM, FIRST, current[Partners(np, 5, 5, 0).of(0)], backend="cpu")
    cheaper = PROBLEM.cost(expected) < PROBLEM.cost(FIRST)
    assert cheaper.any() and not cheaper.all()
    chains.idle[:] = 7
    Halves(generations=1).exchange(chains, 0.0)
    assert chains.idle.tolist() == np.where(cheaper, 0, 7).tolist()
    for tours, costs, before in (
        (chains.tours, chains.costs, current),
        (chains.best_tours, chains.best_costs, FIRST),
    ):
        wanted = np.where(cheaper[:, None], expected, before)
        assert np.array_equal(tours, wanted)
        assert np.array_equal(costs, PROBLEM.cost(wanted))


def test_children_that_are_not_tours_are_a_fault_of_the_part(monkeypatch):
    cross = HalvesWorkspace.cross

    def twice(self, *arguments, **options):
        children, costs = cross(self, *arguments, **options)
        children[2, 0] = children[2, 1]
        return children, costs

    monkeypatch.setattr(HalvesWorkspace, "cross", twice)
    with pytest.raises(FaultyPartError, match=r"'halves' made a row that is not a tour.* row 2"):
        Halves().cross(PROBLEM, FIRST, SECOND, backend="cpu")


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (lambda tours, costs: (tours, costs - 10**6), "'halves' computes wrong costs"),
        (lambda tours, costs: (tours * 0, costs * 0), "'halves' made a row that is not a tour"),
    ],
)
def test_children_and_costs_that_chains_receive_are_checked(fault, words, monkeypatch):
    cross = HalvesWorkspace.cross

    def wrong(self, *arguments, **options):
        return fault(*cross(self, *arguments, **options))

    monkeypatch.setattr(HalvesWorkspace, "cross", wrong)
    search = gls.IteratedLocalSearch(gls.LocalSearch([gls.TwoOpt()]), cooperation=Halves(0.5, 1))
    with pytest.raises(FaultyPartError, match=words):
        search(PROBLEM, FIRST, budget=gls.Budget(kicks=15), backend="cpu")


def test_every_registered_recombination_is_a_cooperation_too():
    for part in registry.parts("recombination"):
        assert registry.lookup("cooperation", part.name) is part.factory
        assert issubclass(part.factory, Recombination)
