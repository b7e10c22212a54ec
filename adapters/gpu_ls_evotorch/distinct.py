"""Local search of rows on a GPU, so that they differ from each other; nothing is copied."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.evolution.tour_population import TourPopulation

if TYPE_CHECKING:
    from numpy.random import Generator

    from gpu_ls_plugin.evolution.batches.kick import Kick
    from gpu_ls_plugin.evolution.tour_search import TourSearch
    from gpu_ls_plugin.runs.framework_run import FrameworkRun

_TRIES = 4  # maximum number of kicks of a row that stays a duplicate


def renewed(search: TourSearch, rows: Any, state: Generator, run: FrameworkRun) -> Any:
    """Return searched rows (P, n) on the device of `rows`; tiny problems may keep duplicates."""
    problem, kick, improver = search.problem, search.search.kick, search.search.improver
    starts = kicked_twins(problem, kick, rows.copy(), state)
    found = improver.search_rows(problem, starts, state, run)
    return starts if found is None else kicked_twins(problem, kick, found.tours, state)


def kicked_twins(problem: Any, kick: Kick, rows: Any, state: Generator) -> Any:
    """Kick each row that an earlier one equals (in place), and return all rows.

    The device is waited for once in each of up to `_TRIES` rounds.
    """
    xp = _module(rows)
    for _ in range(_TRIES):
        nothing = xp.zeros(len(rows))
        twins = xp.flatnonzero(~TourPopulation.of(problem, xp, rows, nothing).first_of_each())
        if not len(twins):
            break
        rows[twins] = kick(problem, rows[twins], state)
    return rows


def _module(rows: Any) -> Any:
    """Return the module of an array, NumPy or CuPy."""
    return sys.modules[type(rows).__module__.partition(".")[0]]
