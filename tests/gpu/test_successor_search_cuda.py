"""Searches on states are the same on both backends, in all layouts of their data."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.assignment.engines.state_layouts import Layout
from gpu_ls_plugin.testing import check_assignment
from tests.helpers.bin_packing import BinPacking
from tests.helpers.both_backends import assert_same_result

pytestmark = pytest.mark.gpu

EDGES = [(a, b) for a in range(40) for b in range(a) if (a * b) % 3]
TABLES = np.random.default_rng(1).integers(0, 99, (4, 33, 33))
KINDS = np.repeat([1, 0], [12, 18])
PROBLEMS = {
    "colouring": gls.GraphColouring.random(70, 0.5, 9, 1),
    "complete": gls.GraphColouring(40, EDGES, 5),
    "generalised": gls.GeneralisedAssignment.generated("D", 60, 7, 1),
    "symmetric": gls.QuadraticAssignment.generated(40, 1),
    "asymmetric": gls.QuadraticAssignment(*TABLES[:2]),
    "two kinds": gls.QuadraticAssignment(np.outer(KINDS, KINDS), TABLES[0, :30, :30]),
    "large": gls.QuadraticAssignment(*(TABLES[2:] * 10**4)),
    "third party": BinPacking(np.arange(1, 31), 20, 40),
}
every_problem = pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)


def assert_same(search, problem, **options):
    rng = np.random.default_rng(1)
    draw = rng.permutation if problem.distinct else lambda n: rng.integers(0, problem.sizes)
    states = np.array([draw(problem.n) for _ in range(9)])
    states[3] = -1
    options |= {"seed": 5, "budget": gls.Budget(kicks=12), "counts": ["moves"]}
    assert_same_result(search, problem, states, **options)


@every_problem
@pytest.mark.parametrize("release", ["random", "worst", "related"])
def test_backends_agree(problem, release):
    assert_same(gls.SuccessorSearch(release=release, steps=60, migration=3), problem)


@every_problem
def test_heuristics(problem):
    assert_same(gls.SuccessorSearch(gls.CheapestValue(), steps=40, sample=100), problem)


@every_problem
def test_data_of_searches_in_global_memory(problem, monkeypatch):
    search = gls.SuccessorSearch(steps=60)
    of = Layout.of
    monkeypatch.setattr(Layout, "of", lambda *a: replace(of(*a), shared_bytes=0))
    assert_same(search, problem)


@every_problem
@pytest.mark.parametrize("resident", [1, 2])
def test_few_states_have_many_lanes(problem, resident, monkeypatch):
    of = Layout.of

    def few(backend, problem, improvement):
        team = improvement.team(backend, resident)
        return replace(of(backend, problem, improvement), resident=resident, team=team)

    monkeypatch.setattr(Layout, "of", few)
    assert_same(gls.SuccessorSearch(steps=60), problem)
    assert_same(gls.SuccessorSearch(accept=gls.Annealing(), steps=60), problem)


@every_problem
@pytest.mark.parametrize("rule", [gls.Annealing(), gls.Threshold(0.1)], ids=str)
def test_acceptance_rules(problem, rule):
    assert_same(gls.SuccessorSearch(accept=rule, steps=60), problem)


def test_tabu_steps_of_problems_with_chains():
    assert_same(gls.SuccessorSearch(improvement="tabu", steps=60), PROBLEMS["generalised"])


def test_long_chains():
    problem = gls.GeneralisedAssignment.generated("D", 200, 20, 1)
    assert_same(gls.SuccessorSearch(steps=100), problem)


@every_problem
def test_functors(problem):
    check_assignment(problem, backend="cuda")
