"""Chains of one kernel against the oracle on lists: tours, costs and counts of all kicks."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.tours.engines.chains.chains import FusedChains, SteppedChains
from gpu_ls_plugin.tours.engines.chains.start import Start
from gpu_ls_plugin.tours.engines.pivoting import FIRST_OF
from tests.helpers import chain_oracle, descent_oracle, oracles
from tests.helpers.examples import examples
from tests.helpers.marks import diagonal, slow_after, slow_but_usual
from tests.helpers.philox import philox
from tests.helpers.random_problems import INTEGER, random_problem, random_tours

LISTS = {
    "2-opt, Or-opt": (
        [gls.TwoOpt(), gls.OrOpt(3)],
        [descent_oracle.two_opt, descent_oracle.or_opt(3)],
    ),
    "chains of 3": ([gls.LinKernighan(3, (10, 10))], [descent_oracle.chains(3, 10)]),
    "chains of 5": ([gls.LinKernighan(5, (10, 10))], [descent_oracle.chains(5, 10)]),
    "chains of 12": ([gls.LinKernighan(12, (10, 10))], [descent_oracle.chains(12, 10)]),
}
ROOMS = {"chains of 12": chain_oracle.DEEP}
RULES = {
    rule.name: rule
    for rule in (
        gls.Better(),
        gls.BetterOrEqual(),
        gls.Always(),
        gls.Threshold(0.05),
        gls.Annealing(0.5),
    )
}
ROWS = 2
COUNTS = ("kicks", "accepted", "idle", "looks", "moves")


def start_of(problem, seed=0, first_row=0):
    """A local optimum and a random tour, whose first kicks gain much."""
    tours = random_tours(problem.n, ROWS, seed % 1000)
    tours[:1] = gls.LocalSearch()(problem, tours[:1], backend="cpu").tours
    return Start(get_backend("cpu"), problem, tours, seed, first_row)


def fused(start, moves="2-opt, Or-opt", rule="annealing", kick=None, k=5, best_of="city"):
    """Chains on the CPU."""
    search = gls.IteratedLocalSearch(
        gls.LocalSearch(LISTS[moves][0], gls.Nearest(k), gls.First(best_of)),
        kick or gls.DoubleBridge(),
        RULES[rule],
    )
    chains = search.chains(start)
    assert isinstance(chains, FusedChains)
    return chains


def assert_same(
    start, moves, rule, kicks, kick=None, k=5, heat=0.5, steps=1, best_of="city"
) -> None:
    """Tours, costs and counts equal those of the oracle after each of `steps` launches."""
    problem, first = start.problem, start.tours.tolist()
    chains = fused(start, moves, rule, kick, k, best_of)
    d = oracles.distance_matrix(problem).tolist()
    lists = gls.Nearest(k).of(problem).cities.tolist()
    expected = [chain_oracle.Chain.of(d, tour) for tour in first]
    kick = kick or gls.DoubleBridge()
    drawn = (chain_oracle.Walk if kick.walk else chain_oracle.Window)(kick.window(problem.n))
    for step in range(1, steps + 1):
        until = kicks * step // steps
        chains.advance(until, heat, heat / kicks, math.inf)
        for row, chain in enumerate(expected):
            chain_oracle.advance(
                chain,
                d,
                lists,
                LISTS[moves][1],
                chain_oracle.RULES[rule],
                seed=start.seed,
                row=start.first_row + row,
                cuts=drawn,
                until=until,
                heat=heat,
                cooling=heat / kicks,
                room=ROOMS.get(moves, chain_oracle.USUAL),
                by_step=best_of == "step",
            )
        assert chains.tours.tolist() == [chain.tour for chain in expected]
        # If a rule accepts no rise, the current tour is the best one: the last of equal tours.
        kept = "tour" if RULES[rule].never_worse else "best_tour"
        assert chains.best_tours.tolist() == [getattr(chain, kept) for chain in expected]
        assert chains.costs.tolist() == [chain.cost for chain in expected]
        assert chains.best_costs.tolist() == [chain.best_cost for chain in expected]
        for name in COUNTS:
            wanted = [getattr(chain, name) for chain in expected]
            assert getattr(chains, name).tolist() == wanted, name


@pytest.mark.slow
@examples(60)
@given(
    st.integers(8, 60),
    st.sampled_from([4, 20, 1000]),
    st.integers(0, 2**64 - 1),
    st.sampled_from(["EUC_2D", "EXPLICIT"]),
    st.sampled_from(list(LISTS)),
    st.sampled_from(list(RULES)),
    st.sampled_from([gls.DoubleBridge(segment) for segment in (None, 6, 10, 30)]),
    st.sampled_from([0, 7, 2**33]),
    st.sampled_from(FIRST_OF),
)
def test_chains_agree_with_the_oracle(n, span, seed, metric, moves, rule, kick, first_row, best_of):
    problem = random_problem(metric, n, seed % 1000, span)
    start, k = start_of(problem, seed, first_row), min(5, n - 1)
    assert_same(start, moves, rule, 8, kick, k, best_of=best_of)


@pytest.mark.parametrize("span", [5, 2_000_000])
@pytest.mark.parametrize("metric", slow_but_usual(*INTEGER))
def test_every_metric(metric, span):
    assert_same(start_of(random_problem(metric, 40, span=span)), "2-opt, Or-opt", "annealing", 25)


@pytest.mark.parametrize(("moves", "rule"), diagonal(LISTS, RULES))
def test_long_chains_agree_with_the_oracle(moves, rule):
    problem = random_problem("EUC_2D", 50, span=200)
    assert_same(start_of(problem, 11), moves, rule, 20, gls.DoubleBridge(20), steps=3)


@examples(20)
@given(st.integers(8, 60), st.integers(1, 9), st.sampled_from([4, 1000]), st.integers(0, 1000))
def test_walks_agree_with_the_oracle(n, walk, span, seed):
    start = start_of(random_problem("EUC_2D", n, seed, span), seed)
    assert_same(start, "chains of 3", "always", 10, gls.DoubleBridge(walk=walk), min(5, n - 1))


@pytest.mark.slow
@pytest.mark.parametrize(
    "kick", [gls.DoubleBridge(None), gls.DoubleBridge(160), gls.DoubleBridge(walk=9)]
)
def test_segments_of_any_length_change_places(kick):
    """Short segments change places at once, long ones by reversals; kicks with both are undone."""
    n, rows, kicks = 190, 2, 12
    start = start_of(random_problem("EUC_2D", n, span=1000), 9)
    cuts = (chain_oracle.Walk if kick.walk else chain_oracle.Window)(kick.window(n))
    lists = gls.Nearest(5).of(start.problem).cities.tolist()
    spans = [
        chain_oracle.cut(numbers, cuts, start.tours[row].tolist(), lists)[1]
        for row in range(rows)
        for number in range(kicks)
        for numbers in [philox(9, chain_oracle.KICK, row, number * 1024)]
    ]
    short = [places[3] - places[0] <= chain_oracle.SWAPPED for places in spans]
    assert {True, False} == set(short)
    for rule in ("better", "always"):
        assert_same(start, "2-opt, Or-opt", rule, kicks, kick)


def test_the_oracle_notices_another_rule(monkeypatch):
    monkeypatch.setitem(chain_oracle.RULES, "better", chain_oracle.RULES["better_or_equal"])
    with pytest.raises(AssertionError):
        assert_same(start_of(random_problem("EUC_2D", 20, span=5)), "2-opt, Or-opt", "better", 30)


@pytest.mark.parametrize("part", ["ATTEMPTS", "STEPS_PER_KICK", "USUAL", "SWAPPED"])
def test_the_oracle_notices_another_constant(monkeypatch, part):
    # In 8 cities, cuts are often drawn again; no repair may end early.
    others = {"ATTEMPTS": 1, "USUAL": chain_oracle.Room(journal=12), "SWAPPED": 3}
    monkeypatch.setattr(chain_oracle, part, others.get(part, 63))
    with pytest.raises(AssertionError):
        for n in (8, 50):
            start = start_of(random_problem("EUC_2D", n, span=500), 3)
            assert_same(start, "2-opt, Or-opt", "always", 60)


def many_rows(metric="EUC_2D"):
    """Six local optima."""
    problem = random_problem(metric, 60, span=1000)
    tours = gls.LocalSearch()(problem, random_tours(60, 6), backend="cpu").tours
    return Start(get_backend("cpu"), problem, tours, seed=5)


def assert_exact_costs(chains) -> None:
    """Costs that chains add up are those of their tours."""
    problem, rounding = chains.start.problem, 0 if chains.start.problem.integer else 1e-12
    for tours, costs in ((chains.tours, chains.costs), (chains.best_tours, chains.best_costs)):
        assert (np.sort(tours) == np.arange(problem.n)).all()
        assert np.allclose(costs, problem.cost(tours), rtol=rounding, atol=0)
    assert (chains.best_costs <= chains.costs).all()


def state(chains):
    """The tours, costs and counts of chains, as lists."""
    arrays = (chains.tours, chains.best_tours, chains.costs, chains.best_costs)
    return [array.tolist() for array in (*arrays, *(getattr(chains, name) for name in COUNTS))]


@pytest.mark.parametrize(
    ("metric", "moves", "rule"),
    [
        *(("EUC_2D", "chains of 3", rule) for rule in RULES),
        ("EUC", "2-opt, Or-opt", "annealing"),
        *slow_after(0, ((m, "2-opt, Or-opt", "annealing") for m in ("GEO", "EXPLICIT_REAL"))),
    ],
)
def test_results_do_not_depend_on_launches(metric, moves, rule):
    whole, pieces = (fused(many_rows(metric), moves, rule) for _ in range(2))
    whole.advance(200, 0.5, 0.0025, math.inf)
    for until in (0, 1, 2, 50, 51, 200):
        pieces.advance(until, 0.5, 0.0025, math.inf)
    assert state(pieces) == state(whole)
    assert whole.kicks.tolist() == [200] * 6


@pytest.mark.parametrize("metric", ["EUC_2D", "EUC", "EXPLICIT_REAL"])
@pytest.mark.parametrize("rule", ["better", "annealing"])
def test_costs_of_chains_are_those_of_their_tours(metric, rule):
    chains = fused(many_rows(metric), rule=rule)
    chains.advance(300, 0.8, 0.8 / 300, math.inf)
    assert_exact_costs(chains)
    assert (chains.accepted <= chains.kicks).all()
    if rule == "better":
        assert np.shares_memory(chains.tours, chains.best_tours)


def test_chains_stop_at_their_limit_of_moves():
    start = many_rows()
    limited = fused(Start(start.backend, start.problem, start.tours, 5, max_moves=7), rule="always")
    limited.advance(10**6, 0, 0, math.inf)
    assert limited.moves.tolist() == [7] * 6
    assert not limited.behind(10**6)
    assert_exact_costs(limited)


def test_chains_without_patience_wait_for_a_restart():
    search = gls.IteratedLocalSearch(gls.LocalSearch(), restart_after=15)
    chains = search.chains(many_rows())
    chains.advance(10**6, 0.1, 0, math.inf)
    assert (chains.idle == 15).all()
    stalled, best = chains.tours.copy(), chains.best_costs.copy()
    chains.restart_stalled(search.search)
    assert (chains.idle == 0).all()
    assert (chains.restarts == 1).all()
    assert (chains.tours != stalled).any(axis=1).all()
    assert (chains.best_costs <= best).all()
    assert_exact_costs(chains)


def test_chains_take_the_tours_of_others():
    for rule in ("better", "always"):
        chains = fused(many_rows(), rule=rule)
        chains.advance(30, 0, 0, math.inf)
        best, costs = chains.best_tours.copy(), chains.best_costs.copy()
        chains.take(np.array([4, 5]), np.array([1, 0]))
        assert chains.tours[4:].tolist() == best[[1, 0]].tolist()
        assert chains.best_tours[4:].tolist() == best[[1, 0]].tolist()
        assert chains.costs[4:].tolist() == chains.best_costs[4:].tolist() == costs[[1, 0]].tolist()
        assert chains.best_tours[:4].tolist() == best[:4].tolist()


@pytest.mark.parametrize(
    ("search", "kick"),
    [
        (gls.LocalSearch(pivoting=gls.Best()), gls.DoubleBridge()),
        (gls.LocalSearch([gls.TwoOpt()], gls.All(), gls.Best()), gls.DoubleBridge()),
        (gls.LocalSearch([gls.TwoOpt()], gls.All(), gls.RandomK(9)), gls.Restart()),
        (gls.LocalSearch([gls.TwoOpt()], gls.All()), gls.DoubleBridge()),
        (gls.LocalSearch(), gls.Restart()),
    ],
)
def test_other_searches_run_step_by_step(search, kick):
    chains = gls.IteratedLocalSearch(search, kick).chains(many_rows())
    assert isinstance(chains, SteppedChains)
    chains.advance(3, 0.5, 0.1, math.inf)
    assert chains.kicks.tolist() == [3] * 6
    assert_exact_costs(chains)
