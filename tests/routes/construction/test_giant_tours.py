"""Constructions make giant tours of vehicle routing problems, feasible if possible."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.exceptions import (
    InsufficientMemoryError,
    InvalidParameterError,
    InvalidTourError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.core.registry import registry
from gpu_ls_plugin.routes.construction.batch import RouteBatch
from gpu_ls_plugin.sequences import parts as of_sequences
from gpu_ls_plugin.testing import small_problems
from tests.helpers.instances import cvrp_instance, instance_path
from tests.helpers.routing import KINDS, random_cvrp

OF_ROUTES = ("one_route_each", "savings", "cheapest_insertion", "sweep")
OF_SEVERAL = ("savings", "cheapest_insertion", "sweep", "split")
INSTANCES = (
    *(f"X/X-{name}" for name in ("n106-k14", "n172-k51", "n247-k50", "n284-k15")),
    *(f"CMT/CMT{number}" for number in (1, 6, 8, 11, 13)),
    *(f"Golden/Golden_{number}" for number in (1, 5, 13)),
)

OF_SEQUENCES = of_sequences.PARTS["construction"]


def split_of_three(problem: gls.Problem, **options) -> np.ndarray:
    return gls.split(problem, [[1, 2, 3]], **options)


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


PARTS = [part for part in registry.parts("construction") if part.factory not in OF_SEQUENCES]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
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
        problem = gls.CVRP.read(instance_path(f"cvrp/{instance}.vrp"), vehicles=vehicles)
        tours = make(name, problem, 20)
        violations = problem.violations(tours)
        assert (violations.vehicles == 0).all()
        # Demands fill 98 % of the fleet of X-n172-k51; the excess is small all the same.
        assert violations.load.max() < 0.06 * problem.demands.sum()


def test_rows_that_cannot_be_repaired_become_simple_routes():
    # Repair dissolves route [6] of row 0, but its demand of 3 fits neither of the loads 9 and 8.
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
    unlimited.__dict__["fleet"] = None  # two vehicles suffice
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


def test_split_needs_permutations_of_customers():
    problem = gls.CVRP([(0, 0), (1, 0), (2, 0), (3, 0)], [0, 1, 1, 1], 2)
    for row, error, words in (
        ([1, 2, 4], InvalidTourError, "orders: "),
        ([0, 1, 2], InvalidTourError, "orders: "),
        ([1, 2, 2], InvalidTourError, "orders: .*city 3"),
        ([1, 2], InvalidTourError, r"orders: .*3"),
        ([1.0, 2.5, 3.0], InvalidTypeError, "orders: "),
    ):
        with pytest.raises(error, match=words):
            gls.split(problem, [row], backend="cpu")


@pytest.mark.parametrize("name", [*OF_ROUTES, "split"])
def test_problems_without_routes_are_refused(name):
    construct = registry.lookup("construction", name) if name != "split" else split_of_three
    with pytest.raises(UnsupportedProblemError, match=r"problem: .* has no routes; make a vehicle"):
        construct(gls.TSP(np.zeros((4, 2))), backend="cpu")
    with pytest.raises(InvalidTypeError, match=r"problem: 'a\.vrp' is not .*CVRP\.read\(path\)"):
        construct("a.vrp", backend="cpu")


@pytest.fixture(scope="module")
def large():
    """Return a problem whose batches soon exceed the memory."""
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
