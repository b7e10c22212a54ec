"""The best moves of a neighbourhood against brute force."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import (
    InvalidParameterError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.tours.engines.filtered import filter_layouts
from tests.helpers import filter_oracle as oracle
from tests.helpers.configurations import SPACES
from tests.helpers.random_problems import random_problem, random_tours

RADIUS = gls.FilteredNeighbourhood(filter=gls.Radius(40))
TEST = gls.Radius(45) & gls.RandomKeep(0.8)  # draws random numbers and keeps enough moves


def assert_best(problem: gls.TSP, starts: Any, part: gls.FilteredNeighbourhood, k: int) -> None:
    """The moves of each tour, and their order, are those of the oracle."""
    found = gls.best_moves(part, problem, starts, k, seed=9, first_row=4, backend="cpu")
    assert found.positions.shape == (len(starts), k, part.edges)
    assert found.gains.dtype == problem.cost_dtype
    for row, start in enumerate(starts.tolist()):
        current = oracle.CurrentTour(problem, start, seed=9, row=4 + row)
        kept = [
            move
            for move in oracle.moves(problem.n, part.edges)
            if oracle.keeps(part.filter, current, move)
        ]
        best = sorted((current.change(move), move) for move in kept)[:k]
        blank = k - len(best)
        assert found.gains[row].tolist() == [-change for change, _ in best] + [0] * blank
        ways = [move[-1] for _, move in best] + [-1] * blank
        assert found.ways[row].tolist() == ways
        positions = [list(move[:-1]) for _, move in best] + [[-1] * part.edges] * blank
        assert found.positions[row].tolist() == positions


# Only two combinations, because each takes the compiler seconds.
EACH_KIND = pytest.mark.parametrize(
    ("edges", "metric", "mode"), [(2, "EUC_2D", "fused"), (3, "EUC", "openings")]
)


@EACH_KIND
def test_moves_are_those_of_the_definition(edges, metric, mode):
    part = gls.FilteredNeighbourhood(SPACES[edges], TEST, mode)
    for n, k in ((4, 5), (5, 1), (8, 40)):
        assert_best(random_problem(metric, n), random_tours(n, 3), part, k)


@EACH_KIND
def test_a_large_neighbourhood_is_evaluated_in_chunks(edges, metric, mode, monkeypatch):
    monkeypatch.setitem(filter_layouts.MOST_MOVES, mode, 7)
    part = gls.FilteredNeighbourhood(SPACES[edges], TEST, mode)
    assert_best(random_problem(metric, 8), random_tours(8, 2), part, 20)


def test_the_first_move_is_the_one_that_a_search_takes():
    problem, starts = random_problem("EUC_2D", 40), random_tours(40, 4)
    before = starts.copy()
    best = gls.best_moves(RADIUS, problem, starts, 1, backend="cpu")
    search = gls.LocalSearch([RADIUS], pivoting=gls.Best())
    after = search(problem, starts, budget=gls.Budget(moves=1), backend="cpu")
    assert (problem.cost(starts) - best.gains[:, 0]).tolist() == after.costs.tolist()
    assert np.array_equal(starts, before)


def test_tours_of_three_cities_and_fewer_have_no_moves():
    for n in (1, 2, 3):
        best = gls.best_moves(RADIUS, random_problem("EUC_2D", n), [range(n)], backend="cpu")
        assert (best.positions == -1).all()
        assert (best.ways == -1).all()
        assert (best.gains == 0).all()


@pytest.mark.parametrize(
    ("error", "message", "given"),
    [
        (InvalidTypeError, "neighbourhood: TwoOpt", {"neighbourhood": gls.TwoOpt()}),
        (InvalidTypeError, "k: 1.5", {"k": 1.5}),
        (InvalidParameterError, "k: 0", {"k": 0}),
        (InvalidParameterError, "k: 10001", {"k": 10_001}),
        (InvalidParameterError, "seed: -1", {"seed": -1}),
        (InvalidParameterError, "first_row: -1", {"first_row": -1}),
        (
            UnsupportedProblemError,
            "problem: .*symmetric",
            {"problem": gls.TSP.from_matrix(np.arange(25).reshape(5, 5))},
        ),
    ],
)
def test_bad_input(error, message, given):
    usual = {"neighbourhood": RADIUS, "problem": random_problem("EUC_2D", 5), "tours": [range(5)]}
    with pytest.raises(error, match=f"^{message}"):
        gls.best_moves(**{**usual, **given}, backend="cpu")
