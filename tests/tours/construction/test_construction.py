"""Constructions against brute force."""

from __future__ import annotations

import math
import tracemalloc
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.exceptions import (
    InsufficientMemoryError,
    InvalidParameterError,
    InvalidTypeError,
)
from gpu_ls_plugin.tours.construction import greedy as greedy_module
from gpu_ls_plugin.tours.construction.random_tours import shuffle
from tests.helpers import oracles
from tests.helpers.examples import examples
from tests.helpers.instances import tsp_instance
from tests.helpers.random_problems import METRICS, random_problem

LATTICE = np.stack(np.meshgrid(np.arange(8), np.arange(8)), axis=-1).reshape(-1, 2)


@pytest.mark.parametrize("n", [3, 4])
def test_random_tours_are_uniform(n):
    size = 24_000
    tours = gls.random_tours(gls.TSP(np.zeros((n, 2)), "EUC_2D"), size, seed=1, backend="cpu")
    counts = Counter(map(tuple, tours.tolist()))
    kinds = math.factorial(n)
    assert len(counts) == kinds
    expected = size / kinds
    chi_square = sum((count - expected) ** 2 / expected for count in counts.values())
    assert chi_square < kinds - 1 + 5 * math.sqrt(2 * (kinds - 1))


def test_every_city_comes_to_every_position():
    n, size = 50, 20_000
    tours = gls.random_tours(gls.TSP(np.zeros((n, 2)), "EUC_2D"), size, seed=4, backend="cpu")
    counts = np.zeros((n, n))
    np.add.at(counts, (np.arange(n), tours), 1)
    expected = size / n
    assert ((counts - expected) ** 2 / expected).sum() < (n - 1) ** 2 + 5 * math.sqrt(2) * n


def test_random_tours_can_go_on_from_any_row():
    everything = shuffle(get_backend("cpu"), 20, 30, 7)
    assert np.array_equal(shuffle(get_backend("cpu"), 20, 10, 7, first_row=12), everything[12:22])


@pytest.mark.parametrize("metric", METRICS)
def test_nearest_neighbour_is_that_of_brute_force(metric):
    for n, span in ((2, 20), (3, 20), (11, 20), (60, 20), (60, 3)):  # ties go to the smallest city
        problem = random_problem(metric, n, span=span)
        tours = gls.nearest_neighbour(problem, n, seed=2, backend="cpu")
        assert sorted(tours[:, 0]) == list(range(n))  # every start once
        d = oracles.distance_matrix(problem).tolist()
        for tour in tours[:15].tolist():
            assert tour == oracles.nearest_neighbour_tour(d, tour[0])


def test_nearest_neighbour_starts_repeat_beyond_n():
    problem = random_problem("EUC_2D", 7)
    tours = gls.nearest_neighbour(problem, 20, seed=3, backend="cpu")
    assert np.array_equal(tours[:13], tours[7:])
    assert not np.array_equal(gls.nearest_neighbour(problem, 20, seed=4, backend="cpu"), tours)


def assert_greedy(problem: gls.TSP) -> None:
    """Row 0 has the edges of the greedy tour of the complete graph, from city 0 on."""
    tour = gls.greedy(problem, backend="cpu")[0]
    assert tour[0] == 0
    assert sorted(tour.tolist()) == list(range(problem.n))
    expected = oracles.greedy_edges(oracles.distance_matrix(problem).tolist())
    assert oracles.edges(tour) == expected


@examples(100)
@given(
    st.sampled_from(METRICS),
    st.integers(4, 70),
    st.sampled_from([2, 5, 9, 30, 2000]),
    st.integers(0, 99),
)
def test_greedy_is_that_of_the_complete_graph(metric, n, span, seed):
    assert_greedy(random_problem(metric, n, seed, span))


def special_problems():
    """Clusters, equal points, lattices, and edges that must wait."""
    random = np.random.default_rng(8)
    for _ in range(10):  # ends of fragments are far apart: this takes many rounds of candidates
        centres = random.integers(0, 10_000, (4, 1, 2))
        yield gls.TSP((centres + random.integers(-40, 40, (4, 14, 2))).reshape(-1, 2), "EUC_2D")
    # A shorter edge that no list contains yet joins two fragments at their other ends.
    waiting = {(40, 8): [28], (60, 12): [190], (64, 30): [80, 325], (66, 5000): [413, 698]}
    for (n, span), seeds in waiting.items():
        yield from (random_problem("EUC_2D", n, seed, span) for seed in seeds)
    for points in (np.zeros((40, 2)), LATTICE, random.permutation(LATTICE * 10)):
        yield gls.TSP(points, "EUC_2D")


def test_greedy_of_special_problems():
    for problem in special_problems():
        assert_greedy(problem)


@pytest.mark.parametrize("kind", ["points", "matrix"])
def test_greedy_of_crowds_takes_few_rounds(kind, monkeypatch):
    rounds, add = [], greedy_module._Fragments.add
    monkeypatch.setattr(
        greedy_module._Fragments, "add", lambda *given: (rounds.append(1), add(*given))
    )
    places = np.repeat(np.random.default_rng(1).integers(0, 900, (4, 2)), 200, axis=0)
    problem = gls.TSP(places, "EUC_2D")
    shortest = problem.cost(np.arange(800)[None])[0] * 1.5  # one visit of each place, in any order
    if kind == "matrix":
        problem = gls.TSP.from_matrix(oracles.distance_matrix(problem))
    tours = gls.greedy(problem, 2, backend="cpu")
    assert (np.sort(tours, axis=1) == np.arange(800)).all()
    assert (problem.cost(tours) <= shortest).all()
    assert len(rounds) <= greedy_module.ROUNDS + 2


@pytest.mark.parametrize(("construct", "most"), [(gls.greedy, 1.5), (gls.space_filling_curve, 2)])
def test_further_rows_are_other_good_tours(construct, most):
    problem = tsp_instance("kroA100")
    costs = problem.cost(construct(problem, 20, seed=1, backend="cpu"))
    assert len(np.unique(costs)) > 14
    assert costs.max() < most * problem.optimum


def test_the_curve_goes_from_cell_to_neighbouring_cell():
    shuffled = np.random.default_rng(2).permutation(LATTICE)
    for points in (LATTICE, shuffled * 125.0 - 3e4):
        (tour,) = gls.space_filling_curve(gls.TSP(points, "EUC"), backend="cpu")
        steps = np.abs(np.diff(points[tour], axis=0)).sum(axis=1)
        assert (steps == steps.min()).all()
        # Quadrant after quadrant: the first quarter of the tour stays in one.
        quarter = points[tour[:16]]
        assert np.ptp(quarter, axis=0).tolist() == [3 * steps[0]] * 2


def test_a_curve_along_a_line():
    for points in ([(x, 0) for x in range(9)], [(0, -y) for y in range(9)]):
        (tour,) = gls.space_filling_curve(gls.TSP(points, "EUC_2D"), backend="cpu").tolist()
        assert sorted([tour, tour[::-1]])[0] == list(range(9))


CONSTRUCTIONS = (gls.random_tours, gls.nearest_neighbour, gls.greedy, gls.space_filling_curve)


@pytest.mark.parametrize("construct", CONSTRUCTIONS)
@pytest.mark.parametrize(
    ("size", "error", "words"),
    [
        (0, InvalidParameterError, "size: 0"),
        (10**20, InvalidParameterError, "size: 1000"),
        (5.0, InvalidTypeError, "size: 5.0"),
        (2**31 - 1, InsufficientMemoryError, "size: 2,147,483,647 tours of 100,000 cities need"),
    ],
)
def test_batches_that_are_too_large(construct, size, error, words):
    problem = gls.TSP(np.zeros((100_000, 2)))
    with pytest.raises(error, match=words):
        construct(problem, size, backend="cpu")


# The curve's temporary arrays are bounded, and so not counted.
@pytest.mark.parametrize("construct", CONSTRUCTIONS[:3])
def test_constructions_ask_for_the_memory_that_they_use(construct, monkeypatch):
    problem = random_problem("EUC_2D", 2000)
    construct(problem, 2, backend="cpu")
    backend = get_backend("cpu")
    tracemalloc.start()
    construct(problem, 50, backend="cpu")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    monkeypatch.setattr("gpu_ls_plugin.backends.base.SURE", 0)
    monkeypatch.setattr(backend, "available_memory", lambda: peak // 10)
    with pytest.raises(InsufficientMemoryError, match="size: 50 tours of 2,000 cities"):
        construct(problem, 50, backend="cpu")
    monkeypatch.setattr(backend, "available_memory", lambda: 2 * peak)
    assert len(construct(problem, 50, backend="cpu")) == 50
