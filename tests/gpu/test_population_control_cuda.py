"""Diversity, replacement, restarts and migration are the same on a GPU as in NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.evolution.batches.improver import Improver
from gpu_ls_plugin.evolution.diversity import distance
from gpu_ls_plugin.evolution.far_apart import shared_features
from gpu_ls_plugin.evolution.generations.generation import Generation, GenerationEvolution
from gpu_ls_plugin.evolution.generations.restarts import Restarts
from gpu_ls_plugin.evolution.migration import RingMigration
from gpu_ls_plugin.evolution.replacement import BestDistinct, Crowding, EdgeDistance
from gpu_ls_plugin.evolution.timed_run import TimedRun
from gpu_ls_plugin.evolution.tour_population import TourPopulation
from gpu_ls_plugin.tours.kernels.edge_keys import edge_numbers
from tests.evolution.samples import problem_of
from tests.helpers.parents import relatives
from tests.helpers.random_problems import random_problem, random_tours

pytestmark = pytest.mark.gpu

RULES = (BestDistinct(), EdgeDistance(4), EdgeDistance(40), Crowding())


def on_device(population):
    return population.on(get_backend("cuda"))


def population_of(problem, tours):
    return TourPopulation.of(problem, np, tours, problem.cost(tours))


def assert_same(host, device):
    assert not isinstance(device.tours, np.ndarray)
    for name in ("tours", "costs", "keys"):
        assert np.array_equal(getattr(host, name), getattr(device, name).get())


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("alike", [True, False])
def test_shared_edges(symmetric, alike):
    xp, tours = get_backend("cuda").xp, random_tours(200, 150)
    others = relatives(tours, 6, 1) if alike else random_tours(200, 150, 1)
    both = np.concatenate([tours, others])
    edges = edge_numbers(np, both, symmetric=symmetric)
    found = shared_features(xp, xp.asarray(edges), 150).get()
    assert np.array_equal(found, shared_features(np, edges, 150))
    problem = problem_of(200, symmetric=symmetric)
    distances = distance(problem, xp.asarray(tours), xp.asarray(others))
    assert np.array_equal(distances.get(), 200 - found[:, 150:].diagonal())


@pytest.mark.parametrize("rule", RULES, ids=repr)
@pytest.mark.parametrize("metric", ["EUC_2D", "EXPLICIT"])
def test_replacement(rule, metric):
    problem = random_problem(metric, 60, span=20)
    start = population_of(problem, random_tours(60, 700)).best(700)
    parents = start.parents(900, np.random.default_rng(1))
    children = population_of(problem, relatives(start.tours[parents[0]], 4, 1))
    for size in (300, 700, 1000):
        host = rule(problem, start, children, parents, size)
        rows = tuple(map(get_backend("cuda").xp.asarray, parents))
        assert_same(host, rule(problem, on_device(start), on_device(children), rows, size))


def test_generations_with_restarts():
    problem, ends = random_problem("EUC_2D", 100, span=1000), []
    for backend in ("cpu", "cuda"):
        generation = Generation(gls.EdgeAssembly(), Improver(backend=backend), Crowding())
        evolution = Restarts(GenerationEvolution(generation, 30), lambda *_: True)
        random_state = np.random.default_rng(1)
        end = evolution.start(problem, random_state, TimedRun())
        for _ in range(3):
            end = evolution.next(problem, end, random_state, TimedRun())
        ends.append(end)
    assert_same(ends[0].population, ends[1].population)
    assert ends[1].restarts == 3


def test_migration():
    problem = random_problem("EUC_2D", 50, span=1000)
    islands = [population_of(problem, random_tours(50, 20, seed)).best(20) for seed in range(3)]
    migrate = RingMigration(every=1, migrants=4)
    for host, device in zip(
        migrate(1, islands), migrate(1, list(map(on_device, islands))), strict=True
    ):
        assert_same(host, device)
