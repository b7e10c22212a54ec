"""Problems of up to seven customers, with all constraints, against an enumeration of all routes."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.exceptions import InvalidProblemError
from gpu_ls_plugin.routes.plan.few_customers import are_few
from gpu_ls_plugin.tours.engines.chains.start import Start
from gpu_ls_plugin.tours.engines.compiling_ahead import SMALLEST_KICKED
from tests.helpers.every_route import (
    FURTHER,
    IN_KERNELS,
    PRICES,
    ROOM,
    ROUNDING,
    drawn,
    judged,
    optimum,
)
from tests.helpers.new_packages import new_package
from tests.helpers.routing import assert_exact_costs

if TYPE_CHECKING:
    from types import SimpleNamespace

pytestmark = [
    pytest.mark.filterwarnings("ignore:coordinates. EUC_2D rounds"),
    pytest.mark.filterwarnings("ignore::gpu_ls_plugin.core.exceptions.InfeasibleWarning"),
]
DESCENT = gls.LocalSearch([gls.RouteMoves()], gls.Nearest(7))
SEARCH = gls.IteratedLocalSearch(DESCENT, gls.StringRemoval(6, 4), gls.Always())
WINDOWS = "durations windows route_limit loads vehicles service_times release_times copies"
PLAIN = "directed route_limit vehicles service_times open_routes"
GOODS = "real directed goods soft windows route_limit fixed_cost open_routes release_times"
GOODS += " start_window copies"
EVERY_KERNEL = [
    " ".join(itertools.compress(IN_KERNELS, chosen))
    for chosen in itertools.product([False, True], repeat=len(IN_KERNELS))
]


@pytest.fixture(scope="module")
def goods(tmp_path_factory):
    """Return the resource of a third party: vehicles that deliver and collect."""
    with new_package("goods", "resource", tmp_path_factory.mktemp("package")) as package:
        yield package.GoodsResource


def made(data: SimpleNamespace, goods: Any) -> gls.VRP:
    loads = slice(None) if "loads" in data.options else 0
    copies = 7 if "copies" in data.options else None
    problem = gls.VRP(
        demands=data.demands[:, loads], capacity=data.capacity[loads], copies=copies, **data.given
    )
    if "goods" in data.options:
        problem = problem.with_resources(*problem.resources, goods(*data.goods, ROOM))
    if "soft" not in data.options:
        return problem
    prices = PRICES | {"duration": PRICES["times"], "time_windows": PRICES["times"]}
    names = ("load", "duration", "vehicles", *(part.name for part in problem.resources))
    return problem.penalised(**{name: prices[name] for name in names})


def refereed(data: SimpleNamespace, problem: gls.VRP, rows: np.ndarray) -> np.ndarray:
    """Check costs and verdicts; return the costs, with penalties, inf if hard limits are broken."""
    plans = []
    for row in rows.tolist():
        nodes = [node if node < data.n else 0 for node in row]
        first = nodes.index(0)
        turned = itertools.groupby(nodes[first:] + nodes[:first], bool)
        plans.append([list(route) for used, route in turned if used])
    filled = [route + [0] * (data.n - 1 - len(route)) for plan in plans for route in plan]
    counts = [len(plan) for plan in plans]
    owners = np.repeat(np.arange(len(rows)), counts)
    sums = {k: np.bincount(owners, v) for k, v in judged(data, np.array(filled)).items()}
    cost = sums.pop("cost")
    sums["vehicles"] = np.maximum(np.array(counts) - data.vehicles, 0)
    its = problem.violations(rows)
    own = {"load 2": 0, "goods": 0, "time_windows": 0, **its.resources}
    own |= {"load": its.load, "vehicles": its.vehicles}
    own["times"] = own["time_windows"] + its.duration
    exact = {"rtol": 0, "atol": 1e-9 if "real" in data.options else 0}
    np.testing.assert_allclose(problem.cost(rows), cost, **exact)
    for name, excess in sums.items():
        np.testing.assert_allclose(own[name], excess, **exact, err_msg=name)
    feasible = sum(sums.values()) <= ROUNDING
    assert (problem.feasible(rows) == feasible).all()
    if "soft" not in data.options:
        return np.where(feasible, cost, np.inf)
    paid = cost + sum(PRICES[name] * excess for name, excess in sums.items())
    np.testing.assert_allclose(problem.tsp.cost(rows), paid, rtol=exact["atol"])
    return paid


def random_rows(problem: gls.VRP, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    return np.array([random.permutation(problem.n) for _ in range(8)], np.int32)


def reaches_the_optimum(options: set[str], seed: int, goods: Any) -> bool:
    """Check a problem and searches of it; return whether chains have found its optimum."""
    data, soft = drawn(options, seed), "soft" in options
    try:
        problem = made(data, goods)
    except InvalidProblemError:
        assert optimum(data, data.n, soft=False) == np.inf
        return True
    rows, best = random_rows(problem, seed), optimum(data, problem.copies, soft=False)
    refereed(data, problem, rows)
    chained = problem.n >= SMALLEST_KICKED
    if not chained or (are_few(problem) and best < np.inf):  # `solve` enumerates as well
        found = gls.solve(problem, 0, backend="cpu")
        assert found.best_feasible == (best < np.inf)
        assert found.best_cost == pytest.approx(best, rel=1e-12) or not found.best_feasible
    if not chained:
        return True
    where, starts = get_backend("cpu"), DESCENT(problem, rows, backend="cpu").tours
    np.testing.assert_allclose(problem.compared_costs(where, rows, 0), problem.tsp.cost(rows))
    assert soft or problem.feasible(starts)[problem.feasible(rows)].all()
    chains = SEARCH.chains(Start(where, problem.tsp, starts, seed))
    chains.advance(500, 0.0, 0.0, np.inf)
    assert_exact_costs(chains, problem)
    costs = refereed(data, problem, np.r_[chains.tours, chains.best_tours])
    least = optimum(data, problem.copies, soft=True) if soft else best
    assert costs.min() >= least - ROUNDING
    return bool(costs.min() <= least + ROUNDING)


def test_costs_and_verdicts_are_right(goods):
    for seed in range(120):
        random = np.random.default_rng([seed, 1])
        options = {name for name in (*IN_KERNELS, *FURTHER) if random.random() < 0.5}
        data = drawn(options, seed)
        try:
            problem = made(data, goods)
        except InvalidProblemError:
            assert optimum(data, data.n, soft=False) == np.inf
        else:
            refereed(data, problem, random_rows(problem, seed))


@pytest.mark.parametrize("options", [WINDOWS, GOODS], ids=["windows", "goods"])
def test_searches_reach_the_optimum(options, goods):
    """Under soft constraints, chains may miss it.

    Removed customers return greedily, and no search begins a route beyond the fleet.
    """
    reached = [reaches_the_optimum(set(options.split()), seed, goods) for seed in range(40)]
    assert np.mean(reached) >= (0.95 if "soft" in options else 1)


def test_searches_reach_the_optimum_without_resources(goods):
    """`solve` enumerates these problems, too."""
    assert all(reaches_the_optimum(set(PLAIN.split()), seed, goods) for seed in range(40))


@pytest.mark.slow
@pytest.mark.parametrize("options", EVERY_KERNEL)
def test_searches_reach_the_optimum_under_all_options(options, goods):
    """The other options are drawn; there are 10,240 problems in all."""
    reached, first = [], 40 * EVERY_KERNEL.index(options)
    for seed in range(first, first + 40):
        random = np.random.default_rng([seed, 1])
        further = {name for name in FURTHER if random.random() < 0.5}
        reached.append(reaches_the_optimum({*options.split(), *further}, seed, goods))
    assert np.mean(reached) >= (0.95 if "soft" in options else 1)
