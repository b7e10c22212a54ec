"""SWAP*: each trade gains as much as in a plain simulation, and searches make the best one."""

from __future__ import annotations

from collections import defaultdict
from itertools import product

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.testing import probe
from gpu_ls_plugin.tours.engines.descent.best_sweep import keep_kernel
from gpu_ls_plugin.tours.moves.composed import CandidateMoves
from gpu_ls_plugin.tours.problem.device_data import batch_data
from gpu_ls_plugin.tours.problem.metric_with_objective import search_metric
from tests.helpers.marks import slow_after
from tests.helpers.routing import BUILT_IN, giant_tours, random_cvrp, tolerated_cost
from tests.helpers.trade_oracle import Trades

BOTH = pytest.mark.parametrize("backend", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
QUICK = (("duration", False), ("real", True))
CASES = pytest.mark.parametrize(
    ("kind", "soft"),
    slow_after(1, sorted(product(BUILT_IN, (False, True)), key=lambda case: case not in QUICK)),
)
LISTS = pytest.mark.parametrize("lists", [gls.Nearest(1000), gls.Nearest(4)], ids=["all", "few"])
TINY = 1e-9


def problem_of(kind, soft, customers=9, seed=1):
    problem = random_cvrp(kind, customers, seed, capacity=20)
    return problem.penalised(load=3, duration=2, vehicles=50) if soft else problem


def offers(problem, tours, lists, backend):
    """Return the gains that the neighbourhood claims and the numbers of its moves, by tour."""
    where, tsp = get_backend(backend), problem.tsp
    parts = CandidateMoves(where, tsp, [gls.SwapStar()], lists)
    parts.arguments |= batch_data(where, tsp, len(tours))
    kept = {**parts.arguments, "tours": where.xp.asarray(tours)}
    where.launch(keep_kernel(search_metric(tsp), where.block(256)), len(tours), kept)
    functor = gls.SwapStar().functor(problem.symmetric)
    kernel = probe.kernel_of(tsp, parts, functor, where)
    mates = np.tile(np.arange(problem.n, dtype=np.int32), (len(tours), 1))
    gains, _, numbers = probe.offers_in(where, kernel, parts, 3, tours, mates)
    return gains, numbers


def traded(row, offer):
    """Return the tour after a move, and the customers that have changed routes."""
    cities = list(row) if offer.forward else list(row)[::-1]
    if offer.edges == 4:  # segments of one customer
        v, w = offer.t[0], offer.t[4]
        swap = {v: w, w: v}
        return [swap.get(city, city) for city in row], {v, w}
    to, _, v, _, _, same, in_front, w, its_to = offer.t[:9]
    assert v == same
    if offer.edges == 6:
        assert w == offer.t[10]
    left = [city for city in cities if city not in (v, w)]
    left.insert(left.index(in_front if to == w else to) + 1, v)
    left.insert(left.index(its_to) + 1, w)
    return left if offer.forward else left[::-1], {v, w}


@BOTH
@LISTS
@CASES
def test_each_trade_gains_as_much_as_in_a_simulation(kind, soft, lists, backend):
    problem = problem_of(kind, soft)
    room = TINY + tolerated_cost(problem)
    tours = giant_tours(problem, 8, 2)
    gains, numbers = offers(problem, tours, lists, backend)
    for row, its_gains, its_numbers in zip(tours, gains, numbers, strict=True):
        cost = problem.tsp.cost(row[None])[0]
        claimed = defaultdict(float)
        for place in zip(*np.nonzero(its_gains > 0), strict=True):
            after, customers = traded(row, probe.offer_of(its_numbers[place]))
            assert cost - problem.tsp.cost(np.array([after], np.int32))[0] == pytest.approx(
                its_gains[place], abs=room
            )
            pair = (int(place[0]), *(customers - {int(place[0])}))
            assert claimed[pair] in (0, its_gains[place])
            claimed[pair] = its_gains[place]
        known = {pair: gain for gain, pair, _ in Trades(problem, row, lists).all() if gain > room}
        assert claimed == pytest.approx(known, abs=room)


@BOTH
@LISTS
@CASES
def test_best_improvement_makes_the_best_trades_until_none_is_left(kind, soft, lists, backend):
    problem = problem_of(kind, soft, 12, 3)
    tours = giant_tours(problem, 8, 4)
    most = [
        max((gain for gain, *_ in Trades(problem, row, lists).all()), default=0) for row in tours
    ]
    search = gls.LocalSearch([gls.SwapStar()], candidates=lists, pivoting=gls.Best())
    one = search(problem, tours, backend=backend, budget=gls.Budget(moves=1))
    gained = problem.tsp.cost(tours) - problem.tsp.cost(one.tours)
    np.testing.assert_allclose(gained, np.maximum(most, 0), atol=TINY)
    assert (gained > 0).any()
    found = search(problem, tours, backend=backend)
    assert soft or problem.feasible(found.tours)[problem.feasible(tours)].all()
    for row in found.tours:
        assert all(gain <= TINY for gain, *_ in Trades(problem, row, lists).all())
