"""Constraints reach the frameworks: infeasible rows do not look like solutions."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from tests.helpers.bin_packing import BinPacking
from tests.helpers.random_problems import random_problem, random_tours
from tests.helpers.routing import giant_tours, random_cvrp, random_vrp
from tests.routes.time_windows import some_windows
from tests.tours.objectives.third_party import Forbidden

# Two vehicles have enough capacity in total, but no two routes are feasible.
PLACES = np.random.default_rng(2).random((4, 2)) * 50
IMPOSSIBLE = gls.CVRP(PLACES, [0, 3, 3, 3], 5, vehicles=2, copies=3)
BARRED = random_problem("EUC_2D", 6).under(Forbidden(1 - np.eye(6, dtype="int64")))
FULL = gls.GeneralisedAssignment([[1, 2], [3, 4]], [[2, 2], [2, 2]], [1, 3])
PACKED = BinPacking([3, 4, 5, 6], 2, 7)
HARD = {
    "capacity": random_cvrp("capacity", 12),
    "duration": random_cvrp("real duration", 12),
    "fleet": random_cvrp("fleet", 12),
    "windows": random_vrp(12),
}


def wrapped(problem):
    pymoo = pytest.importorskip("gpu_ls_pymoo")
    if isinstance(problem, gls.CVRP):
        return pymoo.CVRPProblem(problem)
    return (pymoo.TSPProblem if isinstance(problem, gls.TSP) else pymoo.AssignmentProblem)(problem)


# ---- pymoo


@pytest.mark.parametrize(
    "problem", [IMPOSSIBLE, BARRED, FULL, PACKED], ids=lambda problem: type(problem).__name__
)
def test_pymoo_presents_no_infeasible_solution(problem):
    from pymoo.optimize import minimize

    import gpu_ls_pymoo as adapter

    own = wrapped(problem)
    rows = random_tours(problem.n, 6) if problem.tsp else np.zeros((6, problem.n), int)
    for algorithm in (adapter.MemeticGA(6, sampling=rows), *plain(rows, problem)):
        found = minimize(own, algorithm, ("n_gen", 2), seed=1)
        assert found.X is None and found.F is None
        assert found.pop.get("CV").min() > 0
        assert (found.pop.get("F")[:, 0] == problem.cost(found.pop.get("X").astype(int))).all()


def plain(rows, problem):
    """Return genetic algorithms of pymoo with a mutation of the adapter."""
    from pymoo.algorithms.soo.nonconvex.ga import GA
    from pymoo.operators.crossover.nox import NoCrossover

    import gpu_ls_pymoo as adapter

    mutation = adapter.LocalSearchMutation() if problem.tsp else adapter.SuccessorMutation()
    none = {"crossover": NoCrossover(), "eliminate_duplicates": False}
    return [GA(6, sampling=rows, mutation=mutation, **none)]


@pytest.mark.parametrize("kind", HARD)
def test_violations_of_routes_are_constraints_of_pymoo(kind):
    problem = HARD[kind]
    rows = giant_tours(problem, 12, 3)
    found = wrapped(problem).evaluate(rows, return_as_dictionary=True)
    assert (found["F"][:, 0] == problem.cost(rows)).all()
    assert ((found["G"] <= 0).all(axis=1) == problem.feasible(rows)).all()


def test_resources_of_plugins_are_constraints_of_pymoo():
    problem = random_cvrp("capacity", 12)
    problem = problem.with_resources(some_windows(problem))
    rows = giant_tours(problem, 20, 3)
    found = wrapped(problem).evaluate(rows, return_values_of=["G"])
    assert ((found <= 0).all(axis=1) == problem.feasible(rows)).all()
    assert wrapped(problem).constraints[-1] == problem.resources[0].name


# ---- PyGAD and DEAP


def costs_of_pygad(problem, rows):
    fitness = pytest.importorskip("gpu_ls_pygad").TourFitness(problem)
    return -np.array(fitness(None, rows, None)), fitness.violations(rows)


def costs_of_deap(problem, rows):
    cost = pytest.importorskip("gpu_ls_deap").TourCost(problem)
    costs = [cost(row)[0] for row in rows.tolist()]
    assert [cost.feasible(row) for row in rows.tolist()] == problem.feasible(rows).tolist()
    return np.array(costs), np.array([cost.violation(row) for row in rows.tolist()])


@pytest.mark.parametrize("kind", HARD)
@pytest.mark.parametrize("costs_of", [costs_of_pygad, costs_of_deap])
def test_infeasible_tours_are_worse_than_all_feasible_ones(costs_of, kind):
    problem = HARD[kind]
    rows = giant_tours(problem, 12, 3)
    feasible = problem.feasible(rows)
    costs, violations = costs_of(problem, rows)
    assert 0 < feasible.sum() < len(rows)
    np.testing.assert_array_equal(costs[feasible], problem.cost(rows)[feasible])
    assert costs[~feasible].min() > problem.cost(rows).max()
    np.testing.assert_array_equal(violations == 0, feasible)


@pytest.mark.parametrize("costs_of", [costs_of_pygad, costs_of_deap])
def test_violations_without_a_price_are_penalised(costs_of):
    rows = random_tours(6, 5)
    costs, violations = costs_of(BARRED, rows)
    assert (violations > 0).all() and (costs > BARRED.cost(rows)).all()
    soft = HARD["capacity"].penalised(load=2)
    tours = giant_tours(soft, 6, 3)
    np.testing.assert_array_equal(costs_of(soft, tours)[0], soft.tsp.cost(tours))


def test_violations_for_penalties_of_deap():
    tools = pytest.importorskip("deap.tools")
    creator = pytest.importorskip("deap.creator")
    base = pytest.importorskip("deap.base")
    cost = pytest.importorskip("gpu_ls_deap").TourCost(IMPOSSIBLE)
    if not hasattr(creator, "ConstrainedTour"):
        creator.create("ConstrainedCost", base.Fitness, weights=(-1.0,))
        creator.create("ConstrainedTour", list, fitness=creator.ConstrainedCost)
    evaluate = tools.DeltaPenalty(cost.feasible, 1e6, cost.violation)(cost)
    one = creator.ConstrainedTour(range(IMPOSSIBLE.n))
    assert evaluate(one) == (1e6 + cost.violation(one),)
