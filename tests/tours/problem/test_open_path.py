"""Open paths: the best tour with the dummy city is the best path, by brute force."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import (
    InvalidParameterError,
    InvalidProblemError,
    InvalidTourError,
    InvalidTypeError,
)
from gpu_ls_plugin.tours.problem.metrics import REAL_LIMIT

N = 7
ENDS = [(None, None), (2, None), (None, 5), (2, 5), (5, 2)]
ROWS = np.array(list(itertools.permutations(range(N))))


def problem(kind: str, seed: int = 0, n: int = N) -> gls.TSP:
    """Random lengths; matrices violate the triangle inequality."""
    drawn = np.random.default_rng(seed)
    lengths = drawn.integers(0, 100, (n, n))
    if kind == "plane":
        return gls.TSP(drawn.integers(0, 100, (n, 2)), "EUC_2D")
    if kind == "chain":  # cheap to follow, but not from one of the given ends to the other
        lengths = 100 * (np.abs(np.subtract.outer(range(n), range(n))) > 1)
    if kind in ("symmetric", "chain"):
        return gls.TSP.from_matrix(lengths + lengths.T)
    return gls.TSP.from_matrix(lengths if kind == "asymmetric" else lengths / 7)


def lengths(tsp: gls.TSP, paths: np.ndarray) -> np.ndarray:
    """The lengths of paths, one edge after the other."""
    return sum(tsp.distance(a, b) for a, b in itertools.pairwise(paths.T))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["plane", "symmetric", "chain", "asymmetric", "real"])
@pytest.mark.parametrize(("first", "last"), ENDS)
def test_the_best_tours_are_the_best_paths(first, last, kind, seed):
    tsp = problem(kind, seed)
    way = gls.OpenPath(tsp, first, last)
    costs = lengths(tsp, ROWS)
    allowed = np.ones(len(ROWS), bool)
    for end, city in ((0, first), (-1, last)):
        if city is not None:
            allowed &= ROWS[:, end] == city
    best = costs[allowed].min()

    tours = np.insert(ROWS, 0, N, axis=1)  # every tour, with the dummy in front
    with_dummy = way.tsp.cost(tours)
    optimal = tours[np.isclose(with_dummy, with_dummy.min())]
    paths = way.path(optimal)
    assert paths.dtype == np.int32 and paths.shape == (len(optimal), N)
    assert np.allclose(way.cost(paths), best)
    assert np.allclose(lengths(tsp, paths), best)
    assert first is None or (paths[:, 0] == first).all()
    assert last is None or (paths[:, -1] == last).all()
    # The order of tours is that of their paths.
    right = tours[allowed]
    above = way.tsp.cost(right) - costs[allowed]
    assert np.allclose(above, above[0]), "each tour costs the same amount more than its path"
    assert np.allclose(way.cost(way.path(right)), costs[allowed])


@pytest.mark.parametrize(("first", "last"), ENDS)
@pytest.mark.parametrize("kind", ["plane", "asymmetric"])
def test_searches_find_paths(kind, first, last):
    tsp = problem(kind, n=40)
    way = gls.OpenPath(tsp, first, last)
    part = gls.ThreeOpt() if kind == "asymmetric" else gls.LinKernighan()
    search = gls.IteratedLocalSearch(gls.LocalSearch([part, gls.OrOpt()]))
    starts = gls.random_tours(way.tsp, 4, seed=1, backend="cpu")
    found = search(way.tsp, starts, budget=gls.Budget(kicks=500), backend="cpu")
    path = way.path(found.best_tour)
    assert sorted(path) == list(range(40)) and path.shape == (40,)
    assert first is None or path[0] == first
    assert last is None or path[-1] == last
    assert way.cost(path)[0] == lengths(tsp, path[None])[0]


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize("kind", ["plane", "asymmetric"])
def test_few_cities(n, kind):
    for ends in [(None, None), (0, None), (None, n - 1), (0, n - 1)]:
        way = gls.OpenPath(problem(kind, n=n), *ends)
        tours = np.array(list(itertools.permutations(range(n + 1))))
        best = tours[way.tsp.cost(tours).argmin()]
        assert sorted(way.path(best)) == list(range(n))
        assert way.cost(way.path(best)).shape == (1,)


def test_tours_may_be_turned_and_begin_anywhere():
    way = gls.OpenPath(problem("plane"), 2, 5)
    path = [2, 0, 1, 3, 4, 6, 5]
    tours = [[*path, 7], [5, 7, 2, 0, 1, 3, 4, 6], [7, 5, 6, 4, 3, 1, 0, 2]]
    assert way.path(tours).tolist() == [path] * 3
    given = np.array(tours)
    way.path(given)
    assert given.tolist() == tours
    one_way = gls.OpenPath(problem("asymmetric"), 2, 5)
    assert one_way.path(tours[1]).tolist() == path
    with pytest.raises(InvalidTourError, match="row 0 is a path from city 5 to city 2, not from"):
        one_way.path(tours[2])


def test_the_row_that_does_not_join_the_ends_is_named():
    tours = [[7, 2, 0, 1, 3, 4, 6, 5], [7, 2, 0, 1, 3, 4, 5, 6]]
    way = gls.OpenPath(problem("plane"), last=5)
    with pytest.raises(InvalidTourError, match=r"tours: row 1 .* not from anywhere to city 5"):
        way.path(tours)
    with pytest.raises(InvalidTourError, match="row 0 is not a permutation"):
        way.path([0] * 8)
    with pytest.raises(InvalidTourError, match="paths: "):
        way.cost(tours)


@pytest.mark.parametrize(
    ("ends", "error", "words"),
    [
        ({"first": 7}, InvalidParameterError, "first: 7 is not between 0 and 6"),
        ({"last": -1}, InvalidParameterError, "last: -1"),
        ({"first": 1.0}, InvalidTypeError, "first: 1.0"),
        ({"first": 3, "last": 3}, InvalidParameterError, "last: 3 is also the first city"),
    ],
)
def test_bad_ends(ends, error, words):
    with pytest.raises(error, match=words):
        gls.OpenPath(problem("plane"), **ends)
    with pytest.raises(InvalidTypeError, match="problem: "):
        gls.OpenPath("a.tsp")


@pytest.mark.parametrize("entry", [2**30, REAL_LIMIT / 2])
def test_lengths_that_are_too_long(entry):
    with pytest.raises(InvalidProblemError, match=r"longest length is .* scale the lengths down"):
        gls.OpenPath(gls.TSP.from_matrix([[0, entry], [entry, 0]]))
