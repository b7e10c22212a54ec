"""The promises of all registered operators, on each backend and metric."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidTourError, UnsupportedProblemError
from gpu_ls_plugin.core.registry import registry
from gpu_ls_plugin.tours.filters.filtered_neighbourhood import MODES
from tests.helpers.configurations import ASYMMETRIC, CUBIC, FILTERED, QUEUES, RANDOM, SEARCHES
from tests.helpers.marks import ON_BOTH, slow_after, slow_but_usual
from tests.helpers.random_problems import METRICS, random_problem, random_tours

SMALL = (1, 2, 3, 4, 5, 6, 7, 8, 9)
ROWS = 5
OF_ROUTES_FIRST = {"relocate repairs", "exchange repairs"}  # in quick tests of tests/routes
# Variants of other searches of this suite.
SIMILAR = {"Lin-Kernighan lead, first step", "Lin-Kernighan sweeps", "exchanges together"}
SIMILAR |= {"2-opt, masked", "3-opt, fused", "or_opt repairs", "lin_kernighan_lead repairs"}
SIMILAR |= {"Lin-Kernighan lead", "3-opt, openings", "2-opt and Or-opt sweeps"}
SIMILAR |= {"filtered_neighbourhood repairs", "lin_kernighan repairs", "three_opt repairs"}
SIMILAR |= {"better accepts", "always accepts", "threshold accepts"}
OF_ROUTES = {gls.RouteMoves, gls.SwapStar}  # see tests/routes
SEARCHES_OF_ROUTES = {"decomposed", "hybrid_genetic_search"}  # see tests/routes/searches


def names(kind: str) -> list[str]:
    return [part.name for part in registry.parts(kind)]


def takes(search: str, rows: str) -> bool:
    """Return whether a search has a parameter for first rows: "tours", "states", "sequences"."""
    made = registry.lookup("search", search)()
    return rows in inspect.signature(made.__call__).parameters


OF_TOURS = [
    name
    for name in names("search")
    if name not in SEARCHES_OF_ROUTES and not takes(name, "states") and not takes(name, "sequences")
]
REGISTERED = {name: registry.lookup("search", name)() for name in OF_TOURS if takes(name, "tours")}
IMPROVING = REGISTERED | SEARCHES
STARTING = [name for name in OF_TOURS if name not in REGISTERED]
EACH_METRIC = pytest.mark.parametrize("metric", METRICS)
EACH_SEARCH = pytest.mark.parametrize("search", IMPROVING.values(), ids=IMPROVING)
LAYOUTS = ("warp", "block", "global")
FEW_METRICS = ("EUC_2D", "EUC", "EXPLICIT")


def unusual(search: str, metric: str) -> tuple[pytest.MarkDecorator, ...]:
    """Return the mark of slow cases: those that are unusual, since each is compiled."""
    if search in OF_ROUTES_FIRST:
        return (pytest.mark.slow,)
    if search == "symmetrised":  # it differs from other searches only for matrices
        return () if metric == "EXPLICIT" else (pytest.mark.slow,)
    few = search not in REGISTERED or search.startswith("filtered")
    if search in SIMILAR:
        return (pytest.mark.slow,)
    return () if metric in (METRICS[:1] if few else FEW_METRICS) else (pytest.mark.slow,)


def most_cities(search: Any) -> int:
    """Return a number of cities; fewer for searches that examine all triples."""
    return 24 if search in [SEARCHES[name] for name in CUBIC] else 60


# Each pair is compiled; only registered searches are tested with all metrics.
SEARCHES_AND_METRICS = pytest.mark.parametrize(
    ("search", "metric"),
    [
        pytest.param(search, metric, id=f"{name}-{metric}", marks=unusual(name, metric))
        for name, search in IMPROVING.items()
        for metric in (METRICS if name in REGISTERED else FEW_METRICS)
    ],
)


def is_batch(problem: gls.TSP, tours: Any, rows: int) -> bool:
    """Return whether tours are a NumPy array of int32 permutations."""
    return (
        isinstance(tours, np.ndarray)
        and tours.dtype == np.int32
        and tours.shape == (rows, problem.n)
        and bool((np.sort(tours, axis=1) == np.arange(problem.n)).all())
    )


def has_exact_costs(problem: gls.TSP, result: gls.Result) -> bool:
    """Return whether costs are exact: on a GPU, real costs may have rounding errors."""
    expected = problem.cost(result.tours)
    if result.costs.dtype != problem.cost_dtype or result.costs.shape != expected.shape:
        return False
    if problem.integer or result.statistics.backend == "cpu":
        return bool((result.costs == expected).all())
    return bool(np.allclose(result.costs, expected, rtol=1e-13, atol=0))


DEGENERATE = {
    "usual": METRICS[:1],
    "others": pytest.param(METRICS[1:], marks=pytest.mark.slow),
}


def degenerate(metrics: tuple[str, ...] = METRICS) -> list[gls.TSP]:
    """Return problems with equal points, equal lengths and lengths of zero."""
    random = np.random.default_rng(0)
    twice = np.repeat(random.integers(0, 50, (12, 2)), 2, axis=0)
    line = [(x, 0) for x in range(20)]
    planar = [
        gls.TSP(points, metric)
        for points in (np.zeros((15, 2)), twice, line)
        for metric in ("EUC_2D", "EUC", "GEO", "ATT")
    ]
    integers, reals = np.ones((15, 15), int), np.zeros((9, 9))
    matrices = {
        "EXPLICIT": gls.TSP.from_matrix(integers),
        "EXPLICIT_REAL": gls.TSP.from_matrix(reals),
    }
    return [
        *(problem for problem in planar if problem.metric.name in metrics),
        *(problem for name, problem in matrices.items() if name in metrics),
    ]


def construct(name: str, problem: gls.TSP, size: int, seed: int, backend: str) -> np.ndarray:
    """Return tours by a construction; skip the test if it refuses the problem."""
    try:
        return registry.lookup("construction", name)(problem, size, seed=seed, backend=backend)
    except UnsupportedProblemError as error:
        assert str(error).startswith("problem: ")
        pytest.skip(str(error))


@ON_BOTH
@EACH_METRIC
@pytest.mark.parametrize("name", names("construction"))
def test_constructions_return_tours(name, metric, backend):
    for n in (*SMALL, 60):
        problem = random_problem(metric, n)
        tours = construct(name, problem, ROWS, 7, backend)
        assert is_batch(problem, tours, ROWS)
        assert np.array_equal(construct(name, problem, ROWS, 7, backend), tours)  # same seed
        assert np.array_equal(construct(name, problem, 2, 7, backend), tours[:2])  # smaller batch
    assert not np.array_equal(construct(name, problem, ROWS, 8, backend), tours)  # other seed
    assert is_batch(problem, construct(name, problem, 1, 0, backend), 1)


@ON_BOTH
@EACH_METRIC
@pytest.mark.parametrize("name", names("perturbation"))
def test_perturbations_return_other_tours(name, metric, backend):
    perturb = registry.lookup("perturbation", name)().perturb
    for n in (*SMALL, 60):
        problem, tours = random_problem(metric, n), random_tours(n, ROWS)
        before = tours.copy()
        try:
            kicked = perturb(problem, tours, seed=3, backend=backend)
        except UnsupportedProblemError as error:
            assert str(error).startswith("problem: ")
            if "routes" in str(error):
                pytest.skip(str(error))
            assert n < SMALL[-1]
            continue
        assert is_batch(problem, kicked, ROWS)
        assert np.array_equal(tours, before)
        assert n < SMALL[-1] or (kicked != tours).any(axis=1).all()
        assert np.array_equal(perturb(problem, tours, seed=3, backend=backend), kicked)
        assert np.array_equal(perturb(problem, tours[:2], seed=3, backend=backend), kicked[:2])
        later = perturb(problem, tours[2:], seed=3, backend=backend, first_row=2)
        assert np.array_equal(later, kicked[2:])
        others = np.concatenate([tours[1:3], tours[2:]])  # rows are independent
        assert np.array_equal(perturb(problem, others, seed=3, backend=backend)[2:], kicked[2:])
        for given in (tours.tolist(), tours.astype(np.uint8), np.asfortranarray(tours)):
            assert np.array_equal(perturb(problem, given, seed=3, backend=backend), kicked)
        single = perturb(problem, tours[0], seed=3, backend=backend)
        assert np.array_equal(single, kicked[:1])
    assert not np.array_equal(perturb(problem, tours, seed=4, backend=backend), kicked)


@ON_BOTH
@SEARCHES_AND_METRICS
def test_searches_never_make_tours_worse(search, metric, backend):
    for n in (*SMALL, most_cities(search)):
        problem, tours = random_problem(metric, n), random_tours(n, ROWS)
        before = tours.copy()
        result = search(problem, tours, seed=5, backend=backend)
        assert is_batch(problem, result.tours, ROWS)
        assert has_exact_costs(problem, result)
        assert (result.costs <= problem.cost(tours)).all()
        assert np.array_equal(tours, before)
        assert not np.shares_memory(result.tours, tours)
        again = search(problem, tours, seed=5, backend=backend)
        assert np.array_equal(again.tours, result.tours)
        part = search(problem, tours[1:3], seed=5, backend=backend, first_row=1)
        assert np.array_equal(part.tours, result.tours[1:3])
        assert np.array_equal(part.costs, result.costs[1:3])
        assert result.best_cost == result.costs.min()
        assert type(result.best_cost) is (int if problem.integer else float)
        assert np.array_equal(result.best_tour, result.tours[result.costs.argmin()])
    assert (result.costs < problem.cost(tours)).all()


@ON_BOTH
@EACH_SEARCH
def test_searches_take_every_kind_of_tours(search, backend):
    n = most_cities(search) // 2
    problem, tours = random_problem("EUC_2D", n), random_tours(n, ROWS)
    expected = search(problem, tours, backend=backend).tours
    frozen = tours.copy()
    frozen.setflags(write=False)
    kinds = (tours.tolist(), tours.astype(np.int8), tours.astype(np.uint64), frozen)
    for given in (*kinds, np.asfortranarray(tours), np.repeat(tours, 2, axis=0)[::2]):
        assert np.array_equal(search(problem, given, backend=backend).tours, expected)
    single = search(problem, tours[0].tolist(), backend=backend)
    assert np.array_equal(single.tours, expected[:1])
    assert single.costs.shape == (1,)
    with pytest.raises(InvalidTourError, match="tours: row 1 is not a permutation"):
        search(problem, [range(n), [0] * n], backend=backend)


@ON_BOTH
@EACH_SEARCH
@pytest.mark.parametrize("metrics", DEGENERATE.values(), ids=DEGENERATE)
def test_searches_of_degenerate_problems(search, metrics, backend):
    few = FEW_METRICS if search in FILTERED.values() else METRICS
    for problem in degenerate(tuple(metric for metric in metrics if metric in few)):
        tours = random_tours(problem.n, ROWS)
        result = search(problem, tours, backend=backend)
        assert is_batch(problem, result.tours, ROWS)
        assert has_exact_costs(problem, result)
        assert (result.costs <= problem.cost(tours)).all()


@pytest.mark.gpu
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("search", [gls.LocalSearch(), *QUEUES.values()], ids=["default", *QUEUES])
def test_layouts_do_not_change_the_result(search, layout):
    laid_out = replace(search, layout=layout)
    for n in (*SMALL, 60, 300):
        problem, tours = random_problem("EUC_2D", n), random_tours(n, ROWS)
        host, device = (
            search(problem, tours, backend="cpu"),
            laid_out(problem, tours, backend="cuda"),
        )
        assert np.array_equal(host.tours, device.tours)
        assert has_exact_costs(problem, device)
        for name in ("passes", "moves", "stopped_by"):
            assert getattr(host.statistics, name) == getattr(device.statistics, name)


@ON_BOTH
@pytest.mark.parametrize("search", slow_after(2, ASYMMETRIC.values()), ids=ASYMMETRIC)
def test_searches_of_asymmetric_problems_never_make_tours_worse(search, backend):
    for n in (*SMALL, 60):
        lengths = np.random.default_rng(n).integers(0, 1000, (n, n))
        for matrix in (lengths, lengths / 7):
            problem, tours = gls.TSP.from_matrix(matrix), random_tours(n, 4 * ROWS)
            result = search(problem, tours, backend=backend, budget=gls.Budget(moves=50 * n))
            assert is_batch(problem, result.tours, 4 * ROWS)
            assert has_exact_costs(problem, result)
            assert (result.costs <= problem.cost(tours)).all()
            once = search(problem, tours, backend=backend, budget=gls.Budget(moves=1))
            kept = [len(arcs(a) & arcs(b)) for a, b in zip(tours, once.tours, strict=True)]
            assert set(kept) <= {n, n - 3}  # no move reverses a path


ITERATED = {
    **{
        f"{part.name} repairs": gls.IteratedLocalSearch(
            gls.LocalSearch([part.factory()], gls.Nearest(6))
        )
        for part in registry.parts("neighbourhood")
        if part.factory not in OF_ROUTES
    },
    **{
        f"{part.name} kicks": gls.IteratedLocalSearch(
            gls.LocalSearch(), part.factory(), gls.BetterOrEqual()
        )
        for part in registry.parts("perturbation")
    },
    **{
        f"{part.name} accepts": gls.IteratedLocalSearch(gls.LocalSearch(), accept=part.factory())
        for part in registry.parts("acceptance")
    },
    **{
        f"{part.name} candidates": gls.IteratedLocalSearch(
            gls.LocalSearch(candidates=part.factory(), pivoting=gls.First())
        )
        for part in registry.parts("candidates")
    },
    **{f"kicks and {name}": gls.IteratedLocalSearch(search) for name, search in RANDOM.items()},
}


@ON_BOTH
@pytest.mark.parametrize(
    ("search", "metric"),
    [
        pytest.param(search, metric, id=f"{name}-{metric}", marks=unusual(name, metric))
        for name, search in ITERATED.items()
        for metric in FEW_METRICS
    ],
)
def test_iterated_searches_of_all_parts(search, metric, backend):
    for n in (*SMALL, 40):
        problem, tours, budget = (
            random_problem(metric, n),
            random_tours(n, ROWS),
            gls.Budget(kicks=6),
        )
        given = {"budget": budget, "seed": 5, "backend": backend}
        try:
            result = search(problem, tours, **given)
        except UnsupportedProblemError as error:
            assert str(error).startswith(("candidates: ", "problem: "))
            pytest.skip(str(error))
        assert is_batch(problem, result.tours, ROWS)
        assert has_exact_costs(problem, result)
        assert (result.costs <= search.search(problem, tours, seed=5, backend=backend).costs).all()
        assert result.statistics.kicks == (6 * ROWS if n >= 8 else 0)
        assert result.statistics.accepted <= result.statistics.kicks
        assert np.array_equal(search(problem, tours, **given).tours, result.tours)


@ON_BOTH
@pytest.mark.parametrize("name", names("acceptance"))
def test_rules_are_the_same_step_by_step(name, backend):
    # Stepped and fused chains accept about the same share of kicks.
    rule = registry.lookup("acceptance", name)()
    problem, tours = random_problem("EUC_2D", 40, span=1000), random_tours(40, 20)
    shares = []
    for kick in (gls.DoubleBridge(12), Unfused()):
        search = gls.IteratedLocalSearch(gls.LocalSearch(), kick, rule)
        counted = search(problem, tours, budget=gls.Budget(kicks=30), backend=backend).statistics
        shares.append(counted.accepted / counted.kicks)
    assert abs(shares[0] - shares[1]) < 0.1
    assert (shares[0] == 1) == (name == "always")


class Unfused:
    """A double bridge that hides its cuts."""

    smallest = gls.DoubleBridge.smallest

    def perturb(self, problem, tours, **options):
        return gls.DoubleBridge(12).perturb(problem, tours, **options)


def arcs(tour: np.ndarray) -> set[tuple[int, int]]:
    """Return the directed edges of a tour."""
    return set(zip(tour.tolist(), np.roll(tour, -1).tolist(), strict=True))


@ON_BOTH
@pytest.mark.parametrize("metric", slow_but_usual(*METRICS))
@pytest.mark.parametrize("name", STARTING)
def test_searches_from_their_own_starts(name, metric, backend):
    search = registry.lookup("search", name)(climbs=20, keep=ROWS)
    for n in (*SMALL, 60):
        problem = random_problem(metric, n)
        result = search(problem, seed=5, backend=backend)
        assert is_batch(problem, result.tours, ROWS)
        assert has_exact_costs(problem, result)
        assert np.array_equal(search(problem, seed=5, backend=backend).tours, result.tours)
    assert not np.array_equal(search(problem, seed=6, backend=backend).tours, result.tours)


def test_the_suite_runs_over_something():
    assert {type(search.pivoting) for search in SEARCHES.values()} == {
        registry.lookup("pivoting", name) for name in names("pivoting")
    }
    moves = {type(part) for search in SEARCHES.values() for part in search.neighbourhoods}
    assert moves | OF_ROUTES == {
        registry.lookup("neighbourhood", name) for name in names("neighbourhood")
    }
    tests = [test for search in FILTERED.values() for test in search.neighbourhoods[0].filter.parts]
    assert {type(test) for test in tests} == {
        registry.lookup("filter", name) for name in names("filter")
    }
    assert {search.neighbourhoods[0].mode for search in FILTERED.values()} == {*MODES} - {"auto"}
    assert "random_restarts" in STARTING
    assert {"local_search", "iterated_local_search"} <= set(REGISTERED)


@ON_BOTH
@EACH_SEARCH
def test_directed_lengths_are_refused_or_searched(search, backend):
    """Exhaustive 3-opt once treated them as symmetric: tours got worse, or it never ended."""
    for seed, n in ((62, 5), (406, 5), (1, 12)):
        problem = gls.TSP.from_matrix(np.random.default_rng(seed).integers(0, 10, (n, n)))
        tours = random_tours(n, ROWS)
        budget = gls.Budget(seconds=10, kicks=20)
        try:
            result = search(problem, tours, budget=budget, backend=backend)
        except UnsupportedProblemError as error:
            assert "symmetric" in str(error)
            continue
        assert has_exact_costs(problem, result)
        assert (result.costs <= problem.cost(tours)).all()
        assert result.statistics.stopped_by != "seconds"
