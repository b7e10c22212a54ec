"""Stretches of giant tours that are computed ahead are the same on both backends."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from tests.helpers.routing import giant_tours, random_cvrp
from tests.helpers.stretches import kept_stretches
from tests.routes.time_windows import some_windows

pytestmark = pytest.mark.gpu

LEVELS = pytest.mark.parametrize(("level", "parts"), [(0, None), (1, None), (2, (4, 16))])
MOVES = [gls.Relocate(3), gls.Exchange(2, 2), gls.TwoOptStar()]


def made(kind: str, customers: int) -> gls.CVRP:
    problem = random_cvrp(kind, customers, customers, capacity=40)
    return problem.with_resources(some_windows(problem, 1)) if problem.integer else problem


@LEVELS
@pytest.mark.parametrize("kind", ["duration", "directed duration", "real duration"])
def test_stretches_are_the_same(kind, level, parts):
    problem = made(kind, 90).with_hierarchy(level, parts)
    random, rows = np.random.default_rng(1), giant_tours(problem, 6, 2)
    first = random.integers(0, problem.n, (6, 400))
    ends = np.stack([first, first + random.integers(0, problem.n, first.shape)], axis=-1)
    host, device = (kept_stretches(problem, rows, ends, where) for where in ("cpu", "cuda"))
    for name in host.dtype.names:
        for field in ("head", "tail", "there", "routes"):
            if problem.integer or field == "routes":
                assert (host[name][field] == device[name][field]).all()
            else:
                one, other = (as_numbers(found[name][field]) for found in (host, device))
                np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


def as_numbers(values):
    return values if values.dtype.names is None else values["f0"]


@LEVELS
@pytest.mark.parametrize("kind", ["fleet", "duration", "directed duration"])
def test_searches_end_at_the_same_tours(kind, level, parts):
    problem = made(kind, 60)
    starts = giant_tours(problem, 24, 3)
    search = gls.LocalSearch(MOVES, candidates=gls.Nearest(8))
    found = search(problem, starts, seed=1, backend="cpu").tours
    for where in ("cpu", "cuda"):
        levelled = problem.with_hierarchy(level, parts)
        assert (search(levelled, starts, seed=1, backend=where).tours == found).all()


@LEVELS
@pytest.mark.parametrize("mode", ["masked", "fused", "openings"])
def test_modes_end_at_the_same_tours(mode, level, parts):
    problem = random_cvrp("fleet", 60, 5)
    starts = giant_tours(problem, 12, 6)
    part = gls.FilteredNeighbourhood(gls.TwoOpt(), gls.Everything(), mode=mode)
    search = gls.LocalSearch([part], candidates=gls.All(), pivoting=gls.Best())
    found = search(problem, starts, backend="cuda").tours
    assert (
        search(problem.with_hierarchy(level, parts), starts, backend="cuda").tours == found
    ).all()
