"""Default searches under objectives of a third party, compared with brute force."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidProblemError, UnsupportedProblemError
from gpu_ls_plugin.runs.settings import Settings
from gpu_ls_plugin.solver.plans import default_settings
from tests.adapters.faces import FACES
from tests.helpers.marks import slow_after
from tests.helpers.random_problems import random_problem, random_tours
from tests.tours.objectives.third_party import (
    Forbidden,
    Tolls,
    WholeTolls,
    some_deadlines,
    some_loads,
    some_tolls,
)

N = 8
SYMMETRIC = random_problem("EUC_2D", N, 1)
ASYMMETRIC = gls.TSP.from_matrix(np.random.default_rng(3).integers(1, 60, (N, N)))
PROBLEMS = {
    "deadlines": SYMMETRIC.under(some_deadlines(N)),
    "loads": SYMMETRIC.under(some_loads(N)),
    "asymmetric lengths": ASYMMETRIC,
    "tolls": SYMMETRIC.under(Tolls(some_tolls(N))),
    "forbidden": SYMMETRIC.under(Forbidden(some_tolls(N, share=0.1))),
    "whole tolls": SYMMETRIC.under(WholeTolls(some_tolls(N))),
    "asymmetric deadlines": ASYMMETRIC.under(some_deadlines(N)),
    "asymmetric loads": ASYMMETRIC.under(some_loads(N)),
}


def rows_of(problem):
    """All tours, each once, and their costs."""
    rows = np.array([(0, *rest) for rest in permutations(range(1, N))], np.int32)
    return rows, problem.cost(rows)


def cheapest(problem):
    """The least cost of a tour that may be a result, and the least of all."""
    rows, costs = rows_of(problem)
    feasible = problem.objective.feasible(problem, rows)
    return costs[feasible].min() if feasible.any() else costs.min(), costs.min()


@pytest.mark.parametrize("name", slow_after(3, PROBLEMS))
def test_solve_finds_the_cheapest_tour(name):
    problem = PROBLEMS[name]
    found = gls.solve(problem, seconds=60, kicks=200, seed=1, backend="cpu")
    assert found.costs.tolist() == problem.cost(found.tours).tolist()
    assert found.costs.min() in cheapest(problem)


@pytest.mark.parametrize("name", slow_after(1, PROBLEMS))
def test_default_searches_with_a_time_limit_find_it_as_well(name):
    problem = PROBLEMS[name]
    search = default_settings(problem, Settings(seconds=10, backend="cpu")).search
    found = search(problem, random_tours(N, 8), budget=gls.Budget(kicks=200), backend="cpu")
    assert found.costs.tolist() == problem.cost(found.tours).tolist()
    assert found.costs.min() in cheapest(problem)


@pytest.mark.parametrize("name", slow_after(3, PROBLEMS))
@pytest.mark.parametrize("crossover", slow_after(1, ["none", "order crossover", "pymoo's"]))
def test_a_memetic_ga_finds_the_cheapest_tour(name, crossover):
    pytest.importorskip("pymoo", reason='needs pip install "gpu-ls-plugin[pymoo]"')
    from pymoo.operators.crossover.ox import OrderCrossover
    from pymoo.optimize import minimize

    from gpu_ls_pymoo import MemeticGA, TSPProblem

    crossovers = {"order crossover": gls.OrderRecombination(), "pymoo's": OrderCrossover()}
    problem, algorithm = PROBLEMS[name], MemeticGA(crossover=crossovers.get(crossover))
    result = minimize(TSPProblem(problem), algorithm, ("n_gen", 10), seed=1)
    if "tolls" in name:  # at such prices few tours on the way are feasible, or none
        result.F, result.X = result.pop[0].F, result.pop[0].X
    else:
        assert result.F[0] in cheapest(problem)
    assert result.F[0] == problem.cost([result.X])[0]


@pytest.mark.parametrize("name", slow_after(3, PROBLEMS))
@pytest.mark.parametrize("face", FACES, ids=[face.framework for face in FACES])
def test_operators_of_all_adapters_work(face, name):
    pytest.importorskip(face.framework)
    problem, starts = PROBLEMS[name], random_tours(N, 20, 1).astype(np.int64)
    searched = face.search(problem, starts)
    feasible = searched[problem.feasible(searched)].repeat(2, axis=0)  # PyGAD wants a few
    if len(feasible):
        assert face.costs(problem, feasible) == problem.cost(feasible).tolist()
    assert cheapest(problem)[1] in problem.cost(searched)
    made = [face.starts(problem, 4), face.kick(problem, starts)]
    made += [
        face.cross(problem, part, starts, starts[::-1])
        for part in ("segment_recombination", "order_recombination", "edge_recombination")
    ]
    for rows in made:
        assert (np.sort(rows, axis=1) == np.arange(N)).all()


def test_a_crossover_that_compares_lengths_is_refused_by_name():
    problem, tours = PROBLEMS["loads"], random_tours(N, 4)
    with pytest.raises(UnsupportedProblemError, match=r"EdgeAssembly\(\) compares lengths"):
        gls.EdgeAssembly().cross(problem, tours, tours[::-1], backend="cpu")


LENGTH_ALONE = {
    "solve_many": lambda problem: gls.solve_many([SYMMETRIC, problem], seconds=1),
    "OpenPath": gls.OpenPath,
    "MultiObjectiveTSP": lambda problem: gls.MultiObjectiveTSP([problem, SYMMETRIC]),
    "Symmetrised": lambda problem: gls.Symmetrised()(
        ASYMMETRIC.under(problem.objective), random_tours(N, 2), backend="cpu"
    ),
}


@pytest.mark.parametrize("name", LENGTH_ALONE)
@pytest.mark.parametrize("objective", ["loads", "deadlines"])
def test_functions_for_lengths_alone_refuse_an_objective(name, objective):
    with pytest.raises((UnsupportedProblemError, InvalidProblemError), match=r"objective|beside"):
        LENGTH_ALONE[name](PROBLEMS[objective])


def test_the_direction_of_a_tour_matters_under_a_directed_objective():
    problem = PROBLEMS["deadlines"]
    tours = random_tours(N, 50)
    written = problem.canonical(tours)
    assert problem.cost(written).tolist() == problem.cost(tours).tolist()
    assert not problem.writing["symmetric"]
    assert (problem.cost(np.ascontiguousarray(tours[:, ::-1])) != problem.cost(tours)).any()


@pytest.mark.parametrize(
    "search",
    [
        gls.LocalSearch([gls.TwoOpt()], gls.All(), gls.RandomK(50)),
        gls.LocalSearch(pivoting=gls.Multi()),
        gls.IteratedLocalSearch(gls.LocalSearch(), part=32),
    ],
    ids=["RandomK", "Multi", "parts"],
)
def test_searches_that_reverse_tours_are_refused(search):
    class OneWay(type(some_deadlines(4))):
        by_edges = True  # so that it is the direction that they refuse

    problem = random_problem("EUC_2D", 80, 1).under(OneWay(np.arange(80)))
    with pytest.raises(UnsupportedProblemError, match="reverses tours"):
        search(problem, random_tours(80, 2), budget=gls.Budget(kicks=2), backend="cpu")
