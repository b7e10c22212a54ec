"""Random keys: decoding, writing back, and the algorithms over real numbers that use them."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import cloudpickle
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pymoo.algorithms.soo.nonconvex.brkga import BRKGA
from pymoo.algorithms.soo.nonconvex.cmaes import CMAES, SimpleCMAES
from pymoo.algorithms.soo.nonconvex.de import DE
from pymoo.algorithms.soo.nonconvex.es import ES
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.algorithms.soo.nonconvex.pso import PSO
from pymoo.core.evaluator import Evaluator
from pymoo.core.population import Population
from pymoo.optimize import minimize
from pymoo.problems import get_problem
from pymoo.problems.single.flowshop_scheduling import create_random_flowshop_problem
from pymoo.problems.single.traveling_salesman import TravelingSalesman

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTypeError
from gpu_ls_pymoo import (
    LocalSearchMutation,
    LocalSearchSampling,
    MemeticGA,
    MemeticMating,
    RandomKeysProblem,
    TSPProblem,
    as_tsp,
)
from gpu_ls_pymoo.random_keys import decode, encode
from tests.evolution.samples import cities, rows
from tests.helpers.marks import diagonal

if TYPE_CHECKING:
    from collections.abc import Callable


ALGORITHMS: dict[str, Callable[[], Any]] = {
    "BRKGA": lambda: BRKGA(4, 8, 2),
    "BRKGA without duplicates": lambda: BRKGA(4, 8, 2, eliminate_duplicates=True),
    "DE": lambda: DE(10),
    "PSO": lambda: PSO(10),
    "GA": lambda: GA(10),
    "ES": lambda: ES(n_offsprings=20),
    "CMAES": lambda: CMAES(pop_size=10),
    "SimpleCMAES": SimpleCMAES,
}


def random_keys(size: int, n: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).random((size, n))


def evaluated(problem: RandomKeysProblem, keys: Any) -> Population:
    pop = Population.new(X=keys)
    Evaluator().eval(problem, pop)
    return pop


# ---- keys and tours


@given(st.integers(1, 12), st.integers(1, 5), st.integers(0, 99))
def test_keys_of_a_tour_stand_for_it_and_are_the_same_numbers(n, size, seed):
    keys, tours = random_keys(size, n, seed), rows(n, size, seed + 1).astype(np.int32)
    kept = keys.copy()
    written = encode(keys, tours)
    assert decode(written).dtype == np.int32
    assert (decode(written) == tours).all()
    assert (np.sort(written, axis=1) == np.sort(keys, axis=1)).all()
    assert (keys == kept).all()


@given(st.integers(2, 12), st.lists(st.sampled_from([0.0, 0.5, 1.0, float("nan")]), min_size=1))
def test_equal_keys_are_spread(n, numbers):
    """Repairs put keys on the bounds, where they are equal."""
    keys, tours = np.resize(numbers, (3, n)), rows(n, 3).astype(np.int32)
    keys[0] = np.linspace(0, 1, n)
    written = encode(keys, tours)
    assert (decode(written) == tours).all()
    assert ((written >= 0) & (written <= 1)).all()
    assert (np.sort(written[0]) == keys[0]).all()  # other rows are not changed


def test_equal_keys_are_decoded_by_number():
    assert decode(np.array([[0.5, 0.1, 0.5, 0.1]])).tolist() == [[1, 3, 0, 2]]
    many = decode(np.tile([0.5, 0.1], 500)[np.newaxis])
    assert many[0].tolist() == [*range(1, 1000, 2), *range(0, 1000, 2)]


# ---- evaluation


def test_lamarckian_keys_stand_for_the_improved_tour(tsp):
    problem, keys = RandomKeysProblem(tsp), random_keys(20, 60)
    pop = evaluated(problem, keys)
    tours = problem.decode(pop.get("X"))
    before = tsp.cost(problem.decode(keys))
    assert (pop.get("F")[:, 0] < before).all()
    assert pop.get("F")[:, 0].tolist() == tsp.cost(tours).tolist()
    assert (np.sort(pop.get("X"), axis=1) == np.sort(keys, axis=1)).all()
    assert (problem.tours(pop) == tours).all()


def test_baldwinian_keys_stay(tsp):
    problem, keys = RandomKeysProblem(tsp, lamarckian_share=0), random_keys(20, 60)
    pop = evaluated(problem, keys)
    assert (pop.get("X") == keys).all()
    assert pop.get("F")[:, 0].tolist() == tsp.cost(problem.tours(pop)).tolist()
    assert (pop.get("F")[:, 0] < tsp.cost(problem.decode(keys))).all()
    assert problem.tours(pop[3]).tolist() == problem.tours(pop)[3:4].tolist()
    fresh = Population.new(X=keys)
    assert (problem.tours(fresh) == problem.decode(keys)).all()


def test_the_probability_and_the_share_are_those_of_rows(tsp, diary):
    problem = RandomKeysProblem(tsp, diary(), local_search_probability=0.5, lamarckian_share=0.3)
    keys = random_keys(1000, 60)
    pop = evaluated(problem, keys)
    searched = pop.get("F")[:, 0] < tsp.cost(problem.decode(keys))
    rewritten = (pop.get("X") != keys).any(axis=1)
    assert [call["rows"] for call in diary.calls] == [searched.sum()]  # one batch
    assert 430 < searched.sum() < 570
    assert 100 < rewritten.sum() < 200
    assert not (rewritten & ~searched).any()
    assert pop.get("F")[:, 0].tolist() == tsp.cost(problem.tours(pop)).tolist()


@pytest.mark.parametrize(
    ("search", "limit"),
    [
        (None, (None, 7)),
        ("two_opt", (None, 7)),
        (gls.IteratedLocalSearch(), (7, None)),
        ("iterated_local_search(two_opt+or_opt, double_bridge(50), better)", (7, None)),
    ],
)
def test_intensity_is_kicks_or_moves(search, limit):
    problem = RandomKeysProblem(gls.TSP(cities(9)), search, local_search_intensity=7)
    assert (problem.improver.kicks, problem.improver.moves) == limit


def test_without_search_any_permutation_is_decoded():
    flowshop, keys = create_random_flowshop_problem(3, 8), random_keys(5, 8)
    problem = RandomKeysProblem(flowshop, local_search_probability=0)
    expected = [flowshop.makespan(order) for order in decode(keys)]
    assert problem.evaluate(keys)[:, 0] == pytest.approx(expected)
    assert minimize(problem, BRKGA(4, 8, 2), ("n_gen", 3), seed=1).F[0] <= 8 * 3 * 100


def test_pymoos_problem_and_the_optimum():
    pymoo = TravelingSalesman(cities(30) / 7)
    problem, keys = RandomKeysProblem(pymoo), random_keys(5, 30)
    pop = evaluated(problem, keys)
    assert pop.get("F").tolist() == pymoo.evaluate(problem.tours(pop)).tolist()
    known = TSPProblem(gls.TSP(cities(5), "EUC_2D", optimum=7, name="five"))
    assert RandomKeysProblem(known).pareto_front().tolist() == [[7.0]]
    assert RandomKeysProblem(known).name() == "five"


# ---- runs


@pytest.mark.parametrize(("name", "share"), diagonal(ALGORITHMS, [0, 0.5, 1]))
def test_algorithms_over_real_numbers(tsp, name, share):
    problem = RandomKeysProblem(tsp, local_search_intensity=10, lamarckian_share=share)
    found = [minimize(problem, ALGORITHMS[name](), ("n_gen", 4), seed=1) for _ in range(2)]
    result = found[0]
    assert result.F.tolist() == found[1].F.tolist()
    assert (result.X == found[1].X).all()
    assert result.F[0] == tsp.cost(problem.tours(result.opt))[0]
    assert result.F[0] < tsp.cost(rows(60, 200)).min()
    assert result.data["local_search"].climbs == result.algorithm.evaluator.n_eval
    if share == 1:
        assert result.F[0] == tsp.cost(problem.decode(result.X))[0]


@pytest.mark.parametrize("name", ["BRKGA", "DE", "PSO", "GA"])
def test_searches_hold_the_time_limit(name, clock):
    """Uncut, the first batch would make a thousand million kicks."""
    search = gls.IteratedLocalSearch()
    problem = RandomKeysProblem(gls.TSP(cities(300)), search, local_search_intensity=10**9)
    problem.prepare(10)
    result = minimize(problem, ALGORITHMS[name](), ("time", 2), seed=1)
    assert 2 <= result.exec_time <= 2.5
    assert result.data["local_search"].kicks > 0


def test_a_problem_is_not_copied_but_pickles(tsp):
    problem = RandomKeysProblem(tsp)
    assert copy.deepcopy(problem) is problem
    loaded = cloudpickle.loads(cloudpickle.dumps(problem))
    assert (loaded.evaluate(random_keys(3, 60)) == problem.evaluate(random_keys(3, 60))).all()


# ---- refusals


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"local_search_probability": 1.5}, InvalidParameterError, "local_search_probability: 1.5"),
        ({"lamarckian_share": -1}, InvalidParameterError, "lamarckian_share: -1"),
        ({"local_search_intensity": 0}, InvalidParameterError, "local_search_intensity: 0"),
        ({"search": 3}, InvalidTypeError, "search: 3 is neither"),
        ({"search": 3, "local_search_intensity": 5}, InvalidTypeError, "search: 3 is neither"),
        ({"backend": "gpu"}, InvalidParameterError, "backend: 'gpu'"),
        ({"seed": -1}, InvalidParameterError, "seed: -1"),
        ({"problem": get_problem("zdt1")}, InvalidTypeError, "ZDT1 into a problem; pass TSPP"),
        ({"problem": 3, "local_search_probability": 0}, InvalidTypeError, "problem: int is not"),
    ],
)
def test_wrong_parameters(tsp, options, error, message):
    with pytest.raises(error, match=message):
        RandomKeysProblem(**{"problem": tsp, **options})


FLOWSHOP = create_random_flowshop_problem(3, 8)


@pytest.mark.parametrize(
    "use",
    [
        lambda: as_tsp(FLOWSHOP),
        lambda: MemeticGA(10).setup(FLOWSHOP),
        lambda: LocalSearchMutation().prepare(FLOWSHOP),
        lambda: LocalSearchMutation()(FLOWSHOP, Population.new(X=rows(8, 3))),
        lambda: LocalSearchSampling()(FLOWSHOP, 3),
        lambda: MemeticMating().do(FLOWSHOP, Population.new(X=rows(8, 3)), 3),
    ],
)
def test_permutations_that_are_not_tours_are_served(use):
    use()


def test_random_keys_are_no_permutations():
    problem = RandomKeysProblem(TSPProblem(gls.TSP(cities(8))))
    with pytest.raises(InvalidTypeError, match=r"pass TSPProblem.*TravelingSalesman") as error:
        LocalSearchMutation().prepare(problem)
    assert "RandomKeysProblem(problem, local_search_probability=0)" in str(error.value)
    assert "OrderCrossover" in str(error.value)


def test_other_objects_are_told_nothing_of_permutations():
    with pytest.raises(InvalidTypeError) as error:
        as_tsp(3)
    assert "OrderCrossover" not in str(error.value)
