"""Edge assembly crossover: the GPU returns the tours of the CPU, wherever they lie."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.neighbourhoods.composed import Composed
from gpu_ls_plugin.recombination import assembly_layouts
from gpu_ls_plugin.recombination.edge_assembly import Population
from gpu_ls_plugin.searches.chains.chain_kernel import ChainState
from gpu_ls_plugin.tours import tour_layouts
from tests.helpers.random_problems import INTEGER, random_problem, random_tours

pytestmark = pytest.mark.gpu


def generations(backend, problem, tours, count=4, offspring=32):
    """The best tours and costs after each of some generations, on a backend."""
    chosen = get_backend(backend)
    xp = chosen.xp
    costs = xp.array(problem.cost(tours))
    units = xp.ones(len(tours), "float32")
    state = ChainState(xp, xp.array(tours), costs, units, current_is_best=False)
    parts = Composed(chosen, problem, [gls.TwoOpt()], gls.Nearest(6))
    population = Population(chosen, problem, parts, 5, len(tours))
    found = []
    for _ in range(count):
        population.next_generation(state, offspring)
        found.append((chosen.to_numpy(state.best_tours), chosen.to_numpy(state.best_costs)))
        found[-1] = tuple(np.array(part) for part in found[-1])
    return found


def assert_same(problem, tours, **options):
    host, device = (generations(name, problem, tours, **options) for name in ("cpu", "cuda"))
    for number, (expected, given) in enumerate(zip(host, device, strict=True)):
        assert np.array_equal(expected[0], given[0]), number
        assert np.array_equal(expected[1], given[1]), number
    assert (host[-1][1] < problem.cost(tours)).any() or problem.n < 20


def local_optima(problem, size):
    starts = gls.random_tours(problem, size, seed=2, backend="cpu")
    return gls.LocalSearch()(problem, starts, backend="cpu").tours


@pytest.mark.parametrize("span", [7, 1000, 2_000_000])
@pytest.mark.parametrize("metric", INTEGER)
def test_metrics(metric, span):
    problem = random_problem(metric, 100, span=span)
    assert_same(problem, random_tours(100, 300))


@pytest.mark.parametrize("n", [8, 31, 32, 33, 64, 500, 2000, 9000])
@pytest.mark.parametrize("size", [2, 150])
def test_sizes(n, size):
    problem = random_problem("EUC_2D", n, span=10_000)
    assert_same(problem, local_optima(problem, size) if n > 100 else random_tours(n, size))


def test_populations_that_exceed_what_is_resident():
    problem = random_problem("EUC_2D", 200, span=1000)
    assert_same(problem, random_tours(200, 5000), count=2, offspring=5)


@pytest.mark.parametrize("metric", ["EUC_2D", "EXPLICIT"])
def test_in_global_memory(metric, monkeypatch):
    shape = tour_layouts.ChainShape("gls::Warp<8>", 32, 8, False, False)
    monkeypatch.setattr(assembly_layouts, "assembly_shape", lambda *_: shape)
    for n in (33, 300):
        assert_same(random_problem(metric, n, span=1000), random_tours(n, 40))


def test_too_long_for_16_bits():
    problem = random_problem("EUC_2D", 70_000, span=100_000)
    tours = gls.greedy(problem, 2, seed=1, backend="cpu")
    other = gls.LocalSearch([gls.TwoOpt()], gls.Nearest(5))(problem, tours[1:], backend="cpu")
    tours[1] = other.tours[0]
    host, device = (generations(name, problem, tours, count=2) for name in ("cpu", "cuda"))
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
    results = [
        search(problem, starts, budget=gls.Budget(kicks=90), backend=name)
        for name in ("cpu", "cuda")
    ]
    assert np.array_equal(results[0].tours, results[1].tours)
    assert np.array_equal(results[1].costs, problem.cost(results[1].tours))
    assert results[0].statistics.kicks == results[1].statistics.kicks
