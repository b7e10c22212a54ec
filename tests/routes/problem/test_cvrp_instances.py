"""Generated vehicle routing instances: what the published rules of the X set say of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import (
    InvalidParameterError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.routes.problem import cvrp_instances as rules
from tests.helpers.examples import examples
from tests.routes.time_windows import TimeWindows

LIMITS = {"unitary": (1, 1), "1-10": (1, 10), "5-10": (5, 10), "1-100": (1, 100),
          "50-100": (50, 100), "quadrant": (1, 100), "many_small": (1, 100)}  # fmt: skip


@examples(40)
@given(
    st.integers(1, 300),
    st.sampled_from(rules.DEPOTS),
    st.sampled_from(rules.POSITIONING),
    st.sampled_from(rules.DEMANDS),
    st.none() | st.floats(1, 40),
    st.integers(0, 2**64 - 1),
)
def test_every_instance_keeps_the_rules(customers, depot, positioning, demands, size, seed):
    kinds = {"depot": depot, "positioning": positioning, "demands": demands}
    problem = gls.CVRP.generated(customers, **kinds, route_size=size, seed=seed)
    places = problem.nodes.coordinates
    assert places.shape == (customers + 1, 2) and problem.integer
    assert len(np.unique(places, axis=0)) == customers + 1
    assert (places == np.rint(places)).all() and places.min() >= 0 and places.max() <= 1000
    if depot != "random":
        assert places[0].tolist() == [500, 500] if depot == "central" else [0, 0]
    wanted = problem.demands[1:]
    assert LIMITS[demands][0] <= wanted.min() and wanted.max() <= LIMITS[demands][1]
    if size is not None:
        enough = max(math.ceil(size * wanted.sum() / customers - 1e-9), wanted.max())
        assert problem.capacity == enough
    fewest = -(-wanted.sum() // problem.capacity)
    assert problem.name == f"generated-n{customers + 1}-k{fewest}"
    assert all(str(kind) in problem.comment for kind in (*kinds.values(), f"seed {seed}"))


def test_the_same_seed_makes_the_same_instance(monkeypatch):
    one, same, other = (gls.CVRP.generated(50, seed=seed) for seed in (1, 1, 2))
    assert one.capacity == same.capacity and (one.demands == same.demands).all()
    assert (one.nodes.coordinates == same.nodes.coordinates).all()
    assert (one.nodes.coordinates != other.nodes.coordinates).any()
    monkeypatch.setattr(checks.secrets, "randbits", lambda bits: 2)
    assert (gls.CVRP.generated(50, seed=None).demands == other.demands).all()


@pytest.mark.parametrize("kind", rules.DEMANDS)
def test_demands_take_all_values_between_their_limits(kind):
    demands = gls.CVRP.generated(5000, demands=kind, positioning="random", seed=3).demands[1:]
    least, most = LIMITS[kind]
    missing = range(11, 50) if kind == "many_small" else ()
    assert np.unique(demands).tolist() == [d for d in range(least, most + 1) if d not in missing]


def test_demands_depend_on_quadrants():
    problem = gls.CVRP.generated(4000, demands="quadrant", positioning="random", seed=4)
    right, above = (problem.nodes.coordinates[1:] >= 500).T
    large = problem.demands[1:] > 50
    assert (large == (right == above)).all() and 0.4 < large.mean() < 0.6


def test_most_demands_are_small_and_few_are_large():
    points = np.zeros((200, 2), int)
    random = np.random.default_rng(5)
    shares = [
        (rules.customer_demands(points, "many_small", random) <= 10).mean() for _ in range(60)
    ]
    assert 0.695 <= min(shares) < 0.75 and 0.9 < max(shares) <= 0.955


def test_route_sizes_are_drawn_from_a_triangular_distribution():
    random = np.random.default_rng(5)
    sizes = np.array([rules.drawn_route_size(random) for _ in range(4000)])
    assert sizes.min() >= 3 and sizes.max() <= 25
    assert abs(sizes.mean() - 34 / 3) < 0.3
    assert abs((sizes <= 6).mean() - 3 / 22) < 0.02  # as the mode divides the distribution


def nearest_distances(positioning, customers=400, seed=6):
    places = gls.CVRP.generated(customers, positioning=positioning, seed=seed).nodes.coordinates[1:]
    apart = np.hypot(*(places[:, None] - places).transpose(2, 0, 1))
    np.fill_diagonal(apart, np.inf)
    return apart.min(axis=1)


def test_clusters_are_denser_than_what_lies_anywhere():
    random, half, clustered = map(nearest_distances, ("random", "random_clustered", "clustered"))
    assert abs(random.mean() - 0.5 * 1000 / 20) < 2  # of points at random
    assert clustered.mean() < 0.75 * random.mean()
    assert clustered.mean() < half[200:].mean() < half[:200].mean()  # scattered ones come first


def test_the_attraction_of_a_seed_falls_exponentially():
    # From one seed, distances have a density of d exp(-d / 40): mean 80, and 1 / e of 1 + d / 40.
    distances = []
    for seed in range(8):
        free = np.ones(rules.SIDE**2, bool)
        at = 500 * rules.SIDE + 500
        free[at] = False
        cells = rules.attracted_cells(free, np.array([at]), 250, np.random.default_rng(seed))
        x, y = np.divmod(cells, rules.SIDE)
        distances.append(np.hypot(x - 500, y - 500))
        assert not free[cells].any() and len(set(cells)) == 250 and at not in cells
    found = np.concatenate(distances)
    assert abs(found.mean() - 80) < 4
    assert abs((found > 120).mean() - 4 * math.exp(-3)) < 0.03


def test_thirty_thousand_customers():
    problem = gls.CVRP.generated(30_000, positioning="clustered", route_size=15, seed=7)
    assert len(np.unique(problem.nodes.coordinates, axis=0)) == 30_001
    assert problem.n == 30_000 + math.ceil(1.3 * problem.demands.sum() / problem.capacity) + 3


@examples(20)
@given(st.integers(1, 60), st.integers(1, 12), st.integers(0, 2**32))
def test_copies_suffice_for_simple_routes(customers, size, seed):
    problem = gls.CVRP.generated(customers, route_size=size, seed=seed)
    needed = math.ceil(1.3 * problem.demands.sum() / problem.capacity) + 3
    assert problem.vehicles == min(customers, max(needed, len(problem.simple_routes())))


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        ({"customers": 0}, InvalidParameterError, "customers: 0 is not between 1 and"),
        ({"customers": 2.5}, InvalidTypeError, "customers: 2.5 is not an integer"),
        ({"depot": "middle"}, InvalidParameterError, "depot: 'middle' is not one of central"),
        ({"positioning": 3}, InvalidTypeError, "positioning: 3 is not a string"),
        ({"demands": "2-3"}, InvalidParameterError, "demands: '2-3' is not one of unitary"),
        ({"route_size": 0.5}, InvalidParameterError, "route_size: 0.5 is not between 1.0 and"),
        ({"seed": -1}, InvalidParameterError, "seed: -1 is not between 0 and"),
    ],
)
def test_wrong_parameters(given, kind, message):
    with pytest.raises(kind, match=f"^{message}"):
        gls.CVRP.generated(**{"customers": 9, **given})


# files


def same(problem, other):
    assert (problem.nodes.values == other.nodes.values).all()
    assert problem.nodes.values.dtype == other.nodes.values.dtype
    assert (problem.demands == other.demands).all()
    assert (problem.service_times == other.service_times).all()
    for name in ("capacity", "route_limit", "fleet", "integer", "name", "n"):
        assert getattr(problem, name) == getattr(other, name)
    assert problem.nodes.metric == other.nodes.metric
    return True


PLACES = np.random.default_rng(8).random((9, 2)) * 70
PLACES = np.trunc(PLACES) + 0.5 * (PLACES - np.trunc(PLACES))  # no more than 59 minutes
WRITTEN = ("EUC_2D", "CEIL_2D", "FLOOR_2D", "ATT", "MAN_2D", "MAX_2D", "GEO", "HAVERSINE", "EUC")


@pytest.mark.parametrize("metric", WRITTEN)
@pytest.mark.parametrize(
    "more",
    [
        {},
        {"route_limit": 40_000, "vehicles": 4, "service_times": 7},
        {"service_times": np.arange(9) / 2, "name": "some  name", "comment": "two\nlines"},
    ],
)
def test_what_is_written_is_read_again(metric, more, tmp_path):
    problem = gls.CVRP(PLACES, np.arange(9), 12, metric=metric, **{"name": "some", **more})
    problem.write(tmp_path / "some.vrp")
    again = gls.CVRP.read(tmp_path / "some.vrp")
    assert again.name == " ".join(problem.name.split())
    assert same(
        gls.CVRP(PLACES, np.arange(9), 12, metric=metric, **more | {"name": again.name}), again
    )


@pytest.mark.parametrize("dtype", [int, float])
def test_matrices_are_written(dtype, tmp_path):
    matrix = np.random.default_rng(9).integers(1, 50, (6, 6)).astype(dtype)
    np.fill_diagonal(matrix, 0)
    problem = gls.CVRP.from_matrix(matrix, [0, 1, 1, 2, 2, 3], 5, name="table")
    problem.write(tmp_path / "table.vrp")
    assert same(problem, gls.CVRP.read(tmp_path / "table.vrp"))


def test_further_resources_are_not_written(tmp_path):
    problem = gls.CVRP.generated(5, seed=1)
    windows = TimeWindows([(0, 10**6)] * 6)
    with pytest.raises(UnsupportedProblemError, match=r"^problem: files \(.vrp\) cannot express"):
        problem.with_resources(windows).write(tmp_path / "some.vrp")
    assert not list(tmp_path.iterdir())
