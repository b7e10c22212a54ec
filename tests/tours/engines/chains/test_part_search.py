"""Chains on parts agree with chains on whole tours."""

from __future__ import annotations

import math

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.tours.engines.chains.chains import FusedChains
from gpu_ls_plugin.tours.engines.chains.part_search import PartSearch, TourParts
from gpu_ls_plugin.tours.engines.chains.start import Start
from gpu_ls_plugin.tours.kernels import tour_layouts
from gpu_ls_plugin.tours.moves.composed import CandidateMoves
from tests.helpers.random_problems import random_problem, random_tours

N, ROWS, KICKS, LEVEL = 60, 6, 100, 0.5
COUNTS = ("kicks", "accepted", "idle", "looks", "moves")
BRIDGE = gls.DoubleBridge(20)


def start_of(metric):
    problem = random_problem(metric, N, span=1000)
    tours = gls.LocalSearch()(problem, random_tours(N, ROWS), backend="cpu").tours
    return Start(get_backend("cpu"), problem, tours, seed=5, first_row=2)


def composed(start):
    return CandidateMoves(start.backend, start.problem, (gls.LinKernighan(3),), gls.Nearest(6))


def search(start, accept, parts, cut, rings, **limits):
    """Chains on parts of up to N cities, with the level of whole tours."""
    units = (start.problem.cost(start.tours) / N).astype("float32")
    layout = tour_layouts.HostShape.of(N)
    return PartSearch(start, accept, parts, BRIDGE, N, layout).run(
        cut,
        rings,
        units,
        kicks=KICKS,
        level=LEVEL,
        window=20,
        first_row=start.first_row,
        **limits,
    )


def as_parts(parts, count, mates):
    """`count` parts, each with all cities under their usual numbers."""
    near, lengths = (
        np.tile(parts.arguments[name].reshape(1, N, -1), (count, 1, 1))
        for name in ("candidates", "candidate_lengths")
    )
    names = np.tile(np.arange(N, dtype=np.int32), (count, 1))
    return TourParts(np.full(count, N, np.int32), names, np.tile(mates, (count, 1)), near, lengths)


@pytest.mark.parametrize("rule", [gls.Better(), gls.Annealing()])
@pytest.mark.parametrize("count", [1, 2, ROWS])
@pytest.mark.parametrize("metric", ["EUC_2D", "EXPLICIT"])
def test_a_part_of_all_cities_is_searched_like_a_whole_tour(metric, count, rule):
    start = start_of(metric)
    parts, before = composed(start), start.problem.cost(start.tours)
    free = np.arange(N, dtype=np.int32)
    found = search(start, rule, parts, as_parts(parts, count, free), start.tours.copy())
    whole = FusedChains(start, rule, None, parts, BRIDGE)
    whole.advance(KICKS, LEVEL, LEVEL / KICKS, math.inf)
    assert found.tours.tolist() == whole.tours.tolist()
    assert found.best_tours.tolist() == whole.best_tours.tolist()
    assert (before + found.costs).tolist() == whole.costs.tolist()
    assert (before + found.best_costs).tolist() == whole.best_costs.tolist()
    for name in COUNTS:
        assert getattr(found, name).tolist() == getattr(whole, name).tolist(), name


def test_results_do_not_depend_on_launches(monkeypatch):
    start = start_of("EUC_2D")
    launch, ends = start.backend.launch, []

    def noted(kernel, count, arguments, **options):
        ends.append(arguments["until"])
        launch(kernel, count, arguments, **options)

    parts = composed(start)
    cut = as_parts(parts, 1, np.arange(N, dtype=np.int32))

    def run(**limits):
        return search(start, gls.Annealing(), parts, cut, start.tours.copy(), **limits)

    whole, none = run(), run(seconds=0.0)
    monkeypatch.setattr(start.backend, "launch", noted)
    divided = run(step=30)
    assert ends[0] == 30 and ends[-1] == KICKS and len(ends) > 1
    assert divided.tours.tolist() == whole.tours.tolist() != start.tours.tolist()
    assert divided.kicks.tolist() == [KICKS] * ROWS
    assert none.tours.tolist() == start.tours.tolist()
    assert none.kicks.tolist() == [0] * ROWS


def test_fixed_edges_stay_in_tours():
    start = start_of("EUC_2D")
    tour = start.tours[0]
    mates = np.arange(N, dtype=np.int32)
    mates[tour[0::4]], mates[tour[1::4]] = tour[1::4], tour[0::4]
    parts = composed(start)
    cut = as_parts(parts, 1, mates)
    rings = np.tile(tour, (ROWS, 1))
    found = search(start, gls.Annealing(), parts, cut, rings)
    assert (found.tours != tour).any(axis=1).all()
    for ring in found.tours:
        place = np.argsort(ring)
        apart = abs(place[tour[0::4]] - place[tour[1::4]])
        assert np.isin(apart, (1, N - 1)).all()
