"""Populations of routes: both backends agree, and arrays stay on the device."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends.arrays import on_gpu, on_host
from gpu_ls_plugin.core.budget import Stopwatch
from gpu_ls_plugin.evolution.batches.improver import Improver
from gpu_ls_plugin.evolution.generations.memetic import evolution_of
from gpu_ls_plugin.evolution.timed_run import TimedRun
from gpu_ls_plugin.routes.plan.first_generations import SHARE
from gpu_ls_plugin.routes.searches.genetic.genetic_population import GeneticPopulation
from gpu_ls_plugin.runs.stretch import Stretch
from tests.helpers.both_backends import assert_equal_rows, assert_same_result
from tests.helpers.routing import random_cvrp

pytestmark = pytest.mark.gpu

SEARCH = gls.HybridGeneticSearch(size=12, children=16, patience=10)


@pytest.mark.parametrize("kind", ["capacity", "fleet", "duration"])
def test_both_backends_find_the_same_routes(kind):
    problem = random_cvrp(kind, 60)
    starts = gls.savings(problem, size=8, seed=1, backend="cpu")
    options = {"seed": 3, "budget": gls.Budget(kicks=320)}
    device = assert_same_result(SEARCH, problem, starts, counts=["restarts"], **options)
    again = SEARCH(problem, starts, backend="cuda", **options)
    assert_equal_rows(again.tours, device.tours)


@pytest.mark.timed
def test_time_ctrl_c_and_arrays_on_the_device():
    cupy = pytest.importorskip("cupy")
    problem = random_cvrp("real duration", 100)
    starts = cupy.asarray(gls.savings(problem, size=16, seed=1, backend="cpu"))
    SEARCH.prepare(problem, 16, backend="cuda")
    timed = SEARCH(problem, starts, budget=gls.Budget(seconds=0.5), backend="cuda")
    assert isinstance(timed.tours, cupy.ndarray)
    assert timed.statistics.stopped_by == "seconds" and timed.statistics.seconds < 1.5
    assert problem.feasible(timed.tours.get()).all()
    assert timed.best_cost < problem.cost(starts.get()).min()

    def press(progress: gls.Progress) -> None:
        if progress.kicks:
            raise KeyboardInterrupt

    rest = SEARCH(problem, starts, budget=gls.Budget(seconds=30), backend="cuda", callback=press)
    assert rest.statistics.interrupted and rest.statistics.seconds < 5


def test_generations_of_both_backends_are_the_same():
    problem, found = random_cvrp("capacity", 60), []
    for backend in ("cpu", "cuda"):
        starts = gls.savings(problem, size=8, seed=1, backend="cpu")
        population = GeneticPopulation(SEARCH, problem.tsp, starts, 3, backend)
        for _ in range(4):
            population.advance(Stretch(generations=1))
        copy = pickle.loads(pickle.dumps(population))
        assert (copy.tours == on_host(population.tours)).all()
        found.append(copy)
    assert on_gpu(population.tours) and on_gpu(population.costs)
    ours, theirs = found
    assert (ours.tours == theirs.tours).all() and (ours.costs == theirs.costs).all()


def test_memetic_generations_begin_as_solve_does():
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
        names.append(turn._course.stage.name)
        least.append(turn.costs.min().item())
    assert names[0] == "generations of routes" and names[-1] == "routes"
    assert np.diff(least).max() <= 0
    assert on_gpu(turn.tours)
    best = on_host(turn.tours[int(turn.costs.argmin())])
    assert problem.feasible(best)[0] and problem.cost(best)[0] == pytest.approx(least[-1])


def test_solve_begins_by_generations():
    problem, seen = random_cvrp("duration", 60), []
    found = gls.solve(problem, seconds=6, backend="cuda", callback=seen.append)
    assert problem.feasible(found.best_tour)[0]
    assert 6 * SHARE - 0.5 < found.statistics.phases["opening"] < 6  # tries of vehicles come next
    assert np.diff([point.best_cost for point in found.statistics.history]).max() <= 0
    assert max(progress.kicks for progress in seen) <= found.statistics.kicks
