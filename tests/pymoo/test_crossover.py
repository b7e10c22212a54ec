"""Crossovers as pymoo operators."""

from __future__ import annotations

import numpy as np
import pytest
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.core.population import Population
from pymoo.operators.mutation.inversion import InversionMutation
from pymoo.operators.sampling.rnd import PermutationRandomSampling
from pymoo.optimize import minimize
from pymoo.problems.single.flowshop_scheduling import create_random_flowshop_problem

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import (
    InvalidParameterError,
    InvalidTourError,
    UnsupportedProblemError,
)
from gpu_ls_pymoo import (
    CanonicalTourRepair,
    CycleCrossover,
    EdgeAssemblyCrossover,
    EdgeRecombinationCrossover,
    MemeticGA,
    OrderCrossover,
    PartiallyMappedCrossover,
    PartitionCrossover,
    SegmentCrossover,
    TSPProblem,
)
from tests.helpers.random_problems import random_problem, random_tours

PROBLEM = random_problem("EUC_2D", 30, span=1000)
FACES = {
    EdgeAssemblyCrossover: gls.EdgeAssembly(),
    EdgeRecombinationCrossover: gls.EdgeRecombination(),
    PartitionCrossover: gls.PartitionRecombination(),
    OrderCrossover: gls.OrderRecombination(),
    PartiallyMappedCrossover: gls.PartiallyMappedRecombination(),
    CycleCrossover: gls.CycleRecombination(),
    SegmentCrossover: gls.SegmentRecombination(),
}
MEASURING = {EdgeAssemblyCrossover, PartitionCrossover}  # use lengths


class Size:
    def __init__(self, n: int) -> None:
        self.n_var = n


def crossed(operator, problem, parents, seed=7) -> np.ndarray:
    """Return the children of pairs, parents (2, P, n), which pymoo requests."""
    pop = Population.new("X", np.concatenate(parents))
    pairs = np.arange(len(pop)).reshape(2, -1).T
    return operator(problem, pop, pairs, random_state=np.random.default_rng(seed)).get("X")


def seed_of(size: int, seed: int = 7) -> int:
    """Return the seed that a part gets after pymoo has drawn which pairs are crossed."""
    state = np.random.default_rng(seed)
    state.random(size)
    return int(state.integers(2**63))


@pytest.mark.parametrize("face", FACES)
def test_children_are_those_of_the_part(face):
    tours, operator = random_tours(30, 10), face(backend="cpu")
    assert operator.part == FACES[face]
    expected = FACES[face].cross(PROBLEM, tours[:5], tours[5:], seed=seed_of(5), backend="cpu")
    parents = tours.reshape(2, 5, 30).astype(float)
    assert np.array_equal(crossed(operator, TSPProblem(PROBLEM), parents), expected)
    parents[1, 3, 4] = np.nan
    with pytest.raises(InvalidTourError, match="parents: row 3 holds nan at position 4"):
        crossed(operator, TSPProblem(PROBLEM), parents)


@pytest.mark.parametrize("face", FACES)
def test_permutations_of_other_problems(face):
    parents, flow_shop = random_tours(8, 10).reshape(2, 5, 8), create_random_flowshop_problem(3, 8)
    operator = face(backend="cpu")
    if face in MEASURING:
        with pytest.raises(UnsupportedProblemError, match=r"has no lengths, which .* compares"):
            crossed(operator, flow_shop, parents)
        return
    operator.prepare(flow_shop, 5)
    assert (np.sort(crossed(operator, flow_shop, parents)) == np.arange(8)).all()
    search = GA(
        pop_size=20,
        crossover=operator,
        sampling=PermutationRandomSampling(),
        mutation=InversionMutation(),
    )
    found = minimize(flow_shop, search, ("n_gen", 5), seed=1)
    assert sorted(found.X) == list(range(8))


@pytest.mark.parametrize("algorithm", [GA, NSGA2])
@pytest.mark.parametrize("face", FACES)
def test_algorithms_of_pymoo(face, algorithm):
    def run() -> tuple[float, list[int]]:
        given = {"sampling": PermutationRandomSampling(), "mutation": InversionMutation()}
        search = algorithm(pop_size=20, crossover=face(prob=0.9, backend="cpu"), **given)
        found = minimize(TSPProblem(PROBLEM), search, ("n_gen", 10), seed=1)
        tour = np.atleast_2d(found.X)[0].astype(int)
        assert PROBLEM.cost(tour)[0] == np.atleast_2d(found.F)[0, 0]
        return float(np.min(found.F)), tour.tolist()

    first = run()
    assert first == run()
    assert first[0] < PROBLEM.cost(random_tours(30, 200)).min()


def test_wrong_parameters():
    with pytest.raises(InvalidParameterError, match="backend"):
        PartitionCrossover(backend="tpu")
    with pytest.raises(InvalidParameterError, match="offspring"):
        EdgeAssemblyCrossover(offspring=0)
    with pytest.raises(InvalidParameterError, match="strategy"):
        EdgeAssemblyCrossover(strategy="tabu")
    assert EdgeAssemblyCrossover(strategy="block").part == gls.EdgeAssembly(strategy="block")


@pytest.mark.parametrize("face", FACES)
def test_a_memetic_algorithm_uses_the_part_of_an_operator(face):
    runs = []
    for crossover in (face(backend="cpu"), FACES[face]):
        algorithm = MemeticGA(12, crossover=crossover, backend="cpu")
        found = minimize(TSPProblem(PROBLEM), algorithm, ("n_gen", 4), seed=1)
        assert PROBLEM.cost(found.X.astype(int))[0] == found.F[0] <= found.data["start_best"]
        runs.append(found)
    assert type(runs[0].algorithm.evolution) is type(runs[1].algorithm.evolution)
    assert runs[0].pop.get("X").tolist() == runs[1].pop.get("X").tolist()


class Own(OrderCrossover):
    def _do(self, problem, parents, *args, **kwargs):
        return parents[:1]


@pytest.mark.parametrize(
    "crossover",
    [OrderCrossover(prob=0.5), OrderCrossover(repair=CanonicalTourRepair()), Own()],
    ids=["prob", "repair", "own"],
)
def test_an_operator_that_does_more_is_kept(crossover):
    algorithm = MemeticGA(12, crossover=crossover)
    minimize(TSPProblem(PROBLEM), algorithm, ("n_gen", 1), seed=1, copy_algorithm=False)
    assert algorithm.evolution is None and algorithm.mating.crossover is crossover
