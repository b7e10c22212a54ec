"""Crossed chains of many instances: the children, and when chains are crossed."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.cuda import CudaBackend
from gpu_ls_plugin.defaults.rehearsal import Rehearsal
from gpu_ls_plugin.tours.engines.chains.chain_kernel import ChainState
from gpu_ls_plugin.tours.many import crossing, many_input, side_by_side
from gpu_ls_plugin.tours.many.side_by_side import NARROW, NARROW_DEGREE, replicas_of
from gpu_ls_plugin.tours.moves.composed import CandidateMoves
from tests.helpers.random_problems import random_problem

CPU = get_backend("cpu")
SEED, ROW, REPLICAS = 5, 100, 3
SIZES = (300, 17, 33)  # a warp of a block may follow one with a larger instance


BACKENDS = {
    "cpu": lambda: CPU,
    "rehearsal": lambda: Rehearsal(90),  # the kernel of a GPU, on the host
    "cuda": lambda: get_backend("cuda"),
    "cuda, one multiprocessor": lambda: get_backend("cuda"),  # several warps a block
}
CUDA = [name for name in BACKENDS if name.startswith("cuda")]


@pytest.mark.parametrize(
    "name", [*list(BACKENDS)[:2], *(pytest.param(n, marks=pytest.mark.gpu) for n in CUDA)]
)
@pytest.mark.parametrize("metric", ["EUC_2D", "EUC"])
def test_children_are_those_of_each_instance_alone(
    metric: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crossing, "GENERATIONS", 2)
    if name.endswith("one multiprocessor"):
        monkeypatch.setattr(CudaBackend, "processors", 1)
    backend = BACKENDS[name]()
    xp, on_host = backend.xp, backend.to_numpy
    problems = [random_problem(metric, n, span=1000) for n in SIZES]
    (group,) = many_input.instances_of(problems)
    parts = group.composed(backend, NARROW, NARROW_DEGREE)
    assert bool(parts.grid) == (metric == "EUC_2D" and name != "cpu")
    cut = group.parts(backend, parts, np.arange(len(SIZES)), math.inf)
    assert cut is not None
    rings = np.tile(np.arange(max(SIZES), dtype=np.int32), (len(SIZES) * REPLICAS, 1))
    for row, ring in enumerate(rings):
        own = ring[: SIZES[row // REPLICAS]]
        own[:] = np.random.default_rng(row).permutation(own)
    costs = group.costs(backend, parts, cut, xp.asarray(rings))
    units = xp.ones(len(rings), "float32")
    state = ChainState(xp, xp.array(rings), costs.copy(), units, current_is_best=False)
    state.start = SimpleNamespace(backend=backend)
    made = crossing.Crossing(backend, group.metric, parts, cut, state, SEED, ROW)
    made.cross_all(math.inf)
    assert (state.best_costs < costs).any()
    current, best = on_host(state.tours), on_host(state.best_tours)
    costs, best_costs = on_host(state.costs), on_host(state.best_costs)
    for part, problem in enumerate(problems):
        rows = slice(REPLICAS * part, REPLICAS * (part + 1))
        tours, own_costs = alone(problem, rings[rows, : problem.n], ROW + rows.start)
        np.testing.assert_array_equal(best[rows, : problem.n], tours)
        np.testing.assert_array_equal(current[rows, : problem.n], tours)
        np.testing.assert_allclose(best_costs[rows], own_costs, rtol=1e-12)
        np.testing.assert_allclose(costs[rows], problem.cost(tours), rtol=1e-12)


def alone(problem: gls.TSP, tours: Any, first_row: int) -> tuple[Any, Any]:
    """Cross the chains of one instance by `EdgeAssembly`."""
    parts = CandidateMoves(CPU, problem, NARROW, gls.Quadrant(NARROW_DEGREE))
    own = gls.EdgeAssembly(offspring=crossing.OFFSPRING).workspace(
        CPU, problem, len(tours), seed=SEED, first_row=first_row, parts=parts
    )
    tours, costs = tours.copy(), problem.cost(tours)
    for generation, distance in enumerate((1, 2)):
        partners = ((np.arange(len(tours)) + distance) % len(tours)).astype(np.int32)
        children, found = own.cross(tours, costs, tours.copy(), partners, generation=generation)
        tours, costs = children.copy(), found.copy()
    return tours, costs


def test_a_time_limit_allows_crossing(monkeypatch: pytest.MonkeyPatch) -> None:
    crossed: list[float] = []
    cross_all = crossing.Crossing.cross_all
    monkeypatch.setattr(
        crossing.Crossing, "cross_all", lambda *given: crossed.append(given[1]) or cross_all(*given)
    )
    points = np.random.default_rng(1).random((4, 30, 2))
    gls.solve_many(points, kicks=3, seconds=math.inf, replicas=2, backend="cpu")
    assert not crossed  # chains are the same on every backend
    found = gls.solve_many(points, 0.1, backend="cpu")
    assert len(crossed) == len(side_by_side.CROSSED_AFTER)
    for own, tour, cost in zip(points, found.tours, found.costs, strict=True):
        assert gls.TSP(own, "EUC").cost(tour)[0] == cost


def test_the_number_of_chains_depends_on_the_time() -> None:
    backend: Any = SimpleNamespace(processors=2)

    def replicas(seconds: float | None, fit: int = 10**6, n: int = 100, slots: int = 2) -> int:
        return replicas_of(backend, slots, 300, n, fit, 300 * n, seconds)

    assert [replicas(s) for s in (1.0, 0.1, 0.01, 0.0)] == [8, 2, 1, 1]
    assert replicas(None) == replicas(math.inf) == 1
    assert replicas(1.0, fit=900) == 3
    assert [replicas(s, n=1000) for s in (1.0, 100.0)] == [2, 24]
    assert replicas(0.0, slots=6000) == replicas(1.0, slots=6000) == 20
