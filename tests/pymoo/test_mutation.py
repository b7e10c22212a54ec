"""The mutations and the sampling of pymoo."""

from __future__ import annotations

import pickle
import re
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from pymoo.core.evaluator import Evaluator
from pymoo.core.population import Population
from pymoo.core.repair import Repair
from pymoo.problems.single.traveling_salesman import TravelingSalesman

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.registry import registry
from gpu_ls_pymoo import (
    CanonicalTourRepair,
    DoubleBridgeMutation,
    LocalSearchMutation,
    LocalSearchSampling,
    TSPProblem,
)
from tests.evolution.samples import cities, rows, undirected

if TYPE_CHECKING:
    from numpy.typing import NDArray


SIZE = 400


class Run:
    """The attributes of a running algorithm that operators read."""

    def __init__(self, repair: Any = None) -> None:
        self.evaluator, self.data, self.repair = Evaluator(), {}, repair


def population(problem: Any, seed: int = 0) -> Population:
    """Return evaluated random tours."""
    return Evaluator().eval(problem, Population.new("X", rows(problem.n_var, SIZE, seed)))


def mutate(mutation: Any, problem: Any, pop: Population, **options: Any) -> NDArray[np.bool_]:
    """Mutate (in place); return which tours have changed."""
    before = [undirected(tour) for tour in pop.get("X")]
    mutation(problem, pop, random_state=np.random.default_rng(5), **options)
    pairs = zip(before, pop.get("X"), strict=True)
    return np.array([old != undirected(tour) for old, tour in pairs])


@pytest.mark.parametrize("prob", [0.0, 0.1, 0.5, 1.0])
def test_the_chosen_are_drawn_first_and_once(tsp, diary, prob):
    problem = TSPProblem(tsp)
    changed = mutate(LocalSearchMutation(diary(), prob=prob), problem, population(problem))
    drawn = np.random.default_rng(5).random(SIZE) < prob
    assert changed.tolist() == drawn.tolist()
    assert sum(call["rows"] for call in diary.calls) == drawn.sum()
    assert len(diary.calls) == (prob > 0)


def test_searched_tours_are_canonical_better_and_evaluated(tsp):
    problem = TSPProblem(tsp)
    pop = population(problem)
    before = pop.get("F")[:, 0]
    run = Run()
    mutate(LocalSearchMutation(), problem, pop, algorithm=run)
    tours, values = pop.get("X"), pop.get("F")[:, 0]
    assert values.tolist() == tsp.cost(tours).tolist()
    assert (values < before).all()
    assert (tours[:, 0] == 0).all()
    assert (tours[:, 1] < tours[:, -1]).all()
    assert run.evaluator.n_eval == SIZE
    Evaluator().eval(problem, pop)
    assert run.data["local_search"].moves > 0


def test_pymoos_problem_keeps_its_own_values():
    problem = TravelingSalesman(cities(60) / 7)
    pop = population(problem)
    mutate(LocalSearchMutation(), problem, pop)
    own = [problem.get_route_length(tour) for tour in pop.get("X")]
    assert pop.get("F")[:, 0].tolist() == own


class Reverse(Repair):
    """A repair that the adapter does not know."""

    def _do(self, problem: Any, X: Any, **kwargs: Any) -> Any:
        return X[:, ::-1]


@pytest.mark.parametrize(
    ("repair", "known"), [(None, True), (CanonicalTourRepair(), True), (Reverse(), False)]
)
def test_fitness_is_set_unless_a_repair_follows(tsp, repair, known):
    for holder in ("algorithm", "mutation"):
        problem, run = TSPProblem(tsp), Run(repair if holder == "algorithm" else None)
        pop = Population.new("X", rows(60, 5))
        mutation = LocalSearchMutation(repair=repair if holder == "mutation" else None)
        mutation(problem, pop, algorithm=run)
        assert run.evaluator.n_eval == (5 if known else 0)
        assert [bool(individual.evaluated) for individual in pop] == [known] * 5


def test_values_of_the_old_tour_are_reset(tsp):
    problem = TSPProblem(tsp)
    pop = population(problem)
    pop.set("note", "kept")
    assert pop.get("CV").shape == (SIZE, 1)  # cached now
    mutate(DoubleBridgeMutation(), problem, pop)
    assert not any(individual.evaluated for individual in pop)
    assert not any(len(individual.F) for individual in pop)
    assert pop[0].get("note") == "kept"
    Evaluator().eval(problem, pop)
    assert pop.get("F")[:, 0].tolist() == tsp.cost(pop.get("X")).tolist()


@pytest.mark.parametrize("mutation", [LocalSearchMutation(), DoubleBridgeMutation()])
def test_a_copy_leaves_the_original(tsp, mutation):
    problem, pop = TSPProblem(tsp), Population.new("X", rows(60, 5))
    off = mutation(problem, pop, False, seed=1)
    assert (pop.get("X") == rows(60, 5)).all()
    assert (off.get("X") != rows(60, 5)).any()
    again = mutation(problem, pop, False, seed=1)
    assert (off.get("X") == again.get("X")).all()


@pytest.mark.parametrize("mutation", [LocalSearchMutation(prob=0.5), DoubleBridgeMutation(30)])
def test_operators_are_small_and_stateless(tsp, mutation):
    before = pickle.dumps(mutation)
    mutation(TSPProblem(tsp), Population.new("X", rows(60, 5)), seed=1)
    assert pickle.dumps(mutation) == before
    assert len(before) < 1000
    pops = [Population.new("X", rows(60, 20)) for _ in range(3)]
    for pop, operator in zip(
        pops, (mutation, deepcopy(mutation), pickle.loads(before)), strict=True
    ):
        operator(TSPProblem(tsp), pop, seed=1)
    assert (pops[0].get("X") == pops[1].get("X")).all()
    assert (pops[0].get("X") == pops[2].get("X")).all()


@pytest.mark.parametrize("construction", ["nearest_neighbour", "random_tours", gls.greedy])
def test_starts_are_searched_in_one_batch(tsp, diary, construction):
    pop = LocalSearchSampling(construction, diary())(TSPProblem(tsp), 12, seed=3)
    assert [call["rows"] for call in diary.calls] == [12]
    assert pop.get("F")[:, 0].tolist() == tsp.cost(pop.get("X")).tolist()
    assert all(individual.evaluated for individual in pop)
    again = LocalSearchSampling(construction, diary())(TSPProblem(tsp), 12, seed=3)
    assert (again.get("X") == pop.get("X")).all()
    starts = gls.nearest_neighbour(tsp, size=60)
    assert pop.get("F").min() < tsp.cost(starts).min()


def test_constructions_of_the_documentation_exist():
    text = (
        (LocalSearchSampling.__doc__ or "").partition("construction :")[2].partition("search :")[0]
    )
    named = re.findall(r'"(\w+)"', text)
    assert "nearest_neighbour" in named
    for name in named:
        registry.lookup("construction", name)
