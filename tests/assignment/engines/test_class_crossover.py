"""The crossover of states with interchangeable values, against one written with sets."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.assignment.engines import class_crossover
from gpu_ls_plugin.assignment.engines.class_crossover import children_of
from gpu_ls_plugin.assignment.engines.found_states import NOTHING
from gpu_ls_plugin.assignment.engines.searched_states import PATIENCE
from tests.helpers.searched_states import random_states, searched

QUEENS = gls.GraphColouring.queen(6, 6, 7)


def classes(state):
    return [set(np.flatnonzero(state == value).tolist()) for value in np.unique(state[state >= 0])]


def largest_in_turn(first, second, child, values):
    """Check a child against its parents, class by class."""
    waiting, taken = (classes(first), classes(second)), set()
    for turn in range(values):
        own = [group - taken for group in waiting[turn % 2]]
        group = set(np.flatnonzero(child == turn).tolist())
        assert len(group) == max(map(len, own), default=0)
        assert group in own or not group
        taken |= group
    assert set(np.flatnonzero(child < 0).tolist()) == set(range(len(child))) - taken


@pytest.mark.parametrize("values", [1, 2, 5, 9])
@pytest.mark.parametrize("cells", [1, 2**24])
def test_children_have_the_largest_classes_in_turn(values, cells, monkeypatch):
    monkeypatch.setattr(class_crossover, "CELLS", cells)
    rng = np.random.default_rng(values)
    first, second = rng.integers(-1, values, (2, 40, 12)).astype(np.int32)
    given = first.copy(), second.copy()
    children = children_of(np, first, second, values, rng)
    assert children.dtype == np.int32
    assert (first == given[0]).all() and (second == given[1]).all()
    for parents_and_child in zip(first, second, children, strict=True):
        largest_in_turn(*parents_and_child, values)


def test_ties_are_broken_at_random():
    parents = np.repeat(np.array([[0, 0, 1, 1]], np.int32), 64, axis=0)
    children = children_of(np, parents, parents, 2, np.random.default_rng(1))
    assert 0 < (children[:, 0] == 0).sum() < 64


def test_parents_that_differ_in_names_alone_have_themselves_as_child():
    first = random_states(QUEENS, 5, 1)
    second = np.random.default_rng(1).permutation(7)[first].astype(np.int32)
    children = children_of(np, first, second, 7, np.random.default_rng(2))
    for state, child in zip(first, children, strict=True):
        assert sorted(map(sorted, classes(state))) == sorted(map(sorted, classes(child)))


def rounds(states, problem=QUEENS, **options):
    made = searched(gls.SuccessorSearch(steps=5, **options), problem, states)
    made.advance(5, 100.0)
    return made


@pytest.mark.parametrize("mixing", [0.0, 0.5, 1.0])
def test_a_round_begins_with_children(mixing):
    population = rounds(random_states(QUEENS, 60, 1), mixing=mixing)
    elites, mates = population.elites.states.copy(), population.mates_of(1)
    population.renew()
    forgotten = population.elites.costs == NOTHING
    assert abs(forgotten.mean() - mixing) < 0.25
    kept = np.where(population.released, -1, population.states)
    for row in range(60):
        parents = [elites[row], *([elites[mates[row]]] if forgotten[row] else [])]
        groups = [group for parent in parents for group in classes(parent)]
        assert all(any(own <= group for group in groups) for own in classes(kept[row]))
    population.advance(5, 100.0)
    assert (population.elites.costs < NOTHING).all()
    assert (population.found.costs <= population.elites.costs).all()


def test_rows_with_the_same_classes_restart():
    cases = ((PATIENCE, True, True), (PATIENCE - 2, True, False), (PATIENCE, False, False))
    for stalled, alike, begins in cases:
        states = random_states(QUEENS, 6, 1)
        population = rounds(states, mixing=1.0)
        if alike:
            rng = np.random.default_rng(3)
            for row in population.elites.states:
                row[:] = rng.permutation(7)[states[0]]
        population.best, population._stalled = (0, 0), stalled
        population.renew()
        assert population.released.all() == begins


def test_colours_without_end_cost_nothing():
    """More colours than vertices are not crossed: the table of classes would fill the memory."""
    problem = gls.GraphColouring(4, [(0, 1), (1, 2)], 100_000)
    assert gls.solve(problem, seconds=0.1, backend="cpu").best_cost == 0


@pytest.mark.parametrize("size", [1, 5])
def test_states_that_are_not_crossed(size):
    """One state alone is not crossed, nor are states whose variables have different values."""
    problem = copy.copy(QUEENS)
    if size > 1:
        problem.sizes = np.where(np.arange(36) == 3, 2, 7).astype(np.int32)
    population = rounds(random_states(problem, size, 1), problem, mixing=1.0, share=0.05)
    population.renew()
    assert (population.elites.costs < NOTHING).all()
    assert (population.released.sum(axis=1) > 0).all()
    assert (population.released.sum(axis=1) <= 4).all()
