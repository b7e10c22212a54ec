"""Chains of random-k-best improvement: kick by kick as `SteppedChains` calls its parts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.structs import enumerators
from gpu_ls_plugin.tours.engines.chains.chains import SteppedChains
from gpu_ls_plugin.tours.engines.chains.random_k_chains import RandomKChains
from gpu_ls_plugin.tours.engines.chains.start import Start
from tests.helpers.examples import examples
from tests.helpers.marks import slow_after
from tests.helpers.philox import WORD, philox_block
from tests.helpers.random_problems import random_problem, random_tours

RULES = (gls.Better(), gls.BetterOrEqual(), gls.Always(), gls.Threshold(0.05))
ROWS, FIRST_ROW = 3, 2**31 - 1
KICK = enumerators("backends/include/philox.cuh", "Purpose")["kKick"]
GOLDEN = 0x9E3779B97F4A7C15
PARTS = ("tours", "best_tours", "costs", "best_costs", "accepted", "idle", "kicks")


def search_of(k, three_opt=True):
    moves = gls.ThreeOpt() if three_opt else gls.TwoOpt()
    return gls.LocalSearch([moves], gls.All(), gls.RandomK(k))


def start_of(problem, k, seed=0):
    """Local optima of other samples, and a random tour."""
    tours = random_tours(problem.n, ROWS, seed % 1000)
    tours[1:] = search_of(k)(problem, tours[1:], seed=5, backend="cpu").tours
    return Start(get_backend("cpu"), problem, tours, seed, FIRST_ROW)


def resident(problem, k, rule, kick, seed=0, three_opt=True, patience=None):
    """The chains that an iterated search makes."""
    search = gls.IteratedLocalSearch(search_of(k, three_opt), kick, rule, restart_after=patience)
    chains = search.chains(start_of(problem, k, seed))
    assert isinstance(chains, RandomKChains)
    return chains


def ended(chains, kicks, most_steps=None, heat=0.3, cooling=0.01):
    """Make kicks; a launch has up to `most_steps` steps."""
    if most_steps is not None:
        chains._arguments["most_steps"] = most_steps
    while chains.behind(kicks):
        chains.advance(kicks, heat, cooling, math.inf)
    return chains


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
@examples(25)
@given(
    n=st.integers(8, 60),
    k=st.integers(1, 60),
    seed=st.integers(0, 2**63),
    span=st.sampled_from([12, 3000]),
    segment=st.sampled_from([None, 6, 20]),
    three_opt=st.booleans(),
    most_steps=st.sampled_from([None, 1, 3]),
)
def test_chains_are_those_of_kicks_from_the_host(
    rule, n, k, seed, span, segment, three_opt, most_steps
):
    problem, kick = random_problem("EUC_2D", n, seed % 1000, span), gls.DoubleBridge(segment)
    chains = ended(resident(problem, k, rule, kick, seed, three_opt), 9, most_steps)
    search, start = search_of(k, three_opt), start_of(problem, k, seed)
    stepped = ended(SteppedChains(start, rule, None, search, kick), 9)
    for name in PARTS:
        assert np.array_equal(getattr(chains, name), getattr(stepped, name)), name
    assert np.array_equal(problem.cost(chains.tours), chains.costs)


@pytest.mark.parametrize("metric", slow_after(1, ["EUC", "GEO", "EXPLICIT", "EXPLICIT_REAL"]))
def test_costs_are_exact(metric):
    problem = random_problem(metric, 40, span=1000)
    chains = ended(resident(problem, 60, gls.Threshold(0.1), gls.DoubleBridge()), 30)
    for tours, costs in ((chains.tours, chains.costs), (chains.best_tours, chains.best_costs)):
        assert (np.sort(tours) == np.arange(40)).all()
        assert np.allclose(problem.cost(tours), costs, rtol=1e-12, atol=0)
    assert (chains.best_costs <= chains.costs).all()


def test_annealing_draws_one_number_per_kick():
    problem, n = random_problem("EUC_2D", 30, span=1000), 30
    chains = resident(problem, 40, gls.Annealing(), gls.DoubleBridge())
    always = resident(problem, 40, gls.Always(), gls.DoubleBridge())
    level = 0.2
    costs = chains.costs.copy()
    ended(chains, 1, heat=level, cooling=0.0)
    ended(always, 1)
    rises = always.costs - costs
    for row, rise in enumerate(rises.tolist()):
        seed = (chains.start.seed * GOLDEN + 1) % 2**64
        number, stream = 0, FIRST_ROW + row
        drawn = philox_block((0, KICK, stream % WORD, stream // WORD), (seed % WORD, seed // WORD))
        uniform = ((drawn[number] >> 8) + 1) / 2**24
        taken = rise <= 0 or rise < -math.log(uniform) * level * chains.units[row]
        assert bool(chains.accepted[row]) == taken
    assert n == problem.n


def test_repairs_under_way_are_dropped_with_their_tours():
    problem, kick = random_problem("EUC_2D", 60, span=1000), gls.DoubleBridge()

    def begun():
        chains = resident(problem, 20, gls.Better(), kick)
        chains._arguments["most_steps"] = 2
        chains.advance(5, 0, 0, math.inf)
        assert (chains._repair_steps > 0).any()
        return chains

    worse = begun()
    rows = np.arange(ROWS)
    worse.begin_anew(rows, random_tours(60, ROWS, 7), problem.cost(random_tours(60, ROWS, 7)))
    ended(worse, 6, 2)
    assert np.array_equal(problem.cost(worse.tours), worse.costs)
    taking = begun()
    taking.take(np.array([0]), np.array([1]))
    ended(taking, 6, 2)
    assert np.array_equal(problem.cost(taking.tours), taking.costs)
    copied, adopting = begun(), begun()
    copied.restore(begun().state())
    adopting.adopt(copied.best_tours, copied.best_costs)
    for chains in (copied, adopting):
        assert np.array_equal(ended(chains, 6).tours, ended(begun(), 6).tours)


def test_restarts():
    problem = random_problem("EUC_2D", 30, span=1000)
    search = gls.IteratedLocalSearch(search_of(20), gls.DoubleBridge(), restart_after=3)
    result = search(problem, random_tours(30, 4), budget=gls.Budget(kicks=40), backend="cpu")
    assert result.statistics.restarts > 0
    assert np.array_equal(result.costs, problem.cost(result.tours))


@pytest.mark.parametrize("moves", [0, 1, 9])
def test_moves_are_limited(moves):
    problem = random_problem("EUC_2D", 30, span=1000)
    search = gls.IteratedLocalSearch(search_of(20), gls.DoubleBridge())
    budget = gls.Budget(kicks=40, moves=moves)
    statistics = search(problem, random_tours(30, 1), budget=budget, backend="cpu").statistics
    assert statistics.stopped_by == "moves"


def test_other_kicks_are_made_from_the_host():
    problem = random_problem("EUC_2D", 30)
    search = gls.IteratedLocalSearch(search_of(20), gls.Restart())
    assert isinstance(search.chains(start_of(problem, 20)), SteppedChains)
