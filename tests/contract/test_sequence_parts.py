"""The promises of all registered moves and kicks of sequences, those of plugins included."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.registry import registry
from gpu_ls_plugin.runs.stretch import Stretch
from gpu_ls_plugin.sequences.engines.sequence_population import SequencePopulation
from tests.helpers.marks import ON_BOTH, in_pairs
from tests.sequences.engines.random_problems import WAYS, case_of, rows_of

ITEMS = (1, 2, 3, 5, 9, 40)
ROWS = 5


def parts(kind):
    return [part.name for part in registry.parts(kind)]


def population(problem, rows, backend, moves=(), kick=None, **options):
    """Return rows whose chains have a move or a kick of a part and no other."""
    given = {"pivoting": "first", "accept": gls.Always()} | options
    return SequencePopulation(problem, rows, 3, backend, moves=moves, kick=kick, **given)


def assert_exact(problem, made, names):
    """Check that sequences begin as they must, and that the kernel's values are the referee's."""
    for rows, values in names:
        found, claimed = (made.backend.to_numpy(made._arguments[k]) for k in (rows, values))
        expected = problem.compared(problem.check(found))
        tolerance = 0 if problem.integer else 1e-12
        np.testing.assert_allclose(claimed, expected, rtol=tolerance)


@ON_BOTH
@pytest.mark.parametrize(("name", "kind"), in_pairs(parts("sequence_move"), WAYS))
def test_moves_lower_values(name, kind, backend):
    move = registry.lookup("sequence_move", name)()
    for n in ITEMS:
        problem = case_of(kind, n, n).problem
        rows = rows_of(problem, ROWS)
        before = values = problem.compared(rows)
        for most in (1, 2, 3, 10_000):  # a chain's first moves, then all of them
            made = population(problem, rows, backend, (move,), most_moves=most)
            made.advance(Stretch())
            assert_exact(problem, made, [("rows", "values"), ("bests", "best_values")])
            after = made.backend.to_numpy(made.costs)
            moved = (made.backend.to_numpy(made.tours) != rows).any(axis=1)
            assert (after <= values).all() and (after < before)[moved].all()
            values = after
    assert moved.all()


@ON_BOTH
@pytest.mark.parametrize(("name", "kind"), in_pairs(parts("sequence_kick"), WAYS))
def test_kicks_keep_items_and_values(name, kind, backend):
    kick = registry.lookup("sequence_kick", name)()
    for n in ITEMS:
        problem = case_of(kind, n, n).problem
        made = population(problem, rows_of(problem, ROWS), backend, kick=kick)
        for _ in range(5):
            made.advance(Stretch(kicks=1))
            assert_exact(problem, made, [("rows", "values"), ("bests", "best_values")])
    kicked = made.backend.to_numpy(made._arguments["rows"])
    assert (kicked != rows_of(problem, ROWS)).any()
