"""The mutations: who is chosen, what is computed, and that nothing stale is left."""

from __future__ import annotations

import pickle
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

pytest.importorskip("pymoo.core.problem", reason='needs pip install "gpu-ls-plugin[pymoo]"')

from pymoo.core.evaluator import Evaluator
from pymoo.core.population import Population
from pymoo.core.repair import Repair
from pymoo.problems.single.traveling_salesman import TravelingSalesman

import gpu_ls_plugin as gls
from gpu_ls_pymoo import (
    CanonicalTourRepair,
    DoubleBridgeMutation,
    LocalSearchMutation,
    TSPProblem,
)
from tests.evolution.samples import Diary, cities, rows, undirected

if TYPE_CHECKING:
    from numpy.typing import NDArray

SIZE = 400


class Run:
    """As much of an algorithm as an operator looks at."""

    def __init__(self, repair: Any = None) -> None:
        self.evaluator, self.data, self.repair = Evaluator(), {}, repair


def population(problem: Any, seed: int = 0) -> Population:
    """Evaluated random tours."""
    return Evaluator().eval(problem, Population.new("X", rows(problem.n_var, SIZE, seed)))


def mutate(mutation: Any, problem: Any, pop: Population, **options: Any) -> NDArray[np.bool_]:
    """Mutate in place; tell which tours have changed."""
    before = [undirected(tour) for tour in pop.get("X")]
    mutation(problem, pop, random_state=np.random.default_rng(5), **options)
    pairs = zip(before, pop.get("X"), strict=True)
    return np.array([old != undirected(tour) for old, tour in pairs])


@pytest.mark.parametrize("prob", [0.0, 0.1, 0.5, 1.0])
def test_the_chosen_are_drawn_first_and_once(tsp: gls.TSP, diary: type[Diary], prob: float) -> None:
    problem = TSPProblem(tsp)
    changed = mutate(LocalSearchMutation(diary(), prob=prob), problem, population(problem))
    drawn = np.random.default_rng(5).random(SIZE) < prob
    assert changed.tolist() == drawn.tolist()
    assert sum(call["rows"] for call in diary.calls) == drawn.sum()
    assert len(diary.calls) == (prob > 0)


def test_searched_tours_are_canonical_better_and_evaluated(tsp: gls.TSP) -> None:
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


def test_pymoos_problem_keeps_its_own_values() -> None:
    problem = TravelingSalesman(cities(60) / 7)
    pop = population(problem)
    mutate(LocalSearchMutation(), problem, pop)
    own = [problem.get_route_length(tour) for tour in pop.get("X")]
    assert pop.get("F")[:, 0].tolist() == own


class Reverse(Repair):
    """A repair that the adapter does not know."""

    def _do(self, problem: Any, X: Any, **kwargs: Any) -> Any:
        return X[:, ::-1]


@pytest.mark.parametrize(("repair", "known"), [(None, True), (Reverse(), False)])
def test_fitness_is_set_only_where_no_repair_follows(
    tsp: gls.TSP, repair: Any, known: bool
) -> None:
    for holder in ("algorithm", "mutation"):
        problem, run = TSPProblem(tsp), Run(repair if holder == "algorithm" else None)
        pop = Population.new("X", rows(60, 5))
        mutation = LocalSearchMutation(repair=repair if holder == "mutation" else None)
        mutation(problem, pop, algorithm=run)
        assert run.evaluator.n_eval == (5 if known else 0)
        assert [bool(individual.evaluated) for individual in pop] == [known] * 5
    assert not LocalSearchMutation()._repaired_later(Run(CanonicalTourRepair()))


def test_nothing_is_left_of_the_old_tour(tsp: gls.TSP) -> None:
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
def test_a_copy_leaves_the_original(tsp: gls.TSP, mutation: Any) -> None:
    problem, pop = TSPProblem(tsp), Population.new("X", rows(60, 5))
    off = mutation(problem, pop, False, seed=1)
    assert (pop.get("X") == rows(60, 5)).all()
    assert (off.get("X") != rows(60, 5)).any()
    again = mutation(problem, pop, False, seed=1)
    assert (off.get("X") == again.get("X")).all()


def test_a_kick_changes_four_edges_of_the_chosen(tsp: gls.TSP) -> None:
    problem, pop = TSPProblem(tsp), population(TSPProblem(tsp))
    before = [undirected(tour) for tour in pop.get("X")]
    changed = mutate(DoubleBridgeMutation(segment=20, prob=0.3), problem, pop)
    assert changed.tolist() == (np.random.default_rng(5).random(SIZE) < 0.3).tolist()
    lost = [len(old - undirected(new)) for old, new in zip(before, pop.get("X"), strict=True)]
    assert set(lost) == {0, 4}


@pytest.mark.parametrize(
    ("text", "search"),
    [
        ("local_search", gls.LocalSearch()),
        ("two_opt+or_opt", gls.LocalSearch()),
        ("or_opt(2)/nearest(5)/best", gls.LocalSearch([gls.OrOpt(2)], gls.Nearest(5), gls.Best())),
        (
            "filtered_neighbourhood(filter=gain_bound & dont_look)",
            gls.LocalSearch(
                [gls.FilteredNeighbourhood(filter=gls.GainBound() & gls.DontLook())],
                pivoting=gls.Best(),
            ),
        ),
    ],
)
def test_a_search_may_be_given_or_written(tsp: gls.TSP, text: str, search: gls.LocalSearch) -> None:
    for given in (text, search):
        pop = Population.new("X", rows(60, 3))
        LocalSearchMutation(given)(TSPProblem(tsp), pop)
        assert pop.get("F")[:, 0].tolist() == search(tsp, rows(60, 3)).costs.tolist()


def test_moves_end_the_search_before_the_optimum(tsp: gls.TSP) -> None:
    run, pop = Run(), Population.new("X", rows(60, 7))
    LocalSearchMutation(moves=3)(TSPProblem(tsp), pop, algorithm=run)
    found = gls.LocalSearch()(tsp, rows(60, 7), budget=gls.Budget(moves=3))
    assert pop.get("F")[:, 0].tolist() == found.costs.tolist()
    assert run.data["local_search"].moves == 21
    assert run.data["local_search"].stopped_by == "moves"


def test_an_iterated_search_may_be_given() -> None:
    text = "iterated_local_search(two_opt+or_opt/nearest(5), double_bridge(20), better)"
    search = gls.IteratedLocalSearch(
        gls.LocalSearch([gls.TwoOpt(), gls.OrOpt()], gls.Nearest(5)),
        gls.DoubleBridge(segment=20),
        gls.Better(),
    )
    costs, tsp = {}, gls.TSP(cities(200))  # so many that no two tours become the same
    for given in (text, search):
        run, pop = Run(), Population.new("X", rows(200, 9))
        LocalSearchMutation(given, kicks=40)(TSPProblem(tsp), pop, algorithm=run, seed=1)
        costs[given] = pop.get("F")[:, 0].tolist()
        assert costs[given] == tsp.cost(pop.get("X")).tolist()
        assert run.data["local_search"].kicks == 9 * 40
        assert run.data["local_search"].stopped_by == "kicks"
    assert costs[text] == costs[search]
    descended = search.search(tsp, rows(200, 9)).costs
    assert (costs[text] <= descended).all() and sum(costs[text]) < 0.99 * descended.sum()


def test_the_limits_of_an_iterated_search(tsp: gls.TSP) -> None:
    def kicks(search: gls.IteratedLocalSearch, **limits: int) -> int:
        run = Run()
        mutation = LocalSearchMutation(search, **limits)
        mutation(TSPProblem(tsp), Population.new("X", rows(60, 9)), algorithm=run, seed=1)
        return int(run.data["local_search"].kicks)

    search = gls.IteratedLocalSearch(kicks_per_city=0.5)
    assert kicks(search) == 9 * 30
    assert kicks(search, kicks=7) == 9 * 7
    assert kicks(search, kicks=0) == 0
    assert kicks(search, moves=400) > 9 * 30  # what limits the moves alone


@pytest.mark.parametrize("mutation", [LocalSearchMutation(prob=0.5), DoubleBridgeMutation(30)])
def test_operators_are_small_and_stateless(tsp: gls.TSP, mutation: Any) -> None:
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
