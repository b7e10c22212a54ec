"""Batches with one seed and different first rows never draw the same random numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.tours.engines.chains.start import Start
from tests.helpers.random_problems import random_problem, random_tours

CPU = get_backend("cpu")
N, ROWS = 96, 6
PROBLEM, STARTS = random_problem("EUC_2D", N, span=1000), random_tours(N, ROWS)
USUAL = gls.IteratedLocalSearch(gls.LocalSearch([gls.TwoOpt()], gls.Nearest(6)))
SEARCHES = {
    "chains": USUAL,
    "crossed": replace(USUAL, cooperation=gls.EdgeAssembly(0.2, 2)),
    "parts": replace(USUAL, part=32),
    "crossed parts": replace(USUAL, part=32, cooperation=gls.EdgeAssembly(0.2, 2)),
    "restarts": replace(USUAL, restart_after=3),
}


@pytest.fixture
def drawn(monkeypatch):
    """Streams of random numbers that launches use: (kernel, seed, row, generation)."""
    streams, launch = set(), type(CPU).launch

    def watched(self, kernel, count, arguments, **options):
        if any(parameter.name == "seed" for parameter in kernel.fields):
            key, first = arguments["seed"], arguments.get("first_row", 0)
            generation = arguments.get("generation", 0)
            streams.update((kernel.name, key, first + row, generation) for row in range(count))
        return launch(self, kernel, count, arguments, **options)

    monkeypatch.setattr(type(CPU), "launch", watched)
    return streams


@pytest.mark.parametrize("name", SEARCHES)
def test_islands_draw_different_numbers(name, drawn):
    islands = []
    for first_row in (0, ROWS, 5 * ROWS, 2**20):
        budget = gls.Budget(kicks=60)
        SEARCHES[name](PROBLEM, STARTS, budget=budget, backend="cpu", first_row=first_row)
        islands.append(set(drawn))
        drawn.clear()
    assert all(islands)
    assert len(set.union(*islands)) == sum(map(len, islands))


def test_equal_cuts_of_islands_get_different_kicks():
    """The cuts of tours are drawn on the host, and also depend on the first row."""
    found = []
    for first_row in (0, 1):
        chains = SEARCHES["parts"].chains(Start(CPU, PROBLEM, STARTS[:1].copy(), 4, first_row))
        alike = np.random.default_rng(0).bit_generator.state
        chains.restore(chains.state() | {"random": alike})
        chains.advance(2**62, 0.0, 0.0, 60.0)
        found.append(chains.tours.copy())
    assert not np.array_equal(*found)
