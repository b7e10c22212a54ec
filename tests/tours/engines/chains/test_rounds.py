"""Chains that are restored from a saved state continue as if without interruption."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.result import Statistics
from gpu_ls_plugin.runs.drive import drive
from gpu_ls_plugin.runs.stretch import Stretch
from gpu_ls_plugin.tours.engines.chains.rounds import Rounds
from gpu_ls_plugin.tours.engines.chains.start import Start
from tests.helpers.random_problems import random_problem, random_tours

STEPS = gls.LocalSearch([gls.TwoOpt()], candidates=gls.Nearest(6))
SEARCHES = {
    "crossed": gls.IteratedLocalSearch(STEPS, cooperation=gls.EdgeAssembly(0.2, 2)),
    "crossed by stages": gls.IteratedLocalSearch(
        STEPS, cooperation=gls.EdgeAssembly(0.05, 4, strategy="staged")
    ),
    "migrating": gls.IteratedLocalSearch(STEPS, cooperation=gls.Migration(0.2)),
    "alone": gls.IteratedLocalSearch(STEPS, restart_after=5),
    "of parts": gls.IteratedLocalSearch(STEPS, part=64),
    "kick by kick": gls.IteratedLocalSearch(
        gls.LocalSearch([gls.TwoOpt()], candidates=gls.Nearest(6), pivoting=gls.Best())
    ),
}
KICKS = 60


def rounds_of(search, problem, tours):
    start = Start(get_backend("cpu"), problem, tours.copy(), 3)
    return Rounds(search.chains(start), Statistics(), search.search, search.cooperation)


def advance(rounds, kicks):
    assert drive(rounds, Stretch(kicks=kicks, begin=0.5, end=0.5)) == "kicks"
    return rounds


@pytest.mark.parametrize("name", SEARCHES)
def test_restored_rounds_continue_where_they_stopped(name):
    problem, search = random_problem("EUC_2D", 200), SEARCHES[name]
    tours = search.search(problem, random_tours(200, 8), backend="cpu").tours
    kicks = 5 if name == "kick by kick" else KICKS
    rounds = advance(rounds_of(search, problem, tours), kicks)
    state = pickle.loads(pickle.dumps(rounds.state()))
    other = rounds_of(search, problem, tours[::-1])
    other.restore(state)
    restored = other.chains.state()
    assert all(np.array_equal(restored[name], kept) for name, kept in state["chains"].items())
    advance(rounds, kicks)
    assert state["chains"]["kicks"].sum() < rounds.chains.kicks.sum()  # the state is a copy
    advance(other, kicks)
    for attribute in ("tours", "best_tours", "costs", "best_costs", "kicks", "moves", "idle"):
        ours, theirs = (getattr(each.chains, attribute) for each in (rounds, other))
        assert np.array_equal(ours, theirs), attribute
