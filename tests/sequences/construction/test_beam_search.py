"""Beam search, replayed in Python and compared with all permutations."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidParameterError, UnsupportedProblemError
from gpu_ls_plugin.defaults.rehearsal import HostArrays
from gpu_ls_plugin.sequences.construction.beam_search import (
    least,
    usual_width,
    weights_of_idle,
)

CASES = ("real", "plain", "one machine", "setups")


def shop(case, n, seed=1):
    """Return a flow shop of a kind."""
    rng = np.random.default_rng(seed)
    machines = 1 if case == "one machine" else 4
    times = rng.integers(0, 30, (n, machines))
    setups = rng.integers(0, 30, (machines, n, n)) if case == "setups" else None
    return gls.FlowShop(times + 0.25 if case == "real" else times, "total_flowtime", setups)


def child(problem, weights, node, job):
    """Return a node with one more job: flowtime, penalty, ends of machines and jobs."""
    flowtime, penalty, ends, jobs = node
    left, own = 0, []
    for machine, free in enumerate(ends):
        if problem.setups is not None and jobs:
            free = free + problem.setups[machine, jobs[-1], job]
        penalty = penalty + weights[len(jobs), machine] * max(0, left - free)
        left = max(left, free) + problem.times[job, machine]
        own.append(left)
    return flowtime + left, penalty, own, [*jobs, job]


def replayed(problem, width, seed):
    """Return the sequences of a beam search, the best one first."""
    weights = weights_of_idle(problem.n, problem.machines, seed)
    nodes = [(0, 0.0, [0] * problem.machines, [])]
    for _ in range(problem.n):
        children = [
            child(problem, weights, node, job)
            for node in nodes
            for job in range(problem.n)
            if job not in node[3]
        ]
        nodes = sorted(children, key=lambda node: node[0] + node[1])[:width]
    return [node[3] for node in sorted(nodes, key=lambda node: node[0])]


@pytest.mark.parametrize("case", CASES)
def test_all_sequences_if_the_beam_is_wide(case):
    problem = shop(case, 5)
    rows = gls.beam_search(problem, 120, backend="cpu")
    assert sorted(map(tuple, rows.tolist())) == list(permutations(range(5)))
    costs = problem.cost(rows)
    assert (costs == np.sort(costs)).all()
    assert (gls.beam_search(problem, 130, backend="cpu") == [*rows, *rows[:10]]).all()


@pytest.mark.parametrize("case", CASES)
def test_a_level_keeps_the_least_guides(case):
    for seed in range(5):
        problem = shop(case, 9, seed)
        rows = gls.beam_search(problem, 2, seed=seed, backend="cpu", width=4)
        # The order of equal guides is not that of the replay, but these are rare.
        assert problem.cost(rows).tolist() == [
            problem.cost([row])[0] for row in replayed(problem, 4, seed)[:2]
        ]


def test_better_than_best_insertions():
    times = np.random.default_rng(2).integers(1, 100, (60, 10))
    problem = gls.FlowShop(times, "total_flowtime")
    inserted = problem.cost(gls.neh(problem, 8, backend="cpu")).min()
    assert problem.cost(gls.beam_search(problem, backend="cpu"))[0] < 0.98 * inserted


def test_the_seed_draws_the_weight_of_idle_times():
    weights = [weights_of_idle(30, 5, seed) for seed in range(8)]
    assert len({found[0, 0] for found in weights}) == 8
    for found in weights:
        ratios = found[:-2] / weights[0][:-2]
        assert np.allclose(ratios, ratios[0, 0])
        assert (np.diff(found[:-2], axis=0) < 0).all()
        assert (np.diff(found[:-2], axis=1) <= 0).all()


def test_the_width_is_bounded():
    assert usual_width(20, 5, 1) == 128
    assert usual_width(20, 5, 100) == 3200
    assert usual_width(5000, 100, 100) == 100


@pytest.mark.parametrize("count", [1, 3, 4, 5, 7, 8, 9])
def test_the_first_of_equal_values_are_least(count):
    values = np.array([3.0, 1, 2, 2, 5, 2, 1, 3])
    wanted = np.sort(np.argsort(values, kind="stable")[:count])
    for xp in (np, HostArrays("as on a GPU")):
        assert least(xp, values, count).tolist() == wanted.tolist()


def test_other_objectives_are_refused():
    with pytest.raises(UnsupportedProblemError, match="total flowtime"):
        gls.beam_search(gls.FlowShop([[1, 2], [2, 1]]))
    with pytest.raises(InvalidParameterError, match="width"):
        gls.beam_search(shop("plain", 5), 3, width=2)


def test_a_single_job():
    assert gls.beam_search(shop("plain", 1), 2, backend="cpu").tolist() == [[0], [0]]
