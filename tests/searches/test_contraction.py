"""Edges common to an elite, contracted and expanded again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.searches.contraction import Contraction
from tests.random_problems import random_problem

CPU = get_backend("cpu")


def edges(tour):
    return {frozenset(pair) for pair in zip(tour, np.roll(tour, -1), strict=True)}


@st.composite
def elites(draw):
    """Some tours of 60 cities that have many edges in common."""
    tour = np.array(draw(st.permutations(range(60))))
    elite = [tour]
    for _ in range(draw(st.integers(1, 3))):
        other = elite[-1].copy()
        for _ in range(draw(st.integers(4, 8))):
            a, b = sorted(draw(st.tuples(st.integers(0, 59), st.integers(0, 59))))
            other[a : b + 1] = other[a : b + 1][::-1]
        elite.append(np.roll(other, draw(st.integers(0, 59))))
    return np.array(elite, np.int32)


@given(elites())
def test_shrunk_tours_expand_to_themselves(elite):
    contraction = Contraction.of(CPU, elite)
    if contraction is None:
        return
    rings = contraction.shrink(elite)
    assert (np.sort(rings, axis=1) == np.arange(contraction.size)).all()
    for tour, again in zip(elite, contraction.expand(rings), strict=True):
        assert edges(tour) == edges(again)


@given(elites())
def test_fixed_edges_stand_for_the_common_paths(elite):
    contraction = Contraction.of(CPU, elite)
    common = set.intersection(*map(edges, elite))
    kept = {c for c in range(60) if sum(c in edge for edge in common) < 2}
    if contraction is None:
        assert len(kept) < 16
        return
    names, mates = contraction.names(), contraction.mates()
    assert set(names.tolist()) == kept
    assert (mates[mates] == np.arange(contraction.size)).all()
    held = {c for edge in common for c in edge} & kept
    assert set(names[mates != np.arange(contraction.size)].tolist()) == held
    # A ring that keeps its fixed edges, however it is mixed otherwise, keeps all common edges.
    paths = [(k,) if mates[k] == k else (k, mates[k]) for k in range(len(names)) if k <= mates[k]]
    mixed = [number for path in paths[::2] + paths[1::2] for number in path]
    (tour,) = contraction.expand(np.array([mixed], np.int32))
    assert sorted(tour) == list(range(60))
    assert common <= edges(tour)


def test_equal_tours_leave_nothing():
    tour = np.arange(50, dtype=np.int32)
    assert Contraction.of(CPU, np.array([tour, tour[::-1]])) is None


@pytest.mark.parametrize("metric", ["EUC_2D", "EUC", "EXPLICIT"])
def test_elite_edges_keep_costs_exact_and_tours_never_worse(metric):
    problem = random_problem(metric, 120, seed=2)
    starts = gls.random_tours(problem, 8, seed=1, backend="cpu")
    usual = gls.LocalSearch([gls.LinKernighan(3)], gls.Nearest(6))
    cooperation = gls.EliteEdges(every=0.5, elite=4, most=1.0)
    search = gls.IteratedLocalSearch(usual, gls.DoubleBridge(30), cooperation=cooperation)
    result = search(problem, starts, seed=1, budget=gls.Budget(kicks=480), backend="cpu")
    assert (result.costs == problem.cost(result.tours)).all()
    assert (np.diff(result.costs) >= 0).all()
    local = usual(problem, starts, backend="cpu")
    assert (result.costs <= np.sort(local.costs)).all()
    assert result.statistics.kicks >= 8 * 480  # those in contracted problems count, too
    assert "exchange" in result.statistics.phases


def test_chains_only_migrate_where_many_cities_would_remain():
    problem = random_problem("EUC_2D", 120, seed=2)
    starts = gls.random_tours(problem, 8, seed=1, backend="cpu")

    def run(cooperation):
        usual = gls.LocalSearch([gls.TwoOpt()], gls.Nearest(6))
        search = gls.IteratedLocalSearch(usual, gls.DoubleBridge(30), cooperation=cooperation)
        return search(problem, starts, seed=1, budget=gls.Budget(kicks=240), backend="cpu").tours

    migrated = run(gls.Migration(0.2))
    assert (run(gls.EliteEdges(0.2, most=0.0)) == migrated).all()
    assert (run(gls.EliteEdges(0.2, most=1.0)) != migrated).any()


def test_chains_driven_from_the_host_only_migrate():
    problem = random_problem("EUC_2D", 40, seed=2)
    starts = gls.random_tours(problem, 6, seed=1, backend="cpu")

    def run(cooperation):
        stepped = gls.LocalSearch(pivoting=gls.Best())
        search = gls.IteratedLocalSearch(stepped, cooperation=cooperation)
        return search(problem, starts, seed=1, budget=gls.Budget(kicks=12), backend="cpu").tours

    assert (run(gls.EliteEdges(0.1, most=1.0)) == run(gls.Migration(0.1))).all()


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"elite": 1}, "elite: 1"),
        ({"kicks_per_city": -1}, "kicks_per_city"),
        ({"share": 0.6}, "share"),
        ({"most": 1.1}, "most"),
    ],
)
def test_bad_parameters(parameters, words):
    with pytest.raises(gls.exceptions.InvalidParameterError, match=words):
        gls.EliteEdges(**parameters)
