"""Descents on sequences: they end in local optima of their moves, by brute force."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.sequences import Insertion, Reversal, SequenceSearch, Swap
from tests.helpers.examples import ALL as EVERYTHING
from tests.sequences.engines.random_problems import ALL, WAYS, case_of, lower, neighbours, rows_of

MOVES = {
    "insertion": (Insertion(),),
    "long insertion": (Insertion(3),),
    "swap": (Swap(),),
    "reversal": (Reversal(),),
    "all": (Insertion(3), Swap(), Reversal()),
}
PAIRS = [
    (kind, name) for kind in ALL for name in MOVES if name == "all" or kind in WAYS or EVERYTHING
]
EXAMPLES = 10_000 // len(PAIRS) + 1 if EVERYTHING else 9
ROWS = 4


@pytest.mark.parametrize(("kind", "moves"), PAIRS, ids=["-".join(pair) for pair in PAIRS])
def test_descents_end_in_local_optima(kind, moves):
    search = SequenceSearch(MOVES[moves], kick=None, accept=gls.Always())
    for example in range(EXAMPLES):
        problem = case_of(kind, 1 + example % 9, example).problem
        rows = rows_of(problem, ROWS, example)
        result = search(problem, rows, seed=example, backend="cpu")
        assert result.statistics.stopped_by == "optimum"
        assert (result.costs == problem.cost(result.tours)).all()
        found = problem.compared(result.tours)
        assert not lower(problem, problem.compared(rows), found).any()
        for move in MOVES[moves]:
            others = neighbours(move, problem.n, problem.fixed)
            for row, value in zip(result.tours, found, strict=True):
                values = problem.compared(row[others]) if len(others) else np.empty(0)
                better = lower(problem, values, value)
                assert not better.any(), (move, row[others[better.argmax()]], row, problem.n)
