"""Chains of kicks are the same on both backends, in all layouts."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.tours.engines.chains import chain_layouts
from gpu_ls_plugin.tours.engines.chains.chains import FusedChains
from gpu_ls_plugin.tours.engines.exhaustive import random_k
from gpu_ls_plugin.tours.engines.pivoting import FIRST_OF
from tests.helpers import host_program
from tests.helpers.both_backends import assert_same_result
from tests.helpers.random_problems import INTEGER, off_the_grid, random_problem, random_tours
from tests.tours.problem.test_metric_functors import EXACT_ROOTS, LARGEST_SQUARE, turning_points

pytestmark = pytest.mark.gpu

USUAL = gls.LocalSearch()
SEARCH = gls.IteratedLocalSearch(gls.LocalSearch([gls.LinKernighan(3)], gls.Nearest(6)))
RULES = (gls.Better(), gls.BetterOrEqual(), gls.Always(), gls.Threshold(0.1), gls.Annealing())
LISTS = {
    "2-opt, Or-opt": (gls.TwoOpt(), gls.OrOpt(3)),
    "3-opt": (gls.ThreeOpt(),),
    "chains of 3": (gls.LinKernighan(3),),
    "chains of 5": (gls.LinKernighan(5),),
}
COUNTS = ("kicks", "accepted", "moves", "passes", "stopped_by")


def uniform(n: int, side: int = 10_000) -> gls.TSP:
    return gls.TSP(np.random.default_rng(n).integers(0, side, (n, 2)), "EUC_2D")


def assert_same(problem, starts, search=SEARCH, kicks=20, **options) -> gls.Result:
    """Compare the chains of both backends; return the result of the GPU."""
    options |= {"budget": gls.Budget(kicks=kicks), "counts": COUNTS}
    return assert_same_result(search, problem, starts, **options)


@pytest.mark.parametrize("span", [7, 1000, 2_000_000])
@pytest.mark.parametrize("metric", INTEGER)
def test_metrics(metric, span):
    assert_same(random_problem(metric, 100, span=span), random_tours(100, 600), kicks=30, seed=3)


def test_off_the_grid():
    for cities in off_the_grid(90):
        for metric in ("EUC_2D", "CEIL_2D", "ATT"):
            assert_same(gls.TSP(cities, metric), random_tours(90, 300))


@pytest.mark.parametrize("best_of", FIRST_OF)
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
@pytest.mark.parametrize("name", LISTS)
def test_rules_and_moves(name, rule, best_of):
    repair = gls.LocalSearch(LISTS[name], gls.Nearest(6), gls.First(best_of))
    search = gls.IteratedLocalSearch(repair, accept=rule)
    result = assert_same(uniform(150), random_tours(150, 500), search, kicks=60, seed=2**63)
    assert result.statistics.accepted > 0


@pytest.mark.parametrize("rows", [1, 20, 300, 5000])
@pytest.mark.parametrize("n", [8, 9, 33, 60, 300, 1000])
def test_layouts_of_small_tours(n, rows):
    kicks = 200 if n * rows < 100_000 else 10
    assert_same(uniform(n), random_tours(n, min(rows, 300_000 // n)), kicks=kicks)


@pytest.mark.parametrize("n", [2000, 3000, 5000, 12_000])
def test_layouts_of_large_tours(n):
    starts = gls.space_filling_curve(uniform(n), 1, seed=1, backend="cpu")
    for rows in (1, 150):
        assert_same(uniform(n), np.repeat(starts, rows, axis=0), replace(SEARCH, part=None))


def test_tours_in_global_memory():
    problem = uniform(70_000, 1_000_000)
    starts = gls.space_filling_curve(problem, 2, seed=1, backend="cpu")
    assert_same(problem, starts, replace(SEARCH, part=None), kicks=200)


@pytest.mark.parametrize("shape", [(16, 2), (12, 2), (14, 1), (7, 1), (1, 1), None], ids=str)
@pytest.mark.parametrize("metric", ["EUC_2D", "GEO", "EXPLICIT"])
def test_shapes(metric, shape, monkeypatch):
    """A shape is (warps of a block, blocks of a multiprocessor); None: in global memory."""
    shapes = dict.fromkeys(chain_layouts.CHAIN_WARPS, (shape,) if shape else ())
    monkeypatch.setattr(chain_layouts, "CHAIN_WARPS", shapes)
    for n in (8, 120, 300):
        assert_same(random_problem(metric, n, span=80), random_tours(n, 150), kicks=30)


@pytest.mark.parametrize("walk", [1, 5, 50])
def test_walks(walk):
    search = replace(SEARCH, perturbation=gls.DoubleBridge(walk=walk))
    for n in (8, 60, 300):
        assert_same(uniform(n), random_tours(n, 300), search, kicks=50)


@pytest.mark.parametrize("moves", [(gls.OrOpt(3),), (gls.ThreeOpt(),)])
def test_asymmetric_problems(moves):
    problem = gls.TSP.from_matrix(np.random.default_rng(3).integers(1, 1000, (60, 60)))
    search = gls.IteratedLocalSearch(gls.LocalSearch(moves, gls.Nearest(8)))
    assert_same(problem, random_tours(60, 400), search, kicks=50)


@pytest.mark.parametrize("metric", ["EUC", "EXPLICIT_REAL"])
def test_real_costs(metric):
    problem, starts = random_problem(metric, 100, span=1000), random_tours(100, 300)
    result = SEARCH(problem, starts, budget=gls.Budget(kicks=50), backend="cuda")
    assert np.allclose(result.costs, problem.cost(result.tours), rtol=1e-13, atol=0)
    assert (result.costs < problem.cost(starts)).all()


def test_restarts_and_migration():
    problem, starts = uniform(60), random_tours(60, 200)
    restarts = replace(SEARCH, restart_after=10, accept=gls.Always())
    assert_same(problem, starts, restarts, kicks=60)
    assert_same(problem, starts, replace(SEARCH, cooperation=gls.Migration(0.2)), kicks=60)


@pytest.mark.parametrize(
    "search",
    [
        gls.LocalSearch(pivoting=gls.Best()),
        gls.LocalSearch([gls.TwoOpt()], gls.All(), gls.Best()),
        gls.LocalSearch([gls.TwoOpt()], gls.All(), gls.RandomK(100)),
    ],
)
def test_chains_step_by_step(search):
    for kick in (gls.DoubleBridge(20), gls.Restart()):
        stepped = gls.IteratedLocalSearch(search, kick, gls.BetterOrEqual())
        assert_same(uniform(80), random_tours(80, 20), stepped, kicks=5)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
@pytest.mark.parametrize("tours", [1, 8, 64, 500])
def test_chains_of_random_samples(tours, rule):
    for moves, n, k in ((gls.TwoOpt(), 80, 100), (gls.ThreeOpt(), 300, 1000)):
        local = gls.LocalSearch([moves], gls.All(), gls.RandomK(k))
        chains = gls.IteratedLocalSearch(local, gls.DoubleBridge(), rule)
        assert_same(uniform(n), random_tours(n, tours), chains, kicks=20, seed=2**40 + 3)


@pytest.mark.parametrize("blocks", [1, 2, 4, 8])
@pytest.mark.parametrize("memory", ["global", "shared"])
def test_chains_of_random_samples_in_every_layout(monkeypatch, memory, blocks):
    monkeypatch.setattr(random_k, "blocks_of_a_tour", lambda *_: blocks)
    if memory == "global":
        monkeypatch.setattr(random_k, "SLOT_BYTES", 1 << 20)
    local = gls.LocalSearch([gls.ThreeOpt()], gls.All(), gls.RandomK(300))
    chains = gls.IteratedLocalSearch(local, gls.DoubleBridge(30), gls.BetterOrEqual())
    for metric in ("EUC_2D", "GEO", "EXPLICIT"):
        problem = random_problem(metric, 50, span=1000)
        assert_same(problem, random_tours(50, 40), chains, kicks=30)


def test_launches_of_few_steps_do_not_matter(monkeypatch):
    local = gls.LocalSearch([gls.ThreeOpt()], gls.All(), gls.RandomK(300))
    chains = gls.IteratedLocalSearch(local, gls.DoubleBridge(), gls.Better())
    problem, starts, budget = uniform(100), random_tours(100, 9), gls.Budget(kicks=10)
    whole = chains(problem, starts, budget=budget, backend="cuda")
    monkeypatch.setattr(tuning, "LAUNCH_SECONDS", 1e-9)
    pieces = chains(problem, starts, budget=budget, backend="cuda")
    assert pieces.statistics.launches > whole.statistics.launches
    assert np.array_equal(pieces.tours, whole.tours)


def test_launches_do_not_matter(monkeypatch):
    problem, starts = uniform(200), random_tours(200, 300)
    whole = SEARCH(problem, starts, budget=gls.Budget(kicks=100), backend="cuda")
    monkeypatch.setattr(tuning, "LAUNCH_SECONDS", 1e-9)
    pieces = SEARCH(problem, starts, budget=gls.Budget(kicks=100), backend="cuda")
    assert pieces.statistics.launches > 100
    assert np.array_equal(pieces.tours, whole.tours)


def test_batches_do_not_matter():
    problem, starts, budget = uniform(100), random_tours(100, 400), gls.Budget(kicks=50)
    whole = SEARCH(problem, starts, budget=budget, backend="cuda")
    fixed = problem.metric.data(problem.values).nbytes
    limit = fixed + 90 * FusedChains.bytes_per_tour(100)
    parts = SEARCH(problem, starts, budget=budget, backend="cuda", memory_limit=limit)
    assert np.array_equal(parts.tours, whole.tours)
    for rows in (slice(0, 1), slice(7, 40), slice(399, 400)):
        part = SEARCH(problem, starts[rows], budget=budget, backend="cuda", first_row=rows.start)
        assert np.array_equal(part.tours, whole.tours[rows])


@pytest.mark.timed
def test_seconds_and_targets():
    problem = uniform(1000)
    starts = gls.space_filling_curve(problem, 1000, seed=1, backend="cpu")
    SEARCH(problem, starts, budget=gls.Budget(kicks=1), backend="cuda")  # compiles
    begin = time.perf_counter()
    result = SEARCH(problem, starts, budget=gls.Budget(seconds=0.5), backend="cuda")
    assert 0.4 < time.perf_counter() - begin < 1.5
    assert result.statistics.stopped_by == "seconds"
    assert np.array_equal(result.costs, problem.cost(result.tours))
    target = int(result.best_cost * 1.01)
    again = SEARCH(problem, starts, budget=gls.Budget(target=target, seconds=5), backend="cuda")
    assert again.statistics.stopped_by == "target"
    assert again.best_cost <= target


ROOTS = """
struct Probe {{
  template <class Team>
  GLS_DEVICE static void run(const Team& team, int item, const gls::int64* squares, int* roots) {{
    const auto square = {square}(squares[item]);
    for (int k = 0; k < 3; ++k) {{  // with the error of squares that are added in float32
      const float near = float(square) * (1 + (k - 1) * 1.2e-7f);
      roots[3 * item + k] = gls::{functor}::root(square, gls::fast_sqrt(near));
    }}
  }}
}};
"""
LOGS = """
struct Probe {
  template <class Team>
  GLS_DEVICE static void run(const Team& team, int item, float* logs) {
    team.once([&] { logs[item] = gls::Annealing::minus_log(gls::uint32(item) << 8); });
  }
};
"""


@pytest.mark.parametrize("functor", EXACT_ROOTS)
@pytest.mark.parametrize("square", ["int", "gls::int64"])
def test_roots_on_the_device(functor, square):
    roots, most = (46_341, LARGEST_SQUARE) if square == "int" else (2**21, 2**42 - 2**24)
    squares = turning_points(np.arange(roots), most)
    floors = np.floor(np.sqrt(squares)).astype(np.int64)
    floors += (floors + 1) ** 2 <= squares
    roots = np.zeros((len(squares), 3), np.int32)
    host_program.run(
        ROOTS.format(functor=functor, square=square),
        len(squares),
        "const gls::int64* squares, int* roots",
        {"squares": squares, "roots": roots},
        backend="cuda",
    )
    assert (roots == EXACT_ROOTS[functor](squares, floors)[:, None]).all()


def test_logarithms_have_the_same_bits():
    logs = {backend: np.zeros(2**24, np.float32) for backend in ("cpu", "cuda")}
    for backend, array in logs.items():
        given = {"logs": array}
        host_program.run(LOGS, 2**24, "float* logs", given, "runs/acceptance.cuh", backend)
    assert np.array_equal(logs["cpu"], logs["cuda"])
