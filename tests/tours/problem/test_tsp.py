"""TSP: construction, validation, immutability and cost."""

from __future__ import annotations

import copy
import pickle
import tracemalloc

import cloudpickle
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_ls_plugin.core.exceptions import (
    InvalidParameterError,
    InvalidProblemError,
    InvalidTourError,
    InvalidTypeError,
)
from gpu_ls_plugin.tours.problem.tsp import TSP
from gpu_ls_plugin.tours.problem.tsplib import read_tour
from tests.helpers.calls import calls_of
from tests.helpers.instances import OPTIMA, each_name, instance_path, tsp_instance, tsp_names

METRICS = ["EUC_2D", "CEIL_2D", "FLOOR_2D", "ATT", "GEO", "MAN_2D", "MAX_2D", "EUC", "HAVERSINE"]
SQUARE = [(0, 0), (0, 3), (4, 3), (4, 0)]  # sides 3 and 4, diagonals 5


def random_problem(n: int, metric: str = "EUC_2D", seed: int = 0) -> TSP:
    random = np.random.default_rng(seed)
    if metric == "GEO":
        return TSP(random.integers(0, 80, (n, 2)) + random.integers(0, 60, (n, 2)) / 100, metric)
    return TSP(random.uniform(-80, 80, (n, 2)), metric=metric)


def random_tours(size: int, n: int, seed: int = 0) -> np.ndarray:
    rows = np.tile(np.arange(n, dtype=np.int32), (size, 1))
    return np.random.default_rng(seed).permuted(rows, axis=1)


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


@pytest.mark.parametrize("metric", METRICS)
def test_cost_is_the_sum_over_a_loop(metric):
    problem = random_problem(23, metric)
    tours = random_tours(11, 23)
    expected = []
    for tour in tours.tolist():
        total = 0
        for here, there in zip(tour, [*tour[1:], tour[0]], strict=True):
            total += problem.distance(here, there).item()
        expected.append(total)
    costs = problem.cost(tours)
    assert costs.dtype == problem.cost_dtype
    if problem.integer:
        assert costs.tolist() == expected
    else:
        assert costs == pytest.approx(expected, rel=1e-14)


@given(st.integers(1, 30), st.integers(0, 99), st.integers(0, 30), st.sampled_from(METRICS))
def test_cost_is_the_same_after_rotation_and_reversal(n, seed, shift, metric):
    problem = random_problem(n, metric, seed)
    tours = random_tours(3, n, seed)
    costs = problem.cost(tours)
    for same in (np.roll(tours, shift, axis=1), tours[:, ::-1]):
        if problem.integer:
            assert np.array_equal(problem.cost(same), costs)
        else:
            assert problem.cost(same) == pytest.approx(costs, rel=1e-13)


@given(st.integers(2, 12), st.integers(0, 99))
def test_a_reversed_tour_costs_what_it_costs_on_the_transposed_matrix(n, seed):
    matrix = np.random.default_rng(seed).integers(0, 1000, (n, n))
    tours = random_tours(3, n, seed)
    forward = TSP.from_matrix(matrix).cost(tours)
    assert np.array_equal(TSP.from_matrix(matrix.T).cost(tours[:, ::-1]), forward)


def test_direction_counts_in_an_asymmetric_problem():
    problem = TSP.from_matrix([[0, 1, 50], [50, 0, 2], [4, 50, 0]])
    assert not problem.symmetric
    assert problem.cost([[0, 1, 2], [2, 1, 0]]).tolist() == [7, 150]


@pytest.mark.parametrize("rows", [1, 7, 262, 263, 1000])
def test_cost_does_not_depend_on_the_batch(rows):
    problem = random_problem(1000)  # blocks of 262 rows
    tours = random_tours(rows, 1000)
    single = [problem.cost(tours[row]).item() for row in (0, rows // 2, rows - 1)]
    assert problem.cost(tours)[[0, rows // 2, rows - 1]].tolist() == single


def test_the_referee_costs_whole_batches():
    problem, tours = random_problem(1000), random_tours(1000, 1000)
    assert calls_of(lambda: problem.cost(tours)) < len(tours)


def test_cost_works_in_blocks():
    problem, tours = random_problem(20_000), random_tours(600, 20_000)
    tracemalloc.start()
    try:
        problem.cost(tours)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 64 * 2**20  # float64 (P, n) would be 96 MB


@pytest.mark.parametrize("metric", METRICS)
def test_problems_of_one_to_three_cities_are_legal(metric):
    assert random_problem(1, metric).cost([[0]]).tolist() == [0]
    pair = random_problem(2, metric)
    assert pair.cost([0, 1]) == 2 * pair.distance(0, 1)
    three = random_problem(3, metric)
    assert three.cost([0, 1, 2]) == pytest.approx(three.distance([0, 1, 2], [1, 2, 0]).sum())


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
def test_the_diagonal_may_hold_anything(value):
    problem = TSP.from_matrix([[value, 1.0], [1.0, value]])
    assert problem.matrix.tolist() == [[0.0, 1.0], [1.0, 0.0]]
    assert problem.symmetric


def test_cities_at_one_place_are_allowed():
    assert TSP([(1, 1)] * 5, "EUC_2D").cost(np.arange(5)).tolist() == [0]


def test_distance_broadcasts():
    problem = TSP(SQUARE, "EUC_2D")
    assert problem.distance(0, [1, 2, 3]).tolist() == [3, 5, 4]
    assert problem.distance([[0], [1]], [2, 3]).tolist() == [[5, 4], [4, 5]]
    assert problem.distance(0, 2).shape == ()


NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: TSP([]), InvalidProblemError, r"coordinates: shape \(0,\)"),
        (lambda: TSP(np.empty((0, 2))), InvalidProblemError, r"n >= 1"),
        (lambda: TSP([1, 2]), InvalidProblemError, r"coordinates: shape \(2,\)"),
        (lambda: TSP([(1, 2, 3)]), InvalidProblemError, r"coordinates: shape \(1, 3\)"),
        (lambda: TSP([(1, 2), (3,)]), InvalidProblemError, "coordinates: rows of different"),
        (lambda: TSP([(0, 0), (1, NAN)]), InvalidProblemError, r"entry \(1, 1\) is nan"),
        (lambda: TSP([(INF, 0), (1, 1)]), InvalidProblemError, r"entry \(0, 0\) is inf"),
        (lambda: TSP([("a", "b")]), InvalidTypeError, "coordinates: entries must be numbers"),
        (lambda: TSP([(True, False)]), InvalidTypeError, "coordinates: .* not bool"),
        (lambda: TSP([(1j, 2j)]), InvalidTypeError, "coordinates: .* not complex"),
        (lambda: TSP([(None, 1)]), InvalidTypeError, "coordinates: .* not object"),
        (lambda: TSP([(2**53 + 1, 0), (2**53, 0)]), InvalidProblemError, "beyond 2\\*\\*53"),
        (lambda: TSP.from_matrix([]), InvalidProblemError, r"matrix: shape \(0,\)"),
        (lambda: TSP.from_matrix(np.empty((0, 0))), InvalidProblemError, "n >= 1"),
        (lambda: TSP.from_matrix([[0, 1]]), InvalidProblemError, r"matrix: shape \(1, 2\)"),
        (lambda: TSP.from_matrix([[0, -1], [1, 0]]), InvalidProblemError, "city 0 to city 1 is -1"),
        (lambda: TSP.from_matrix([[0, 1], [2**31, 0]]), InvalidProblemError, "is 2147483648"),
        (
            lambda: TSP.from_matrix([[0, 1], [2**64 - 1, 0]]),
            InvalidProblemError,
            "city 1 to city 0",
        ),
        (lambda: TSP.from_matrix([[0, NAN], [1, 0]]), InvalidProblemError, r"matrix: .*\(0, 1\)"),
        (lambda: TSP.from_matrix([[0, 1.0], [INF, 0]]), InvalidProblemError, r"\(1, 0\) is inf"),
        (lambda: TSP.from_matrix([[0, 1e300], [1, 0]]), InvalidProblemError, r"1e\+300"),
        (lambda: TSP.from_matrix([[0, -1e-9], [1, 0]]), InvalidProblemError, "is -1e-09"),
        (lambda: TSP.from_matrix([[False, True]] * 2), InvalidTypeError, "matrix: .* not bool"),
        (lambda: TSP.from_matrix([["0", "1"]] * 2), InvalidTypeError, "matrix: entries"),
        (
            lambda: TSP(SQUARE, "EUC_2D").distance(0, 4),
            InvalidParameterError,
            r"b: cities must be in 0\.\.3",
        ),
        (lambda: TSP(SQUARE, "EUC_2D").distance(-1, 2), InvalidParameterError, "a: cities"),
        (
            lambda: TSP(SQUARE, "EUC_2D").distance(0.5, 2),
            InvalidTypeError,
            "a: cities must be integers",
        ),
        (lambda: TSP(SQUARE, "EUC_2D").cost([0, 1, 2]), InvalidTourError, r"tours: shape \(3,\)"),
    ],
)
def test_bad_values(make, error, words):
    with pytest.raises(error, match=words) as caught:
        make()
    assert type(caught.value) is error


def test_the_largest_matrix_entry_fits():
    assert TSP.from_matrix([[0, 2**31 - 1], [0, 0]]).distance(0, 1) == 2**31 - 1


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
