"""DEAP runs with our operators: kinds of individuals, fitness, its algorithms, Ctrl-C."""

from __future__ import annotations

import array
import random
from typing import Any

import numpy as np
import pytest
from deap import algorithms, base, tools

import gpu_ls_plugin as gls
from gpu_ls_deap import (
    DoubleBridgeMutation,
    LocalSearchMutation,
    LocalSearchSampling,
    RecombinationCrossover,
    TimedRun,
    TourCost,
    var_and,
)
from gpu_ls_plugin.core.exceptions import InvalidTypeError
from tests.adapters.deap_face import individuals
from tests.evolution.samples import cities, rows

N, SIZE = 60, 20
TSP = gls.TSP(cities(N), "EUC_2D")
KINDS = [list, array.array, np.ndarray]


def toolbox(**operators: Any) -> base.Toolbox:
    """Return a toolbox with operators of the adapter and a selection of DEAP."""
    made = base.Toolbox()
    made.register("evaluate", TourCost(TSP))
    made.register("select", tools.selTournament, tournsize=3)
    made.register("mate", RecombinationCrossover(TSP, "order_recombination"))
    made.register("mutate", LocalSearchMutation(TSP))
    for name, operator in operators.items():
        made.register(name, operator)
    return made


def evaluated(pop: list[Any]) -> list[Any]:
    for individual in pop:
        individual.fitness.values = TourCost(TSP)(individual)
    return pop


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("make", [LocalSearchMutation, DoubleBridgeMutation])
def test_one_individual_is_changed_in_place(kind, make):
    (individual,) = evaluated(individuals(rows(N, 1), kind))
    before = TourCost(TSP)(individual)
    assert make(TSP)(individual)[0] is individual
    assert isinstance(individual, kind)
    assert sorted(individual) == list(range(N))
    assert not individual.fitness.valid
    if make is LocalSearchMutation:
        assert TourCost(TSP)(individual) < before


@pytest.mark.parametrize("kind", KINDS)
def test_pairs_are_crossed_in_place(kind):
    one, other = evaluated(individuals(rows(N, 2), kind))
    random.seed(1)
    first, second = RecombinationCrossover(TSP, "order_recombination")(one, other)
    assert first is one and second is other
    assert sorted(one) == sorted(other) == list(range(N))
    assert list(one) != list(rows(N, 2)[0]) and list(other) != list(rows(N, 2)[1])
    assert not one.fitness.valid and not other.fitness.valid


def test_plain_lists_are_individuals():
    some = rows(N, 3).tolist()
    LocalSearchMutation(TSP).batch(some)
    assert (TSP.cost(some) < TSP.cost(rows(N, 3))).all()


def test_a_batch_searches_individuals_without_fitness(diary):
    pop = individuals(np.tile(rows(N, 1), (6, 1)))
    evaluated(pop[:2])
    assert LocalSearchMutation(TSP, diary()).batch(pop) is pop
    assert [call["rows"] for call in diary.calls] == [4]
    assert [one.fitness.valid for one in pop] == [True] * 2 + [False] * 4
    assert len({tuple(one) for one in pop}) == 5  # the first two are equal, as they were
    LocalSearchMutation(TSP, diary()).batch(pop[:2])
    assert len(diary.calls) == 1


def test_new_tours_differ_from_known_ones():
    pop = individuals(rows(N, 5))
    mutation = LocalSearchMutation(TSP)
    mutation.batch(pop)
    some = individuals(np.array(pop))
    mutation.batch(some, known=pop)
    assert not {tuple(one) for one in some} & {tuple(one) for one in pop}


@pytest.mark.parametrize("algorithm", ["eaSimple", "eaMuPlusLambda", "eaMuCommaLambda"])
def test_algorithms_of_deap_search_before_they_evaluate(algorithm, diary):
    random.seed(1)
    mutation = LocalSearchMutation(TSP, diary())
    made = toolbox(map=mutation.map, mutate=DoubleBridgeMutation(TSP))
    pop, best = individuals(rows(N, SIZE)), tools.HallOfFame(1)
    sizes = () if algorithm == "eaSimple" else (SIZE, 2 * SIZE)
    getattr(algorithms, algorithm)(pop, made, *sizes, 0.5, 0.3, 3, halloffame=best, verbose=False)
    assert len(diary.calls) == 4  # the start population, and one batch each generation
    assert diary.calls[0]["rows"] == SIZE
    for one in [*pop, best[0]]:
        assert one.fitness.values == TourCost(TSP)(one)
    assert best[0].fitness.values[0] < 0.4 * TSP.cost(rows(N, SIZE)).min()


def test_eaSimple_mutates_single_individuals():
    def run(seed: int) -> list[list[int]]:
        random.seed(seed)
        pop = individuals(rows(N, 6))
        algorithms.eaSimple(pop, toolbox(), 0.5, 0.5, 2, verbose=False)
        assert all(one.fitness.values == TourCost(TSP)(one) for one in pop)
        return [list(one) for one in pop]

    assert run(1) == run(1) != run(2)


def test_var_and_is_varAnd_for_other_operators():
    own = toolbox(mate=tools.cxOrdered, mutate=lambda one: tools.mutShuffleIndexes(one, indpb=0.1))
    made = []
    for vary in (algorithms.varAnd, var_and):
        random.seed(5)
        pop = evaluated(individuals(rows(N, 7)))
        off = vary(pop, own, 1.0, 0.0) + vary(pop, own, 0.0, 1.0)
        made.append(([list(one) for one in off], [one.fitness.valid for one in off]))
        assert [list(one) for one in pop] == rows(N, 7).tolist()
        assert all(one.fitness.valid for one in pop)
    assert made[0] == made[1]


def test_var_and_calls_operators_with_batches(diary):
    random.seed(2)
    made = toolbox(mutate=LocalSearchMutation(TSP, diary()))
    pop = evaluated(individuals(rows(N, 40)))
    off = var_and(pop, made, 0.5, 0.3)
    changed = [list(a) != list(b) for a, b in zip(off, pop, strict=True)]
    for one, new in zip(off, changed, strict=True):
        assert not (one.fitness.valid and new)
    (call,) = diary.calls
    assert 4 <= call["rows"] <= 20 and call["rows"] <= sum(changed)
    assert sum(not one.fitness.valid for one in off) < 40
    assert not any(one.fitness.valid for one in var_and(pop, made, 0.0, 1.0))


def test_var_and_makes_tours_that_differ_from_the_others():
    random.seed(3)
    mutation = LocalSearchMutation(TSP, "local_search")
    (optimum,) = mutation.batch(rows(N, 1).tolist())
    pop = evaluated(individuals(np.tile(optimum, (SIZE, 1))))
    off = var_and(pop, toolbox(mutate=mutation), 0.0, 0.5)
    drawn = [tuple(one) for one in off if not one.fitness.valid]
    assert len({*drawn, tuple(pop[0])}) == len(drawn) + 1 > 1


def test_starts_are_individuals():
    made = toolbox()
    made.register("population", LocalSearchSampling(TSP), type(individuals(rows(N, 1))[0]))
    pop = made.population(n=7)
    assert len(pop) == 7 and all(sorted(one) == list(range(N)) for one in pop)
    assert not any(one.fitness.valid for one in pop)


def test_an_interrupt_is_raised_without_a_run(diary):
    diary.interrupt_at = 0
    with pytest.raises(KeyboardInterrupt):
        LocalSearchMutation(TSP, diary()).batch(individuals(rows(N, 3)))
    diary.calls.clear()
    run = TimedRun()
    LocalSearchMutation(TSP, diary(), run=run).batch(individuals(rows(N, 3)))
    assert run.interrupted and run.over and run.statistics.interrupted


def test_a_run_counts_all_searches():
    run = TimedRun(100)
    mutation = LocalSearchMutation(TSP, run=run)
    for _ in range(2):
        mutation.batch(individuals(rows(N, 5)))
    assert run.statistics.climbs == 10 and not run.over
    with pytest.raises(InvalidTypeError, match="run: 10 is not a TimedRun"):
        LocalSearchMutation(TSP, run=10)
    with pytest.raises(InvalidTypeError, match="run: 10 is not a TimedRun"):
        LocalSearchSampling(TSP, run=10)


def test_a_cost_stands_for_its_problem():
    assert LocalSearchMutation(TourCost(TSP)).search.problem is TSP
