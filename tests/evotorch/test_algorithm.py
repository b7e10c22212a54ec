"""`MemeticGA` of EvoTorch's adapter."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import (
    InvalidParameterError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.evolution.convergence import Stagnation
from tests.evolution.samples import cities, rows

N = 60
TSP = gls.TSP(cities(N), "EUC_2D", name="sixty")
ROUTING = gls.CVRP(cities(25, 3), [0] + [1] * 24, 8, metric="EUC_2D")
SHOP = gls.FlowShop(np.random.default_rng(1).integers(1, 100, (12, 4)))


def made(problem: Any = TSP, *args: Any, seed: int | None = 1, **options: Any) -> Any:
    """Return an algorithm on the CPU."""
    from gpu_ls_evotorch import DomainProblem, MemeticGA

    return MemeticGA(DomainProblem(problem, backend="cpu", seed=seed), *args, **options)


def values(algorithm: Any) -> Any:
    return np.asarray(algorithm.population.values)


@pytest.mark.parametrize("problem", [TSP, ROUTING, SHOP], ids=["tours", "routes", "sequences"])
def test_generations_are_those_of_solve(problem: Any) -> None:
    ga = made(problem, 10)
    assert len(ga.population) == 0
    ga.run(2)
    first = ga.status["pop_best_eval"]
    ga.run(3)
    found = problem.check(values(ga))
    assert ga.step_count == 5 and ga.status["iter"] == 5
    assert problem.feasible(found).all() if problem.constrained else True
    assert ga.population.evals[:, 0].tolist() == problem.cost(found).tolist()
    assert ga.status["pop_best_eval"] == problem.cost(found).min() <= first
    assert ga.status["best_eval"] == ga.status["pop_best_eval"]
    assert ga.status["local_search"].moves > 0


def test_the_optimum_is_found() -> None:
    best = gls.solve(TSP, seconds=1, backend="cpu").best_cost
    ga = made(TSP, 20)
    ga.run(15)
    assert ga.status["best_eval"] == best


@pytest.mark.parametrize(
    "options",
    [{}, {"crossover": gls.OrderRecombination()}, {"crossover": gls.EdgeAssembly(), "moves": 50}],
    ids=["planned", "each child is searched", "moves"],
)
def test_seeds_decide(options: dict[str, Any]) -> None:
    runs = [made(TSP, 8, seed=seed, **options) for seed in (1, 1, 2)]
    for ga in runs:
        ga.run(2)
    first, again, other = map(values, runs)
    assert np.array_equal(first, again) and not np.array_equal(first, other)


def test_children_are_searched_and_replace(diary: Any) -> None:
    search = diary()
    crossing = gls.OrderRecombination()
    ga = made(TSP, 6, search, crossover=crossing, num_children=4, restarts=Stagnation(1))
    ga.run(3)
    assert [call["rows"] for call in diary.calls][-1] in (4, 5)
    assert len(np.unique(TSP.canonical(values(ga)), axis=0)) == len(values(ga)) == 6


def test_rows_of_the_sampling_begin() -> None:
    from gpu_ls_evotorch import DomainProblem, LocalSearchSampling, MemeticGA

    sampling = LocalSearchSampling(TSP, backend="cpu")
    wrapped = DomainProblem(TSP, sampling, "cpu", seed=1)
    ga = MemeticGA(wrapped, 6, crossover=gls.OrderRecombination())
    ga.run(1)
    assert ga.status["best_eval"] <= TSP.cost(sampling(6, 1)).max()
    assert ga.status["worst_eval"] < TSP.cost(rows(N, 50)).min()


def test_a_time_limit_ends_a_run() -> None:
    ga = made(TSP, 5, seconds=0.2)
    assert not ga.is_terminated
    ended: list[Any] = []
    ga.end_of_run_hook.append(ended.append)
    ga.run()
    assert ga.is_terminated and ga.step_count >= 1 and len(ended) == 1
    before = values(ga)
    ga.step()
    assert np.array_equal(values(ga), before)


def test_an_interrupt_ends_a_run(diary: Any) -> None:
    diary.interrupt_at = 2
    ga = made(TSP, 6, diary(), crossover=gls.OrderRecombination())
    ga.run(1000)
    assert ga.is_terminated and ga.step_count < 5
    assert ga.status["best_eval"] == TSP.cost(values(ga)).min()


def test_states_are_searched() -> None:
    graph = gls.GraphColouring.queen(5, 5, 6)
    ga = made(graph, 8)
    ga.run(3)
    found = graph.check(values(ga))
    assert ga.status["best_eval"] <= graph.cost(found).min()


def test_wrong_arguments_are_refused() -> None:
    from gpu_ls_evotorch import DomainProblem, MemeticGA

    class Own(DomainProblem):
        def _evaluate_batch(self, batch: Any) -> None:
            batch.set_evals(batch.values.sum(dim=1))

    with pytest.raises(UnsupportedProblemError, match="Own has an _evaluate_batch of its own"):
        MemeticGA(Own(TSP, backend="cpu"))
    with pytest.raises(InvalidParameterError, match="popsize: 0"):
        made(TSP, 0)
    with pytest.raises(InvalidTypeError, match="search: 3"):
        made(TSP, 5, 3)
    with pytest.raises(InvalidParameterError, match="num_generations: missing"):
        made(TSP, 5).run()
    with pytest.raises(InvalidParameterError, match="seconds"):
        made(TSP, 5, seconds=-math.inf)
    assert repr(made(TSP, 5)) == "MemeticGA(problem=<DomainProblem>, popsize=5)"
