"""Insertions whose evaluation ends early, compared with all insertions of local optima."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls

N, ROWS = 40, 24
FLOWTIME, TARDINESS = "total_flowtime", "weighted_tardiness"
CASES = [(FLOWTIME, False), (TARDINESS, False), (TARDINESS, True), (FLOWTIME, True)]


def shop(objective, setups):
    """Return a flow shop, with set-ups that an item between two others often shortens."""
    rng = np.random.default_rng(4)
    due = {"due_dates": rng.integers(0, 900, N), "weights": rng.integers(1, 5, N)}
    return gls.FlowShop(
        rng.integers(1, 100, (N, 3)),
        objective,
        rng.choice([0, 1000], (3, N, N)) if setups else None,
        **(due if objective == TARDINESS else {}),
    )


def insertions(row, longest):
    """Return all sequences in which a block of items has moved."""
    return [
        [*rest[:to], *block, *rest[to:]]
        for count in range(1, longest + 1)
        for place in range(N - count + 1)
        for block, rest in [(row[place : place + count], [*row[:place], *row[place + count :]])]
        for to in range(N - count + 1)
    ]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}-{case[1]}")
def test_no_insertion_improves_a_local_optimum(case):
    problem = shop(*case)
    search = gls.SequenceSearch((gls.Insertion(2),), kick=None)
    found = search(problem, gls.random_sequences(problem, ROWS), backend="cpu")
    for row, cost in zip(found.tours.tolist(), found.costs, strict=True):
        assert problem.cost(insertions(row, 2)).min() == cost
