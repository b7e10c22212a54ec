"""Searched tours differ from each other and from known tours, so that pymoo mates once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.core.crossover import Crossover
from pymoo.core.evaluator import Evaluator
from pymoo.core.mutation import Mutation as NoMutation
from pymoo.core.population import Population
from pymoo.operators.crossover.ox import OrderCrossover
from pymoo.operators.sampling.rnd import PermutationRandomSampling
from pymoo.optimize import minimize
from pymoo.problems.single.traveling_salesman import TravelingSalesman

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidTourError
from gpu_ls_plugin.core.rows import canonical
from gpu_ls_plugin.evolution.batches.rows import keys
from gpu_ls_pymoo import (
    LocalSearchMutation,
    MemeticGA,
    MemeticMating,
    SegmentCrossover,
    TourDuplicateElimination,
    TSPProblem,
)
from gpu_ls_pymoo.problems import canonical_tours
from gpu_ls_pymoo.search import offspring_so_far
from tests.evolution.samples import cities, rows
from tests.helpers.marks import slow_after

if TYPE_CHECKING:
    from tests.helpers.clock import Clock

ASYMMETRIC = np.random.default_rng(0).integers(1, 99, size=(30, 30))


class Own(TravelingSalesman):
    """A problem that pymoo evaluates, since its class may add costs."""

    def _evaluate(self, x: Any, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        out["F"] = self.D[x, np.roll(x, -1)].sum()


PROBLEMS = {
    "ours": lambda: TSPProblem(gls.TSP(cities(30))),
    "pymoo's": lambda: TravelingSalesman(cities(30) / 7),
    "own fitness": lambda: Own(cities(30)),
    "asymmetric": lambda: TSPProblem(gls.TSP.from_matrix(ASYMMETRIC)),
}
ELIMINATIONS = {"rows": lambda: True, "tours": TourDuplicateElimination}


class Run:
    """The attributes of a running algorithm that operators read."""

    def __init__(self, pop: Population | None = None) -> None:
        self.pop, self.evaluator, self.data, self.n_gen = pop, Evaluator(), {}, 1


def plain_ga(mutation: LocalSearchMutation, **options: Any) -> GA:
    usual = {"sampling": PermutationRandomSampling(), "crossover": OrderCrossover()}
    return GA(pop_size=100, mutation=mutation, **(usual | options))


def search_for(problem: Any) -> Any:
    """Return a search that also supports asymmetric problems if one may be needed."""
    return gls.LocalSearch([gls.OrOpt()]) if problem.n_var == 30 else gls.LocalSearch()


@pytest.mark.parametrize("kind", ELIMINATIONS)
def test_a_generation_of_a_plain_ga_is_one_batch(diary, kind):
    """Thirty cities have few optima, so that most searches end at known tours."""
    problem = TSPProblem(gls.TSP(cities(30)))
    algorithm = plain_ga(LocalSearchMutation(diary()), eliminate_duplicates=ELIMINATIONS[kind]())
    result = minimize(problem, algorithm, ("n_gen", 15), seed=1)
    assert result.algorithm.n_gen - 1 == 15
    assert [call["rows"] for call in diary.calls] == [100] * 14
    assert result.algorithm.evaluator.n_eval == 15 * 100
    assert len(set(keys(canonical_tours(problem, result.pop.get("X"))))) == 100


def test_rows_that_are_not_chosen_cost_no_searches(diary):
    problem = TSPProblem(gls.TSP(cities(30)))
    algorithm = plain_ga(LocalSearchMutation(diary(), prob=0.3))
    result = minimize(problem, algorithm, ("n_gen", 15), seed=1)
    assert result.algorithm.n_gen - 1 == 15
    assert sum(call["rows"] for call in diary.calls) <= 14 * 100
    assert 15 * 100 <= result.algorithm.evaluator.n_eval <= 15 * 100 + 14


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("prob", [0.5, 1.0])
def test_a_batch_is_new(name, prob):
    problem = PROBLEMS[name]()
    known = gls.LocalSearch([gls.OrOpt()])(gls.TSP(cities(30)), rows(30, 200)).tours
    run = Run(Evaluator().eval(problem, Population.new("X", known)))
    pop = Population.new("X", np.tile(known[:50], (2, 1)))  # all known, and twice
    drawn = np.random.default_rng(5).random(100) < prob
    mutation = LocalSearchMutation(search_for(problem), prob=prob)
    mutation(problem, pop, algorithm=run, random_state=np.random.default_rng(5))
    found = keys(canonical_tours(problem, pop.get("X")))
    chosen = {key for key, one in zip(found, drawn, strict=True) if one}
    assert len(chosen) == drawn.sum()
    assert chosen.isdisjoint(keys(canonical_tours(problem, known)))
    assert (pop.get("X")[~drawn] == np.tile(known[:50], (2, 1))[~drawn]).all()
    evaluated = name != "own fitness"
    assert run.evaluator.n_eval == (drawn.sum() if evaluated else 0)
    for individual in pop[drawn]:
        assert bool(individual.evaluated) == evaluated
        if evaluated:
            assert problem.evaluate(individual.X[np.newaxis]) == individual.F


def test_a_batch_differs_from_rows_that_are_not_chosen():
    problem = TSPProblem(gls.TSP(cities(30)))
    best = gls.LocalSearch()(problem.tsp, rows(30, 1)).tours
    pop = Population.new("X", np.repeat(best, 100, axis=0))
    run = Run(Population())
    LocalSearchMutation(prob=0.5)(
        problem, pop, algorithm=run, random_state=np.random.default_rng(5)
    )
    drawn = np.random.default_rng(5).random(100) < 0.5
    found = keys(canonical(pop.get("X")))
    assert len(set(found)) == drawn.sum() + 1


def test_without_an_algorithm_no_tour_becomes_worse():
    problem = TSPProblem(gls.TSP(cities(12)))
    optima = gls.LocalSearch()(problem.tsp, rows(12, 50))
    pop = Population.new("X", np.concatenate([rows(12, 50), optima.tours]))
    LocalSearchMutation()(problem, pop, seed=1)
    assert np.allclose(pop.get("F")[:, 0], np.tile(optima.costs, 2))
    assert pop.get("F")[:, 0].tolist() == problem.tsp.cost(pop.get("X")).tolist()


def test_both_directions_of_an_asymmetric_tour_are_different():
    problem = TSPProblem(gls.TSP.from_matrix(ASYMMETRIC))
    forward = gls.LocalSearch([gls.OrOpt()])(problem.tsp, rows(30, 1)).tours
    run = Run(Population.new("X", forward[:, ::-1]))
    pop = Population.new("X", forward)
    LocalSearchMutation(gls.LocalSearch([gls.OrOpt()]))(problem, pop, algorithm=run, seed=1)
    assert keys(canonical(pop.get("X"), symmetric=False)) == keys(
        canonical(forward, symmetric=False)
    )


@pytest.mark.parametrize("n", slow_after(2, [2, 4, 3, 5]))  # one city is too few for pymoo
def test_nothing_is_searched_if_no_tour_is_new(n, diary):
    """Four cities have only three tours, which the start population contains."""
    problem = TSPProblem(gls.TSP(cities(n)))
    result = minimize(problem, plain_ga(LocalSearchMutation(diary())), ("n_gen", 15), seed=1)
    assert diary.calls == []
    assert result.algorithm.evaluator.n_eval == len(result.pop) <= 100
    assert result.F[0] == pytest.approx(gls.LocalSearch()(problem.tsp, rows(n, 500)).best_cost)


@pytest.mark.parametrize("n", slow_after(1, [9, 6, 7, 8]))
def test_tiny_problems_are_searched_about_once_a_generation(n, diary):
    problem = TSPProblem(gls.TSP(cities(n)))
    result = minimize(problem, plain_ga(LocalSearchMutation(diary())), ("n_gen", 5), seed=1)
    generations = result.algorithm.n_gen - 1
    assert len(diary.calls) <= 5 * generations
    assert result.F[0] == pytest.approx(gls.LocalSearch()(problem.tsp, rows(n, 500)).best_cost)


def test_all_batches_of_a_generation_differ(diary):
    problem, run = TSPProblem(gls.TSP(cities(6))), Run()
    mutation, state, made = LocalSearchMutation(diary()), np.random.default_rng(0), []
    for _ in range(30):
        pop = Population.new("X", rows(6, 1))
        mutation(problem, pop, algorithm=run, random_state=state)
        made += keys(pop.get("X")) if pop[0].evaluated else []
    assert 5 < len(set(made)) == len(made) == run.evaluator.n_eval == len(diary.calls)
    assert offspring_so_far(run).exhausted
    run.n_gen = 2
    assert not offspring_so_far(run).exhausted


def test_after_the_time_limit_pymoo_mates_once_and_nothing_is_searched(diary):
    problem = TSPProblem(gls.TSP(cities(30)))
    crossed: list[int] = []

    class Counted(SegmentCrossover):
        def _do(self, problem: Any, parents: Any, *args: Any, **kwargs: Any) -> Any:
            crossed.append(1)
            return super()._do(problem, parents, *args, **kwargs)

    algorithm = plain_ga(LocalSearchMutation(diary()), crossover=Counted())
    algorithm.setup(problem, termination=("time", 100), seed=1)
    for _ in range(5):
        algorithm.next()
    done = len(diary.calls), len(crossed)
    algorithm.start_time -= 100
    algorithm.next()
    assert not algorithm.has_next()
    assert (len(diary.calls), len(crossed)) == (done[0], done[1] + 1)
    assert algorithm.evaluator.n_eval == 6 * 100
    assert (
        algorithm.pop.get("F")[:, 0].tolist() == problem.tsp.cost(algorithm.pop.get("X")).tolist()
    )


class SlowClone(Crossover):
    """A slow crossover that returns the first parents, so that all children are known."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(2, 1, prob=1.0)
        self.clock = clock

    def _do(self, problem: Any, X: Any, **kwargs: Any) -> Any:
        self.clock.advance(0.02)
        return X[:1]

    def __deepcopy__(self, memo: Any) -> SlowClone:
        return self


def test_duplicates_do_not_break_a_time_limit(clock):
    problem, mutation = TSPProblem(gls.TSP(cities(60))), LocalSearchMutation()
    mutation.prepare(problem, 100)
    optima = gls.LocalSearch()(problem.tsp, rows(60, 100)).tours
    algorithm = plain_ga(mutation, sampling=canonical(optima), crossover=SlowClone(clock))
    result = minimize(problem, algorithm, ("time", 2), seed=1)
    assert 2 <= result.exec_time <= 2.5


def test_a_child_that_is_no_tour_is_named(tsp):
    class Careless(Crossover):
        def _do(self, problem: Any, X: Any, **kwargs: Any) -> Any:
            X[0, 2, 0] = X[0, 2, 1]
            return X[:1]

    problem, pop = TSPProblem(tsp), Population.new("X", rows(60, 3))
    mating = MemeticMating(crossover=Careless(2, 1, prob=1.0), mutation=NoMutation())
    with pytest.raises(InvalidTourError, match="tours: row 2 is not a permutation"):
        mating.do(problem, pop, 5, np.random.default_rng(0))


class Clone(Crossover):
    """A crossover that returns the first parent, so that all children are known tours."""

    def __init__(self) -> None:
        super().__init__(2, 1, prob=1.0)

    def _do(self, problem: Any, X: Any, **kwargs: Any) -> Any:
        return X[:1]


def parents(problem: Any, size: int) -> Population:
    return Evaluator().eval(problem, Population.new("X", canonical(rows(problem.n_var, size))))


def test_all_children_are_searched_in_one_batch(tsp, diary):
    problem = TSPProblem(tsp)
    off = MemeticMating(diary()).do(problem, parents(problem, 30), 20, np.random.default_rng(0))
    assert [call["rows"] for call in diary.calls] == [20]
    assert len(off) == 20
    assert off.get("F")[:, 0].tolist() == tsp.cost(off.get("X")).tolist()


def test_children_that_are_known_after_the_search_are_kicked():
    problem = TSPProblem(gls.TSP(cities(12), "EUC_2D"))
    every = gls.LocalSearch()(problem.tsp, rows(12, 500)).tours
    known = np.unique(canonical(every), axis=0)  # all optima that the search finds
    pop = Evaluator().eval(problem, Population.new("X", known))
    mating = MemeticMating(gls.LocalSearch())
    off = mating.do(problem, pop, 40, np.random.default_rng(0))
    assert len(off) == 40
    assert set(keys(canonical(off.get("X")))).isdisjoint(keys(known))
    assert len(set(keys(canonical(off.get("X"))))) == 40
    assert off.get("F")[:, 0].tolist() == problem.tsp.cost(off.get("X")).tolist()


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20])
def test_no_run_stops_silently(n, diary):
    problem = TSPProblem(gls.TSP(cities(n), "EUC_2D"))
    result = minimize(problem, MemeticGA(20, search=diary()), ("n_gen", 15), seed=1)
    assert result.algorithm.n_gen - 1 == 15
    assert len(diary.calls) == 15 or (n < 6 and diary.calls)  # until all tours are known
    assert result.F[0] == gls.LocalSearch()(problem.tsp, rows(n, 500)).best_cost


def test_plain_ga_takes_it_as_its_mating(diary):
    problem = TSPProblem(gls.TSP(cities(10), "EUC_2D"))
    algorithm = GA(20, sampling=PermutationRandomSampling(), mating=MemeticMating(diary()))
    result = minimize(problem, algorithm, ("n_gen", 12), seed=1)
    assert result.algorithm.n_gen - 1 == 12
    assert len(diary.calls) == 11  # the start population is not searched
