"""Each filter alone: its promises and its bad input; the oracle of these tests."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTypeError, UnknownPartError
from tests.backends.test_philox import VECTORS
from tests.helpers import filter_oracle as oracle
from tests.helpers.configurations import SPACES
from tests.helpers.marks import slow_but_usual
from tests.helpers.philox import philox_block
from tests.helpers.random_problems import METRICS, random_problem, random_tours

FILTERED = gls.FilteredNeighbourhood
EACH_SPACE = pytest.mark.parametrize("edges", SPACES)
RATES = (1, 0.5, 0.25, 0.01, 0.001, 0)
EACH_RATE = pytest.mark.parametrize("rate", RATES)


def descend(problem: gls.TSP, starts: Any, *parts: Any, **options: Any) -> gls.Result:
    """Apply best improvements of a complete neighbourhood, on the CPU."""
    return gls.LocalSearch(parts, gls.All(), gls.Best())(problem, starts, backend="cpu", **options)


@pytest.mark.parametrize(("counter", "key", "numbers"), VECTORS)
def test_the_oracle_uses_the_published_generator(counter, key, numbers):
    assert philox_block(counter, key) == numbers


@EACH_SPACE
def test_changes_of_the_oracle_are_those_of_the_cost(edges):
    for n in (4, 5, 9):
        problem, start = random_problem("EUC_2D", n), random_tours(n, 1)
        for move in oracle.moves(n, edges):
            current = oracle.CurrentTour(problem, start[0].tolist())
            change = current.change(move)
            current.apply(move)
            assert change == problem.cost([current.tour])[0] - problem.cost(start)[0]


@EACH_SPACE
@EACH_RATE
def test_a_share_of_the_moves_is_kept(edges, rate):
    n, rows = {2: 150, 3: 36}[edges], 9
    problem, starts = random_problem("EUC_2D", n, span=1000), random_tours(n, rows)
    part = FILTERED(SPACES[edges], gls.RandomKeep(rate))
    result = descend(problem, starts, part, seed=11, budget=gls.Budget(moves=1))
    passes, moves = rows, len(oracle.moves(n, edges))
    expected = rate * passes * moves
    assert result.statistics.passes == passes
    assert abs(result.statistics.evaluations - expected) <= 5 * math.sqrt(expected * (1 - rate))


@EACH_SPACE
@pytest.mark.parametrize("test", [gls.Everything(), gls.RandomKeep(1)])
def test_filters_that_keep_everything_change_nothing(edges, test):
    problem, starts = random_problem("EUC_2D", 30, span=100), random_tours(30, 3)
    unfiltered = descend(problem, starts, SPACES[edges])
    everything = descend(problem, starts, FILTERED(SPACES[edges], test))
    assert np.array_equal(everything.tours, unfiltered.tours)
    assert everything.statistics.moves == unfiltered.statistics.moves


def gain_bound_problems(metric: str) -> list[gls.TSP]:
    """Uniform, clustered and degenerate problems of several sizes."""
    uniform = [random_problem(metric, n, span=span) for n, span in ((5, 9), (12, 60), (40, 1000))]
    if uniform[0].coordinates is None:
        return [*uniform, random_problem(metric, 25, span=3)]
    random = np.random.default_rng(5)
    clusters = np.repeat(random.integers(0, 80, (5, 2)), 6, axis=0) + random.integers(0, 3, (30, 2))
    line = [(x * x % 60, 7) for x in range(24)]
    twice = np.repeat(random.integers(0, 50, (12, 2)), 2, axis=0)
    return [*uniform, *(gls.TSP(points, metric) for points in (clusters, line, twice))]


@pytest.mark.parametrize("metric", slow_but_usual(*METRICS))
@pytest.mark.parametrize("edges", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_the_gain_bound_never_changes_the_descent(edges, metric):
    for problem in gain_bound_problems(metric):
        starts = random_tours(problem.n, 3)
        filtered = descend(problem, starts, FILTERED(SPACES[edges], gls.GainBound()))
        unfiltered = descend(problem, starts, SPACES[edges])
        assert np.array_equal(filtered.tours, unfiltered.tours)
        for name in ("moves", "passes"):
            assert getattr(filtered.statistics, name) == getattr(unfiltered.statistics, name)


@EACH_SPACE
def test_the_gain_bound_drops_most_moves_of_a_good_tour(edges):
    problem, n = random_problem("EUC_2D", 60, span=1000), 60
    good = gls.LocalSearch()(problem, random_tours(n, 1), backend="cpu").tours
    part = FILTERED(SPACES[edges], gls.GainBound(), "masked")
    once = descend(problem, good, part, budget=gls.Budget(moves=1))
    assert 0 < once.statistics.evaluations < 0.2 * len(oracle.moves(n, edges))


NEAR_MATCHES = [
    (lambda: FILTERED("two_opd"), "two_opt"),
    (lambda: FILTERED(filter="gain_bond"), "gain_bound"),
    (lambda: gls.InCandidates("nearst"), "nearest"),
    (lambda: gls.LocalSearch(["filterd_neighbourhood"]), "filtered_neighbourhood"),
]


@pytest.mark.parametrize(("make", "suggestion"), NEAR_MATCHES)
def test_unknown_names_get_a_suggestion(make, suggestion):
    with pytest.raises(UnknownPartError, match=f"did you mean '{suggestion}'"):
        make()


WRONG = {
    "neighbourhood: 3": (InvalidTypeError, lambda: FILTERED(3)),
    "neighbourhood: OrOpt": (InvalidTypeError, lambda: FILTERED(gls.OrOpt())),
    "neighbourhood: LinKernighan": (InvalidTypeError, lambda: FILTERED(gls.LinKernighan())),
    "neighbourhood: FilteredNeighbourhood": (InvalidTypeError, lambda: FILTERED(FILTERED())),
    "filter: None": (InvalidTypeError, lambda: FILTERED(filter=None)),
    "filter: <class": (InvalidTypeError, lambda: FILTERED(filter=gls.GainBound)),
    "mode: 'mask' is not one of": (InvalidParameterError, lambda: FILTERED(mode="mask")),
    "mode: 1": (InvalidTypeError, lambda: FILTERED(mode=1)),
    "mode: \\['masked'\\]": (InvalidTypeError, lambda: FILTERED(mode=["masked"])),
    "mapping: 'cut_triangle' .* three_opt": (
        InvalidParameterError,
        lambda: FILTERED(gls.ThreeOpt(), mapping="cut_triangle"),
    ),
    "mapping: None": (InvalidTypeError, lambda: FILTERED(mapping=None)),
    "r: -1": (InvalidParameterError, lambda: gls.Radius(-1)),
    "r: nan": (InvalidParameterError, lambda: gls.Radius(math.nan)),
    "r: '5' is not a number": (InvalidTypeError, lambda: gls.Radius("5")),
    "rate: 1.01": (InvalidParameterError, lambda: gls.RandomKeep(1.01)),
    "rate: -0.1": (InvalidParameterError, lambda: gls.RandomKeep(-0.1)),
    "rate: True is not a number": (InvalidTypeError, lambda: gls.RandomKeep(True)),
    "candidates: 5": (InvalidTypeError, lambda: gls.InCandidates(5)),
    "missing: 2": (InvalidParameterError, lambda: gls.InCandidates(missing=2)),
    "missing: 0.5": (InvalidTypeError, lambda: gls.InCandidates(missing=0.5)),
    "neighbourhoods: .*alone": (
        InvalidParameterError,
        lambda: gls.LocalSearch([FILTERED(), gls.OrOpt()]),
    ),
    "neighbourhoods: .*alone, with Best\\(\\) or First\\(\\)": (
        InvalidParameterError,
        lambda: gls.LocalSearch([FILTERED()], pivoting=gls.RandomK(5)),
    ),
    "moves_per_pass: ": (
        InvalidParameterError,
        lambda: gls.LocalSearch([FILTERED()], pivoting=gls.Best(), moves_per_pass=2),
    ),
}


@pytest.mark.parametrize(("message", "case"), WRONG.items(), ids=WRONG)
def test_wrong_parameters_are_named(message, case):
    error, make = case
    with pytest.raises(error, match=f"^{message}"):
        make()


@pytest.mark.parametrize("other", [1, None, "radius(5)", gls.Nearest()])
def test_filters_combine_with_filters_alone(other):
    for combine in (lambda: gls.GainBound() & other, lambda: gls.GainBound() | other):
        with pytest.raises(TypeError):
            combine()


@pytest.mark.parametrize(
    ("parameter", "value", "replacement"),
    [("mode", "compact", "auto"), ("mapping", "newton", "roots"), ("mapping", "table", "roots")],
)
def test_removed_modes_and_mappings_are_replaced(parameter, value, replacement):
    with pytest.warns(DeprecationWarning, match=f"{parameter}: '{value}' was removed") as caught:
        made = FILTERED(gls.ThreeOpt(), **{parameter: value})
    assert caught[0].filename == __file__
    assert made == FILTERED(gls.ThreeOpt(), **{parameter: replacement})


def test_boundary_values_are_taken():
    assert [gls.RandomKeep(rate).rate for rate in (0, 1)] == [0.0, 1.0]
    assert [gls.Radius(r).r for r in (0, math.inf)] == [0.0, math.inf]
    assert FILTERED("three_opt", "dont_look") == FILTERED(gls.ThreeOpt(), gls.DontLook())
    assert gls.InCandidates("quadrant").candidates == gls.Quadrant()
    combined = ~(gls.Radius(5) | gls.DontLook()) & gls.GainBound()
    assert repr(combined) == "(~(Radius(r=5.0) | DontLook()) & GainBound())"
    assert hash(FILTERED(filter=combined)) == hash(FILTERED(filter=combined))
