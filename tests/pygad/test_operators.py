"""Runs of PyGAD with the operators: types of genes, probabilities, clocks, Ctrl-C, saved runs."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pygad
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidTypeError
from gpu_ls_pygad import (
    DoubleBridgeMutation,
    LocalSearchMutation,
    LocalSearchSampling,
    RecombinationCrossover,
    TourFitness,
)
from tests.evolution.samples import cities, rows

N, SIZE = 60, 20
TSP = gls.TSP(cities(N), "EUC_2D")


def ga(**options: Any) -> Any:
    """Return a genetic algorithm on tours with local search as its mutation."""
    given = {
        "num_generations": 3,
        "num_parents_mating": 10,
        "fitness_func": TourFitness(TSP),
        "initial_population": rows(N, SIZE),
        "gene_type": int,
        "crossover_type": RecombinationCrossover(TSP, "order_recombination"),
        "mutation_type": LocalSearchMutation(TSP),
        "random_seed": 1,
        "suppress_warnings": True,
    }
    return pygad.GA(**given | options)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"gene_type": float},
        {"gene_type": np.int16},
        {"gene_type": [int, float] * (N // 2)},
        {"gene_space": range(N), "allow_duplicate_genes": False},
        {"fitness_batch_size": SIZE},
        {"keep_elitism": 0, "keep_parents": 5},
        {"keep_elitism": 0, "keep_parents": -1},
        {"parent_selection_type": "tournament", "crossover_probability": 0.5},
        {"save_solutions": True, "save_best_solutions": True},
        {"crossover_type": None},
        {"mutation_type": DoubleBridgeMutation(TSP)},
    ],
    ids=lambda options: "-".join(options) or "default",
)
def test_runs_hold_tours_and_their_costs(options):
    made = ga(**options)
    made.run()
    assert (np.sort(made.population.astype(int), axis=1) == np.arange(N)).all()
    fitness = -TSP.cost(made.population.astype(int))
    assert made.last_generation_fitness.tolist() == fitness.tolist()
    assert made.generations_completed == 3
    if "mutation_type" not in options:
        assert made.best_solution()[1] > 0.6 * -TSP.cost(rows(N, SIZE)).min()
        assert made.local_search.climbs >= 3 * 10


def test_the_same_seed_gives_the_same_run():
    first, again, other = (ga(random_seed=seed) for seed in (1, 1, 2))
    for made in (first, again, other):
        made.run()
    assert np.array_equal(first.population, again.population)
    assert not np.array_equal(first.population, other.population)


@pytest.mark.parametrize("make", [LocalSearchMutation, DoubleBridgeMutation])
@pytest.mark.parametrize("prob", [0.0, 0.3, 1.0])
def test_the_chosen_are_drawn_once(make, prob):
    given = rows(N, 400)
    made = make(TSP, prob=prob)(given, ga())
    changed = (made != given).any(axis=1)
    assert abs(changed.mean() - prob) < 0.08 and changed.any() == (prob > 0)


def test_mutated_solutions_differ_from_the_others(diary):
    given = np.tile(rows(N, 1), (SIZE, 1))
    made = LocalSearchMutation(TSP, diary(), prob=0.5)(given, ga(initial_population=given[:10]))
    chosen = (made != given).any(axis=1)
    assert len(np.unique(made[chosen], axis=0)) == chosen.sum() == diary.calls[0]["rows"]


def test_offspring_are_crossed_with_pygads_probability():
    parents, crossover = rows(N, 10), RecombinationCrossover(TSP, "order_recombination")
    for prob, share in ((None, 1.0), (0.0, 0.0), (0.4, 0.4), (1.0, 1.0)):
        made = crossover(parents, (300, N), ga(crossover_probability=prob))
        crossed = (made != parents[np.arange(300) % 10]).any(axis=1)
        assert abs(crossed.mean() - share) < 0.1


def test_a_batch_has_the_fitness_of_its_solutions():
    fitness, some = TourFitness(TSP), rows(N, 5)
    assert fitness(None, some, range(5)) == [fitness(None, row, 0) for row in some]
    assert type(fitness(None, some[0], 0)) is int


def test_a_start_population_is_not_changed():
    start = LocalSearchSampling(TSP)(SIZE, seed=3)
    made = ga(initial_population=start)
    assert np.array_equal(made.population, start)


def test_a_run_continues_after_an_interrupt(diary):
    made = ga(mutation_type=LocalSearchMutation(TSP, diary()), num_generations=4)
    diary.interrupt_at = 1
    made.run()
    assert (made.generations_completed, len(diary.calls)) == (2, 2)
    made.run()
    assert (made.generations_completed, len(diary.calls)) == (6, 6)
    assert made.stop_criteria is None


def test_a_saved_run_continues(tmp_path):
    made = ga()
    made.run()
    made.save(str(tmp_path / "run"))
    loaded = pygad.load(str(tmp_path / "run"))
    assert loaded.local_search.climbs == made.local_search.climbs
    for one in (made, loaded):
        one.run()
    assert np.array_equal(made.population, loaded.population)


@pytest.mark.timed
def test_a_slow_fitness_does_not_break_the_limit():
    fitness = TourFitness(TSP)

    def slow(instance: Any, solution: Any, index: Any) -> Any:
        time.sleep(0.3 / SIZE)
        return fitness(instance, solution, index)

    made = ga(fitness_func=slow, num_generations=10**6, stop_criteria="time_1.2")
    begin = time.monotonic()
    made.run()
    assert 1.2 <= time.monotonic() - begin <= 1.2 + 0.3 + 0.2  # a generation that had begun


BENCHMARKS = {
    "plane": {"coordinates": cities(30) / 7},
    "space": {"coordinates": np.random.default_rng(1).random((30, 3))},
    "asymmetric": {"distance_matrix": np.random.default_rng(1).random((30, 30))},
}


@pytest.mark.parametrize("name", BENCHMARKS)
def test_the_tsp_of_pygads_benchmarks(name):
    tsp = pytest.importorskip("pygad.benchmarks.tsp", reason="needs a later PyGAD")
    benchmark = tsp.TSP(**BENCHMARKS[name])
    some = rows(30, 5)
    ours = TourFitness(benchmark)(None, some, range(5))
    theirs = [benchmark(None, row, 0) for row in some]
    assert np.allclose(ours, theirs, rtol=1e-12)


def test_a_fitness_stands_for_its_problem():
    problem = gls.TSP(cities(9), "EUC_2D")
    assert LocalSearchMutation(TourFitness(problem)).search.problem is problem
    with pytest.raises(InvalidTypeError, match="no plugin"):
        TourFitness(object())
    with pytest.raises(InvalidTypeError, match="not a TSP"):
        TourFitness(gls.GraphColouring(3, [(0, 1)], colours=2))
