"""Chains of kicks on sequences: optima, exact costs, and the same rows however they are run."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.runs.stretch import Stretch
from gpu_ls_plugin.sequences import (
    BlockSwap,
    DestroyRepair,
    Insertion,
    Reversal,
    SequenceSearch,
    Swap,
)
from tests.helpers.examples import ALL as EVERYTHING
from tests.helpers.marks import slow_after
from tests.sequences.engines.own_objectives import LEVELS
from tests.sequences.engines.random_problems import (
    ALL,
    WAYS,
    WAYS_FIRST,
    case_of,
    every_row,
    lower,
    rows_of,
)

MOVES = (Insertion(3), Swap(), Reversal())
WALK = SequenceSearch(MOVES, DestroyRepair(), gls.Always())
USUAL = replace(WALK, accept=SequenceSearch().accept)  # depends on random numbers
EACH_KIND = pytest.mark.parametrize("kind", ALL)
EACH_WAY = pytest.mark.parametrize("kind", WAYS)
ITEMS = range(1, 8) if EVERYTHING else (1, 2, 5)  # all rows are enumerated


@pytest.mark.parametrize(
    ("kind", "descend"),
    [
        *((kind, False) for kind in ALL),
        *slow_after(len(WAYS), ((kind, True) for kind in WAYS_FIRST)),
    ],
)
def test_kicks_find_the_optimum(kind, descend):
    for n in ITEMS:
        problem = case_of(kind, n, n).problem
        rows, optimum = rows_of(problem, 3, n), problem.compared(every_row(problem)).min()
        for removed in {1, 2, n}:
            search = replace(WALK, kick=DestroyRepair(removed, descend))
            result = search(problem, rows, budget=gls.Budget(kicks=200), backend="cpu")
            assert (result.costs == problem.cost(result.tours)).all()
            if removed > 1 or n == 1:  # a single item often returns to its place
                assert not lower(problem, optimum, problem.compared(result.tours)).any()


@pytest.mark.parametrize("kick", [DestroyRepair(3), BlockSwap(6)], ids=lambda kick: kick.name)
@pytest.mark.parametrize("kind", slow_after(len(WAYS), WAYS_FIRST))
def test_values_of_chains_are_exact(kind, kick):
    # The rule undoes some kicks; the best rows and the present ones differ.
    search = replace(USUAL, kick=kick)
    for n in (2, 5, 9):
        problem = case_of(kind, n, n).problem
        population = search.population(problem, rows_of(problem, 6), backend="cpu")
        population.advance(Stretch(kicks=5))
        own = population._arguments
        for rows, values in (("rows", "values"), ("bests", "best_values")):
            expected = problem.compared(own[rows])
            error = np.abs(own[values] - expected).max()
            assert error <= (0 if problem.integer else 1e-12 * np.abs(expected).max())
        assert not lower(problem, own["values"], own["best_values"]).any()


@pytest.mark.parametrize("integer", ["visits by", "real visits by"])
def test_levels_give_the_same_rows(integer):
    found = []
    for level in LEVELS:
        results = []
        for n in range(2, 10):
            problem = case_of(f"{integer} {level}", n, 5 * n).problem
            result = WALK(problem, rows_of(problem, 5), budget=gls.Budget(kicks=9), backend="cpu")
            results.append(result.tours if problem.integer else result.costs.round(9))
        found.append(np.concatenate([result.ravel() for result in results]))
    assert (found == found[0]).all()


N, ROWS, KICKS = 9, 7, 6


def searched(kind, rows=slice(None), **options):
    """Return rows of a search of a part of a batch."""
    problem = case_of(kind, N, 3).problem
    given = rows_of(problem, ROWS, 1)[rows]
    return USUAL(problem, given, seed=4, budget=gls.Budget(kicks=KICKS), backend="cpu", **options)


@EACH_WAY
def test_rows_do_not_depend_on_the_batch(kind):
    whole = searched(kind).tours
    for rows in (slice(2, 5), slice(6, 7), slice(1)):
        assert (searched(kind, rows, first_row=rows.start or 0).tours == whole[rows]).all()


@EACH_WAY
def test_rows_do_not_depend_on_launches_and_threads(kind, monkeypatch):
    whole = searched(kind)
    for seconds, threads in ((1e-9, "1"), (1e-9, "3"), (1e9, "1")):
        monkeypatch.setattr(tuning, "LAUNCH_SECONDS", seconds)
        monkeypatch.setenv("GPU_LS_THREADS", threads)
        other = searched(kind)
        assert (other.tours == whole.tours).all()
        assert other.statistics.moves == whole.statistics.moves
        assert other.statistics.evaluations == whole.statistics.evaluations
        assert (other.statistics.launches > KICKS) == (seconds < 1)


@EACH_WAY
def test_populations_continue_after_stretches_and_pickles(kind):
    problem, rows = case_of(kind, N, 3).problem, rows_of(case_of(kind, N, 3).problem, ROWS, 1)
    population = USUAL.population(problem, rows, seed=4, backend="cpu")
    for _ in range(KICKS):
        population.advance(Stretch(kicks=1))
        population = pickle.loads(pickle.dumps(population))
    assert (population.tours == searched(kind).tours).all()


@EACH_WAY
def test_seeds_matter(kind):
    problem = case_of(kind, 30, 3).problem
    one, other = (USUAL(problem, rows_of(problem, 4), seed=s, backend="cpu") for s in (1, 2))
    assert (one.tours != other.tours).any()


@pytest.mark.parametrize("kick", [None, DestroyRepair(2)], ids=["descent", "chain"])
@pytest.mark.parametrize("seconds", [1e-9, 1e9])
def test_moves_are_limited(kick, seconds, monkeypatch):
    monkeypatch.setattr(tuning, "LAUNCH_SECONDS", seconds)
    problem = case_of("makespan", 30, 1).problem
    rows, found = rows_of(problem, 5), []
    for moves in (0, 1, 4):
        search, budget = replace(WALK, kick=kick), gls.Budget(moves=moves)
        result = search(problem, rows, budget=budget, backend="cpu")
        assert result.statistics.stopped_by == "moves"
        assert result.statistics.moves == moves * len(rows)
        found.append(result.tours)
    assert (found[0] == rows).all()
    for before, after in zip(rows, found[1], strict=True):
        assert before.tolist() != after.tolist()  # a single move has changed the row


def test_a_limit_of_moves_ends_if_there_are_none():
    problem = case_of("makespan", 2, 1).problem
    result = WALK(problem, rows_of(problem, 3), budget=gls.Budget(moves=9), backend="cpu")
    assert result.statistics.stopped_by == "moves"


@EACH_KIND
def test_local_optima_stay_as_they_are(kind):
    # Differences by rounding are not improvements: a search that believed them might never end.
    for n in (2, 9, 40):
        problem = case_of(kind, n, n).problem
        descend, rows = replace(WALK, kick=None), rows_of(problem, 8)
        first = descend(problem, rows, backend="cpu")
        assert (problem.compared(first.tours) <= problem.compared(rows)).all()
        second = descend(problem, first.tours, seed=1, backend="cpu")
        assert second.statistics.moves == 0
        assert (second.tours == first.tours).all()


def test_populations_adopt_better_rows():
    problem = case_of("makespan", 30, 1).problem
    rows = rows_of(problem, 6)
    good = USUAL(problem, rows, budget=gls.Budget(kicks=50), backend="cpu").tours[:3]
    for kicks in (None, 2):  # before and after the first descents
        population = USUAL.population(problem, rows, seed=1, backend="cpu")
        if kicks is not None:
            population.advance(Stretch(kicks=kicks))
        before = population.costs.copy()
        population.adopt(good, problem.compared(good))
        worst = np.sort(before)[::-1][:3]
        assert sorted(population.costs) == sorted(
            [*np.sort(before)[:3], *np.minimum(worst, problem.cost(good))]
        )
        population.advance(Stretch(kicks=1))
        assert (population.costs == problem.cost(population.tours)).all()
        assert (np.sort(population.costs) <= np.sort(before)).all()
        values = population._arguments["values"]
        assert (values == problem.cost(population._arguments["rows"])).all()


def test_searches_end_at_the_target():
    problem = case_of("makespan", 12, 1).problem
    rows = rows_of(problem, 4)
    best = USUAL(problem, rows, budget=gls.Budget(kicks=300), backend="cpu").best_cost
    result = USUAL(problem, rows, budget=gls.Budget(kicks=10**6, target=best), backend="cpu")
    assert (result.best_cost, result.statistics.stopped_by) == (best, "target")
