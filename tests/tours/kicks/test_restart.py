"""Restarts: random tours as kicks, and new starts of stalled chains."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.exceptions import InvalidTourError, InvalidTypeError
from gpu_ls_plugin.tours.engines.chains.start import Start
from tests.helpers.random_problems import random_problem, random_tours

N, ROWS = 40, 6
PROBLEM = random_problem("EUC_2D", N, span=1000)
STARTS = random_tours(N, ROWS)
RESTART = gls.Restart()


def restart(tours=STARTS, problem=PROBLEM, **options):
    return RESTART.perturb(problem, tours, backend="cpu", **options)


def test_restarts_are_the_random_tours_of_the_seed():
    expected = gls.random_tours(PROBLEM, ROWS, seed=9, backend="cpu")
    assert np.array_equal(restart(seed=9), expected)
    assert np.array_equal(restart(STARTS[:2], seed=9), expected[:2])
    assert not np.array_equal(restart(seed=8), expected)


def test_bad_input():
    with pytest.raises(InvalidTourError, match="row 1 is not a permutation"):
        restart([list(range(N)), [0] * N])
    with pytest.raises(InvalidTypeError, match="problem: 5 is not a TSP"):
        restart(problem=5)
    with pytest.raises(InvalidTypeError, match=r"seed: 0\.5"):
        restart(seed=0.5)


def test_a_search_that_restarts_is_a_series_of_searches():
    # With Better(), the chain keeps the best of the local optima after restarts.
    search, kicks = gls.LocalSearch(), 5
    chain = gls.IteratedLocalSearch(search, RESTART, gls.Better())
    found = chain(PROBLEM, STARTS, seed=4, budget=gls.Budget(kicks=kicks), backend="cpu")
    best = search(PROBLEM, STARTS, backend="cpu").costs
    assert (found.costs <= best).all()
    assert found.statistics.kicks == kicks * ROWS
    assert 0 < found.statistics.accepted < kicks * ROWS
    assert (found.costs < best).any()


def stuck(**parameters):
    """A search with weak kicks, so that improvements come from restarts."""
    return gls.IteratedLocalSearch(
        gls.LocalSearch([gls.TwoOpt()], gls.Nearest(4)),
        gls.DoubleBridge(6),
        restart_after=parameters.pop("restart_after", 10),
        **parameters,
    )


RULES = [gls.Better(), gls.BetterOrEqual(), gls.Always(), gls.Annealing(), gls.Threshold()]


@pytest.mark.parametrize("accept", RULES, ids=lambda rule: rule.name)
def test_restarts_find_other_optima_and_keep_the_best(accept):
    budget = gls.Budget(kicks=400)
    with_restarts = stuck(accept=accept)(PROBLEM, STARTS, budget=budget, backend="cpu")
    assert np.array_equal(with_restarts.costs, PROBLEM.cost(with_restarts.tours))
    assert with_restarts.statistics.kicks == 400 * ROWS
    history = with_restarts.statistics.history
    assert with_restarts.best_cost == min(point.best_cost for point in history)
    never = stuck(accept=accept, restart_after=10**6)(PROBLEM, STARTS, budget=budget, backend="cpu")
    assert not np.array_equal(with_restarts.tours, never.tours)


def start_of(problem, tours):
    return Start(get_backend("cpu"), problem, np.array(tours, np.int32), seed=0)


def test_better_optima_after_restarts_are_kept():
    # Each restart leads to the optimum of this problem.
    ring = [(round(1000 * np.cos(a)), round(1000 * np.sin(a))) for a in np.arange(12) * np.pi / 6]
    problem = gls.TSP(ring, "EUC_2D")
    search = gls.IteratedLocalSearch(gls.LocalSearch(), accept=gls.Always(), restart_after=1)
    chains = search.chains(start_of(problem, [[0, 2, 1, 3, 4, 5, 7, 6, 8, 9, 11, 10]]))
    chains.idle[:] = 1
    chains.restart_stalled(search.search)
    assert chains.costs.tolist() == problem.cost([list(range(12))]).tolist()
    assert chains.best_costs.tolist() == chains.costs.tolist()
    assert chains.best_tours.tolist() == chains.tours.tolist()


def test_restarts_do_not_depend_on_launches(monkeypatch):
    budget = gls.Budget(kicks=120)
    whole = stuck()(PROBLEM, STARTS, budget=budget, backend="cpu", seed=2)
    monkeypatch.setattr("gpu_ls_plugin.backends.tuning.LAUNCH_SECONDS", 1e-9)
    pieces = stuck()(PROBLEM, STARTS, budget=budget, backend="cpu", seed=2)
    assert pieces.statistics.launches > whole.statistics.launches
    assert np.array_equal(pieces.tours, whole.tours)
    alone = stuck()(PROBLEM, STARTS[2], budget=budget, backend="cpu", seed=2, first_row=2)
    assert np.array_equal(alone.tours, whole.tours[2:3])
