"""Constructions, recombinations and searches of routes are the same on both backends."""

from __future__ import annotations

import pickle
from functools import partial
from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.arrays import on_gpu, on_host
from gpu_ls_plugin.core.budget import Stopwatch
from gpu_ls_plugin.evolution.batches.improver import Improver
from gpu_ls_plugin.evolution.generations.memetic import evolution_of
from gpu_ls_plugin.evolution.timed_run import TimedRun
from gpu_ls_plugin.routes.plan.first_generations import SHARE
from gpu_ls_plugin.routes.searches.genetic.genetic_population import GeneticPopulation
from gpu_ls_plugin.runs.stretch import Stretch
from gpu_ls_plugin.testing import check_recombination
from tests.helpers.both_backends import assert_equal_rows, assert_same_result, assert_same_rows
from tests.helpers.instances import cvrp_instance, instance_path
from tests.helpers.random_problems import random_tours
from tests.helpers.routing import KINDS, random_cvrp
from tests.routes.crossovers import test_route_recombinations as recombinations

pytestmark = pytest.mark.gpu


def split(problem: gls.CVRP, size: int, seed: int, **options: Any) -> np.ndarray:
    rows = np.tile(np.arange(1, problem.customers + 1), (size, 1))
    return gls.split(problem, np.random.default_rng(seed).permuted(rows, axis=1), **options)


def soft_split(problem: gls.CVRP, size: int, seed: int, **options: Any) -> np.ndarray:
    return split(problem.penalised(load=3, duration=2), size, seed, **options)


CONSTRUCTIONS = {
    "one_route_each": gls.one_route_each,
    "savings": gls.savings,
    "parallel": partial(gls.cheapest_insertion, order="parallel"),
    "sequential": partial(gls.cheapest_insertion, order="sequential"),
    "solomon": partial(gls.cheapest_insertion, order="solomon"),
    "sweep": gls.sweep,
    "split": split,
    "soft_split": soft_split,
}


def assert_same_routes(name: str, problem: gls.CVRP, size: int) -> None:
    assert_same_rows(CONSTRUCTIONS[name], problem, size, seed=4)


@pytest.mark.parametrize("name", CONSTRUCTIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_routes_are_the_same(name, kind):
    if name == "sweep" and "directed" in kind:
        pytest.skip("a matrix has no angles")
    for customers in (1, 2, 5, 31, 33, 140):
        problem = random_cvrp(kind, customers, seed=customers)
        for size in (1, 9):
            assert_same_routes(name, problem, size)


@pytest.mark.parametrize("name", [name for name in CONSTRUCTIONS if name != "one_route_each"])
@pytest.mark.parametrize("instance", ["X/X-n513-k21", "X/X-n172-k51"])
def test_routes_of_instances_are_the_same(name, instance):
    assert_same_routes(name, cvrp_instance(instance), 300)


@pytest.mark.parametrize("name", [name for name in CONSTRUCTIONS if name != "one_route_each"])
def test_repaired_routes_are_the_same(name):
    path = instance_path("cvrp/X/X-n172-k51.vrp")
    assert_same_routes(name, gls.CVRP.read(path, vehicles=51), 100)


parts = pytest.mark.parametrize("part", recombinations.PARTS, ids=lambda part: part.name)


def assert_same_children(part: Any, problem: gls.CVRP, first: Any, second: Any) -> None:
    assert_same_rows(part.cross, problem, first, second, seed=3, first_row=7)


@parts
@pytest.mark.parametrize("kind", recombinations.KINDS)
@pytest.mark.parametrize("customers", [1, 2, 3, 5, 31, 64, 200, 1000])
def test_children_of_all_sizes(part, kind, customers):
    problem = recombinations.routing(customers, 1, **recombinations.KINDS[kind])
    first, second = (recombinations.made(problem, 70, seed) for seed in (1, 2))
    assert_same_children(part, problem, first, second)
    assert_same_children(part, problem, first[:1], second[:1])
    assert_same_children(part, problem, random_tours(problem.n, 20, 1), second[:20])


@parts
def test_pairs_in_global_memory(part):
    """With this many customers, a pair does not fit into shared memory."""
    problem = gls.CVRP.generated(12_000, route_size=12, seed=1)
    first = gls.savings(problem, 4, seed=1, backend="cuda")
    assert_same_children(part, problem, first, first[::-1].copy())


@parts
def test_parents_on_the_device_have_children_there(part):
    cupy = pytest.importorskip("cupy")
    problem = recombinations.routing(60, 2)
    first, second = (recombinations.made(problem, 40, seed) for seed in (1, 2))
    children = part.cross(problem, cupy.asarray(first), cupy.asarray(second), seed=1)
    assert isinstance(children, cupy.ndarray)
    assert np.array_equal(children.get(), part.cross(problem, first, second, seed=1, backend="cpu"))


@parts
def test_the_check_of_recombinations_passes(part):
    check_recombination(part, backend="cuda")


GENETIC = gls.HybridGeneticSearch(size=12, children=16, patience=10)
DECOMPOSED = gls.Decomposed(customers=40, rounds=4)
OF_SEARCHES = ("search", "kind", "customers", "rows", "kicks")


@pytest.mark.parametrize(
    OF_SEARCHES,
    [
        *((GENETIC, kind, 60, 8, 320) for kind in ("capacity", "fleet", "duration", "windows")),
        *((DECOMPOSED, kind, 300, 64, 200) for kind in ("capacity", "fleet", "duration")),
        (DECOMPOSED, "directed", 300, 64, 200),
    ],
    ids=str,
)
def test_searches_find_the_same_routes(search, kind, customers, rows, kicks):
    problem = random_cvrp(kind, customers)
    starts = gls.savings(problem, size=rows, seed=1, backend="cpu")
    options = {"seed": 3, "budget": gls.Budget(kicks=kicks)}
    device = assert_same_result(search, problem, starts, counts=["restarts"], **options)
    assert problem.feasible(device.tours[0])[0]  # with a small fleet, few first rows are feasible
    again = search(problem, starts, backend="cuda", **options)
    assert_equal_rows(again.tours, device.tours)


@pytest.mark.timed
@pytest.mark.parametrize(
    ("search", "kind", "rows"),
    [(GENETIC, "real duration", 16), (gls.Decomposed(customers=40), "capacity", 256)],
    ids=str,
)
def test_time_ctrl_c_and_arrays_on_the_device(search, kind, rows):
    cupy = pytest.importorskip("cupy")
    problem = random_cvrp(kind, 200)
    starts = cupy.asarray(gls.savings(problem, size=rows, seed=1, backend="cpu"))
    search.prepare(problem, rows, backend="cuda")
    timed = search(problem, starts, budget=gls.Budget(seconds=0.7), backend="cuda")
    assert isinstance(timed.tours, cupy.ndarray)
    assert timed.statistics.stopped_by == "seconds" and timed.statistics.seconds < 1.5
    assert problem.feasible(timed.tours.get()).all()
    assert timed.best_cost < problem.cost(starts.get()).min()

    def press(progress: gls.Progress) -> None:
        if progress.kicks:
            raise KeyboardInterrupt

    rest = search(problem, starts, budget=gls.Budget(seconds=30), backend="cuda", callback=press)
    assert rest.statistics.interrupted and rest.statistics.seconds < 5


def test_lanes_have_a_share_of_the_device_and_a_stream():
    backend, whole = get_backend("cuda"), get_backend("cuda").processors
    with backend.lane(0, 3):
        assert backend.processors == min(3, whole)
        stream = backend.xp.cuda.get_current_stream().ptr
    with backend.lane(0, 3):
        assert backend.xp.cuda.get_current_stream().ptr == stream
    assert backend.processors == whole
    assert backend.xp.cuda.get_current_stream().ptr != stream


def test_memory_stays_constant():
    cupy = pytest.importorskip("cupy")
    problem, used = random_cvrp("capacity", 300), []
    starts = gls.savings(problem, size=64, seed=1, backend="cpu")
    for seed in range(4):
        DECOMPOSED(problem, starts, seed=seed, budget=gls.Budget(kicks=100), backend="cuda")
        used.append(cupy.get_default_memory_pool().total_bytes())
    assert np.ptp(used[1:]) <= 1 << 20


def test_generations_of_both_backends_are_the_same():
    problem, found = random_cvrp("capacity", 60), []
    for backend in ("cpu", "cuda"):
        starts = gls.savings(problem, size=8, seed=1, backend="cpu")
        population = GeneticPopulation(GENETIC, problem.tsp, starts, 3, backend)
        for _ in range(4):
            population.advance(Stretch(generations=1))
        copy = pickle.loads(pickle.dumps(population))
        assert (copy.tours == on_host(population.tours)).all()
        found.append(copy)
    assert on_gpu(population.tours) and on_gpu(population.costs)
    ours, theirs = found
    assert (ours.tours == theirs.tours).all() and (ours.costs == theirs.costs).all()


def test_memetic_generations_have_the_stages_of_solve():
    problem = random_cvrp("duration", 60)
    evolution = evolution_of(problem.tsp, Improver(None, "cuda"), seconds=6.0)
    assert len(evolution.plan.stages) > 1
    evolution.prepare(problem.tsp)
    random, clock = np.random.default_rng(1), Stopwatch.of(6.0)
    run, names, least = TimedRun(), [], []
    run.seconds_left = lambda: clock.left
    run.progress = lambda: min(1.0, clock.elapsed / 6.0)
    turn = evolution.start(problem.tsp, random, run)
    while clock.left > 0:
        turn = evolution.next(problem.tsp, turn, random, run)
        names.append(turn.stage.name)
        least.append(turn.costs.min().item())
    assert names[0] == "generations of routes" and names[-1] == "routes"
    assert np.diff(least).max() <= 0
    assert on_gpu(turn.tours)
    best = on_host(turn.tours[int(turn.costs.argmin())])
    assert problem.feasible(best)[0] and problem.cost(best)[0] == pytest.approx(least[-1])


def test_solve_begins_with_generations():
    problem, seen = random_cvrp("duration", 60), []
    found = gls.solve(problem, seconds=6, backend="cuda", callback=seen.append)
    assert problem.feasible(found.best_tour)[0]
    assert (
        6 * SHARE - 0.5 < found.statistics.phases["opening"] < 6
    )  # tries with fewer vehicles come next
    assert np.diff([point.best_cost for point in found.statistics.history]).max() <= 0
    assert max(progress.kicks for progress in seen) <= found.statistics.kicks
