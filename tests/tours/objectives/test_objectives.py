"""Gains of moves under objectives of a third party, in every engine, against brute force."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import gpu_ls_plugin as gls
from tests.helpers import descent_oracle, oracles
from tests.helpers.marks import diagonal
from tests.helpers.random_problems import random_problem, random_tours
from tests.tours.objectives.third_party import Forbidden, Tolls, some_loads, some_tolls

LISTS = {
    "2-opt, Or-opt": (
        [gls.TwoOpt(), gls.OrOpt(3)],
        [descent_oracle.two_opt, descent_oracle.or_opt(3)],
    ),
    "3-opt": ([gls.ThreeOpt()], [descent_oracle.three_opt()]),
    "chains of 5": ([gls.LinKernighan(5, (10, 10))], [descent_oracle.chains(5, 10)]),
}
OBJECTIVES = {
    "tolls": lambda n, seed, span: Tolls(some_tolls(n, seed, most=span)),
    "forbidden": lambda n, seed, span: Forbidden(some_tolls(n, seed, most=span)),
    "loads": lambda n, seed, span: some_loads(n, seed),
}


class TrialOracle(descent_oracle.Oracle):
    """Moves whose gains an objective changes."""

    def __init__(self, d, candidates, problem):
        super().__init__(d, candidates)
        self.problem, self.objective = problem, problem.objective

    def move(self, path, new, ends, flips):
        move = super().move(path, new, ends, flips)
        if len(ends) <= 6:  # deeper moves go on from the path that another has made
            self.tour = path
        refund = self.extra(self.tour) - self.extra(new)
        if not isinstance(self.objective, Forbidden):
            move.gain += refund
        elif refund < 0:
            move.gain = -(10**9)
        return move

    def extra(self, tour):
        """The cost of a tour in addition to its length, or its forbidden edges."""
        rows = np.array([tour])
        if isinstance(self.objective, Tolls):
            return int(self.objective.paid(rows)[0])
        return int(self.objective.costs(self.problem, rows)[0])


def trial(monkeypatch, kind, metric, n, seed, span=60):
    """A problem under an objective, and oracles that know of it."""
    plain = random_problem(metric, n, seed, span)
    problem = plain.under(kind(n, seed, span))
    monkeypatch.setattr(descent_oracle, "Oracle", partial(TrialOracle, problem=problem))
    monkeypatch.setattr(
        descent_oracle, "tour_length", lambda _, order: int(problem.cost([order])[0])
    )
    return plain, problem


RULES = {
    "First": (gls.First(), descent_oracle.descend),
    "Multi": (gls.Multi(32), partial(descent_oracle.descend_together, cities=32)),
    "Best": (gls.Best(), descent_oracle.sweep),
}
CASES = [("EUC_2D", 9, 1), ("EUC_2D", 26, 2), ("EUC_2D", 33, 3)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("objective", "parts"),
    diagonal(
        OBJECTIVES,
        [("Multi", "2-opt, Or-opt"), ("Best", "2-opt, Or-opt"), *(("First", n) for n in LISTS)],
    ),
)
def test_descents_on_lists_are_those_of_the_oracle(monkeypatch, objective, parts):
    rule, name = parts
    if rule == "Multi" and objective == "loads":
        return  # not a sum over edges, so `Multi` refuses it
    (rule, descend), (moves, searches) = RULES[rule], LISTS[name]
    search = gls.LocalSearch(moves, candidates=gls.Nearest(6), pivoting=rule)
    changed = 0
    cases = CASES[::2] if rule == "First" else CASES[:2]  # the oracle's sweeps take long
    for metric, n, seed in cases:
        plain, problem = trial(monkeypatch, OBJECTIVES[objective], metric, n, seed)
        starts = random_tours(n, 3, seed)
        d = oracles.distance_matrix(plain).tolist()
        lists = gls.Nearest(6).of(problem).cities.tolist()
        found = search(problem, starts, backend="cpu")
        expected = [descend(d, lists, start, searches)[0] for start in starts.tolist()]
        assert found.tours.tolist() == expected
        assert found.costs.tolist() == problem.cost(found.tours).tolist()
        changed += (search(plain, starts, backend="cpu").tours != found.tours).any()
    assert changed == len(cases)


def test_forbidden_edges_never_come():
    n = 40
    problem = random_problem("EUC_2D", n, 3)
    start = np.arange(n)[None]
    tolls = some_tolls(n, 3, share=0.5)
    place = np.arange(n)
    tolls[place, (place + 1) % n] = tolls[(place + 1) % n, place] = 0
    under = problem.under(Forbidden(tolls))
    for rule in (gls.First(), gls.Multi(), gls.Best()):
        found = gls.LocalSearch(pivoting=rule)(under, start, backend="cpu")
        assert under.objective.feasible(under, found.tours).all()
        assert found.best_cost < problem.cost(start)[0]
        free = gls.LocalSearch(pivoting=rule)(problem, start, backend="cpu")
        assert not under.objective.feasible(under, free.tours).all()
