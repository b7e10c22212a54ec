"""Duplicates as pymoo sees them: equal rows at once, other writings once they are proven alike."""

from __future__ import annotations

import pickle
import time
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

pytest.importorskip("pymoo.core.problem", reason='needs pip install "gpu-ls-plugin[pymoo]"')

import cloudpickle
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.core.evaluator import Evaluator
from pymoo.core.population import Population
from pymoo.operators.crossover.ox import OrderCrossover
from pymoo.operators.mutation.inversion import InversionMutation
from pymoo.optimize import minimize
from pymoo.problems.single.flowshop_scheduling import create_random_flowshop_problem

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTourError
from gpu_ls_pymoo import LocalSearchOutput, MemeticGA, TourDuplicateElimination, TSPProblem
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
    """The places of the individuals that are kept."""
    return list(eliminate.do(pop, *others, return_indices=True)[1])


def test_equal_rows_are_dropped_at_once() -> None:
    pop = population(np.concatenate([TOURS, TOURS[:2]]).astype(float))
    assert kept(TourDuplicateElimination(), pop) == [0, 1, 2]
    assert kept(TourDuplicateElimination(), pop, population(TOURS[1:2])) == [0, 2]


@pytest.mark.parametrize("other", [ROTATED, REVERSED], ids=["rotations", "reversals"])
def test_other_writings_are_dropped_once_a_pair_is_known_to_cost_the_same(other: Any) -> None:
    eliminate = TourDuplicateElimination()
    there, pop = population(TOURS, SYMMETRIC), population(other[:1])
    assert kept(eliminate, pop, there) == [0]
    assert kept(eliminate, population(other[1:]), there) == [0, 1]  # still not evaluated
    Evaluator().eval(SYMMETRIC, pop)
    assert kept(eliminate, population(other), there) == []
    assert kept(TourDuplicateElimination(), population(other, SYMMETRIC), there) == []


def test_rotations_prove_nothing_about_reversals() -> None:
    eliminate, there = TourDuplicateElimination(), population(TOURS, ASYMMETRIC)
    assert kept(eliminate, population(ROTATED, ASYMMETRIC), there) == []
    assert kept(eliminate, population(REVERSED), there) == [0, 1, 2]
    with pytest.raises(InvalidParameterError, match=r"its reversal .*symmetric=False"):
        eliminate.do(population(REVERSED, ASYMMETRIC), there)
    directed = TourDuplicateElimination(symmetric=False)
    assert kept(directed, population(REVERSED, ASYMMETRIC), there) == [0, 1, 2]


def test_all_pairs_that_wait_are_compared() -> None:
    """Where two writings cost the same by chance, the next ones show that they need not."""
    eliminate, there, pop = TourDuplicateElimination(), population(TOURS), population(ROTATED)
    assert kept(eliminate, pop, there) == [0, 1, 2]
    for individual in (*there, *pop):
        individual.F = np.array([1.0])
        individual.evaluated.add("F")
    pop[2].F = np.array([2.0])
    with pytest.raises(InvalidParameterError, match=r"fitness \[1\.\], its rotation \[2\.\]"):
        eliminate.do(population(TOURS), there)


def plain_ga(start: NDArray[Any], **options: Any) -> GA:
    return GA(
        pop_size=6,
        sampling=start,
        crossover=OrderCrossover(),
        mutation=InversionMutation(),
        eliminate_duplicates=TourDuplicateElimination(**options),
    )


def test_a_problem_that_is_no_tour_is_refused_instead_of_losing_solutions() -> None:
    start = np.concatenate([TOURS, ROTATED])
    algorithm = plain_ga(start).setup(SHOP, termination=("n_gen", 5), seed=1)
    algorithm.next()
    assert len(algorithm.pop) == 6
    with pytest.raises(InvalidParameterError, match=r"not round trips; .* default elimination"):
        algorithm.next()


def test_a_plain_ga_loses_the_other_writings_of_its_start() -> None:
    algorithm = plain_ga(np.concatenate([TOURS, ROTATED])).setup(
        SYMMETRIC, termination=("n_gen", 5), seed=1
    )
    algorithm.next()
    assert len(algorithm.pop) == 6
    algorithm.run()
    other = population(np.roll(ROTATED, 1, axis=1))
    assert kept(algorithm.eliminate_duplicates, other, population(TOURS)) == []


@pytest.mark.parametrize(("problem", "distinct"), [(SYMMETRIC, 3), (ASYMMETRIC, 6)])
def test_a_memetic_ga_asks_its_problem(
    problem: Any, distinct: int, capsys: pytest.CaptureFixture[str]
) -> None:
    start = np.concatenate([TOURS, ROTATED, REVERSED])
    algorithm = MemeticGA(9, gls.LocalSearch([gls.OrOpt()]), sampling=start)
    algorithm.setup(problem, termination=("n_gen", 1), seed=1, verbose=True)
    assert len(algorithm.run().pop) == distinct
    names, _, *lines = capsys.readouterr().out.splitlines()[1:]
    column = [name.strip() for name in names.split("|")].index("distinct")
    assert lines[0].split("|")[column].strip() == str(distinct)
    assert isinstance(algorithm.output, LocalSearchOutput)


@pytest.mark.parametrize("copy", [deepcopy, lambda it: pickle.loads(pickle.dumps(it))])
def test_what_waits_is_copied_with_the_individuals(copy: Any) -> None:
    eliminate, there, pop = TourDuplicateElimination(), population(TOURS), population(ROTATED)
    eliminate.do(pop, there)
    eliminate, there, pop = copy((eliminate, there, pop))
    for some in (there, pop):
        Evaluator().eval(SYMMETRIC, some)
    assert kept(eliminate, population(ROTATED), there) == []
    assert kept(copy(eliminate), population(ROTATED), there) == []


def test_a_checkpoint_keeps_what_waits() -> None:
    algorithm = plain_ga(np.concatenate([TOURS, ROTATED]))
    algorithm.setup(SHOP, termination=("n_gen", 5), seed=1).next()
    for copied in (deepcopy(algorithm), cloudpickle.loads(cloudpickle.dumps(algorithm))):
        with pytest.raises(InvalidParameterError, match="rotation"):
            copied.next()


def test_what_waits_is_bounded() -> None:
    eliminate = TourDuplicateElimination()
    there, pop = population(rows(9, 2000)), population(np.roll(rows(9, 2000), 1, axis=1))
    eliminate.do(pop, there)
    assert len(eliminate.writings.waiting) == 1000


def test_rows_that_are_no_tours_are_refused() -> None:
    real = np.random.default_rng(0).random((5, 20))
    with pytest.raises(InvalidTourError, match=r"row 0 holds .* pymoo's default elimination"):
        minimize(SYMMETRIC, plain_ga(real), ("n_gen", 2))


@pytest.mark.timed
def test_thousand_tours_of_thousand_cities_are_quick() -> None:
    pop, other = (population(rows(1000, 1000, seed)) for seed in (1, 2))
    begin = time.process_time()
    assert len(TourDuplicateElimination().do(pop, other)) == 1000
    assert time.process_time() - begin < 0.6  # pymoo's own takes 0.8 s for this
