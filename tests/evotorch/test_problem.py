"""Problems of EvoTorch's adapter, and its operators in EvoTorch's own algorithm."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import (
    InvalidTourError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.plugins.loader import plugins
from tests.evolution.samples import cities, rows

N, SIZE = 40, 12
TSP = gls.TSP(cities(N), "EUC_2D")
LATENCY = gls.Latency(gls.TSP(cities(9), "EUC_2D"), start=4)


def wrapped(problem: Any = TSP, sampling: Any = None, seed: int | None = 1) -> Any:
    from gpu_ls_evotorch import DomainProblem

    return DomainProblem(problem, sampling, "cpu", seed)


def test_random_populations_are_solutions() -> None:
    batch = wrapped().generate_batch(SIZE)
    found = TSP.check(np.asarray(batch.values))
    assert str(batch.values.dtype) == "torch.int32" and len(np.unique(found, axis=0)) == SIZE
    assert np.array_equal(found, np.asarray(wrapped().generate_batch(SIZE).values))
    assert not np.array_equal(found, np.asarray(wrapped(seed=2).generate_batch(SIZE).values))
    LATENCY.check(np.asarray(wrapped(LATENCY).generate_batch(SIZE).values))


def test_states_need_a_sampling() -> None:
    from gpu_ls_evotorch import SuccessorSampling

    graph = gls.GraphColouring.queen(5, 5, 6)
    with pytest.raises(UnsupportedProblemError, match=r"SuccessorSampling\(problem\)"):
        wrapped(graph).generate_batch(3)
    batch = wrapped(graph, SuccessorSampling(graph)).generate_batch(SIZE)
    problem = wrapped(graph)
    problem.evaluate(batch)
    assert batch.evals[:, 0].tolist() == graph.cost(np.asarray(batch.values)).tolist()


def test_rows_that_are_no_tours_are_named() -> None:
    from tests.adapters.evotorch_face import batch_of

    wrong = rows(N, 3)
    wrong[1, 0] = wrong[1, 1]
    problem = wrapped()
    with pytest.raises(InvalidTourError, match="solutions: row 1"):
        problem.evaluate(batch_of(problem, wrong))


def test_problems_are_recognised_and_others_refused() -> None:
    assert plugins.problem_from(wrapped()) is TSP
    with pytest.raises(InvalidTypeError, match="no plugin turns"):
        wrapped(object())
    from evotorch import Problem

    from gpu_ls_evotorch import LocalSearchMutation

    other = Problem("min", lambda values: values.sum(), bounds=(0, 1), solution_length=3)
    with pytest.raises(InvalidTypeError, match="no plugin turns"):
        LocalSearchMutation(other)


def test_problems_are_copied_and_shown() -> None:
    problem = wrapped()
    assert repr(problem).startswith("DomainProblem(problem=<TSP")
    for other in (copy.deepcopy(problem), pickle.loads(pickle.dumps(wrapped(seed=None)))):
        batch = other.generate_batch(3)
        other.evaluate(batch)
        assert batch.evals[:, 0].tolist() == TSP.cost(np.asarray(batch.values)).tolist()


@pytest.mark.parametrize("part", [None, "edge_assembly", gls.OrderRecombination()], ids=str)
def test_operators_work_in_a_genetic_algorithm(part: Any) -> None:
    from evotorch.algorithms import GeneticAlgorithm

    from gpu_ls_evotorch import DoubleBridgeMutation, LocalSearchMutation, RecombinationCrossover

    problem = wrapped()
    operators = [
        RecombinationCrossover(problem, part, tournament_size=3),
        DoubleBridgeMutation(problem),
        LocalSearchMutation(problem),
    ]
    ga = GeneticAlgorithm(problem, operators=operators, popsize=SIZE)
    ga.run(2)
    assert TSP.cost(np.asarray(ga.population.values)).max() < TSP.cost(rows(N, 100)).min()
    assert ga.status["best_eval"] == TSP.cost(np.asarray(ga.population.values)).min()


def test_each_pair_has_two_children() -> None:
    from gpu_ls_evotorch import RecombinationCrossover

    problem = wrapped()
    batch = problem.generate_batch(SIZE)
    problem.evaluate(batch)
    assert len(RecombinationCrossover(problem)(batch)) == SIZE
    assert len(RecombinationCrossover(problem, num_children=30)(batch)) == 30


def test_rows_stay_distinct_where_nothing_is_copied() -> None:
    from gpu_ls_evotorch.distinct import kicked_twins, renewed
    from gpu_ls_plugin.evolution.timed_run import TimedRun
    from gpu_ls_plugin.evolution.tour_search import TourSearch

    search, state = TourSearch(TSP, backend="cpu"), np.random.default_rng(1)
    same = np.tile(rows(N, 1).astype(np.int32), (SIZE, 1))
    same[1] = np.roll(same[1], 3)
    found = renewed(search, same, state, TimedRun())
    assert len(np.unique(TSP.canonical(found), axis=0)) == SIZE
    assert (TSP.cost(found) < TSP.cost(same)).all()
    assert (same[0] == rows(N, 1)[0]).all()
    kept = kicked_twins(TSP, search.search.kick, same.copy(), state)
    assert (kept[0] == same[0]).all() and (kept[1:] != same[1:]).any(axis=1).all()
