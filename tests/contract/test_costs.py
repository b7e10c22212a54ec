"""Costs and feasibility of results are those of the problem, bit for bit."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.routes.problem.routing import Routing
from gpu_ls_plugin.tours.kernels.evaluation import added_up_costs, exact_costs
from gpu_ls_plugin.tours.problem import referee
from tests.helpers.bin_packing import BinPacking
from tests.helpers.marks import slow_after
from tests.helpers.random_problems import METRICS, random_problem, random_tours
from tests.helpers.routing import giant_tours, random_cvrp, random_vrp
from tests.tours.objectives.third_party import Tolls, some_loads, some_tolls

if TYPE_CHECKING:
    from gpu_ls_plugin.core.problem import Problem

CPU = {"backend": "cpu", "seed": 3}
KICKS = gls.Budget(kicks=3)
ALL_METRICS = (*METRICS, "FLOOR_2D", "EXACT_2D", "HAVERSINE")
N, ROWS = 37, 6  # more cities than the 32 partial sums of kernels


def directed(integer: bool) -> gls.TSP:
    lengths = np.random.default_rng(1).integers(1, 60, (N, N))
    return gls.TSP.from_matrix(lengths if integer else lengths + 0.1)


def unreachable(metric: str) -> gls.CVRP:
    """Return a problem without feasible rows: no two routes fit into two vehicles."""
    points = np.random.default_rng(2).random((4, 2)) * 50
    return gls.CVRP(points, [0, 3, 3, 3], 5, metric=metric, vehicles=2, copies=3)


def weighted(tchebycheff: bool = False) -> gls.TSP:
    both = gls.MultiObjectiveTSP([random_problem("EUC", N, 1), random_problem("EUC", N, 2)], "EUC")
    weights = np.random.default_rng(0).random((ROWS, 2))
    return both.tchebycheff(weights, [1.0, 2.0]) if tchebycheff else both.weighted(weights)


TOURS: dict[str, Any] = {
    **{metric: partial(random_problem, metric, N) for metric in ALL_METRICS},
    "one city": lambda: gls.TSP([(0, 0)]),
    "open path": lambda: gls.OpenPath(random_problem("EUC", N)).tsp,
    "directed": lambda: directed(integer=True),
    "directed real": lambda: directed(integer=False),
    "weighted": weighted,
    "tchebycheff": partial(weighted, tchebycheff=True),
    "tolls": lambda: random_problem("EUC_2D", N).under(Tolls(some_tolls(N))),
    "real tolls": lambda: random_problem("EUC", N).under(Tolls(some_tolls(N))),
    "loads": lambda: random_problem("EUC_2D", N).under(some_loads(N)),
}
ROUTES: dict[str, Any] = {
    "routes": lambda: random_cvrp("capacity", 40),
    "real routes": lambda: random_cvrp("real duration", 40),
    "routes with windows": lambda: random_vrp(12, fixed_cost=300),
    "soft routes": lambda: random_cvrp("real", 40).penalised(load=0.3),
    "no feasible routes": lambda: unreachable("EUC_2D"),
    "no feasible real routes": lambda: unreachable("EUC"),
    "routes on the globe": lambda: gls.CVRP(
        np.random.default_rng(3).integers(0, 80, (9, 2)), np.r_[0, np.ones(8, int)], 3,
        metric="GEO", copies=8,
    ),
    "giant tours": lambda: random_cvrp("real duration", 40).tsp,
    "whole giant tours": lambda: random_cvrp("capacity", 40).tsp,
}  # fmt: skip
STATES: dict[str, Any] = {
    "quadratic": lambda: gls.QuadraticAssignment.generated(8, seed=1),
    "generalised": lambda: gls.GeneralisedAssignment.generated("C", 12, 3, seed=1),
    "no feasible states": lambda: gls.GeneralisedAssignment(
        [[1, 2], [3, 4]], [[2, 2], [2, 2]], [1, 3]
    ),
    "colours": lambda: gls.GraphColouring.queen(4, 4, 5),
    "too few colours": lambda: gls.GraphColouring.queen(4, 4, 3),
    "third party": lambda: BinPacking([3, 4, 5, 6], 3, 9),
    "no third party": lambda: BinPacking([3, 4, 5, 6], 2, 7),
}  # fmt: skip


def starts(problem: Problem) -> np.ndarray:
    if isinstance(problem, gls.CVRP):
        return giant_tours(problem, ROWS, seed=5)
    return random_tours(problem.n, ROWS, seed=5)


def check(found: gls.Result, problem: Problem) -> None:
    costs, feasible = problem.cost(found.tours), problem.feasible(found.tours)
    assert found.costs.dtype == problem.cost_dtype
    np.testing.assert_array_equal(found.costs, costs)
    np.testing.assert_array_equal(found.feasible, feasible)
    assert found.best_feasible == feasible.any()
    if feasible.any():
        assert found.best_cost == costs[feasible].min()
    if not getattr(problem, "rows", None):  # not for rows with their own lengths
        assert problem.cost(found.best_tour)[0] == found.best_cost


def never_worse(found: gls.Result, given: np.ndarray, problem: Problem) -> None:
    """Check that rows stay feasible, and that feasible rows do not cost more."""
    if getattr(problem, "penalties", None) is not None:  # the cost includes penalties
        assert (problem.tsp.cost(found.tours) <= problem.tsp.cost(given)).all()
        return
    was, now = problem.feasible(given), found.feasible
    assert (now | ~was).all()
    assert (found.costs <= problem.cost(given))[was].all()


# ---- the referee itself


@pytest.mark.parametrize("n", [1, 2, 31, 32, 33, 64, 100, 1000, 20_011])
@pytest.mark.parametrize("rows", [1, 2, 9])
def test_real_lengths_are_added_up_as_kernels_do(n, rows):
    lengths = np.random.default_rng(n).random((rows, n)) * 1e3
    sums = [0.0] * 32
    expected = []
    for row in lengths:
        sums = [0.0] * 32
        for place, length in enumerate(row.tolist()):
            sums[place % 32] += length
        for half in (16, 8, 4, 2, 1):
            sums = [sums[i] + sums[i + half] for i in range(half)]
        expected += sums
    assert referee.row_sums(lengths).tolist() == expected


@pytest.mark.parametrize("backend", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
@pytest.mark.parametrize("kind", {**TOURS, **ROUTES})
def test_kernels_and_the_referee_agree_to_the_last_bit(kind, backend):
    problem, where = {**TOURS, **ROUTES}[kind](), get_backend(backend)
    rows = starts(problem)
    with where.current():
        found = where.to_numpy(exact_costs(where, problem, where.xp.asarray(rows)))
    np.testing.assert_array_equal(found, problem.cost(rows))


@pytest.mark.gpu
@pytest.mark.parametrize("kind", ["real routes", "no feasible routes"])
def test_rows_on_a_gpu_have_their_costs_and_verdicts_there(kind):
    cupy = pytest.importorskip("cupy")
    problem = ROUTES[kind]()
    found = LINKED(problem, cupy.asarray(starts(problem)))
    rows = found.tours.get()
    assert isinstance(found.costs, cupy.ndarray) and isinstance(found.feasible, cupy.ndarray)
    np.testing.assert_array_equal(found.costs.get(), problem.cost(rows))
    np.testing.assert_array_equal(found.feasible.get(), problem.feasible(rows))
    assert found.best_feasible == problem.feasible(rows).any()


def test_an_overridden_method_cost_is_used():
    class Tolled(gls.TSP):
        def cost(self, tours):
            return super().cost(tours) + 7.5

    problem = Tolled(np.random.default_rng(0).random((N, 2)))
    rows = starts(problem)
    backend = get_backend("cpu")
    np.testing.assert_array_equal(exact_costs(backend, problem, rows), problem.cost(rows))
    # `super().cost` of rows on a GPU calls this: the toll must not be added twice.
    own = added_up_costs(backend, problem, rows)
    np.testing.assert_array_equal(own, gls.TSP.cost(problem, rows))


# ---- searches of tours and routes


DESCENT = gls.LocalSearch([gls.TwoOpt(), gls.OrOpt(3)], gls.Nearest(8))
LINKED = gls.LocalSearch([gls.RouteMoves()], gls.Nearest(8))
ONE_WAY = gls.LocalSearch([gls.OrOpt(3)], gls.Nearest(8))
SEARCHED = {
    name: made
    for name, made in {**TOURS, **ROUTES}.items()
    if name in ("EUC", "EUC_2D", "EXPLICIT_REAL", "open path") or name not in ALL_METRICS
}
# Kinds that need kernels of their own and whose parts other kinds test, too.
OTHERS = (
    "directed",
    "real tolls",
    "loads",
    "soft routes",
    "no feasible real routes",
    "giant tours",
)
OTHERS += ("routes on the globe", "weighted", "tchebycheff", "EXPLICIT_REAL")
QUICK = [kind for kind in SEARCHED if kind not in OTHERS]
WITHOUT_SOLVE = ("weighted", "tchebycheff")
REAL_ROUTES = ("real routes", "no feasible real routes", "soft routes")


def descent(problem: Problem) -> gls.LocalSearch:
    if isinstance(problem.tsp.objective, Routing):
        return LINKED
    return DESCENT if problem.tsp.symmetric else ONE_WAY


@pytest.mark.parametrize("kind", slow_after(len(QUICK), [*QUICK, *OTHERS]))
def test_descents_and_chains(kind):
    problem = SEARCHED[kind]()
    rows = starts(problem)
    for search in (descent(problem), gls.IteratedLocalSearch(descent(problem))):
        found = search(problem, rows, budget=KICKS, **CPU)
        check(found, problem)
        never_worse(found, rows, problem)


@pytest.mark.parametrize(
    "kind",
    slow_after(len(QUICK), (kind for kind in (*QUICK, *OTHERS) if kind not in WITHOUT_SOLVE)),
)
def test_solve(kind):
    problem = SEARCHED[kind]()
    check(gls.solve(problem, 60.0, kicks=2, population=4, **CPU), problem)


@pytest.mark.parametrize("kind", ["EUC", "no feasible routes"])
def test_random_restarts(kind):
    problem = SEARCHED[kind]()
    found = gls.RandomRestarts(descent(problem), climbs=40, keep=5)(problem, **CPU)
    check(found, problem)
    assert len(found.costs) == 5
    np.testing.assert_array_equal(found.sorted().costs, found.costs)


@pytest.mark.parametrize("kind", ["routes", *REAL_ROUTES])
def test_populations_of_routes(kind):
    problem = ROUTES[kind]()
    rows = starts(problem)
    search = gls.HybridGeneticSearch(size=4, children=4)
    found = search(problem, rows, budget=gls.Budget(kicks=8), **CPU)
    check(found, problem)
    never_worse(found, rows, problem)


@pytest.mark.parametrize("kind", ["routes", "real routes"])
def test_routes_in_parts(kind):
    problem = ROUTES[kind]()
    found = gls.Decomposed(customers=15)(problem, starts(problem), budget=KICKS, **CPU)
    check(found, problem)


def test_lengths_with_directions():
    problem = directed(integer=True)
    rows = starts(problem)
    found = gls.Symmetrised()(problem, rows, budget=KICKS, **CPU)
    check(found, problem)
    never_worse(found, rows, problem)


@pytest.mark.parametrize("metric", ["EUC", "EUC_2D"])
def test_many_instances(metric):
    problems = [random_problem(metric, n, seed) for seed, n in enumerate((5, 9, 40, 41, 70))]
    found = gls.solve_many(problems, 60.0, kicks=2, **CPU)
    costs = [problem.cost(tour)[0] for problem, tour in zip(problems, found.tours, strict=True)]
    np.testing.assert_array_equal(found.costs, costs)
    assert found.feasible.tolist() == [True] * len(problems)


# ---- states


@pytest.mark.parametrize("kind", STATES)
def test_states(kind):
    problem = STATES[kind]()
    budget = gls.Budget(kicks=2, moves=40)
    one = gls.SuccessorSearch()(problem, budget=budget, **CPU)
    for found in (one, gls.solve(problem, 60.0, kicks=2, moves=40, **CPU)):
        check(found, problem)
        told = found.statistics.history[-1].best_cost
        assert told == (found.best_cost if found.best_feasible else np.inf)


def test_fewest_colours():
    found = gls.fewest_colours(gls.GraphColouring.queen(4, 4, 5), 60.0, moves=40, kicks=1, **CPU)
    check(found, found.problem)
