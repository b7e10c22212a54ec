"""Descents on sequences: they end in local optima of their moves, by brute force."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.sequences import Insertion, Reversal, SequenceSearch, Swap
from gpu_ls_plugin.sequences.cooperation.exchanges import FIRST_DESCENT
from tests.helpers.examples import ALL as EVERYTHING
from tests.helpers.marks import diagonal, slow_after
from tests.sequences.engines.random_problems import ALL, WAYS, case_of, lower, neighbours, rows_of

MOVES = {
    "insertion": (Insertion(),),
    "long insertion": (Insertion(3),),
    "swap": (Swap(),),
    "reversal": (Reversal(),),
    "all": (Insertion(3), Swap(), Reversal()),
}
SINGLE = [
    case.values for case in diagonal(WAYS, ("insertion", "swap", "reversal")) if not case.marks
]
OTHERS = [(kind, name) for kind in WAYS for name in MOVES if name != "all"]
PAIRS = dict.fromkeys([*((kind, "all") for kind in ALL), *SINGLE, *OTHERS])
EXAMPLES = 100 if EVERYTHING else 9
ROWS = 4


@pytest.mark.parametrize(("kind", "moves"), slow_after(len(ALL) + len(SINGLE), PAIRS))
def test_descents_end_in_local_optima(kind, moves):
    ends_in_local_optima(kind, moves, range(EXAMPLES))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ALL)
def test_ten_thousand_descents_end_in_local_optima(kind):
    ends_in_local_optima(kind, "all", range(100, 100 + 10_000 // len(ALL) + 1))


def ends_in_local_optima(kind, moves, examples):
    """Compare the ends of descents on random problems with all their neighbours."""
    search = SequenceSearch(MOVES[moves], kick=None, accept=gls.Always())
    for example in examples:
        problem = case_of(kind, 1 + example % 9, example).problem
        rows = rows_of(problem, ROWS, example)
        result = search(problem, rows, seed=example, backend="cpu")
        assert (result.statistics.stopped_by, result.statistics.kicks) == ("optimum", 0)
        assert (result.costs == problem.cost(result.tours)).all()
        found = problem.compared(result.tours)
        assert not lower(problem, problem.compared(rows), found).any()
        for move in MOVES[moves]:
            others = neighbours(move, problem.n, problem.fixed)
            for row, value in zip(result.tours, found, strict=True):
                better = lower(problem, problem.compared(row[others]), value)
                assert not better.any(), f"{move} improves {row} to {row[others][better][0]}"


@pytest.mark.parametrize("kind", WAYS)
def test_best_improvement_makes_the_best_of_all_moves(kind):
    search = SequenceSearch(MOVES["all"], kick=None, accept=gls.Always(), pivoting="best")
    for example in range(EXAMPLES):
        problem = case_of(kind, 1 + example % 9, example).problem
        rows = rows_of(problem, ROWS, example)
        once = search(problem, rows, seed=1, budget=gls.Budget(moves=1), backend="cpu")
        others = [neighbours(move, problem.n, problem.fixed) for move in MOVES["all"]]
        for row, value in zip(rows, problem.compared(once.tours), strict=True):
            assert value == problem.compared(row[np.concatenate(others)]).min()
        ended = search(problem, rows, seed=1, backend="cpu")
        assert ended.statistics.stopped_by == "optimum"
        again = search(problem, ended.tours, budget=gls.Budget(moves=1), backend="cpu")
        assert (again.tours == ended.tours).all()


def test_descents_end_when_a_launch_is_cut_off():
    problem = case_of("total_flowtime", 400, 1).problem
    search = SequenceSearch(MOVES["all"], kick=None, pivoting="first")
    for pivoting in ("first", "best"):
        search = replace(search, pivoting=pivoting)
        population = search.population(problem, rows_of(problem, 2), backend="cpu")
        population._run(0.0, until=0, looks=1 << 30)
        assert (population._arguments["states"][:, 0] == FIRST_DESCENT).all()
        assert (population.claimed == problem.cost(population.tours)).all()
