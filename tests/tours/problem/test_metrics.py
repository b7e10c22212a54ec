"""Metrics against plain loops that are written from TSPLIB95's text, in Python's float."""

from __future__ import annotations

import math
import pickle
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_ls_plugin.core.exceptions import (
    InvalidProblemError,
    InvalidTypeError,
    UnknownPartError,
)
from gpu_ls_plugin.tours.problem import metrics
from gpu_ls_plugin.tours.problem.metrics import BUILT_IN_METRICS, Euc2D, Euclidean, Geo, find_metric
from gpu_ls_plugin.tours.problem.tsp import TSP
from tests.helpers.instances import each_name, tsp_instance, tsp_names
from tests.helpers.random_problems import next_to_a_kilometre

PLANAR = ["EUC_2D", "CEIL_2D", "FLOOR_2D", "ATT", "MAN_2D", "MAX_2D", "EUC"]
DEFINED = [*PLANAR, "GEO"]
COORDINATE = [*DEFINED, "HAVERSINE"]


def nint(x: float) -> int:
    return int(x + 0.5)


def att(dx: float, dy: float) -> int:
    rij = math.sqrt((dx * dx + dy * dy) / 10.0)
    tij = nint(rij)
    return tij + 1 if tij < rij else tij


PLANE = {
    "EUC_2D": lambda dx, dy: nint(math.sqrt(dx * dx + dy * dy)),
    "CEIL_2D": lambda dx, dy: math.ceil(math.sqrt(dx * dx + dy * dy)),
    "FLOOR_2D": lambda dx, dy: math.floor(math.sqrt(dx * dx + dy * dy)),
    "ATT": att,
    "MAN_2D": lambda dx, dy: nint(abs(dx) + abs(dy)),
    "MAX_2D": lambda dx, dy: max(nint(abs(dx)), nint(abs(dy))),
    "EUC": lambda dx, dy: math.sqrt(dx * dx + dy * dy),
}


def radian(x: float) -> float:
    deg = int(x)
    minutes = x - deg
    return 3.141592 * (deg + 5.0 * minutes / 3.0) / 180.0


def geo(i: tuple[float, float], j: tuple[float, float]) -> int:
    q1 = math.cos(radian(i[1]) - radian(j[1]))
    q2 = math.cos(radian(i[0]) - radian(j[0]))
    q3 = math.cos(radian(i[0]) + radian(j[0]))
    cosine = 0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3)
    return int(6378.388 * math.acos(min(1.0, max(-1.0, cosine))) + 1.0)


def by_definition(name: str, i: tuple[float, float], j: tuple[float, float]) -> float:
    """The length between two points, in Python's float, as TSPLIB95 defines it."""
    return geo(i, j) if name == "GEO" else PLANE[name](i[0] - j[0], i[1] - j[1])


def all_pairs(n: int) -> tuple[np.ndarray, np.ndarray]:
    """All ordered pairs of two cities."""
    a, b = np.divmod(np.arange(n * n), n)
    return a[a != b], b[a != b]


def points(name: str = "EUC_2D", smallest: int = 2) -> st.SearchStrategy[list[tuple[float, float]]]:
    if name in ("GEO", "HAVERSINE"):
        minutes = st.integers(0, 59).map(lambda m: m / 100)
        degrees = [
            st.tuples(st.integers(1 - limit, limit - 1), minutes).map(
                lambda parts: round(parts[0] + math.copysign(parts[1], parts[0]), 2)
            )
            for limit in (90, 180)
        ]
        return st.lists(st.tuples(*degrees), min_size=smallest, max_size=10)
    number = st.integers(-9999, 9999) | st.floats(-1e6, 1e6, allow_subnormal=False)
    return st.lists(st.tuples(number, number), min_size=smallest, max_size=10)


@pytest.mark.parametrize("name", DEFINED)
@given(data=st.data())
def test_lengths_are_those_of_the_definition(name, data):
    cities = data.draw(points(name))
    problem = TSP(cities, metric=name)
    a, b = all_pairs(problem.n)
    lengths = problem.lengths(a, b)
    assert lengths.dtype == problem.cost_dtype
    expected = [by_definition(name, cities[i], cities[j]) for i, j in zip(a, b, strict=True)]
    assert lengths.tolist() == expected


@each_name(name for kind in ("ATT", "GEO", "CEIL_2D", "EUC_2D") for name in tsp_names(metric=kind))
def test_lengths_within_an_instance_are_those_of_the_definition(name):
    problem = tsp_instance(name)
    cities = np.linspace(0, problem.n - 1, min(problem.n, 40)).astype(int)
    a, b = (cities[indices] for indices in all_pairs(len(cities)))
    xy = problem.coordinates.tolist()
    expected = [by_definition(problem.metric.name, xy[i], xy[j]) for i, j in zip(a, b, strict=True)]
    assert problem.distance(a, b).tolist() == expected


@pytest.mark.parametrize(
    ("name", "end", "length"),
    [
        ("EUC_2D", (3, 4), 5),
        ("EUC_2D", (1, 1), 1),  # 1.41
        ("EUC_2D", (1.5, 0), 2),  # halves go up
        ("EUC_2D", (2.5, 0), 3),  # and not to the even number
        ("CEIL_2D", (3, 4), 5),  # a whole length stays
        ("CEIL_2D", (1, 1), 2),
        ("FLOOR_2D", (3, 4), 5),
        ("FLOOR_2D", (2, 2), 2),  # 2.83
        ("EXACT_2D", (1, 1), math.sqrt(2.0)),  # another name of EUC
        ("ATT", (10, 0), 4),  # 3.16, nint 3 is smaller, hence 4
        ("ATT", (9, 3), 3),  # sqrt(90 / 10) is 3
        ("ATT", (20, 0), 7),  # 6.32
        ("ATT", (18, 0), 6),  # 5.69, nint 6 is larger
        ("MAN_2D", (1.25, -1.25), 3),  # rounded once, after the sum
        ("MAX_2D", (-7, 6.6), 7),
        ("MAX_2D", (0.5, -0.2), 1),
        ("EUC", (1, 1), math.sqrt(2.0)),
    ],
)
def test_lengths_by_hand(name, end, length):
    problem = TSP([(0, 0), end], metric=name)
    assert problem.distance(0, 1) == problem.distance(1, 0) == length


def test_geo_by_hand():
    # A quarter of a great circle: (int)(6378.388 * 3.141592 / 2 + 1.0) = (int)10020.1...
    assert TSP([(0, 0), (0, 90)], metric="GEO").distance(0, 1) == 10020
    # Minutes follow the point: 0.30 is half a degree, 55.66 km, and one is added.
    assert TSP([(0, 0), (0, 0.30)], metric="GEO").distance(0, 1) == 56
    # Degrees are truncated towards zero: -0.30 is half a degree to the other side.
    assert TSP([(0, -0.30), (0, 0.30)], metric="GEO").distance(0, 1) == 112
    # Two cities at one place are one kilometre apart.
    assert TSP([(5, 5), (5, 5)], metric="GEO").distance(0, 1) == 1


# Kilometres by the haversine formula.
GREAT_CIRCLES = [
    ((48.8566, 2.3522), (52.52, 13.405), 877.4645379),  # Paris, Berlin
    ((0, 0), (0, 90), 6371.0088 * math.pi / 2),
    ((0, 0), (0, 180), 6371.0088 * math.pi),
    ((90, 0), (-90, 17), 6371.0088 * math.pi),
    ((5, 5), (5, 5), 0.0),
    ((0, 0), (0, 1e-6), 6371.0088 * math.radians(1e-6)),
    ((0, 0), (0, 180 - 1e-6), 6371.0088 * math.radians(180 - 1e-6)),
]


@pytest.mark.parametrize(("here", "there", "kilometres"), GREAT_CIRCLES)
def test_haversine_by_hand(here, there, kilometres):
    problem = TSP([here, there], metric="HAVERSINE")
    assert problem.distance(0, 1) == pytest.approx(kilometres, rel=1e-9, abs=1e-9)
    assert problem.distance(0, 1) == problem.distance(1, 0)


def test_haversine_is_the_formula_to_a_micrometre():
    random = np.random.default_rng(2)
    points = np.column_stack([random.uniform(-90, 90, 300), random.uniform(-180, 180, 300)])
    a, b = all_pairs(300)
    (lat_a, lon_a), (lat_b, lon_b) = np.radians(points[a]).T, np.radians(points[b]).T
    across = np.hypot(
        np.cos(lat_b) * np.sin(lon_b - lon_a),
        np.cos(lat_a) * np.sin(lat_b) - np.sin(lat_a) * np.cos(lat_b) * np.cos(lon_b - lon_a),
    )
    along = np.sin(lat_a) * np.sin(lat_b) + np.cos(lat_a) * np.cos(lat_b) * np.cos(lon_b - lon_a)
    expected = 6371.0088 * np.arctan2(across, along)  # Vincenty's formula on a sphere
    assert np.abs(TSP(points, "HAVERSINE").distance(a, b) - expected).max() < 1e-9


def test_the_series_is_the_arc_sine():
    for square in np.linspace(1e-9, 0.5, 2000).tolist():
        series = 0.0
        for coefficient in reversed(metrics.ARC_SINE):
            series = series * square + coefficient
        root = math.sqrt(square)
        assert series * root == pytest.approx(math.asin(root), rel=4e-16)


@pytest.mark.parametrize("cities", [[(48.8566, 2.3522), (52.52, 13.405)], [(0, 0.60), (1, 1)]])
def test_geo_refuses_decimal_degrees(cities):
    with pytest.raises(InvalidProblemError, match=r"city 0 .* at most 59; .* metric HAVERSINE"):
        TSP(cities, metric="GEO")
    random = np.random.default_rng(1)
    with pytest.raises(InvalidProblemError, match="HAVERSINE"):
        TSP(random.random((500, 2)) * 80, metric="GEO")


def test_geo_takes_a_few_mistyped_minutes():
    cities = np.floor(np.random.default_rng(1).random((500, 2)) * 80) + 0.59
    cities[7, 1] += 0.21  # three such numbers of 1,070 are in TSPLIB's ali535
    assert TSP(cities, metric="GEO").n == 500


def test_geo_next_to_a_rounding_point_is_decided_by_the_cosines():
    problem = TSP([(0, 0), *next_to_a_kilometre()], metric="GEO")
    vectors, reaches = np.split(problem.metric.data(problem.values), [3 * problem.n])
    cosines = vectors.reshape(-1, 3)[1:] @ [1.0, 0.0, 0.0]
    counted = (cosines[:, None] <= reaches).sum(axis=1)  # from 0 km on
    assert problem.distance(0, np.arange(1, problem.n)).tolist() == counted.tolist()
    # These are within a millimetre of a rounding point, so the definition allows either length.
    kilometres = np.arange(1, 10_000, 7)
    assert np.isin(counted - kilometres, (0, 1)).all()


@pytest.mark.parametrize("name", COORDINATE)
@given(data=st.data())
def test_tree_points_put_cities_in_the_order_of_lengths(name, data):
    problem = TSP(data.draw(points(name, smallest=3)), metric=name)
    tree = problem.metric.tree_points(problem.values)
    others = np.arange(1, problem.n)
    lengths = problem.distance(0, others)
    distances = np.linalg.norm(tree[1:] - tree[0], ord=problem.metric.tree_p, axis=1)
    closer = distances[:, None] * (1 + 1e-9) + 1e-9 < distances[None, :]
    assert not (closer & (lengths[:, None] > lengths[None, :])).any()


@pytest.mark.parametrize(
    ("name", "coordinates", "words"),
    [
        ("EUC_2D", [(0, 0), (2**31 - 1, 0)], "coordinates: EUC_2D lengths of up to 2.147e+09"),
        ("CEIL_2D", [(-(2**30), 0), (2**30, 1)], "scale"),
        ("MAN_2D", [(0, 0), (2**30, 2**30)], "scale"),
        ("MAX_2D", [(0, 0), (2**31, 2**31)], "scale"),
        ("ATT", [(0, 0), (1e10, 0)], "scale"),
        ("EUC", [(0, 0), (1e19, 0)], "scale"),
        ("EUC", [(-1e308, 0), (1e308, 0)], "lengths of up to inf"),
        ("GEO", [(0, 0), (90.01, 0)], "city 1 has latitude 90.01"),
        ("GEO", [(0, -180.5), (0, 0)], "city 0 has longitude -180.5"),
        ("HAVERSINE", [(91, 0), (0, 0)], "HAVERSINE needs (latitude, longitude) in decimal deg"),
        ("FLOOR_2D", [(0, 0), (2**31, 0)], "scale"),
    ],
)
def test_values_that_a_metric_refuses(name, coordinates, words):
    with pytest.raises(InvalidProblemError, match=re.escape(words)):
        TSP(coordinates, metric=name)


@pytest.mark.parametrize(
    ("name", "end", "length"),
    [
        ("EUC_2D", (2**31 - 2, 0), 2**31 - 2),
        ("CEIL_2D", (2**31 - 1.5, 0), 2**31 - 1),
        ("MAN_2D", (2**30, 2**30 - 2), 2**31 - 2),
        ("MAX_2D", (2**31 - 2, 2**31 - 2), 2**31 - 2),
        ("GEO", (0, 180), 20039),
    ],
)
def test_the_largest_values_that_a_metric_takes(name, end, length):
    assert TSP([(0, 0), end], metric=name).distance(0, 1) == length


def test_instances_of_a_metric_are_equal_hashable_and_picklable():
    for name, kind in BUILT_IN_METRICS.items():
        assert kind() == kind() and kind.name == name
        assert hash(kind()) == hash(kind())
        assert pickle.loads(pickle.dumps(kind())) == kind()
        assert repr(kind()) == f"{kind.__name__}()"
    assert Euc2D() != Euclidean()
    assert len({kind() for kind in BUILT_IN_METRICS.values()}) == len(BUILT_IN_METRICS)


def test_metrics_are_found_by_name_and_passed_through():
    metric = Geo()
    assert find_metric(metric) is metric
    assert find_metric("GEO") == metric
    with pytest.raises(UnknownPartError, match="no metric is called 'EUC2D'"):
        find_metric("EUC2D")
    for wrong in (Euc2D, 5, None):
        with pytest.raises(InvalidTypeError, match="metric: "):
            find_metric(wrong)


def test_metrics_of_version_0_1_that_take_a_problem_still_work():
    with pytest.warns(DeprecationWarning, match=r"Former.lengths takes a problem; .* `values`"):

        class Former(Euc2D):
            name = "FORMER"

            def lengths(self, problem, a, b):
                assert problem.matrix is None
                assert problem.n == 50
                x, y = problem.coordinates.T
                return self.rounded(self.real(x[a] - x[b], y[a] - y[b]))

            def slack(self, problem):
                return super().slack(problem) + self.longest(problem)

    points = np.random.default_rng(2).random((50, 2)) * 1000
    former, now = TSP(points, Former()), TSP(points, "EUC_2D")
    a, b = all_pairs(50)
    assert np.array_equal(former.distance(a, b), now.distance(a, b))
    assert np.array_equal(former.cost(np.arange(50)), now.cost(np.arange(50)))
    slack, longest = now.metric.slack(points), now.metric.longest(points)
    assert former.metric.slack(points) == slack + longest
    assert type(former.device_data()["metric_data"]) is np.ndarray
