"""Recombinations of routes are the same on both backends."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.testing import check_recombination
from tests.helpers.both_backends import assert_same_rows
from tests.helpers.random_problems import random_tours
from tests.routes.crossovers.test_route_recombinations import KINDS, PARTS, made, routing

pytestmark = pytest.mark.gpu

parts = pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
SIZES = (1, 2, 3, 5, 31, 64, 200, 1000)


def assert_same(part, problem, first, second, **options):
    assert_same_rows(part.cross, problem, first, second, seed=3, first_row=7, **options)


@parts
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("customers", SIZES)
def test_sizes(part, kind, customers):
    problem = routing(customers, 1, **KINDS[kind])
    first, second = made(problem, 70, 1), made(problem, 70, 2)
    assert_same(part, problem, first, second)
    assert_same(part, problem, first[:1], second[:1])
    assert_same(part, problem, random_tours(problem.n, 20, 1), second[:20])


@parts
def test_pairs_in_global_memory(part):
    """With this many customers, a pair does not fit into shared memory."""
    problem = gls.CVRP.generated(12_000, route_size=12, seed=1)
    first = gls.savings(problem, 4, seed=1, backend="cuda")
    assert_same(part, problem, first, first[::-1].copy())


@parts
def test_arrays_of_the_device_stay_there(part):
    cupy = pytest.importorskip("cupy")
    problem = routing(60, 2)
    first, second = (cupy.asarray(made(problem, 40, seed)) for seed in (1, 2))
    children = part.cross(problem, first, second, seed=1)
    assert isinstance(children, cupy.ndarray)
    host = part.cross(problem, first.get(), second.get(), seed=1, backend="cpu")
    assert np.array_equal(children.get(), host)


@parts
def test_the_check_of_recombinations_passes(part):
    check_recombination(part, backend="cuda")
