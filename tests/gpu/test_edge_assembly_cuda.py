"""Chains cooperate by edge assembly crossover in the same way on both backends."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.tours.crossovers import assembly_layouts
from gpu_ls_plugin.tours.engines.chains.start import Start
from gpu_ls_plugin.tours.kernels import tour_layouts
from tests.helpers.both_backends import BACKENDS, assert_same_result
from tests.helpers.random_problems import INTEGER, random_problem, random_tours

pytestmark = pytest.mark.gpu


def generations(backend, problem, tours, count=4, **options):
    """Return the best tours and costs after each of some generations."""
    chosen = get_backend(backend)
    search = gls.IteratedLocalSearch(gls.LocalSearch(candidates=gls.Nearest(6)), part=None)
    chains = search.chains(Start(chosen, problem, chosen.xp.array(tours), 5))
    part, found = gls.EdgeAssembly(generations=1, **options), []
    for _ in range(count):
        part.exchange(chains, 0.0)
        state = (chains.best_tours, chains.best_costs)
        found.append(tuple(np.array(chosen.to_numpy(array)) for array in state))
    return found


def assert_same(problem, tours, **options):
    host, device = (generations(name, problem, tours, **options) for name in BACKENDS)
    for number, (expected, given) in enumerate(zip(host, device, strict=True)):
        assert np.array_equal(expected[0], given[0]), number
        assert np.array_equal(expected[1], given[1]), number
    assert (host[-1][1] < problem.cost(tours)).any() or problem.n < 20


def local_optima(problem, size):
    starts = gls.random_tours(problem, size, seed=2, backend="cpu")
    return gls.LocalSearch()(problem, starts, backend="cpu").tours


strategies = pytest.mark.parametrize("strategy", ["single", "block"])


@strategies
@pytest.mark.parametrize("span", [7, 1000, 2_000_000])
@pytest.mark.parametrize("metric", INTEGER)
def test_metrics(metric, span, strategy):
    problem = random_problem(metric, 100, span=span)
    assert_same(problem, random_tours(100, 300), strategy=strategy)


@strategies
@pytest.mark.parametrize("n", [8, 31, 32, 33, 64, 500, 2000, 9000])
@pytest.mark.parametrize("size", [2, 150])
def test_sizes(n, size, strategy):
    problem = random_problem("EUC_2D", n, span=10_000)
    tours = local_optima(problem, size) if n > 100 else random_tours(n, size)
    assert_same(problem, tours, strategy=strategy)


@strategies
@pytest.mark.parametrize("span", [7, 1000, 10**6, 2**52])
def test_real_lengths_are_estimated(span, strategy):
    """Estimates in float32 never exclude the best exchange; exact gains decide."""
    problem = random_problem("EUC", 300, span=span)
    assert_same(problem, random_tours(300, 150), strategy=strategy)


def test_more_rows_than_are_resident():
    problem = random_problem("EUC_2D", 200, span=1000)
    assert_same(problem, random_tours(200, 5000), count=2, offspring=5)


@strategies
@pytest.mark.parametrize("metric", ["EUC_2D", "EXPLICIT"])
def test_in_global_memory(metric, strategy, monkeypatch):
    shape = tour_layouts.ChainShape("gls::Warp<1>", 32, 1, False, False)
    monkeypatch.setattr(assembly_layouts, "assembly_shape", lambda *_: shape)
    for n in (33, 300):
        problem = random_problem(metric, n, span=1000)
        assert_same(problem, random_tours(n, 40), strategy=strategy)


def test_too_long_for_16_bits():
    problem = random_problem("EUC_2D", 70_000, span=100_000)
    tours = gls.greedy(problem, 2, seed=1, backend="cpu")
    other = gls.LocalSearch([gls.TwoOpt()], gls.Nearest(5))(problem, tours[1:], backend="cpu")
    tours[1] = other.tours[0]
    options = {"count": 2, "offspring": 300}
    host, device = (generations(name, problem, tours, **options) for name in BACKENDS)
    assert np.array_equal(host[-1][0], device[-1][0])
    assert host[-1][1][0] < problem.cost(tours)[0]


@pytest.mark.parametrize("metric", ["EUC", "EXPLICIT_REAL"])
def test_real_costs(metric):
    problem, starts = random_problem(metric, 100, span=1000), random_tours(100, 300)
    tours, costs = generations("cuda", problem, starts)[-1]
    assert (np.sort(tours) == np.arange(100)).all()
    assert np.allclose(costs, problem.cost(tours), rtol=1e-12, atol=0)
    assert (costs <= problem.cost(starts)).all()


@pytest.mark.parametrize("accept", [gls.Better(), gls.Annealing()], ids=lambda rule: rule.name)
def test_chains_that_cross_their_tours(accept):
    problem, starts = random_problem("EUC_2D", 300, span=10_000), random_tours(300, 200)
    search = gls.IteratedLocalSearch(accept=accept, cooperation=gls.EdgeAssembly(0.1, 3, 8))
    budget = gls.Budget(kicks=90)
    device = assert_same_result(search, problem, starts, budget=budget, counts=["kicks"])
    assert np.array_equal(device.costs, problem.cost(device.tours))
