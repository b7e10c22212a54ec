"""Algorithms and crossovers of pymoo on all problems of sequences."""

from __future__ import annotations

import numpy as np
import pytest
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.soo.nonconvex.brkga import BRKGA
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.core.population import Population
from pymoo.optimize import minimize

import gpu_ls_plugin as gls
import gpu_ls_pymoo as ours
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from tests.adapters.test_sequences import FRONT, PROBLEMS, checked, some_rows

STARTS = {"sampling": ours.LocalSearchSampling("random_sequences", backend="cpu")}
ALONE = (
    ours.OrderCrossover,
    ours.PartiallyMappedCrossover,
    ours.CycleCrossover,
    ours.SegmentCrossover,
    ours.EdgeRecombinationCrossover,
)
ALGORITHMS = {
    "memetic": lambda: ours.MemeticGA(6, backend="cpu"),
    "order": lambda: ours.MemeticGA(6, crossover=gls.OrderRecombination(), backend="cpu"),
    "partially mapped": lambda: ours.MemeticGA(
        6, crossover=gls.PartiallyMappedRecombination(), n_offsprings=8, backend="cpu"
    ),
    "cycle": lambda: ours.MemeticGA(6, crossover=ours.CycleCrossover(), backend="cpu"),
    "mutation": lambda: ours.MemeticGA(
        6, mutation=ours.PerturbationMutation("destroy_repair", backend="cpu"), backend="cpu"
    ),
    "mating": lambda: GA(6, mating=ours.MemeticMating(backend="cpu"), **STARTS),
    "nsga2": lambda: NSGA2(6, mating=ours.MemeticMating(backend="cpu"), **STARTS),
    "search": lambda: GA(
        6,
        crossover=ours.OrderCrossover(backend="cpu"),
        mutation=ours.LocalSearchMutation(backend="cpu"),
        **STARTS,
    ),
    "kicks": lambda: GA(
        6,
        crossover=ours.SegmentCrossover(backend="cpu"),
        mutation=ours.PerturbationMutation(gls.DestroyRepair(2), backend="cpu"),
        **STARTS,
    ),
}


@pytest.fixture(params=PROBLEMS)
def problem(request: pytest.FixtureRequest) -> gls.Sequence:
    return PROBLEMS[request.param]


@pytest.mark.parametrize("name", ALGORITHMS)
def test_algorithms_keep_their_best(problem, name):
    wrapped = ours.DomainProblem(problem)
    costs = []
    found = minimize(
        wrapped,
        ALGORITHMS[name](),
        ("n_gen", 3),
        seed=1,
        callback=lambda algorithm: costs.append(algorithm.pop.get("F").min()),
    )
    rows = np.atleast_2d(found.pop.get("X")).astype(np.int64)
    checked(problem, rows, len(rows))
    assert found.F[0] == pytest.approx(problem.compared(found.X)[0])
    assert problem.constrained or costs == sorted(costs, reverse=True)
    assert found.F[0] <= problem.compared(some_rows(problem, 100)).min()


def test_outside_a_run_no_row_becomes_worse(problem):
    pop = Population.new("X", some_rows(problem))
    before = problem.compared(pop.get("X"))
    ours.LocalSearchMutation(backend="cpu")(ours.DomainProblem(problem), pop, seed=1)
    assert (problem.compared(pop.get("X")) <= before).all()


@pytest.mark.parametrize("kind", ALONE)
def test_crossovers_keep_the_front(problem, kind):
    parents = Population.new("X", np.concatenate([some_rows(problem), some_rows(problem, seed=2)]))
    pairs = np.arange(len(parents)).reshape(2, -1).T
    crossover = kind(backend="cpu")
    made = crossover(
        ours.DomainProblem(problem), parents, pairs, random_state=np.random.default_rng(1)
    ).get("X")
    checked(problem, made)


@pytest.mark.parametrize("share", [0, 1])
def test_random_keys_encode_sequences(problem, share):
    keys = ours.RandomKeysProblem(problem, backend="cpu", local_search_probability=share)
    algorithm = BRKGA(n_elites=4, n_offsprings=6, n_mutants=2)
    found = minimize(keys, algorithm, ("n_gen", 3), seed=1)
    rows = keys.tours(found.pop)
    checked(problem, rows, len(rows))
    assert found.pop.get("F")[:, 0] == pytest.approx(problem.cost(rows))
    different = len(np.unique(rows, axis=0))
    assert len(np.unique(np.sort(keys.features(found.pop), axis=1), axis=0)) == different


def test_crossovers_that_need_lengths_are_refused_when_a_run_begins():
    for crossover in (gls.EdgeAssembly(), ours.PartitionCrossover(), gls.SplitRecombination()):
        with pytest.raises(UnsupportedProblemError, match="has no lengths"):
            ours.MemeticGA(6, crossover=crossover).setup(ours.DomainProblem(PROBLEMS["latency"]))
    assert PROBLEMS["latency"].front == (FRONT,)
