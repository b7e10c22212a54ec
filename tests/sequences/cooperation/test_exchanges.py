"""Exchanges between chains: children of crossovers, migrations, and copies of populations."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.exceptions import (
    InvalidParameterError,
    InvalidTypeError,
)
from gpu_ls_plugin.runs.partners import Partners
from gpu_ls_plugin.runs.stretch import Stretch
from gpu_ls_plugin.sequences.cooperation.exchanges import CROSSOVERS

ITEMS, ROWS = 12, 20
random = np.random.default_rng(3)
PROBLEM = gls.FlowShop(random.integers(1, 50, (ITEMS, 3)))


def population(exchange, rows=None, problem=PROBLEM):
    rows = gls.random_sequences(problem, ROWS, seed=5) if rows is None else rows
    return gls.SequenceSearch(exchange=exchange).population(problem, rows, seed=7, backend="cpu")


def similar_rows():
    """Return rows that share items at many places with each other."""
    rows = np.tile(np.arange(ITEMS, dtype=np.int32), (ROWS, 1))
    for row in rows:
        chosen = random.choice(ITEMS, 4, replace=False)
        row[chosen] = row[np.roll(chosen, 1)]
    return rows


def children(crossover, rows):
    """Return the children of a generation, and their second parents."""
    own = population(gls.SequenceCrossing(crossover), rows)._arguments
    gls.SequenceCrossing(crossover).exchange(PROBLEM, get_backend("cpu"), own, 4)
    return own["rows"], rows[Partners(np, ROWS, 7, 0).of(4)]


@pytest.mark.parametrize("crossover", CROSSOVERS)
def test_children_are_sequences_of_their_parents(crossover):
    rows = similar_rows()
    made, second = children(crossover, rows)
    PROBLEM.check(made)
    assert (made != rows).any()
    same = rows == second
    if crossover in (
        "blocks",
        "cycle",
    ):  # every place is like that of one parent, or filled in order
        in_blocks = same & (np.roll(same, 1, axis=1) | np.roll(same, -1, axis=1))
        in_blocks[:, 0] = same[:, 0] & same[:, 1]
        in_blocks[:, -1] = same[:, -1] & same[:, -2]
        assert in_blocks.any() and (made[in_blocks] == rows[in_blocks]).all()


def test_blocks_fill_open_places_in_the_order_of_the_second_parent():
    rows = similar_rows()
    made, second = children("blocks", rows)
    for child, own, other in zip(made, rows, second, strict=True):
        filled = [item for item, kept in zip(child, own, strict=True) if item != kept]
        in_order = [item for item in other if item in filled]
        assert filled == in_order


def test_migration_replaces_the_worst_chains():
    moved = population(gls.ChainMigration(0.25))
    own = moved._arguments
    before = own["best_values"].copy()
    gls.ChainMigration(0.25).exchange(PROBLEM, get_backend("cpu"), own, 0)
    count = ROWS // 4
    assert sorted(own["best_values"]) == sorted(
        [*np.sort(before)[: ROWS - count], *np.sort(before)[:count]]
    )
    assert (PROBLEM.cost(own["bests"]) == own["best_values"]).all()


@pytest.mark.parametrize(
    "exchange", [gls.ChainMigration(0.2, 0.5), gls.SequenceCrossing(every=0.5)]
)
def test_rows_do_not_depend_on_stretches_and_copies(exchange):
    whole = population(exchange)
    whole.advance(Stretch(kicks=20))
    parts = population(exchange)
    for kicks in (1, 4, 8):
        parts.advance(Stretch(kicks=kicks))
        parts = pickle.loads(pickle.dumps(parts))
    parts.advance(Stretch(kicks=7))
    assert whole.done == parts.done == 20 and whole.exchanges == parts.exchanges > 1
    assert (whole.tours == parts.tours).all()


@pytest.mark.parametrize("kicks", [30, 300])
def test_exchanges_are_spread_over_a_run(kicks):
    found = population(gls.ChainMigration(0.2, every=0.01, times=15))
    shares = (0.0, 0.4, 0.5, 1.0)
    for begin, end in itertools.pairwise(shares):
        length = round(kicks * (end - begin))
        found.advance(Stretch(kicks=length, begin=begin, end=end))
    assert found.done == kicks
    assert abs(found.exchanges - 15) <= 3


def test_without_a_limit_the_interval_is_given():
    exchange = gls.ChainMigration(every=0.5, times=15)
    assert exchange.interval(40) == exchange.interval(40, last=7) == 20
    assert exchange.interval(40, last=2, share=1e-9) == 8  # at most FASTER times as long


def test_crossings_leave_a_fixed_front():
    cities = gls.TSP(random.random((9, 2)) * 100, "EUC_2D")
    problem = gls.Latency(cities, start=4)
    rows = gls.random_sequences(problem, ROWS, seed=5)
    found = population(gls.SequenceCrossing("order", every=0.1), rows, problem)
    found.advance(Stretch(kicks=10))
    assert found.exchanges > 1
    problem.check(found.tours)


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: gls.SequenceCrossing("ox"), InvalidParameterError, "crossover"),
        (lambda: gls.SequenceCrossing(every=0), InvalidParameterError, "every"),
        (lambda: gls.ChainMigration(0.6), InvalidParameterError, "share"),
        (lambda: gls.ChainMigration(times=0), InvalidParameterError, "times"),
        (lambda: gls.SequenceSearch(exchange=gls.Migration()), InvalidTypeError, "exchange"),
    ],
)
def test_bad_parameters_are_named(make, error, words):
    with pytest.raises(error, match=words):
        make()
