"""The feasibility of a result's rows, also after sorting, choosing and loading them."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import FileFormatError, InvalidTypeError, UnsupportedProblemError
from tests.helpers.on_gpu import OnGPU

ROUTES = gls.CVRP([(0, 0), (0, 3), (0, 5), (4, 0)], [0, 2, 2, 3], 4, vehicles=3)
ROWS = np.stack([ROUTES.tour(each) for each in ([[1, 2, 3]], [[1], [2], [3]], [[3], [2, 1]])])


def result(rows=ROWS, problem=ROUTES):
    return gls.Result(rows, problem.cost(rows), problem=problem)


def test_rows_that_break_no_constraint_are_feasible():
    found = result()
    assert found.feasible.tolist() == [False, True, True] and found.feasible.dtype == np.bool_
    assert found.best_feasible and not result(ROWS[:1]).best_feasible
    assert found.sorted().feasible.tolist() == [True, True, False]
    assert found.distinct(2).feasible.tolist() == [True, True]


def test_without_constraints_all_rows_are_feasible():
    tsp = gls.TSP([(0, 0), (0, 3), (4, 0)])
    for problem in (tsp, None):
        found = gls.Result(np.array([[0, 1, 2]]), tsp.cost([0, 1, 2]), problem=problem)
        assert found.feasible.tolist() == [True] and found.best_feasible


def test_feasibility_is_the_same_kind_of_array_as_costs():
    costs = ROUTES.cost(ROWS).view(OnGPU)
    for problem in (ROUTES, None):
        assert type(gls.Result(ROWS.view(OnGPU), costs, problem=problem).feasible) is OnGPU


def test_giant_tours_of_a_tsp_know_their_constraints():
    found = result(problem=ROUTES.tsp)
    assert found.feasible.tolist() == [False, True, True]
    assert found.best_cost == 18 and ROUTES.tsp.under("length").feasible(ROWS).all()


def test_if_no_row_is_feasible_the_best_breaks_constraints_least():
    tight = gls.CVRP([(0, 0), (0, 3), (0, 5), (4, 0)], [0, 2, 2, 3], 4, vehicles=2, copies=3)
    rows = np.stack([tight.tour(each) for each in ([[1, 2, 3]], [[1, 3], [2]])])
    assert tight.cost(rows)[0] < tight.cost(rows)[1]
    found = gls.Result(rows, tight.cost(rows), problem=tight)
    assert not found.best_feasible
    assert tight.routes(found.best_tour) == [[1, 3], [2]] == tight.routes(found.sorted().tours[0])


def test_routes_are_those_of_the_best_tour():
    assert result().routes == [[3], [2, 1]] == result(problem=ROUTES.tsp).routes
    tsp = gls.TSP([(0, 0), (0, 3), (4, 0)])
    with pytest.raises(UnsupportedProblemError, match="has no routes"):
        _ = gls.Result(np.array([[0, 1, 2]]), tsp.cost([0, 1, 2]), problem=tsp).routes
    with pytest.raises(InvalidTypeError, match="not a vehicle routing problem"):
        _ = gls.Result(np.array([[0, 1, 2]]), np.array([3])).routes


def test_files_keep_the_feasibility(tmp_path):
    path = tmp_path / "a.json"
    result().save(path)
    for loaded in (gls.Result.load(path, ROUTES), gls.Result.load(path)):
        assert loaded.feasible.tolist() == [False, True, True]
        assert loaded.best_cost == 18
        assert loaded.sorted().feasible.tolist() == [True, True, False]
        assert loaded.distinct(1).best_cost == 18
    path.write_text(path.read_text().replace('"feasible": [', '"feasible": [true, '))
    for problem in (ROUTES, None):
        with pytest.raises(FileFormatError, match=r"feasible: shape \(4,\), but there are 3 tours"):
            gls.Result.load(path, problem)
