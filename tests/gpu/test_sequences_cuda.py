"""Searches on sequences return the same rows on both backends."""

from __future__ import annotations

import pickle
from contextlib import nullcontext
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.runs.stretch import Stretch
from gpu_ls_plugin.sequences.cooperation.exchanges import CROSSOVERS
from gpu_ls_plugin.sequences.engines import kernels
from gpu_ls_plugin.sequences.searches.perturbation import SequencePerturbation
from tests.helpers.both_backends import assert_same_result, assert_same_rows
from tests.sequences.engines.random_problems import ALL, WAYS, case_of, rows_of

pytestmark = pytest.mark.gpu

INTEGER = [kind for kind in ALL if case_of(kind, 3, 0).problem.integer]
REAL = [kind for kind in ALL if kind not in INTEGER]
EVERY_MOVE = (gls.Insertion(3), gls.Swap(), gls.Reversal())
MOVES = {
    "insertion": (gls.Insertion(),),
    "long insertion": (gls.Insertion(16),),
    "swap": (gls.Swap(),),
    "reversal": (gls.Reversal(),),
    "all": EVERY_MOVE,
}
COUNTS = ("kicks", "moves", "evaluations", "stopped_by")
ITEMS = (1, 2, 5, 31, 32, 33, 64, 65, 130)  # on both sides of warps and of blocks
SWAP = gls.sequences.BlockSwap(9)
CHAINS = gls.SequenceSearch(EVERY_MOVE, gls.DestroyRepair(5, descend=True))
IN_DEVICE_MEMORY = patch.object(kernels, "BLOCK_OVERHEAD", 1 << 30)
MEMORIES = {"shared": nullcontext(), "device": IN_DEVICE_MEMORY}


def assert_same(search, problem, rows, **options):
    """Compare the results of both backends; return that of the GPU."""
    return assert_same_result(search, problem, rows, counts=COUNTS, seed=3, **options)


@pytest.mark.parametrize("memory", MEMORIES.values(), ids=MEMORIES)
@pytest.mark.parametrize("kind", INTEGER)
def test_chains_of_all_objectives(kind, memory):
    with memory:
        for n in ITEMS:
            problem = case_of(kind, n, n).problem
            assert_same(CHAINS, problem, rows_of(problem, 20), budget=gls.Budget(kicks=5))


@pytest.mark.parametrize("pivoting", ["first", "best"])
@pytest.mark.parametrize("moves", MOVES.values(), ids=MOVES)
@pytest.mark.parametrize("kind", WAYS)
def test_moves_and_pivoting(kind, moves, pivoting):
    search = gls.SequenceSearch(moves, kick=None, pivoting=pivoting)
    for n in (2, 40, 70):
        problem = case_of(kind, n, n).problem
        assert_same(search, problem, rows_of(problem, 30))


@pytest.mark.parametrize("part", [gls.DestroyRepair(4), gls.DestroyRepair(4, True), SWAP])
@pytest.mark.parametrize("kind", WAYS)
def test_perturbations(kind, part):
    for n in ITEMS:
        problem = case_of(kind, n, n).problem
        kick, rows = SequencePerturbation(part), rows_of(problem, 20)
        cpu, cuda = (kick.perturb(problem, rows, backend=name) for name in ("cpu", "cuda"))
        assert cpu.tolist() == cuda.tolist()


@pytest.mark.parametrize("descend", [False, True])
@pytest.mark.parametrize("kind", WAYS)
def test_kicks_of_any_strength(kind, descend):
    problem = case_of(kind, 50, 1).problem
    kicks = [gls.DestroyRepair(removed, descend) for removed in (1, 2, 49, 50, 63)]
    for kick in [*kicks, SWAP]:
        search = replace(CHAINS, kick=kick)
        assert_same(search, problem, rows_of(problem, 30), budget=gls.Budget(kicks=4))


@pytest.mark.parametrize(
    "accept",
    [gls.Better(), gls.BetterOrEqual(), gls.Always(), gls.Threshold(0.1), gls.Annealing()],
    ids=lambda rule: rule.name,
)
def test_acceptance_rules(accept):
    problem = case_of("makespan", 50, 1).problem
    search = gls.SequenceSearch(accept=accept)
    assert_same(search, problem, rows_of(problem, 100), budget=gls.Budget(kicks=60))


@pytest.mark.parametrize("scale", [1, 10_000], ids=["short", "long"])  # 16 or 32 bits
@pytest.mark.parametrize("machines", [1, 2, 20, 31, 32, 33, 40, 60, 63, 65, 128])
@pytest.mark.parametrize("objective", ["makespan", "total_flowtime"])
def test_any_number_of_machines(machines, objective, scale):
    times = np.random.default_rng(machines).integers(1, 100, (50, machines))
    problem = gls.FlowShop(times * scale, objective)
    assert_same_rows(gls.neh, problem, 9, seed=1)
    for moves in ((gls.Insertion(),), (gls.Insertion(2), gls.Swap())):
        search = replace(CHAINS, moves=moves)
        assert_same(search, problem, rows_of(problem, 20), budget=gls.Budget(kicks=5))


@pytest.mark.parametrize("memory", MEMORIES.values(), ids=MEMORIES)
@pytest.mark.parametrize("kind", INTEGER)
def test_best_insertion(kind, memory):
    with memory:
        for n in ITEMS:
            assert_same_rows(gls.neh, case_of(kind, n, n).problem, 20, seed=5)


@pytest.mark.parametrize("kind", ["short", "long", "real", "setups"])
@pytest.mark.parametrize("machines", [1, 20, 65])
def test_beam_search(machines, kind):
    rng = np.random.default_rng(machines)
    times = rng.integers(1, 100, (40, machines)) * {"long": 10_000, "real": 0.5}.get(kind, 1)
    setups = rng.integers(1, 100, (machines, 40, 40)) if kind == "setups" else None
    problem = gls.FlowShop(times, "total_flowtime", setups)
    assert_same_rows(gls.beam_search, problem, 9, seed=1)


@pytest.mark.parametrize("kind", REAL)
def test_real_costs_are_exact(kind):
    for n in ITEMS:
        problem = case_of(kind, n, n).problem
        rows = rows_of(problem, 20)
        result = CHAINS(problem, rows, budget=gls.Budget(kicks=5), backend="cuda")
        assert (result.costs == problem.cost(result.tours)).all()
        assert (problem.compared(result.tours) <= problem.compared(rows)).all()
        problem.check(gls.neh(problem, 5, backend="cuda"))


@pytest.mark.parametrize("crossover", CROSSOVERS)
@pytest.mark.parametrize("kind", ["makespan", "latency"])
def test_exchanges(kind, crossover):
    problem = case_of(kind, 60, 1).problem
    for exchange in (gls.SequenceCrossing(crossover, 0.2, 0.1), gls.ChainMigration(0.3, 0.1)):
        search = replace(CHAINS, exchange=exchange)
        assert_same(search, problem, rows_of(problem, 40), budget=gls.Budget(kicks=20))


@pytest.mark.parametrize("seconds", [1e-9, 1e9])
@pytest.mark.parametrize("kind", WAYS)
def test_launches_and_limits_of_moves(kind, seconds, monkeypatch):
    problem = case_of(kind, 45, 1).problem
    expected = CHAINS(problem, rows_of(problem, 20), budget=gls.Budget(moves=60), backend="cpu")
    monkeypatch.setattr(tuning, "LAUNCH_SECONDS", seconds)
    result = CHAINS(problem, rows_of(problem, 20), budget=gls.Budget(moves=60), backend="cuda")
    assert (result.tours == expected.tours).all()
    assert result.statistics.moves == expected.statistics.moves


@pytest.mark.parametrize("kind", WAYS)
def test_populations_continue_after_pickles(kind):
    problem = case_of(kind, 45, 1).problem
    rows, found = rows_of(problem, 20), []
    for backend in ("cpu", "cuda"):
        population = CHAINS.population(problem, rows, seed=4, backend=backend)
        for _ in range(4):
            population.advance(Stretch(kicks=2))
            population = pickle.loads(pickle.dumps(population))
        population.adopt(rows[:3], problem.compared(rows[:3]) - 1)  # a claim that takes three rows
        found.append(population.backend.to_numpy(population.tours))
    assert (found[0] == found[1]).all()


def test_rows_on_the_gpu_stay_there():
    import cupy

    problem = case_of("makespan", 45, 1).problem
    rows = rows_of(problem, 20)
    given = cupy.asarray(rows)
    result = CHAINS(problem, given, budget=gls.Budget(kicks=3))
    assert isinstance(result.tours, cupy.ndarray) and (given.get() == rows).all()
    host = CHAINS(problem, rows, budget=gls.Budget(kicks=3), backend="cpu")
    assert (result.tours.get() == host.tours).all()
