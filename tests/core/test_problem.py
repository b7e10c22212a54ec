"""The contract of problems, for a kind whose rows are not permutations."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.exceptions import FileFormatError, InvalidTourError, InvalidTypeError
from gpu_ls_plugin.core.registry import Registry
from gpu_ls_plugin.extend import Problem
from gpu_ls_plugin.plugins.loader import Plugins
from gpu_ls_plugin.tours.problem.tsp import tour_problem
from tests.helpers import colouring
from tests.helpers.colouring import GraphColouring, TheirGraph

RING = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]
PROBLEM = GraphColouring(RING, 5, 3)
ROWS = np.array(list(product(range(3), repeat=5)), np.int32)


def result(rows: object = ROWS) -> gls.Result:
    return gls.Result(np.asarray(rows), PROBLEM.cost(rows), problem=PROBLEM)


# ---- rows that are not permutations


def test_the_problem_checks_its_rows():
    assert PROBLEM.check([0, 1, 0, 1, 2]).tolist() == [[0, 1, 0, 1, 2]]
    assert PROBLEM.cost([[0, 1, 0, 1, 2], [0, 0, 0, 0, 0], [0, 1, 0, 1, 0]]).tolist() == [0, 5, 1]
    assert PROBLEM.cost_dtype == np.int64
    with pytest.raises(
        InvalidTourError, match="rows: row 1 holds colour 3 at position 4, but nodes"
    ):
        PROBLEM.cost([[0, 1, 0, 1, 2], [0, 1, 0, 1, 3]])
    with pytest.raises(InvalidTourError, match=r"\(4,\), but colourings of 5 nodes are \(P, 5\)"):
        PROBLEM.check([0, 1, 0, 1])
    with pytest.raises(InvalidTypeError, match="nodes must be integers"):
        PROBLEM.check([0.5] * 5)


def test_a_result_contains_such_rows():
    found = result().sorted()
    assert found.best_cost == 0
    assert PROBLEM.cost(found.best_tour) == [0]
    assert found.problem is PROBLEM


def test_distinct_uses_the_distance_of_the_problem():
    found = result().distinct(1000, 1e-9)
    same = {row.tobytes() for row in PROBLEM.canonical(found.tours)}
    assert len(same) == len(found.tours) == 41  # partitions of 5 nodes into up to 3 sets
    assert np.array_equal(PROBLEM.canonical(found.tours), found.tours), "the first of equals"
    far = result().distinct(1000, 0.6)
    assert far.problem is PROBLEM
    for row, own in enumerate(far.tours):
        for other in far.tours[:row]:
            assert PROBLEM.difference(other)(own) >= 0.6


@pytest.mark.parametrize("name", ["r.json", "r.json.gz"])
def test_the_problem_checks_rows_in_files(name, tmp_path):
    given = result()
    given.save(tmp_path / name)
    again = gls.Result.load(tmp_path / name, PROBLEM)
    assert np.array_equal(again.tours, given.tours)
    assert again.tours.dtype == np.int32
    assert np.array_equal(again.costs, given.costs)
    assert again.problem is PROBLEM
    with pytest.raises(FileFormatError, match=r"row 0 is not a permutation; .* problem="):
        gls.Result.load(tmp_path / name)
    with pytest.raises(FileFormatError, match="tours: row 2 holds colour 2"):
        gls.Result.load(tmp_path / name, GraphColouring(RING, 5, 2))


def test_a_backend_makes_its_data_once():
    backend = get_backend("cpu")
    data = backend.device_data(PROBLEM)
    assert data["edges"].tolist() == [list(edge) for edge in RING]
    assert backend.device_data(PROBLEM)["edges"] is data["edges"]


# ---- hooks


def test_a_plugin_converts_a_problem_of_a_framework():
    plugins = Plugins(Registry())
    plugins.add(colouring, "colouring")
    found = plugins.problem_from(TheirGraph(RING, 5))
    assert isinstance(found, GraphColouring)
    assert np.array_equal(found.cost(ROWS), PROBLEM.cost(ROWS))
    assert plugins.problem_from(found) is found


def test_observers_get_the_problem_that_was_searched(monkeypatch):
    told = []
    monkeypatch.setattr(
        "gpu_ls_plugin.core.upper_layers.search_finished", lambda *about: told.append(about)
    )
    problem = Wrapped(gls.TSP(np.random.default_rng(0).random((20, 2))))
    found = gls.LocalSearch()(problem, [range(20)], backend="cpu")
    assert told[0][0] is found.problem is problem


# ---- refusals


@pytest.mark.parametrize(
    "need_lengths",
    [
        lambda: gls.LocalSearch()(PROBLEM, ROWS, backend="cpu"),
        lambda: gls.LocalSearch().prepare(PROBLEM, backend="cpu"),
        lambda: gls.IteratedLocalSearch()(PROBLEM, ROWS, backend="cpu"),
        lambda: gls.RandomRestarts(climbs=2)(PROBLEM, backend="cpu"),
        lambda: gls.solve(PROBLEM, seconds=0.1, backend="cpu"),
        lambda: gls.best_moves(
            gls.FilteredNeighbourhood(gls.TwoOpt(), gls.GainBound()), PROBLEM, ROWS, backend="cpu"
        ),
        lambda: gls.DoubleBridge().perturb(PROBLEM, ROWS, backend="cpu"),
        lambda: gls.Restart().perturb(PROBLEM, ROWS, backend="cpu"),
        lambda: gls.random_tours(PROBLEM, 2, backend="cpu"),
        lambda: gls.nearest_neighbour(PROBLEM, 2, backend="cpu"),
        lambda: gls.greedy(PROBLEM, 2, backend="cpu"),
        lambda: gls.space_filling_curve(PROBLEM, 2, backend="cpu"),
        lambda: gls.Nearest(3).save("never.npz", PROBLEM),
        lambda: gls.OpenPath(PROBLEM),
        lambda: gls.plot_tour(PROBLEM, ROWS[0]),
        lambda: gls.EdgeAssembly().cross(PROBLEM, ROWS, ROWS, backend="cpu"),
    ],
)
def test_parts_that_need_lengths_refuse_it(need_lengths):
    with pytest.raises(
        InvalidTypeError, match=r"problem: <.*GraphColouring.* is not a TSP; make one with"
    ):
        need_lengths()


# ---- problems whose rows are the tours of a TSP


class Wrapped(Problem):
    """A problem whose rows are the tours of a TSP."""

    integer = False

    def __init__(self, tsp: gls.TSP) -> None:
        self._tsp, self.n, self.name = tsp, tsp.n, "wrapped"

    @property
    def tsp(self):
        return self._tsp

    def check(self, rows, *, parameter="rows"):
        return self._tsp.check(rows, parameter=parameter)

    def cost(self, rows):
        return self._tsp.cost(rows)


def test_parts_use_the_tsp_of_such_a_problem():
    tsp = gls.TSP(np.random.default_rng(0).random((40, 2)))
    problem = Wrapped(tsp)
    assert tour_problem(problem) is tour_problem(tsp) is tsp
    starts = gls.random_tours(problem, 4, backend="cpu")
    found, expected = (gls.LocalSearch()(given, starts, backend="cpu") for given in (problem, tsp))
    assert np.array_equal(found.tours, expected.tours)
    assert np.array_equal(found.costs, expected.costs)
    assert (found.problem, expected.problem) == (problem, tsp)


# ---- tours


@given(st.permutations(range(7)), st.integers(0, 6), st.booleans())
def test_rotations_and_reversals_have_one_canonical_row(tour, turn, back):
    written = np.roll(tour[::-1] if back else tour, turn)
    plane, roads = (
        gls.TSP([(x, x * x) for x in range(7)]),
        gls.TSP.from_matrix(np.triu(np.ones((7, 7)))),
    )
    assert np.array_equal(plane.canonical(written), plane.canonical(tour))
    assert plane.canonical(tour)[0, 0] == 0
    assert plane.cost(plane.canonical(tour)) == pytest.approx(plane.cost(tour))
    assert np.array_equal(roads.canonical(np.roll(tour, turn)), roads.canonical(tour))
    assert roads.cost(roads.canonical(tour)) == roads.cost(tour)
    assert plane.difference(np.array(tour))(written) == 0


def test_canonical_rows_are_new_and_checked():
    problem = gls.TSP([(0, 0), (1, 0), (2, 3)])
    rows = np.array([[0, 1, 2]], np.int32)
    assert not np.shares_memory(problem.canonical(rows), rows)
    with pytest.raises(InvalidTourError, match="tours: row 0 is not a permutation"):
        problem.canonical([0, 1, 1])
