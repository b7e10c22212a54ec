"""Constructions of routes are the same on both backends."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from tests.helpers.both_backends import assert_same_rows
from tests.helpers.instances import cvrp_instance, instance_path
from tests.helpers.routing import KINDS, random_cvrp

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
    "sweep": gls.sweep,
    "split": split,
    "soft_split": soft_split,
}


def assert_same(name: str, problem: gls.CVRP, size: int) -> None:
    assert_same_rows(CONSTRUCTIONS[name], problem, size, seed=4)


@pytest.mark.parametrize("name", CONSTRUCTIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_routes_are_the_same(name, kind):
    if name == "sweep" and "directed" in kind:
        pytest.skip("a matrix has no angles")
    for customers in (1, 2, 5, 31, 33, 140):
        problem = random_cvrp(kind, customers, seed=customers)
        for size in (1, 9):
            assert_same(name, problem, size)


@pytest.mark.parametrize("name", [name for name in CONSTRUCTIONS if name != "one_route_each"])
@pytest.mark.parametrize("instance", ["X/X-n513-k21", "X/X-n172-k51"])
def test_routes_of_instances_are_the_same(name, instance):
    assert_same(name, cvrp_instance(instance), 300)


@pytest.mark.parametrize("name", [name for name in CONSTRUCTIONS if name != "one_route_each"])
def test_repaired_routes_are_the_same(name):
    path = instance_path("cvrp/X/X-n172-k51.vrp")
    assert_same(name, gls.CVRP.read(path, vehicles=51), 100)
