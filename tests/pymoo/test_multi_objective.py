"""Several objectives in pymoo: its algorithms with our mutation, and MemeticNSGA2."""

from __future__ import annotations

import pickle
from copy import deepcopy

import numpy as np
import pytest
from pymoo.algorithms.moo.moead import MOEAD
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.moo.nsga3 import NSGA3
from pymoo.algorithms.moo.sms import SMSEMOA
from pymoo.core.population import Population
from pymoo.indicators.hv import HV
from pymoo.operators.crossover.ox import OrderCrossover
from pymoo.operators.mutation.inversion import InversionMutation
from pymoo.operators.sampling.rnd import PermutationRandomSampling
from pymoo.optimize import minimize
from pymoo.util.ref_dirs import get_reference_directions

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import (
    InvalidParameterError,
    InvalidTourError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.tours.fronts.front import non_dominated
from gpu_ls_pymoo import (
    CanonicalTourRepair,
    DirectionWeights,
    DoubleBridgeMutation,
    EdgeAssemblyCrossover,
    LocalSearchMutation,
    LocalSearchSampling,
    MemeticNSGA2,
    MultiObjectiveTSPProblem,
    ParetoLocalSearch,
    PositionWeights,
    RandomWeights,
    SegmentCrossover,
    Tchebycheff,
    TourDuplicateElimination,
    TSPProblem,
    as_tsp,
)
from tests.helpers.marks import slow_after
from tests.helpers.random_problems import random_problem, random_tours

PARTS = [random_problem("EUC_2D", 30, seed, 1000) for seed in range(3)]
PROBLEM, THREE = MultiObjectiveTSPProblem(PARTS[:2]), MultiObjectiveTSPProblem(PARTS)
DIRECTIONS = get_reference_directions("das-dennis", 2, n_partitions=9)
WORST = np.array([16_000.0, 16_000.0])


def parts(weights=None, **more):
    mutation = LocalSearchMutation(backend="cpu", weights=weights)
    sampling, crossover = PermutationRandomSampling(), SegmentCrossover()
    return {"sampling": sampling, "crossover": crossover, "mutation": mutation, **more}


def algorithms():
    yield NSGA2(pop_size=10, **parts())
    yield NSGA2(pop_size=10, **parts(eliminate_duplicates=TourDuplicateElimination()))
    yield NSGA2(pop_size=10, **parts(repair=CanonicalTourRepair()))
    yield NSGA3(DIRECTIONS, pop_size=10, **parts(RandomWeights()))
    yield MOEAD(DIRECTIONS, **parts(DirectionWeights(DIRECTIONS)))
    yield SMSEMOA(pop_size=10, **parts(PositionWeights(0.1)))
    yield NSGA2(pop_size=10, **parts(Tchebycheff()))
    yield MemeticNSGA2(10, backend="cpu")
    yield MemeticNSGA2(10, backend="cpu", weights=Tchebycheff(PositionWeights()))
    yield MemeticNSGA2(10, backend="cpu", weights=DirectionWeights(DIRECTIONS), pareto=None)
    yield MemeticNSGA2(10, "two_opt+or_opt/nearest(5)", backend="cpu", n_offsprings=4)


def name_of(algorithm):
    return type(algorithm).__name__


@pytest.mark.parametrize("algorithm", slow_after(6, algorithms()), ids=name_of)
def test_algorithms_find_better_fronts_than_without_a_search(algorithm):
    runs = [minimize(PROBLEM, deepcopy(algorithm), ("n_gen", 6), seed=3) for _ in range(2)]
    result = runs[0]
    assert np.array_equal(result.X, runs[1].X) and np.array_equal(result.F, runs[1].F)
    assert np.array_equal(PROBLEM.evaluate(result.X), result.F)
    assert len(non_dominated(result.F)) == len(np.unique(result.F, axis=0))
    plain = NSGA2(
        pop_size=10,
        sampling=PermutationRandomSampling(),
        crossover=OrderCrossover(),
        mutation=InversionMutation(),
    )
    known = minimize(PROBLEM, plain, ("n_gen", 6), seed=3)
    assert HV(ref_point=WORST)(result.F) > 1.3 * HV(ref_point=WORST)(known.F)


@pytest.mark.slow
@pytest.mark.parametrize(
    "make", slow_after(1, [lambda: MemeticNSGA2(10), lambda: NSGA2(pop_size=10, **parts())])
)
def test_three_objectives(make):
    result = minimize(THREE, make(), ("n_gen", 4), seed=1)
    assert np.array_equal(THREE.evaluate(result.X), result.F) and result.F.shape[1] == 3


@pytest.mark.slow
def test_real_lengths():
    problem = MultiObjectiveTSPProblem(
        [random_problem("EUC", 20, 1), random_problem("EXPLICIT_REAL", 20)]
    )
    for algorithm in (NSGA2(pop_size=10, **parts()), MemeticNSGA2(10, backend="cpu")):
        result = minimize(problem, algorithm, ("n_gen", 4), seed=1)
        assert np.array_equal(problem.evaluate(result.X), result.F)


def test_a_run_returns_the_archive():
    result = minimize(PROBLEM, MemeticNSGA2(10, backend="cpu"), ("n_gen", 10), seed=1)
    front = result.algorithm.front
    assert np.array_equal(result.F, front.costs) and len(result.F) > 10
    assert len(result.pop) == 10
    for own in result.pop.get("F"):
        assert (front.costs <= own).all(axis=1).any()
    small = MemeticNSGA2(10, backend="cpu", front_size=5)
    assert len(minimize(PROBLEM, small, ("n_gen", 5), seed=1).F) == 5


def test_time_limits_hold(clock):
    algorithm = MemeticNSGA2(50, backend="cpu")
    result = minimize(PROBLEM, algorithm, ("time", 3.0), seed=1)
    assert 3.0 <= result.exec_time < 6.0 and result.algorithm.n_gen > 2


def test_checkpoints_continue_identically():
    algorithm = MemeticNSGA2(10, backend="cpu")
    algorithm.setup(PROBLEM, termination=("n_gen", 6), seed=5)
    whole = deepcopy(algorithm).run()
    for _ in range(3):
        algorithm.next()
    again = pickle.loads(pickle.dumps(algorithm))
    assert np.array_equal(again.run().F, whole.F)


def test_ask_and_tell():
    algorithm = MemeticNSGA2(10, backend="cpu")
    algorithm.setup(PROBLEM, termination=("n_gen", 4), seed=5)
    while algorithm.has_next():
        children = algorithm.ask()
        algorithm.evaluator.eval(PROBLEM, children)
        algorithm.tell(infills=children)
    whole = minimize(PROBLEM, MemeticNSGA2(10, backend="cpu"), ("n_gen", 4), seed=5)
    assert np.array_equal(algorithm.result().F, whole.F)


def test_warm_starts():
    tours = random_tours(30, 10)
    algorithm = MemeticNSGA2(10, backend="cpu", sampling=tours)
    begun = minimize(PROBLEM, algorithm, ("n_gen", 1), seed=1)
    costs = PROBLEM.tours.cost(tours)
    assert np.array_equal(begun.F, costs[non_dominated(costs)])
    with pytest.raises(InvalidTourError, match="sampling"):
        minimize(PROBLEM, MemeticNSGA2(10, sampling=tours[:, :9]), ("n_gen", 1))


def test_asymmetric_lengths_have_parts_that_reverse_nothing():
    matrices = np.random.default_rng(0).integers(1, 99, (2, 12, 12))
    problem = MultiObjectiveTSPProblem(list(matrices))
    found = minimize(problem, MemeticNSGA2(10), ("n_gen", 4), seed=1)
    assert np.array_equal(found.F, problem.tours.cost(found.X))
    assert len(non_dominated(found.F)) == len(found.F)
    pop = Population.new("X", random_tours(12, 4))
    before = problem.evaluate(pop.get("X"))
    LocalSearchMutation()(problem, pop, seed=1)
    assert (problem.evaluate(pop.get("X")).sum(axis=1) < before.sum(axis=1)).all()


@pytest.mark.parametrize(
    "part", [{"pareto": ParetoLocalSearch()}, {"crossover": gls.EdgeAssembly()}]
)
def test_given_parts_are_refused_for_asymmetric_lengths(part):
    matrices = np.random.default_rng(0).integers(1, 99, (2, 12, 12))
    with pytest.raises(UnsupportedProblemError, match=r"asymmetric.*(pareto=None|OrderRecomb)"):
        minimize(MultiObjectiveTSPProblem(list(matrices)), MemeticNSGA2(10, **part), ("n_gen", 1))


@pytest.mark.parametrize(
    "operator",
    [LocalSearchSampling(), EdgeAssemblyCrossover(), gls.LocalSearch()],
    ids=lambda part: type(part).__name__,
)
def test_what_needs_one_length_is_refused(operator):
    with pytest.raises((UnsupportedProblemError, InvalidTypeError), match=r"several|not a TSP"):
        if isinstance(operator, LocalSearchSampling):
            operator.do(PROBLEM, 4)
        elif isinstance(operator, EdgeAssemblyCrossover):
            operator(PROBLEM, Population.new("X", random_tours(30, 4)), [[0, 1], [2, 3]])
        else:
            operator(PROBLEM.tours, random_tours(30, 2))


def test_kicks_need_no_lengths():
    operator = DoubleBridgeMutation(prob=1.0, backend="cpu")
    pop = PermutationRandomSampling().do(PROBLEM, 4, random_state=np.random.default_rng(0))
    before = pop.get("X").copy()
    assert (operator.do(PROBLEM, pop, random_state=1).get("X") != before).any(axis=1).all()


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({"pop_size": 1}, InvalidParameterError),
        ({"n_offsprings": 0}, InvalidParameterError),
        ({"front_size": 1}, InvalidParameterError),
        ({"backend": "tpu"}, Exception),
        ({"crossover": SegmentCrossover()}, InvalidTypeError),
        ({"weights": [1, 2]}, InvalidTypeError),
        ({"pareto": 3}, InvalidTypeError),
        ({"search": gls.random_tours}, InvalidParameterError),
    ],
)
def test_parameters_are_checked(parameters, error):
    with pytest.raises(error, match=next(iter(parameters))):
        MemeticNSGA2(**parameters)
    with pytest.raises(InvalidTypeError, match="weights"):
        LocalSearchMutation(weights=(1, 2))
    with pytest.raises(InvalidParameterError, match="tours"):
        ParetoLocalSearch(0)


def test_other_problems_are_refused():
    with pytest.raises(InvalidTypeError, match="MultiObjectiveTSPProblem"):
        minimize(TSPProblem(PARTS[0]), MemeticNSGA2(10), ("n_gen", 1))
    with pytest.raises(UnsupportedProblemError, match="several lengths"):
        as_tsp(PROBLEM)


def test_arguments_of_the_problem():
    problem = MultiObjectiveTSPProblem([part.coordinates for part in PARTS[:2]])
    tours = random_tours(30, 3)
    assert np.array_equal(problem.evaluate(tours), PROBLEM.evaluate(tours))
    assert deepcopy(problem) is problem
    core = gls.MultiObjectiveTSP(PARTS[:2], name="two")
    wrapped = MultiObjectiveTSPProblem(core)
    assert wrapped.tours is core and wrapped.name() == "two"
