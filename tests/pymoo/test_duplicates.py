"""Elimination of duplicates, and the canonical form of tours."""

from __future__ import annotations

import time
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import cloudpickle
import numpy as np
import pytest
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.core.evaluator import Evaluator
from pymoo.core.population import Population
from pymoo.operators.crossover.ox import OrderCrossover
from pymoo.operators.mutation.inversion import InversionMutation
from pymoo.optimize import minimize
from pymoo.problems.single.flowshop_scheduling import create_random_flowshop_problem

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTourError
from gpu_ls_pymoo import (
    CanonicalTourRepair,
    LocalSearchOutput,
    MemeticGA,
    TourDuplicateElimination,
    TSPProblem,
)
from tests.evolution.samples import cities, rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

MATRIX = np.random.default_rng(0).integers(1, 99, size=(30, 30))
SYMMETRIC = TSPProblem(gls.TSP(cities(30)))
ASYMMETRIC = TSPProblem(gls.TSP.from_matrix(MATRIX))
SHOP = create_random_flowshop_problem(n_machines=3, n_jobs=30, seed=1)

TOURS = rows(30, 3)
ROTATED, REVERSED = np.roll(TOURS, 3, axis=1), np.roll(TOURS[:, ::-1], 5, axis=1)


def population(tours: NDArray[Any], problem: Any = None) -> Population:
    pop = Population.new("X", tours)
    return pop if problem is None else Evaluator().eval(problem, pop)


def kept(eliminate: TourDuplicateElimination, pop: Any, *others: Any) -> list[int]:
    """Return the numbers of the individuals that are kept."""
    return list(eliminate.do(pop, *others, return_indices=True)[1])


@pytest.mark.parametrize("other", [ROTATED, REVERSED], ids=["rotations", "reversals"])
def test_rotations_and_reversals_are_dropped_once_a_pair_costs_the_same(other):
    eliminate = TourDuplicateElimination()
    there, pop = population(TOURS, SYMMETRIC), population(other[:1])
    assert kept(eliminate, pop, there) == [0]
    assert kept(eliminate, population(other[1:]), there) == [0, 1]  # still not evaluated
    Evaluator().eval(SYMMETRIC, pop)
    assert kept(eliminate, population(other), there) == []
    assert kept(TourDuplicateElimination(), population(other, SYMMETRIC), there) == []


def test_rotations_prove_nothing_about_reversals():
    eliminate, there = TourDuplicateElimination(), population(TOURS, ASYMMETRIC)
    assert kept(eliminate, population(ROTATED, ASYMMETRIC), there) == []
    assert kept(eliminate, population(REVERSED), there) == [0, 1, 2]
    with pytest.raises(InvalidParameterError, match=r"its reversal .*symmetric=False"):
        eliminate.do(population(REVERSED, ASYMMETRIC), there)
    directed = TourDuplicateElimination(symmetric=False)
    assert kept(directed, population(REVERSED, ASYMMETRIC), there) == [0, 1, 2]


def plain_ga(start: NDArray[Any], **options: Any) -> GA:
    return GA(
        pop_size=6,
        sampling=start,
        crossover=OrderCrossover(),
        mutation=InversionMutation(),
        eliminate_duplicates=TourDuplicateElimination(**options),
    )


def test_a_flow_shop_is_refused():
    start = np.concatenate([TOURS, ROTATED])
    algorithm = plain_ga(start).setup(SHOP, termination=("n_gen", 5), seed=1)
    algorithm.next()
    assert len(algorithm.pop) == 6
    with pytest.raises(InvalidParameterError, match=r"not round trips; .* default elimination"):
        algorithm.next()


def test_a_plain_ga_drops_rotations_of_its_start():
    algorithm = plain_ga(np.concatenate([TOURS, ROTATED])).setup(
        SYMMETRIC, termination=("n_gen", 5), seed=1
    )
    algorithm.next()
    assert len(algorithm.pop) == 6
    algorithm.run()
    other = population(np.roll(ROTATED, 1, axis=1))
    assert kept(algorithm.eliminate_duplicates, other, population(TOURS)) == []


@pytest.mark.parametrize(("problem", "distinct"), [(SYMMETRIC, 3), (ASYMMETRIC, 6)])
def test_a_memetic_ga_asks_its_problem(problem, distinct, capsys):
    start = np.concatenate([TOURS, ROTATED, REVERSED])
    algorithm = MemeticGA(9, gls.LocalSearch([gls.OrOpt()]), sampling=start)
    algorithm.setup(problem, termination=("n_gen", 1), seed=1, verbose=True)
    assert len(algorithm.run().pop) == distinct
    names, _, *lines = capsys.readouterr().out.splitlines()[1:]
    column = [name.strip() for name in names.split("|")].index("distinct")
    assert lines[0].split("|")[column].strip() == str(distinct)
    assert isinstance(algorithm.output, LocalSearchOutput)


def test_a_checkpoint_keeps_waiting_pairs():
    algorithm = plain_ga(np.concatenate([TOURS, ROTATED]))
    algorithm.setup(SHOP, termination=("n_gen", 5), seed=1).next()
    for copied in (deepcopy(algorithm), cloudpickle.loads(cloudpickle.dumps(algorithm))):
        with pytest.raises(InvalidParameterError, match="rotation"):
            copied.next()


def test_rows_that_are_no_tours_are_refused():
    real = np.random.default_rng(0).random((5, 20))
    with pytest.raises(InvalidTourError, match=r"row 0 holds .* pymoo's default elimination"):
        minimize(SYMMETRIC, plain_ga(real), ("n_gen", 2))


@pytest.mark.timed
def test_a_thousand_tours_of_a_thousand_cities_take_less_than_a_second():
    pop, other = (population(rows(1000, 1000, seed)) for seed in (1, 2))
    begin = time.process_time()
    assert len(TourDuplicateElimination().do(pop, other)) == 1000
    assert time.process_time() - begin < 0.6  # pymoo's own takes 0.8 s for this


@pytest.mark.parametrize("problem", [SYMMETRIC, ASYMMETRIC], ids=["symmetric", "asymmetric"])
def test_a_repair_keeps_every_length(problem):
    pop = Population.new("X", rows(30, 20))
    CanonicalTourRepair()(problem, pop)
    assert (pop.get("X")[:, 0] == 0).all()
    costs = problem.tsp.cost(rows(30, 20))
    assert problem.tsp.cost(pop.get("X")) == pytest.approx(costs, rel=1e-12)
