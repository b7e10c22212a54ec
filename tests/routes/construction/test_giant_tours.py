"""What constructions make of vehicle routing problems: giant tours, feasible where possible."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.exceptions import (
    InsufficientMemoryError,
    InvalidParameterError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.core.registry import registry
from gpu_ls_plugin.routes.construction.batch import RouteBatch
from gpu_ls_plugin.testing import small_problems
from tests.helpers.instances import cvrp_instance
from tests.helpers.routing import KINDS, random_cvrp

OF_ROUTES = ("one_route_each", "savings", "cheapest_insertion", "sweep")
OF_SEVERAL = ("savings", "cheapest_insertion", "sweep", "split")
INSTANCES = (
    "X/X-n106-k14",
    "X/X-n172-k51",
    "X/X-n247-k50",
    "X/X-n284-k15",
    "CMT/CMT1",
    "CMT/CMT6",
    "CMT/CMT8",
    "CMT/CMT11",
    "CMT/CMT13",
    "Golden/Golden_1",
    "Golden/Golden_5",
    "Golden/Golden_13",
)


def make(name: str, problem: gls.Problem, size: int, seed: int = 3) -> np.ndarray:
    if name == "split":
        rows = np.tile(np.arange(1, problem.customers + 1), (size, 1))
        rows = np.random.default_rng(seed).permuted(rows, axis=1)
        return gls.split(problem, rows, backend="cpu")
    return registry.lookup("construction", name)(problem, size, seed=seed, backend="cpu")


@pytest.mark.parametrize("name", OF_SEVERAL)
@pytest.mark.parametrize("instance", INSTANCES)
def test_rows_are_feasible(instance, name):
    problem = cvrp_instance(instance)
    tours = make(name, problem, 20)
    assert tours.dtype == np.int32
    wrong = np.flatnonzero(~problem.feasible(tours))
    assert wrong.size == 0, problem.complaints(tours[wrong[0]])


@pytest.mark.parametrize("name", OF_SEVERAL)
def test_small_and_degenerate_problems(name):
    for problem in small_problems.routing(5):
        if name != "sweep" or problem.nodes.coordinates is not None:
            assert problem.feasible(make(name, problem, 5)).all()


@pytest.mark.parametrize("name", OF_SEVERAL)
@pytest.mark.parametrize(
    ("demands", "capacity"),
    [([0] * 6, 1), ([0, *[2**31 - 1] * 5], 2**31 - 1), ([0, *[2**30] * 5], 2**31 - 1)],
)
def test_no_demands_and_large_ones(name, demands, capacity):
    points = [(0, 0), (3, 0), (0, 4), (-5, 0), (6, 6), (6, 6)]
    problem = gls.CVRP(points, demands, capacity, copies=5)
    tours = make(name, problem, 4)
    assert problem.feasible(tours).all()
    assert len(problem.routes(tours[0])) == (1 if not any(demands) else 5)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("part", list(registry.parts("construction")), ids=lambda part: part.name)
def test_all_constructions_make_giant_tours(part, kind):
    problem = random_cvrp(kind, 30)
    try:
        tours = make(part.name, problem, 4)
    except UnsupportedProblemError as error:
        assert problem.nodes.coordinates is None
        assert "needs coordinates" in str(error)
    else:
        assert len(problem.check(tours)) == 4


@pytest.mark.parametrize("name", OF_SEVERAL)
def test_routes_beyond_the_fleet_are_dissolved(name):
    for instance, vehicles in (("X/X-n106-k14", 14), ("X/X-n172-k51", 51), ("CMT/CMT1", 5)):
        problem = gls.CVRP.read(cvrp_path(instance), vehicles=vehicles)
        tours = make(name, problem, 20)
        violations = problem.violations(tours)
        assert (violations.vehicles == 0).all()
        # 98 % of the fleet of X-n172-k51 is needed: what is too much is little.
        assert violations.load.max() < 0.06 * problem.demands.sum()


def cvrp_path(instance: str) -> str:
    from tests.helpers.instances import instance_path

    return str(instance_path(f"cvrp/{instance}.vrp"))


def test_where_nothing_can_be_repaired_routes_are_simple_ones():
    # Two routes of 10 hold all, a demand of 4 and two of 3 each, but 3 fits neither 9 nor 8.
    points = [(0, 0), (9, 0), (8, 0), (7, 0), (-9, 0), (-8, 0), (-7, 0)]
    limited = gls.CVRP(points, [0, 4, 3, 3, 4, 3, 3], 10, vehicles=2)
    starts = [2, 3, 5, 1, 4, 6]

    def made(problem: gls.CVRP) -> np.ndarray:
        batch = RouteBatch(get_backend("cpu"), problem, 2)
        batch.orders[:] = starts, [1, 2, 3, 4, 5, 6]
        batch.begins[:] = [1, 0, 0, 1, 0, 1], [1, 0, 0, 1, 0, 0]
        return batch.tours()

    tours = made(limited)
    assert limited.violations(tours).load.tolist() == [1, 0]
    assert limited.violations(tours).vehicles.tolist() == [0, 0]
    unlimited = gls.CVRP(points, [0, 4, 3, 3, 4, 3, 3], 10, vehicles=2)
    unlimited.__dict__["fleet"] = None  # as if two were known to suffice
    tours = made(unlimited)
    assert unlimited.feasible(tours).all()
    assert unlimited.routes(tours[1]) == [[1, 2, 3], [4, 5, 6]]


def test_a_route_each():
    problem = random_cvrp("capacity", 12)
    tours = gls.one_route_each(problem, 3, backend="cpu")
    assert problem.routes(tours[0]) == [[c] for c in range(1, 13)]
    assert problem.feasible(tours).all()
    assert (tours == tours[0]).all()


def test_too_few_copies_for_a_route_each():
    words = "problem: giant tours have 2 copies of the depot, .* make the problem with copies=3"
    points, demands = [(0, 0), (1, 0), (2, 0), (3, 0)], [0, 1, 1, 1]
    with pytest.raises(InvalidParameterError, match=words):
        gls.one_route_each(gls.CVRP(points, demands, 2, vehicles=2), backend="cpu")
    more = gls.CVRP(points, demands, 2, vehicles=2, copies=3)
    assert more.violations(gls.one_route_each(more, backend="cpu")).vehicles == 1


@pytest.mark.parametrize("name", OF_ROUTES)
def test_what_has_no_routes(name):
    construct = registry.lookup("construction", name)
    with pytest.raises(UnsupportedProblemError, match=r"problem: .* has no routes; make a vehicle"):
        construct(gls.TSP(np.zeros((4, 2))), backend="cpu")
    with pytest.raises(InvalidTypeError, match=r"problem: 'a\.vrp' is not .*CVRP\.read\(path\)"):
        construct("a.vrp", backend="cpu")


@pytest.fixture(scope="module")
def large():
    """A problem whose batches soon take more memory than there is."""
    return random_cvrp("capacity", 5000)


@pytest.mark.parametrize("name", OF_ROUTES)
@pytest.mark.parametrize(
    ("size", "error", "words"),
    [
        (0, InvalidParameterError, "size: 0"),
        (5.0, InvalidTypeError, "size: 5.0"),
        (2**31 - 1, InsufficientMemoryError, "size: 2,147,483,647 tours"),
    ],
)
def test_batches_that_are_too_large(name, size, error, words, large):
    with pytest.raises(error, match=words):
        registry.lookup("construction", name)(large, size, backend="cpu")
