"""TSP: construction, validation, immutability and cost."""

from __future__ import annotations

import copy
import pickle
import tracemalloc
from itertools import pairwise

import cloudpickle
import numpy as np
import pytest

from gpu_ls_plugin.core.exceptions import (
    InvalidParameterError,
    InvalidProblemError,
    InvalidTypeError,
)
from gpu_ls_plugin.tours.problem.tsp import TSP
from gpu_ls_plugin.tours.problem.tsplib import read_tour
from tests.helpers.calls import calls_of
from tests.helpers.instances import OPTIMA, each_name, instance_path, tsp_instance, tsp_names
from tests.helpers.random_problems import random_problem, random_tours

METRICS = ["EUC_2D", "CEIL_2D", "FLOOR_2D", "ATT", "GEO", "MAN_2D", "MAX_2D", "EUC", "HAVERSINE"]
SQUARE = [(0, 0), (0, 3), (4, 3), (4, 0)]  # sides 3 and 4, diagonals 5


@each_name(tsp_names(solved=True))
def test_optimal_tours_have_their_published_length(name):
    problem = tsp_instance(name)
    tour = read_tour(instance_path(f"tsp/{name}.opt.tour"))
    assert problem.cost(tour).tolist() == [OPTIMA[name]]


@each_name(tsp_names())
def test_every_instance_is_read(name):
    problem = tsp_instance(name)
    assert str(problem.n) == name.lstrip("abcdefghijklmnopqrstuvwxyzABCDE")
    assert problem.name.removesuffix(".tsp") == name
    assert problem.integer
    assert problem.symmetric
    assert problem.optimum == OPTIMA[name]


def test_attributes_of_a_plane_problem():
    problem = TSP(SQUARE, "EUC_2D", name="square", comment="by hand")
    assert (problem.n, problem.name, problem.comment) == (4, "square", "by hand")
    assert problem.matrix is None
    assert problem.coordinates.dtype == np.float64
    assert problem.integer
    assert problem.symmetric
    assert problem.cost_dtype == np.int64
    assert problem.optimum is None
    assert repr(problem) == "<TSP square: 4 cities, EUC_2D>"
    assert repr(TSP(SQUARE, "EUC_2D")) == "<TSP unnamed: 4 cities, EUC_2D>"
    assert TSP(SQUARE, metric="EUC").cost_dtype == np.float64


def test_cost_by_hand():
    problem = TSP(SQUARE, "EUC_2D")
    costs = problem.cost([[0, 1, 2, 3], [0, 2, 1, 3]])
    assert costs.tolist() == [14, 18]  # 3+4+3+4 and 5+4+5+4
    assert costs.dtype == np.int64
    assert problem.cost((1, 2, 3, 0)).tolist() == [14]


def test_direction_counts_in_an_asymmetric_problem():
    problem = TSP.from_matrix([[0, 1, 50], [50, 0, 2], [4, 50, 0]])
    assert not problem.symmetric
    assert problem.cost([[0, 1, 2], [2, 1, 0]]).tolist() == [7, 150]


@pytest.mark.parametrize("n", [1, 2, 3, 23, 70])
@pytest.mark.parametrize("metric", METRICS)
def test_cost_is_the_sum_over_a_loop(metric, n):
    problem, tours = random_problem(metric, n), random_tours(n, 5)
    expected = [
        sum(problem.distance(*edge).item() for edge in pairwise([*tour, tour[0]]) if n > 1)
        for tour in tours.tolist()
    ]
    costs = problem.cost(tours)
    assert costs.dtype == problem.cost_dtype
    assert costs == pytest.approx(expected, rel=0 if problem.integer else 1e-14, abs=0)


@pytest.mark.parametrize("rows", [1, 7, 262, 263, 1000])
def test_cost_does_not_depend_on_the_batch(rows):
    problem = random_problem("EUC_2D", 1000)  # blocks of 262 rows
    tours = random_tours(1000, rows)
    single = [problem.cost(tours[row]).item() for row in (0, rows // 2, rows - 1)]
    assert problem.cost(tours)[[0, rows // 2, rows - 1]].tolist() == single


def test_the_referee_costs_whole_batches():
    problem, tours = random_problem("EUC_2D", 1000), random_tours(1000, 1000)
    assert calls_of(lambda: problem.cost(tours)) < len(tours)


def test_cost_works_in_blocks():
    problem, tours = random_problem("EUC_2D", 20_000), random_tours(20_000, 600)
    tracemalloc.start()
    try:
        problem.cost(tours)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 64 * 2**20  # float64 (P, n) would be 96 MB


def test_lengths_beyond_int32_add_up_in_int64():
    n = 8
    matrix = np.full((n, n), 2**31 - 1)
    assert TSP.from_matrix(matrix).cost(np.arange(n)).tolist() == [n * (2**31 - 1)]


def test_values_are_copied_and_read_only():
    points = np.array(SQUARE, dtype=np.float64)
    problem = TSP(points, "EUC_2D")
    points[:] = 0
    assert problem.cost([0, 1, 2, 3]).tolist() == [14]
    with pytest.raises(ValueError, match="read-only"):
        problem.coordinates[0, 0] = 1.0
    matrix = np.array([[9, 1], [2, 9]], dtype=np.int32)
    explicit = TSP.from_matrix(matrix)
    matrix[:] = 0
    assert explicit.matrix.tolist() == [[0, 1], [2, 0]]
    with pytest.raises(ValueError, match="read-only"):
        explicit.matrix[0, 1] = 5


def test_attributes_cannot_be_changed():
    problem = TSP(SQUARE, "EUC_2D")
    with pytest.raises(AttributeError, match="n: a TSP is immutable"):
        problem.n = 5
    with pytest.raises(AttributeError, match="immutable"):
        del problem.metric


def test_copies_are_the_same_object():
    problem = TSP(SQUARE, "EUC_2D")
    assert copy.copy(problem) is problem
    assert copy.deepcopy({"problem": [problem]})["problem"][0] is problem


@pytest.mark.parametrize("module", [pickle, cloudpickle])
@pytest.mark.parametrize(
    "problem",
    [
        TSP(SQUARE, metric="ATT", name="a", comment="b", optimum=7),
        TSP.from_matrix([[0, 1.5], [2, 0]]),
    ],
    ids=["coordinates", "matrix"],
)
def test_problems_are_pickled(module, problem):
    twin = module.loads(module.dumps(problem))
    assert twin.fingerprint == problem.fingerprint
    for attribute in ("n", "name", "comment", "optimum", "metric", "symmetric", "integer"):
        assert getattr(twin, attribute) == getattr(problem, attribute)
    values = twin.matrix if twin.coordinates is None else twin.coordinates
    assert not values.flags.writeable
    assert np.array_equal(twin.cost(np.arange(twin.n)), problem.cost(np.arange(twin.n)))


def test_fingerprints_tell_problems_apart():
    matrix = np.array([[0, 1], [1, 0]])
    problems = [
        TSP(SQUARE, "EUC_2D"),
        TSP(SQUARE, metric="CEIL_2D"),
        TSP(SQUARE[::-1], "EUC_2D"),
        TSP(SQUARE[:3], "EUC_2D"),
        TSP.from_matrix(matrix),
        TSP.from_matrix(matrix.astype(float)),
    ]
    assert len({problem.fingerprint for problem in problems}) == len(problems)
    assert (
        TSP(SQUARE, "EUC_2D", name="x").fingerprint == TSP(np.array(SQUARE), "EUC_2D").fingerprint
    )
    assert len(TSP(SQUARE, "EUC_2D").fingerprint) == 64


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int64, np.uint64])
def test_an_integer_matrix_makes_an_integer_problem(dtype):
    problem = TSP.from_matrix(np.array([[7, 3], [4, 7]], dtype=dtype))
    assert problem.integer
    assert problem.matrix.dtype == np.int32
    assert problem.cost([0, 1]).tolist() == [7]
    assert repr(problem) == "<TSP unnamed: 2 cities, EXPLICIT>"


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_float_matrix_makes_a_real_problem_even_if_whole(dtype):
    problem = TSP.from_matrix(np.array([[0, 3], [4, 0]], dtype=dtype, order="F"))
    assert not problem.integer
    assert problem.matrix.dtype == np.float64
    assert problem.matrix.flags.c_contiguous
    assert problem.cost([0, 1]).dtype == np.float64
    assert not problem.symmetric


@pytest.mark.parametrize("value", [-1.0, np.nan, np.inf])
def test_the_diagonal_is_ignored(value):
    problem = TSP.from_matrix([[value, 1.0], [1.0, value]])
    assert problem.matrix.tolist() == [[0.0, 1.0], [1.0, 0.0]]
    assert problem.symmetric


def test_distance_broadcasts():
    problem = TSP(SQUARE, "EUC_2D")
    assert problem.distance(0, [1, 2, 3]).tolist() == [3, 5, 4]
    assert problem.distance([[0], [1]], [2, 3]).tolist() == [[5, 4], [4, 5]]
    assert problem.distance(0, 2).shape == ()


# Further cases are in tests/test_bad_input.py.
@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: TSP([(True, False)]), InvalidTypeError, "coordinates: .* not bool"),
        (lambda: TSP([(2**53 + 1, 0), (2**53, 0)]), InvalidProblemError, "beyond 2\\*\\*53"),
        (lambda: TSP.from_matrix([[0, 1], [2**64 - 1, 0]]), InvalidProblemError, "1 to city 0"),
        (lambda: TSP.from_matrix([[0, 1.0], [np.inf, 0]]), InvalidProblemError, r"\(1, 0\) is inf"),
        (lambda: TSP.from_matrix([[0, 1e300], [1, 0]]), InvalidProblemError, r"1e\+300"),
        (lambda: TSP.from_matrix([[0, -1e-9], [1, 0]]), InvalidProblemError, "is -1e-09"),
        (lambda: TSP.from_matrix([[False, True]] * 2), InvalidTypeError, "matrix: .* not bool"),
        (lambda: TSP.from_matrix([["0", "1"]] * 2), InvalidTypeError, "matrix: entries"),
        (lambda: TSP(SQUARE, "EUC_2D").distance(-1, 2), InvalidParameterError, "a: cities"),
    ],
)
def test_bad_values(make, error, words):
    with pytest.raises(error, match=words) as caught:
        make()
    assert type(caught.value) is error


@pytest.mark.parametrize("make", ["coordinates", "matrix", "file"])
@pytest.mark.parametrize(
    ("optimum", "error", "words"),
    [
        (float("nan"), InvalidParameterError, "optimum: nan"),
        (float("inf"), InvalidParameterError, "optimum: inf is not finite"),
        (-1, InvalidParameterError, "optimum: -1"),
        (-0.5, InvalidParameterError, "optimum: -0.5"),
        (10**400, InvalidParameterError, "optimum: 1000"),
        ("7", InvalidTypeError, "optimum: '7'"),
        (True, InvalidTypeError, "optimum: True"),
    ],
)
def test_an_optimum_that_no_tour_can_have(make, optimum, error, words, tmp_path):
    path = tmp_path / "a.tsp"
    path.write_text("DIMENSION : 1\nEDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n1 0 0\nEOF\n")
    given = {"coordinates": (TSP, [[0, 0]]), "matrix": (TSP.from_matrix, [[0]])}
    function, content = given.get(make, (TSP.read, path))
    with pytest.raises(error, match=words):
        function(content, optimum=optimum)


@pytest.mark.parametrize("optimum", [0, 7, np.int32(7), np.float32(0.5), np.float64(7), None])
def test_an_optimum_is_a_python_number(optimum):
    kept = TSP([[0, 0]], optimum=optimum).optimum
    assert kept == optimum
    assert type(kept) in (int, float, type(None))
    assert isinstance(kept, float) == isinstance(optimum, np.floating)
