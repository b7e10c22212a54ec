"""Assignment problems in one call: default search, limits, refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTypeError
from gpu_ls_plugin.plugins.search_text import parse_search, text_of
from gpu_ls_plugin.runs.settings import Settings
from gpu_ls_plugin.solver.plans import default_settings

QUEENS = gls.GraphColouring.queen(5, 5, colours=5)
JOBS = gls.GeneralisedAssignment.generated("C", jobs=12, agents=3, seed=2)
CPU = {"backend": "cpu", "population": 4}


def test_a_graph_is_coloured_before_the_time_is_over():
    seen = []
    result = gls.solve(QUEENS, 600, callback=seen.append, **CPU)
    assert result.best_cost == 0 and result.statistics.stopped_by == "optimum"
    assert result.tours.shape == (4, 25) and QUEENS.feasible(result.tours).all()
    np.testing.assert_array_equal(result.costs, QUEENS.cost(result.tours))
    assert "compiling" in result.statistics.phases and seen


def test_same_seed_same_states():
    search = gls.SuccessorSearch(improvement="tabu")
    limits = {"seconds": math.inf, "moves": 2, "search": search, **CPU}
    once, again, other = (gls.solve(JOBS, seed=seed, **limits) for seed in (5, 5, 6))
    np.testing.assert_array_equal(once.tours, again.tours)
    assert (once.tours != other.tours).any()
    assert (once.costs == JOBS.cost(once.tours)).all()


def test_default_settings():
    chosen = default_settings(QUEENS, Settings(backend="cpu"))
    assert chosen.search == gls.SuccessorSearch() and chosen.population >= 4
    given = Settings(backend="cpu", population=3, search="successor_search(share=0.2)")
    chosen = default_settings(QUEENS, given)
    assert (chosen.population, chosen.search) == (3, gls.SuccessorSearch(share=0.2))


def test_the_text_of_a_search_has_its_parameters():
    search = gls.SuccessorSearch(share=0.2, release="worst")
    assert text_of(search) == "SuccessorSearch(release='worst', share=0.2)"
    assert parse_search(text_of(search)) == search


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"search": "two_opt"}, "search: .*TwoOpt.* searches tours; .* SuccessorSearch"),
        ({"search": gls.RandomRestarts()}, "search: .* searches tours"),
        ({"start": "greedy"}, "start: 'greedy' makes tours"),
        ({"population": 0}, "population"),
        ({"callback": 3}, "callback"),
    ],
)
def test_invalid_calls_are_refused(given, reason):
    with pytest.raises((InvalidParameterError, InvalidTypeError), match=reason):
        gls.solve(QUEENS, **{**CPU, **given})


def test_a_search_of_states_is_not_for_tours():
    tsp = gls.TSP(np.random.default_rng(1).random((12, 2)))
    with pytest.raises(InvalidTypeError, match="not an Assignment"):
        gls.solve(tsp, 1, search=gls.SuccessorSearch(), **CPU)
