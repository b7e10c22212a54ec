"""Problems of pymoo whose rows are sequences: pymoo's flow shop, and any other objective."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.core.population import Population
from pymoo.core.problem import ElementwiseProblem, Problem
from pymoo.operators.crossover.ox import OrderCrossover
from pymoo.operators.sampling.rnd import PermutationRandomSampling
from pymoo.optimize import minimize
from pymoo.problems.single.flowshop_scheduling import FlowshopScheduling

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import (
    InvalidParameterError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.plugins.hookspecs import hookimpl
from gpu_ls_plugin.plugins.loader import plugins
from gpu_ls_pymoo import (
    CycleCrossover,
    DomainProblem,
    DoubleBridgeMutation,
    EdgeAssemblyCrossover,
    LocalSearchMutation,
    LocalSearchSampling,
    MemeticGA,
    MemeticMating,
    PerturbationMutation,
    RandomWeights,
    Tchebycheff,
    as_sequence,
    as_tsp,
)
from gpu_ls_pymoo import OrderCrossover as OurOrderCrossover
from gpu_ls_pymoo.problems import fitness

TIMES = np.random.default_rng(1).integers(1, 50, (4, 9))  # machines, jobs
SHOP = FlowshopScheduling(TIMES)
ROWS = np.random.default_rng(2).permuted(np.tile(np.arange(9), (12, 1)), axis=1)


class Costlier(FlowshopScheduling):
    """A flow shop whose first job costs extra."""

    def _evaluate(self, x, out, *args, **kwargs):
        out["F"] = self.makespan(x) + 100.0 * x[0]


class Several(Problem):
    """Two objectives and a constraint: item 0 must come before item 1."""

    def __init__(self, n=6):
        super().__init__(n_var=n, n_obj=2, n_ieq_constr=1, xl=0, xu=n - 1, vtype=int)

    def _evaluate(self, x, out, *args, **kwargs):
        places = np.argsort(x, axis=1)
        out["F"] = np.column_stack([places[:, 2], x[:, 0]])
        out["G"] = places[:, 0] - places[:, 1]


class OneByOne(ElementwiseProblem):
    """The number of items away from their places."""

    def __init__(self, n=5):
        super().__init__(n_var=n, n_obj=1, xl=0, xu=n - 1, vtype=int)

    def _evaluate(self, x, out, *args, **kwargs):
        out["F"] = float((x != np.arange(len(x))[::-1]).sum())


def test_a_flow_shop_of_pymoo_becomes_a_compiled_one():
    problem = as_sequence(SHOP)
    assert isinstance(problem, gls.FlowShop)
    assert problem.cost(ROWS).tolist() == [SHOP.makespan(row) for row in ROWS]


@pytest.mark.parametrize("shop", [SHOP, FlowshopScheduling(TIMES + 0.25)], ids=["integer", "real"])
def test_operators_improve_an_unchanged_flow_shop(shop):
    for mutation in (LocalSearchMutation(backend="cpu"), PerturbationMutation()):
        algorithm = GA(
            8, PermutationRandomSampling(), crossover=OrderCrossover(), mutation=mutation
        )
        found = minimize(shop, algorithm, ("n_gen", 3), seed=1)
        assert np.isclose(found.F[0], shop.makespan(found.X))
    searched = minimize(shop, MemeticGA(8, backend="cpu"), ("n_gen", 3), seed=1)
    assert searched.F[0] <= found.F[0]


def test_a_subclass_is_evaluated_as_it_says():
    problem = as_sequence(Costlier(TIMES))
    assert not isinstance(problem, gls.FlowShop)
    assert problem.cost(ROWS).tolist() == [SHOP.makespan(row) + 100 * row[0] for row in ROWS]
    changed = FlowshopScheduling(TIMES)
    changed.makespan = lambda x: 7.0
    assert as_sequence(changed).cost(ROWS).tolist() == [7.0] * len(ROWS)


def test_objectives_get_weights_and_constraints_a_price():
    problem = as_sequence(Several(), weights=[2, 1], price=50)
    row = np.array([[3, 1, 0, 2, 4, 5]])
    assert problem.cost(row).tolist() == [2 * 3 + 3]
    assert problem.excess(row).tolist() == [1]
    assert problem.compared(row).tolist() == [9 + 50]
    assert as_sequence(Several(), weights=[2, 1]).objective.price >= 1


def test_elementwise_problems_are_sequences():
    assert as_sequence(OneByOne()).cost([[4, 3, 2, 1, 0], [0, 3, 2, 1, 4]]).tolist() == [0, 2]


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: as_sequence(3), InvalidTypeError, "not a problem of pymoo"),
        (lambda: as_sequence(Several()), InvalidParameterError, "weight for each"),
        (lambda: as_sequence(Several(), weights=[1]), InvalidParameterError, "2 finite numbers"),
        (lambda: as_sequence(Several(), [1, 2], price=-1), InvalidParameterError, "price"),
    ],
)
def test_bad_arguments_are_named(make, error, words):
    with pytest.raises(error, match=words):
        make()


class Places(Problem):
    """Distances of items from their places, and the size of steps; notes what it evaluates."""

    def __init__(self, n=7, n_obj=2, **more):
        super().__init__(n_var=n, n_obj=n_obj, xl=0, xu=n - 1, vtype=int, **more)
        self.sizes = []

    def _evaluate(self, x, out, *args, **kwargs):
        self.sizes.append(len(x))
        places = np.abs(x - np.arange(self.n_var)[::-1]).sum(axis=1)
        out["F"] = np.column_stack([places, np.abs(np.diff(x, axis=1)).sum(axis=1)])[
            :, : self.n_obj
        ]
        if self.n_eq_constr:
            out["H"] = x[:, 0] - 3 + 5e-5


def population(n, size, seed=1):
    random = np.random.default_rng(seed)
    return Population.new("X", np.array([random.permutation(n) for _ in range(size)]))


GENETIC = {"sampling": PermutationRandomSampling(), "crossover": OrderCrossover()}
SEVERAL_OBJECTIVES = {
    "mutation": lambda: NSGA2(12, mutation=LocalSearchMutation(weights=RandomWeights()), **GENETIC),
    "mating": lambda: NSGA2(12, PermutationRandomSampling(), mating=MemeticMating()),
    "kicks": lambda: NSGA2(12, mutation=PerturbationMutation(), **GENETIC),
    "repair": lambda: NSGA2(12, mutation=PerturbationMutation(gls.DestroyRepair(2)), **GENETIC),
    "sampling": lambda: NSGA2(
        12, LocalSearchSampling(), crossover=OrderCrossover(), mutation=PerturbationMutation()
    ),
}


@pytest.mark.parametrize("name", SEVERAL_OBJECTIVES)
def test_several_objectives_are_searched_with_weights(name):
    problem = Places()
    found = minimize(problem, SEVERAL_OBJECTIVES[name](), ("n_gen", 6), seed=1)
    assert np.array_equal(problem.evaluate(found.pop.get("X")), found.pop.get("F"))
    every = Places().evaluate(np.array(list(permutations(range(7)))))
    if name in ("mutation", "mating"):
        ends = [every[:, k].min() for k in (0, 1)]
        assert found.F.min(axis=0).tolist() == ends
    with pytest.raises(UnsupportedProblemError, match="add up objectives"):
        LocalSearchMutation(weights=Tchebycheff())(problem, population(7, 3))


def test_each_row_has_weights_of_its_own():
    rows = np.tile(np.random.default_rng(5).permutation(7), (20, 1))
    pop = Population.new("X", rows)
    LocalSearchMutation(weights=RandomWeights())(Places(), pop, seed=1)
    found = Places().evaluate(pop.get("X"))
    assert len(np.unique(found, axis=0)) > 1
    every = Places().evaluate(np.array(list(permutations(range(7)))))
    for costs in found:  # a local optimum of a weighted sum is hardly dominated
        assert ((every <= costs).all(axis=1) & (every < costs).any(axis=1)).mean() < 0.01


def test_a_search_changes_neither_the_problem_nor_calls_its_callback():
    problem = Places(n_obj=1, callback=lambda *_: pytest.fail("called by a search"))
    pop = population(7, 4)
    LocalSearchMutation()(problem, pop)
    assert problem.sizes == [] and pop.get("X").tolist() == [[6, 5, 4, 3, 2, 1, 0]] * 4


def test_equality_constraints_have_the_tolerance_of_pymoo():
    problem = as_sequence(Places(n_obj=1, n_eq_constr=1))
    rows = np.array([[3, 6, 5, 4, 2, 1, 0], [4, 6, 5, 3, 2, 1, 0]])
    assert problem.excess(rows) == pytest.approx([0, 1 - 5e-5])
    assert problem.feasible(rows).tolist() == [True, False]
    found = minimize(Places(n_obj=1, n_eq_constr=1), MemeticGA(6), ("n_gen", 3), seed=1)
    assert found.X[0] == 3 and found.CV[0] == 0
    assert found.F[0] == 6


def test_the_price_follows_from_the_violations():
    class Small(Several):
        def _evaluate(self, x, out, *args, **kwargs):
            super()._evaluate(x, out)
            out["G"] = out["G"] / 1000

    usual, small = (as_sequence(kind(), weights=[1, 1]) for kind in (Several, Small))
    assert usual.objective.price * 100 < small.objective.price


def test_a_plugin_is_asked_first():
    class Says:
        @staticmethod
        @hookimpl
        def gpu_ls_problem_from(obj):
            return gls.TSP(np.eye(7)[:, :2]) if isinstance(obj, Places) else None

    plugins.add(Says(), "says")
    try:
        assert isinstance(as_tsp(Places()), gls.TSP)
    finally:
        plugins.clear()
    assert isinstance(as_tsp(Places(n_obj=1)), gls.Sequence)


@pytest.mark.parametrize("real", [False, True])
def test_fitness_of_a_flow_shop_is_that_of_pymoo(real):
    times = np.random.default_rng(5).random((5, 12)) if real else TIMES
    shop = FlowshopScheduling(times)
    rows = np.random.default_rng(3).permuted(np.tile(np.arange(times.shape[1]), (50, 1)), axis=1)
    assert fitness(shop, rows).tolist() == shop.evaluate(rows)[:, 0].tolist()
    assert fitness(Costlier(TIMES), ROWS).tolist() == Costlier(TIMES).evaluate(ROWS)[:, 0].tolist()
    assert fitness(Several(), ROWS) is None


def test_a_flow_shop_with_many_machines_is_evaluated_by_pymoo():
    shop = FlowshopScheduling(np.ones((200, 3), int))
    problem = as_sequence(shop)
    assert not isinstance(problem, gls.FlowShop)
    assert problem.cost([[0, 1, 2]]).tolist() == [202]


def test_two_integers_may_be_binary():
    with pytest.raises(InvalidTypeError, match="Binary"):
        as_tsp(Problem(n_var=2, n_obj=1, xl=0, xu=1, vtype=int))


@pytest.mark.parametrize("crossover", [gls.OrderRecombination(), gls.CycleRecombination()])
def test_crossovers_of_rows_suit_sequences(crossover):
    problem = Costlier(TIMES)
    found = minimize(problem, MemeticGA(8, crossover=crossover), ("n_gen", 3), seed=1)
    assert found.F[0] == problem.evaluate(found.X)[0]
    every = as_sequence(SHOP).cost(list(permutations(range(9)))).min()
    assert every <= found.F[0] <= every + 8


def test_parts_that_need_lengths_are_refused():
    for use in (
        lambda: MemeticGA(8, crossover=gls.EdgeAssembly()).setup(SHOP),
        lambda: minimize(
            SHOP, GA(8, crossover=EdgeAssemblyCrossover(), sampling=ROWS), ("n_gen", 2)
        ),
    ):
        with pytest.raises(UnsupportedProblemError, match="has no lengths"):
            use()


def test_kicks_of_rows_suit_sequences():
    for problem in (SHOP, DomainProblem(as_sequence(SHOP)), Several(9)):
        pop = population(9, 5)
        before = pop.get("X").copy()
        DoubleBridgeMutation()(problem, pop, seed=1)
        assert (np.sort(pop.get("X"), axis=1) == np.arange(9)).all()
        assert (pop.get("X") != before).any(axis=1).all()


@pytest.mark.parametrize(
    "problem",
    [SHOP, Costlier(TIMES), Places(9, 1), OneByOne(9), Several(9)],
    ids=lambda p: p.name(),
)
def test_all_operators_take_problems_of_pymoo_as_they_are(problem):
    mutations = (
        LocalSearchMutation(),
        PerturbationMutation(),
        PerturbationMutation("destroy_repair"),
        PerturbationMutation("restart"),
        DoubleBridgeMutation(),
    )
    for mutation in mutations:
        algorithm = NSGA2(6, LocalSearchSampling(), crossover=CycleCrossover(), mutation=mutation)
        found = minimize(problem, algorithm, ("n_gen", 3), seed=1)
        rows, evaluated = found.pop.get("X"), problem.evaluate(found.pop.get("X"))
        assert (np.sort(rows, axis=1) == np.arange(9)).all()
        costs = evaluated[0] if isinstance(evaluated, tuple) else evaluated
        assert found.pop.get("F") == pytest.approx(costs)


def test_mating_suits_sequences():
    mating = MemeticMating()
    off = mating.do(SHOP, population(9, 5), 4)
    assert isinstance(mating.crossover, OurOrderCrossover)
    assert isinstance(mating.mutation, PerturbationMutation)
    assert off.get("F")[:, 0].tolist() == [SHOP.makespan(row) for row in off.get("X")]


def test_a_sequence_with_a_fixed_front_is_a_problem_of_pymoo():
    cities = gls.TSP(np.random.default_rng(3).random((7, 2)), "EUC")
    problem = DomainProblem(gls.Latency(cities, start=2))
    found = minimize(problem, MemeticGA(6, backend="cpu"), ("n_gen", 2), seed=1)
    assert found.X[0] == 2
