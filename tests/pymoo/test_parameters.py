"""Wrong parameters raise at once, and numbers of NumPy are accepted."""

from __future__ import annotations

import numpy as np
import pytest
from pymoo.core.population import Population
from pymoo.core.variable import Real
from pymoo.optimize import minimize
from pymoo.problems.single.knapsack import create_random_knapsack_problem

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import (
    InvalidParameterError,
    InvalidTourError,
    InvalidTypeError,
    UnknownPartError,
)
from gpu_ls_pymoo import (
    CanonicalTourRepair,
    DoubleBridgeMutation,
    LocalSearchMutation,
    LocalSearchSampling,
    MemeticGA,
    MemeticMating,
    SegmentCrossover,
    TourDuplicateElimination,
    TSPProblem,
)
from tests.adapters.test_contract import REFUSED
from tests.evolution.samples import rows

IMPROVING = (LocalSearchMutation, LocalSearchSampling, MemeticMating, MemeticGA)
DRAWING = (LocalSearchMutation, DoubleBridgeMutation, SegmentCrossover)
ITERATED = gls.IteratedLocalSearch()


@pytest.mark.parametrize("operator", (MemeticMating, MemeticGA))
@pytest.mark.parametrize(("options", "error", "message"), REFUSED)
def test_searches_and_limits(operator, options, error, message):
    with pytest.raises(error, match=message):
        operator(**options)


@pytest.mark.parametrize("operator", IMPROVING)
def test_other_callables_may_have_kicks(operator):
    operator(search=lambda problem, tours, **options: None, kicks=5)
    operator(search="iterated_local_search", kicks=0)


@pytest.mark.parametrize("operator", DRAWING)
@pytest.mark.parametrize(
    ("prob", "error"),
    [
        (7, InvalidParameterError),
        (-0.1, InvalidParameterError),
        (float("nan"), InvalidParameterError),
        (Real(7.0, bounds=(0.0, 1.0)), InvalidParameterError),
        ("often", InvalidTypeError),
        (None, InvalidTypeError),
        (True, InvalidTypeError),
    ],
)
def test_probabilities(operator, prob, error):
    with pytest.raises(error, match=r"prob: .* is not"):
        operator(prob=prob)


@pytest.mark.parametrize("operator", DRAWING)
def test_a_probability_may_be_pymoos(operator):
    variable = Real(0.5, bounds=(0.0, 1.0))
    made = operator(prob=variable)
    variable.set(0.25)
    assert made.prob.get() == 0.25
    assert operator(prob=Real(bounds=(0.0, 1.0))).prob.get() is None


OTHERS = {
    "segment too short": (lambda: DoubleBridgeMutation(segment=3), "segment: 3"),
    "segment no integer": (lambda: DoubleBridgeMutation(segment=7.0), "segment: 7.0"),
    "backend of a kick": (lambda: DoubleBridgeMutation(backend="gpu"), "backend: 'gpu'"),
    "shortest": (lambda: SegmentCrossover("a"), "shortest: 'a'"),
    "longest": (lambda: SegmentCrossover(0.5, 1.1), "longest: 1.1"),
    "NaN": (lambda: SegmentCrossover(float("nan")), "shortest: nan"),
    "exchanged": (lambda: SegmentCrossover(0.5, 0.2), "shortest, longest"),
    "no segment": (lambda: SegmentCrossover(0, 0.5), "shortest, longest"),
    "no construction": (lambda: LocalSearchSampling(3), "construction: 3"),
    "unknown construction": (lambda: LocalSearchSampling("random"), "did you mean 'random_tours'"),
    "pop_size 0": (lambda: MemeticGA(0), "pop_size: 0"),
    "pop_size text": (lambda: MemeticGA("5"), "pop_size: '5'"),
    "n_offsprings 0": (lambda: MemeticGA(5, n_offsprings=0), "n_offsprings: 0"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_parameters(name):
    make, message = OTHERS[name]
    with pytest.raises((InvalidParameterError, InvalidTypeError, UnknownPartError), match=message):
        make()


def test_numpys_numbers_are_numbers(tsp):
    three, half = np.int64(3), np.float32(0.5)
    parts = {
        "crossover": SegmentCrossover(np.float32(0.125), half, prob=half),
        "mutation": DoubleBridgeMutation(np.int64(20), prob=half),
        "search": ITERATED,
    }
    plain = {
        "crossover": SegmentCrossover(0.125, 0.5, prob=0.5),
        "mutation": DoubleBridgeMutation(20, prob=0.5),
        "search": ITERATED,
    }
    given = MemeticGA(np.int64(10), **parts, n_offsprings=three, moves=three, kicks=three)
    same = MemeticGA(10, **plain, n_offsprings=3, moves=3, kicks=3)
    runs = [minimize(TSPProblem(tsp), one, ("n_gen", 3), seed=1) for one in (given, same)]
    assert (runs[0].pop.get("X") == runs[1].pop.get("X")).all()
    improver = given.mating.search.improver
    numbers = (given.pop_size, given.n_offsprings, improver.moves, improver.kicks)
    numbers += (parts["mutation"].part.segment, parts["crossover"].shortest)
    assert [type(number) for number in numbers] == [int] * 5 + [float]


@pytest.mark.parametrize("size", [1, 2])
def test_populations_may_be_tiny(tsp, size):
    result = minimize(TSPProblem(tsp), MemeticGA(size), ("n_gen", 3), seed=1)
    assert result.algorithm.n_gen - 1 == 3


def test_empty_populations(tsp):
    problem, empty = TSPProblem(tsp), Population.empty()
    for operator in (LocalSearchMutation(), DoubleBridgeMutation(), CanonicalTourRepair()):
        assert len(operator(problem, empty, random_state=np.random.default_rng(0))) == 0
    assert len(TourDuplicateElimination().do(empty)) == 0
    with pytest.raises(InvalidParameterError, match="pop: no parents"):
        MemeticMating().do(problem, empty, 5)
    with pytest.raises(InvalidParameterError, match="n_offsprings: 0"):
        MemeticMating().do(problem, Population.new("X", rows(60, 3)), 0)
    with pytest.raises(InvalidParameterError, match="n_samples: 0"):
        LocalSearchSampling()(problem, 0)


KNAPSACK = create_random_knapsack_problem(20, seed=1)
WRONG_PROBLEM = {
    "mutation": lambda pop: LocalSearchMutation()(KNAPSACK, pop, seed=1),
    "kick": lambda pop: DoubleBridgeMutation()(KNAPSACK, pop, seed=1),
    "repair": lambda pop: CanonicalTourRepair()(KNAPSACK, pop),
    "sampling": lambda pop: LocalSearchSampling()(KNAPSACK, 5),
    "algorithm": lambda pop: minimize(KNAPSACK, MemeticGA(), ("n_gen", 2)),
}
WRONG_ROWS = {
    "crossover": lambda pop: SegmentCrossover()(KNAPSACK, pop, parents=np.array([[0, 1]])),
    "mating": lambda pop: MemeticMating().do(KNAPSACK, pop, 5),
    "duplicates": lambda pop: TourDuplicateElimination().do(pop),
}


@pytest.mark.parametrize("name", [*WRONG_PROBLEM, *WRONG_ROWS])
def test_a_problem_that_is_no_tour_is_refused(name):
    pop = Population.new("X", np.random.default_rng(0).random((5, 20)) < 0.5)
    message = (
        r"Knapsack has no permutations .* 20 binary variables .*TwoPointCrossover.*AssignmentProb"
        if name in WRONG_PROBLEM
        else "cities must be integers, not bool"
    )
    with pytest.raises(InvalidTypeError, match=message):
        (WRONG_PROBLEM | WRONG_ROWS)[name](pop)


def test_a_repair_names_rows_that_are_no_tours(tsp):
    tours = rows(60, 3)
    tours[1, 0] = tours[1, 1]
    with pytest.raises(InvalidTourError, match="tours: row 1"):
        CanonicalTourRepair()(TSPProblem(tsp), Population.new("X", tours))


def test_the_core_names_the_way_to_pymoos_problems(tsp):
    with pytest.raises(InvalidTypeError, match=r"is not a TSP; .*gpu_ls_pymoo\.as_tsp\(problem\)"):
        gls.LocalSearch()(TSPProblem(tsp), rows(60, 2))
