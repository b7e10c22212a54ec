"""Best insertions of constructions and of kicks, replayed with the referee."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.runs.stretch import Stretch
from gpu_ls_plugin.sequences import DestroyRepair
from gpu_ls_plugin.sequences.construction.neh import NOISE, neh
from gpu_ls_plugin.sequences.construction.random_sequences import in_order, uniform
from gpu_ls_plugin.sequences.engines.sequence_population import SequencePopulation
from tests.helpers.examples import ALL as EVERYTHING
from tests.helpers.marks import slow_after
from tests.sequences.engines.random_problems import WAYS, WAYS_FIRST, case_of, lower, rows_of

EXAMPLES = 30 if EVERYTHING else 6
ROWS = 4


def inserted(row, item, at):
    return [*row[:at], item, *row[at:]]


class Replay:
    """Inserts items into parts of sequences of a case."""

    def __init__(self, case):
        self.case, self.fixed = case, case.problem.fixed

    def at_a_best_place(self, row, item, before):
        """Return whether `row` is a best insertion of an item into the row `before`."""
        places = range(self.fixed, len(before) + 1)
        rows = np.array([row, *(inserted(before, item, at) for at in places)])
        items = rows[1].tolist()  # the first ones are those that are fixed
        part, numbers = self.case.restricted(items), np.argsort(items)
        own, *others = part.compared(numbers[np.searchsorted(np.sort(items), rows)])
        return not lower(part, np.array(others), own).any()

    def are_best(self, row, items, before):
        """Return whether the insertion of items into `before`, in turn, can lead to `row`."""
        for k, item in enumerate(items, start=1):
            there = {*before, *items[:k]}
            now = [other for other in row if other in there]
            without = [other for other in now if other != item]
            if not self.at_a_best_place(now, item, without):
                return False
        return True


def orders(problem, size, seed):
    """Return the orders in which `neh` inserts items."""
    keys, priorities = uniform(problem.n, size, seed), problem.objective.priorities()
    if priorities is not None:
        ranks = np.argsort(np.argsort(-priorities, kind="stable"))
        keys = ranks + NOISE * problem.n * keys * (np.arange(size) > 0)[:, None]
    return in_order(problem, keys).tolist()


@pytest.mark.parametrize("kind", slow_after(len(WAYS), WAYS_FIRST))
def test_constructions_insert_items_at_best_places(kind):
    for example in range(EXAMPLES):
        case = case_of(kind, 1 + example % 9, example)
        problem, replay = case.problem, Replay(case)
        rows = neh(problem, ROWS, seed=example, backend="cpu")
        problem.check(rows)
        assert (neh(problem, 2, seed=example, backend="cpu") == rows[:2]).all()
        for row, order in zip(rows.tolist(), orders(problem, ROWS, example), strict=True):
            first = order[: problem.fixed]
            assert replay.are_best(row, order[problem.fixed :], first)


@pytest.mark.parametrize("kind", WAYS)
def test_kicks_insert_removed_items_at_best_places(kind):
    for example in range(EXAMPLES):
        n = 3 + example % 4
        case, removed = case_of(kind, n, example), 1 + example % 3
        problem, replay = case.problem, Replay(case)
        rows = rows_of(problem, ROWS, example)
        for row, after in zip(rows.tolist(), kicked(problem, rows, removed), strict=True):
            problem.check(after)
            movable = row[problem.fixed :]
            assert any(
                without == [item for item in after if item not in items]
                and replay.are_best(after, items, without)
                for items in permutations(movable, min(removed, len(movable)))
                for without in [[item for item in row if item not in items]]
            )


def kicked(problem, rows, removed):
    """Return rows after a kick without moves."""
    parts = {"moves": (), "pivoting": "first", "accept": gls.Always()}
    kick = DestroyRepair(removed)
    population = SequencePopulation(problem, rows, 5, "cpu", kick=kick, **parts)
    population.advance(Stretch(kicks=1))
    return population._arguments["rows"].tolist()


def test_kicks_remove_items_and_break_ties_uniformly():
    n, size = 6, 20_000
    problem = gls.SingleMachine([1] * n, [n] * n, [1] * n)  # all costs are 0
    made = kicked(problem, np.tile(np.arange(n, dtype=np.int32), (size, 1)), 1)
    found = Counter(map(tuple, made))
    expected = Counter()
    for item in range(n):
        for place in range(n):
            others = [other for other in range(n) if other != item]
            expected[tuple(inserted(others, item, place))] += size / n**2
    assert found.keys() <= expected.keys()
    chi_square = sum((found[row] - wanted) ** 2 / wanted for row, wanted in expected.items())
    assert chi_square < 2 * len(expected)  # less than one of 1,000 seeds exceeds it
