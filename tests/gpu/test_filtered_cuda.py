"""Filtered neighbourhoods: both backends make the same moves in all modes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.runs import pace
from gpu_ls_plugin.tours.engines.filtered import filter_layouts
from tests.helpers.both_backends import BACKENDS, assert_same_result
from tests.helpers.configurations import MODES, SPACES, filtered
from tests.helpers.instances import tsp_instance
from tests.helpers.random_problems import INTEGER, random_problem, random_tours

pytestmark = pytest.mark.gpu

COMBINED = (gls.GainBound() & ~gls.RandomKeep(0.2)) | (gls.DontLook() & gls.Radius(30))
FILTERS = {
    "everything": gls.Everything(),
    "gain bound": gls.GainBound(),
    "radius": gls.Radius(40),
    "candidates": gls.InCandidates(gls.Nearest(5)),
    "candidates alone": gls.InCandidates(gls.Nearest(5), missing=0),
    "don't look": gls.DontLook(),
    "random": gls.RandomKeep(0.3),
}
EACH_SPACE = pytest.mark.parametrize("edges", SPACES)
EACH_MODE = pytest.mark.parametrize("mode", MODES)
AROUND_WARPS = (4, 5, 6, 31, 32, 33, 65)


def assert_same(
    search: gls.LocalSearch, problem: gls.TSP, starts: Any, **options: Any
) -> gls.Result:
    """Compare the searches of both backends; return the result of the GPU."""
    counts = ["passes", "moves", "stopped_by"]
    if search.neighbourhoods[0].mode != "auto":
        counts.append("evaluations")
    options |= {"seed": 2**40 + 3, "first_row": 5, "counts": counts}
    return assert_same_result(search, problem, starts, **options)


@EACH_SPACE
@EACH_MODE
@pytest.mark.parametrize("rule", [gls.Best(), gls.First()], ids=lambda rule: rule.name)
def test_modes_make_the_same_moves(edges, mode, rule):
    for n in AROUND_WARPS:
        for span in (8, 100):
            problem = random_problem("EUC_2D", n, span=span)
            assert_same(filtered(edges, COMBINED, mode, rule), problem, random_tours(n, 4))


@EACH_SPACE
@pytest.mark.parametrize("mode", ["fused", "openings"])
@pytest.mark.parametrize("name", FILTERS)
def test_filters_keep_the_same_moves(edges, mode, name):
    for n in (5, 33, 70):
        problem = random_problem("EUC_2D", n, span=100)
        assert_same(filtered(edges, FILTERS[name], mode), problem, random_tours(n, 4))


@EACH_SPACE
@pytest.mark.parametrize("metric", INTEGER)
def test_metrics_make_the_same_moves(edges, metric):
    for n in (5, 40):
        assert_same(filtered(edges, COMBINED), random_problem(metric, n), random_tours(n, 4))


@EACH_SPACE
def test_long_lengths_and_fractions_make_the_same_moves(edges):
    points = np.asarray(random_problem("EUC_2D", 40, span=1000).coordinates)
    for scale in (0.37, 2.0**21 / 1000, 2.0**31 / 2000):
        search = filtered(edges, gls.GainBound(), "openings")
        assert_same(search, gls.TSP(points * scale, "EUC_2D"), random_tours(40, 3))


@EACH_SPACE
@EACH_MODE
def test_recorded_passes_and_single_launches_are_the_same(edges, mode, monkeypatch):
    n = {2: 150, 3: 80}[edges]  # more moves than there are launches before graphs are replayed
    problem, starts = random_problem("EUC_2D", n, span=1000), random_tours(n, 3)
    search = filtered(edges, gls.Radius(600), mode)
    recorded = assert_same(search, problem, starts)
    assert recorded.statistics.moves > 3 * 40
    monkeypatch.setattr(pace, "paced", lambda *_: 1)  # one pass a launch
    single = assert_same(search, problem, starts)
    assert np.array_equal(single.tours, recorded.tours)
    assert single.statistics.launches > 40


@pytest.mark.parametrize(
    ("edges", "mode", "mapping"),
    [
        *((edges, mode, "roots") for edges in SPACES for mode in MODES),
        *((edges, "masked", "lexicographic") for edges in SPACES),
        (2, "masked", "cut_triangle"),
    ],
)
def test_chunks_do_not_matter(edges, mode, mapping, monkeypatch):
    n = {2: 60, 3: 24}[edges]
    problem, starts = random_problem("EUC_2D", n, span=100), random_tours(n, 3)
    search = filtered(edges, COMBINED, mode, mapping=mapping)
    whole = assert_same(search, problem, starts)
    monkeypatch.setitem(filter_layouts.MOST_MOVES, mode, 333)
    split = assert_same(search, problem, starts)
    assert np.array_equal(split.tours, whole.tours)
    assert split.statistics.evaluations == whole.statistics.evaluations


def test_neighbourhoods_that_exceed_the_memory_make_the_same_moves():
    problem, starts = random_problem("EUC_2D", 200, span=1000), random_tours(200, 2)
    search, budget = filtered(3, gls.GainBound(), "openings"), gls.Budget(moves=3)
    whole = assert_same(search, problem, starts, budget=budget)
    split = assert_same(search, problem, starts, budget=budget, memory_limit=300_000)
    assert np.array_equal(split.tours, whole.tours)


@pytest.mark.parametrize(("edges", "name"), [(2, "pr299"), (3, "berlin52")])
def test_instances_make_the_same_moves(edges, name):
    problem = tsp_instance(name)
    starts = gls.greedy(problem, 3, seed=1, backend="cpu")
    search = filtered(edges, gls.GainBound() & gls.InCandidates(gls.Nearest(8)))
    found = assert_same(search, problem, starts)
    assert (found.costs < problem.cost(starts)).all()


@EACH_SPACE
def test_the_best_moves_are_the_same(edges):
    problem, starts = random_problem("EUC_2D", 50), random_tours(50, 3)
    for mode in MODES:
        part = gls.FilteredNeighbourhood(SPACES[edges], gls.Radius(40), mode)
        host, device = (
            gls.best_moves(part, problem, starts, 30, backend=name) for name in BACKENDS
        )
        for field in ("positions", "ways", "gains"):
            assert np.array_equal(getattr(host, field), getattr(device, field))


@EACH_SPACE
def test_kicks_and_repairs_are_the_same(edges):
    problem, starts = random_problem("EUC_2D", 40, span=100), random_tours(40, 3)
    chains = gls.IteratedLocalSearch(filtered(edges, gls.DontLook() & gls.GainBound()))
    assert_same_result(chains, problem, starts, budget=gls.Budget(kicks=10), seed=2)
