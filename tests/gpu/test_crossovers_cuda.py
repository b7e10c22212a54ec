"""Crossovers of pairs are the same on both backends."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.rows import canonical
from gpu_ls_plugin.testing import check_recombination
from gpu_ls_plugin.tours.crossovers import pair_layouts
from gpu_ls_plugin.tours.kernels.tour_layouts import ChainShape
from tests.helpers.both_backends import assert_same_result, assert_same_rows
from tests.helpers.parents import relatives
from tests.helpers.random_problems import INTEGER, random_problem, random_tours

pytestmark = pytest.mark.gpu

PARTS = [
    gls.EdgeRecombination(),
    gls.PartitionRecombination(),
    gls.OrderRecombination(),
    gls.PartiallyMappedRecombination(),
    gls.CycleRecombination(),
    gls.SegmentRecombination(),
]
ASSEMBLIES = [gls.EdgeAssembly(strategy=strategy) for strategy in ("single", "block")]
parts = pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
all_parts = pytest.mark.parametrize("part", [*PARTS, *ASSEMBLIES], ids=repr)
SIZES = (1, 2, 3, 4, 5, 8, 31, 32, 33, 64, 200, 1000)


def assert_same(part, problem, first, second, **options):
    return assert_same_rows(part.cross, problem, first, second, seed=3, first_row=7, **options)


def optima(problem, size):
    """Return local optima that descend from the same tours."""
    search = gls.LocalSearch([gls.TwoOpt()], candidates=gls.Nearest(6))
    first = search(problem, random_tours(problem.n, size), backend="cpu").tours
    return first, search(problem, relatives(first, 12, 1), backend="cpu").tours


@all_parts
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("size", [1, 70])
def test_sizes(part, n, size):
    problem, first = random_problem("EUC_2D", n, span=10_000), random_tours(n, size)
    assert_same(part, problem, first, random_tours(n, size, 1))
    assert_same(part, problem, first, relatives(first, 6, 1))
    assert np.array_equal(canonical(assert_same(part, problem, first, first)), canonical(first))


@parts
@pytest.mark.parametrize("n", [n for n in SIZES if n >= 8])
def test_local_optima(part, n):
    problem = random_problem("EUC_2D", n, span=10_000)
    first, second = optima(problem, 60)
    children = assert_same(part, problem, first, second)
    if part.never_worse and n >= 200:
        least = np.minimum(problem.cost(first), problem.cost(second))
        assert (problem.cost(children) < least).mean() > 0.5


@all_parts
@pytest.mark.parametrize("metric", INTEGER)
@pytest.mark.parametrize("span", [7, 1000])
def test_metrics(part, metric, span):
    problem, first = random_problem(metric, 100, span=span), random_tours(100, 200)
    assert_same(part, problem, first, relatives(first, 9, 1))


@all_parts
@pytest.mark.parametrize("metric", ["EUC", "EXPLICIT_REAL"])
def test_real_costs(part, metric):
    """Both backends add real lengths in the same order."""
    problem, first = random_problem(metric, 100, span=1000), random_tours(100, 200)
    second = relatives(first, 9, 1)
    children = assert_same(part, problem, first, second)
    if part.never_worse:
        assert (problem.cost(children) <= problem.cost(first)).all()


@parts
def test_more_pairs_than_are_resident(part):
    problem, first = random_problem("EUC_2D", 120, span=1000), random_tours(120, 20_000)
    assert_same(part, problem, first, relatives(first, 5, 1))


@parts
@pytest.mark.parametrize("metric", ["EUC_2D", "EXPLICIT"])
def test_in_global_memory(part, metric, monkeypatch):
    shape = ChainShape("gls::Warp<1>", 32, 1, False, False)
    monkeypatch.setattr(pair_layouts, "pair_shape", lambda *_: shape)
    for n in (1, 4, 33, 300):
        first = random_tours(n, 40)
        assert_same(part, random_problem(metric, n, span=1000), first, relatives(first, 9, 1))


@parts
@pytest.mark.parametrize("n", [9_000, 70_000])
def test_too_large_for_shared_memory_or_16_bits(part, n):
    problem, first = random_problem("EUC_2D", n, span=100_000), random_tours(n, 3)
    assert_same(part, problem, first, relatives(first, 900, 1))


@all_parts
def test_batches_that_are_split_by_memory(part):
    problem, first = random_problem("EUC_2D", 60, span=1000), random_tours(60, 11)
    second = relatives(first, 5, 1)
    fixed = problem.metric.data(problem.values).nbytes
    limit = fixed + 4 * part.bytes_per_tour(60)
    whole = assert_same(part, problem, first, second)
    assert np.array_equal(whole, assert_same(part, problem, first, second, memory_limit=limit))


@parts
def test_the_check_of_recombinations_passes(part):
    check_recombination(part, backend="cuda")


@parts
def test_chains_that_cross_their_tours(part):
    problem, starts = random_problem("EUC_2D", 200, span=10_000), random_tours(200, 60)
    cooperation = type(part)(every=0.1, generations=3)
    search = gls.IteratedLocalSearch(accept=gls.Better(), cooperation=cooperation)
    device = assert_same_result(search, problem, starts, budget=gls.Budget(kicks=60))
    assert np.array_equal(device.costs, problem.cost(device.tours))
