"""Whole runs: seeds, copies, checkpoints, start populations, output."""

from __future__ import annotations

import pickle
from typing import Any

import cloudpickle
import numpy as np
import pytest
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.core.population import Population
from pymoo.operators.crossover.ox import OrderCrossover
from pymoo.operators.sampling.rnd import PermutationRandomSampling
from pymoo.optimize import minimize
from pymoo.problems.single.traveling_salesman import TravelingSalesman

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.rows import canonical
from gpu_ls_plugin.evolution.batches.rows import keys
from gpu_ls_pymoo import DoubleBridgeMutation, LocalSearchMutation, MemeticGA, TSPProblem
from tests.evolution.samples import cities, rows


def plain_ga(**options: Any) -> GA:
    """The GA that a pymoo user has, with its mutation changed."""
    return GA(
        pop_size=20,
        sampling=PermutationRandomSampling(),
        crossover=OrderCrossover(),
        mutation=LocalSearchMutation(prob=0.5),
        **options,
    )


ALGORITHMS = {"plain": plain_ga, "memetic": lambda **options: MemeticGA(20, **options)}
both = pytest.mark.parametrize("make", ALGORITHMS.values(), ids=ALGORITHMS)


@pytest.fixture(scope="session")
def problem(tsp: gls.TSP) -> TSPProblem:
    return TSPProblem(tsp)


@both
def test_the_same_seed_gives_the_same_run(make):
    problem = TSPProblem(gls.TSP(cities(200), "EUC_2D"))
    runs = [minimize(problem, make(), ("n_gen", 4), seed=seed) for seed in (1, 1, 2)]
    tours = [run.pop.get("X") for run in runs]
    assert (tours[0] == tours[1]).all()
    assert tours[0].shape != tours[2].shape or (tours[0] != tours[2]).any()


@both
def test_global_random_numbers_are_not_touched(problem, make):
    before = pickle.dumps(np.random.get_state())  # noqa: NPY002
    minimize(problem, make(), ("n_gen", 3), seed=1)
    assert pickle.dumps(np.random.get_state()) == before  # noqa: NPY002


def test_each_batch_is_seeded_by_the_random_state(problem, diary):
    for seed in (1, 1, 2):
        minimize(problem, MemeticGA(20, search=diary()), ("n_gen", 3), seed=seed)
    seeds = [call["seed"] for call in diary.calls]
    assert seeds[:3] == seeds[3:6]
    assert len(set(seeds)) == 6


@both
def test_a_loaded_checkpoint_continues_identically(problem, make):
    algorithm = make().setup(problem, termination=("n_gen", 8), seed=3)
    for _ in range(4):
        algorithm.next()
    loaded = cloudpickle.loads(cloudpickle.dumps(algorithm))
    results = [algorithm.run(), loaded.run()]
    assert loaded.n_gen - 1 == 8
    assert (results[0].pop.get("X") == results[1].pop.get("X")).all()
    assert loaded.evaluator.n_eval == algorithm.evaluator.n_eval


@both
def test_saved_history_holds_the_problem_once(problem, make):
    result = minimize(problem, make(), ("n_gen", 5), seed=1, save_history=True)
    assert len(result.history) == 5
    assert all(entry.problem is problem for entry in result.history)
    best = [entry.opt.get("F")[0, 0] for entry in result.history]
    assert best == sorted(best, reverse=True)


@both
def test_pymoos_problem_unchanged(make):
    problem = TravelingSalesman(cities(60) / 7)
    before = dict(vars(problem))
    result = minimize(problem, make(), ("n_gen", 5), seed=1)
    tours, values = result.pop.get("X", "F")
    assert np.array_equal(values, problem.evaluate(tours)) and result.F[0] == values.min()
    assert vars(problem) == before
    known = gls.LocalSearch()(gls.TSP(cities(60) / 7, "EUC"), rows(60, 50))
    assert result.F[0] < known.costs.mean()


FILTERED = gls.FilteredNeighbourhood(filter=gls.GainBound() & gls.DontLook())
WRITTEN = {
    "or_opt/nearest(5)": gls.LocalSearch([gls.OrOpt()], gls.Nearest(5)),
    "filtered_neighbourhood(filter=gain_bound & dont_look)": gls.LocalSearch(
        [FILTERED], pivoting=gls.Best()
    ),
}


@pytest.mark.parametrize("text", WRITTEN)
def test_text_and_moves_reach_every_search(problem, text):
    algorithm = MemeticGA(20, search=text, moves=2)
    result = minimize(problem, algorithm, ("n_gen", 3), seed=1)
    assert 0 < result.data["local_search"].moves <= 2 * 3 * 20
    given = MemeticGA(20, search=WRITTEN[text], moves=2)
    same = minimize(problem, given, ("n_gen", 3), seed=1)
    assert (same.pop.get("X") == result.pop.get("X")).all()


def test_iterated_searches_and_kicks_reach_every_search(problem):
    text = "iterated_local_search(or_opt/nearest(5), double_bridge(20))"
    result = minimize(problem, MemeticGA(20, search=text, kicks=3), ("n_gen", 3), seed=1)
    assert result.data["local_search"].kicks == 3 * 3 * 20
    given = gls.IteratedLocalSearch(
        gls.LocalSearch([gls.OrOpt()], gls.Nearest(5)), gls.DoubleBridge(segment=20)
    )
    same = minimize(problem, MemeticGA(20, search=given, kicks=3), ("n_gen", 3), seed=1)
    assert (same.pop.get("X") == result.pop.get("X")).all()


def test_the_algorithm_is_not_changed_by_a_run(problem):
    algorithm = MemeticGA(20)
    minimize(problem, algorithm, ("n_gen", 3), seed=1)
    assert algorithm.data == {}
    assert algorithm.pop is None


def test_the_start_is_recorded_and_beaten(problem):
    algorithm = MemeticGA(20, mutation=DoubleBridgeMutation(prob=0.5))
    result = minimize(problem, algorithm, ("n_gen", 20), seed=1, save_history=True)
    start = result.history[0].pop.get("F").min()
    assert result.data["start_best"] == start
    assert result.F[0] < start
    assert result.data["local_search"].climbs == 20 * 20
    assert len(set(keys(canonical(result.pop.get("X"))))) == 20


@pytest.mark.parametrize("dtype", [int, float])
@pytest.mark.parametrize("form", ["array", "population", "evaluated"])
def test_warm_starts(problem, diary, form, dtype):
    best = gls.LocalSearch()(problem.tsp, rows(60, 20)).tours.astype(dtype)
    sampling: Any = best if form == "array" else Population.new("X", best)
    if form == "evaluated":
        sampling.set("F", problem.evaluate(best))
        sampling.apply(lambda individual: individual.evaluated.update("FGH"))
    result = minimize(
        problem, MemeticGA(20, search=diary(), sampling=sampling), ("n_gen", 3), seed=1
    )
    assert len(diary.calls) == 2  # the start population is not searched
    start = problem.tsp.cost(best.astype(int)).min()
    assert result.data["start_best"] == start
    assert result.F[0] <= start
    unseen = 0 if form == "evaluated" else len(np.unique(canonical(best.astype(int)), axis=0))
    assert result.algorithm.evaluator.n_eval == unseen + 2 * 20


def test_runs_do_not_share_operators():
    first, second = MemeticGA(20), MemeticGA(20)
    assert first.mating is not second.mating
    assert first.termination is not second.termination
    assert first.output is not second.output
