"""The price of violations in chains of routes, and soft constraints in plans."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.routes.domain import searched_as
from gpu_ls_plugin.routes.engines.prices import keeping, of_feasible, set_price
from gpu_ls_plugin.routes.plan.settings import softened
from gpu_ls_plugin.runs.claims import as_asked
from gpu_ls_plugin.runs.drive import drive
from gpu_ls_plugin.runs.settings import Settings
from gpu_ls_plugin.solver.plans import default_settings
from gpu_ls_plugin.tours.engines.chains.start import Start
from gpu_ls_plugin.tours.searches import iterated_run
from tests.helpers.marks import slow_after
from tests.helpers.routing import assert_exact_costs, giant_tours, random_cvrp, scarce_cvrp

BOTH = pytest.mark.parametrize("backend", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
LOCAL = gls.LocalSearch([gls.RouteMoves()], candidates=gls.Nearest(8))
KINDS = [("capacity", True), ("fleet", False), ("real duration", False), ("directed", True)]


PRICED = gls.PricedMigration(0.1, 0.5)


def search_of(cooperation: gls.PricedMigration, accept=None) -> gls.IteratedLocalSearch:
    kick = gls.StringRemoval(6, 4)
    return gls.IteratedLocalSearch(LOCAL, kick, accept or gls.Annealing(), cooperation=cooperation)


def chains_on(problem, starts, search, backend="cpu"):
    where = get_backend(backend)
    return where, search.chains(Start(where, problem.tsp, where.xp.array(starts), 3))


@BOTH
@pytest.mark.parametrize(("kind", "soft"), slow_after(1, KINDS))
def test_chains_whose_price_changes_know_the_costs_of_their_tours(kind, soft, backend):
    problem = random_cvrp(kind, 40, 1)
    problem = problem.penalised(load=40) if soft else problem
    starts = giant_tours(problem, 8, 2)
    search = search_of(PRICED, gls.Threshold(0.5))
    where, chains = chains_on(problem, starts, search, backend)
    for kicks in range(5, 60, 10):
        chains.advance(kicks, 0.5, 0.0, 60.0)
        PRICED.exchange(chains, 0.5)
        priced = problem
        if soft:
            priced = problem.penalised(load=max(1, round(40 * float(chains.price[0]))))
        assert_exact_costs(chains, priced)
        feasible = where.to_numpy(chains.feasible())
        assert (feasible == problem.feasible(where.to_numpy(chains.tours))).all() or not soft
        kept = problem.feasible(where.to_numpy(chains.best_tours))
        assert kept[problem.feasible(starts)].all()
    assert np.all(chains.price != 1) == soft


@pytest.mark.slow
@BOTH
def test_the_same_seed_leads_to_the_same_tours(backend):
    problem = random_cvrp("capacity", 40, 4).penalised(load=20)
    starts, search = giant_tours(problem, 8, 5), search_of(PRICED)
    options = {"seed": 9, "budget": gls.Budget(kicks=40)}
    found = [search(problem, starts, backend=name, **options) for name in (backend, "cpu")]
    assert (found[0].tours == found[1].tours).all()
    assert (search(problem, starts, backend="cpu", **options).tours == found[1].tours).all()


def test_chains_know_which_real_tours_are_feasible():
    """Chains and the referee add lengths up in different orders."""
    problem = random_cvrp("real duration", 40, 1).penalised(load=40, duration=40)
    search = search_of(PRICED, gls.Threshold(0.5))
    _, chains = chains_on(problem, giant_tours(problem, 16, 2), search)
    for kicks in range(10, 100, 10):
        chains.advance(kicks, 0.5, 0.0, 60.0)
        assert (chains.feasible() == problem.feasible(chains.tours)).all()
    lengths = problem.cost(chains.tours)
    assert (np.isclose(chains.costs, lengths, 1e-12) & (chains.costs != lengths)).any()


@pytest.mark.parametrize(("feasible", "rises"), [(1.0, True), (0.0, False)])
def test_the_price_follows_the_share_of_feasible_tours(feasible, rises):
    problem = random_cvrp("capacity", 30, 1).penalised(load=8)
    starts = giant_tours(problem, 8, 2)  # half of them feasible
    _, chains = chains_on(problem, starts, search_of(PRICED))
    before = chains.costs.copy()
    set_price(chains, feasible)
    assert (chains.price > 1) == rises
    infeasible = ~problem.feasible(chains.tours)
    assert infeasible.any() and ((chains.costs > before) == (infeasible & rises)).all()
    excess = problem.violations(chains.tours).load
    lengths = problem.cost(chains.tours)
    assert (chains.costs == lengths + max(1, round(8 * float(chains.price[0]))) * excess).all()


@BOTH
@pytest.mark.parametrize("kind", ["duration", "windows", "two loads"])
def test_the_price_of_each_resource_follows_its_own_share(kind, backend):
    problem = random_cvrp(kind, 30, 1)
    hard = problem.tsp.objective.resources
    problem = problem.penalised(load=8, duration=8, **{part.name: 8 for part in problem.resources})
    starts = giant_tours(problem, 40, 2)
    where, chains = chains_on(problem, starts, search_of(PRICED), backend)
    due = problem.violations(starts)
    of_each = {"load": due.load, "duration": due.duration, **due.resources}
    shares = [(of_each[part.name] == 0).mean() for part in hard]
    kept = keeping(where, problem.tsp, chains.tours, chains.feasible())
    assert [float(kept[part.name].mean()) for part in hard] == pytest.approx(shares)
    assert shares[0] != shares[1]
    low, high = sorted(shares)
    set_price(chains, ((low + high) / 2) ** 2)
    assert (chains.price > 1).tolist() == [share == low for share in shares]
    priced = dict(zip((part.name for part in hard), 8 * chains.price, strict=True))
    whole = {name: round(price) for name, price in priced.items()}
    assert_exact_costs(chains, problem.penalised(**whole))


def test_infeasible_tours_count_as_the_most_expensive_feasible_one():
    hard, cpu = random_cvrp("capacity", 12, 1), get_backend("cpu")
    soft, tours = hard.penalised(load=1), giant_tours(hard, 6, 2)
    costs = np.where(hard.feasible(tours), hard.cost(tours), 1)
    assert 0 < hard.feasible(tours).sum() < 6
    told = of_feasible(cpu, soft.tsp, tours, costs)
    assert (told == np.maximum(costs, (costs == 1) * costs.max())).all()
    assert np.isinf(of_feasible(cpu, soft.tsp, tours[costs == 1], costs[costs == 1])).all()
    assert (of_feasible(cpu, hard.tsp, tours, costs) == costs).all()


def test_rounding_errors_of_real_lengths_are_no_violations():
    """Chains and the referee add lengths up in different orders."""
    real = random_cvrp("real duration", 12, 1)
    tours = gls.savings(real, 4, seed=1, backend="cpu")
    costs = np.nextafter(real.cost(tours), np.inf)
    soft = real.penalised(load=1, duration=1)
    assert (of_feasible(get_backend("cpu"), soft.tsp, tours, costs) == costs).all()


def test_a_descent_without_chains_returns_feasible_tours(monkeypatch):
    """Problems with few customers have no chains, and Ctrl-C may come before the chains."""
    tiny = gls.CVRP([[36, 55], [6, 9], [51, 5], [53, 10]], [0, 7, 9, 6], 12, copies=3)
    starts = tiny.tour([[1], [2], [3]])[None]
    search, options = search_of(PRICED), {"backend": "cpu"}
    found = search(tiny.penalised(load=1), starts, budget=gls.Budget(kicks=9), **options)
    assert found.statistics.stopped_by == "optimum" and (found.tours == starts).all()

    def interrupted(*parts: Any, **options: Any) -> str:
        drive(*parts, **options)
        return "interrupt"

    monkeypatch.setattr(iterated_run, "drive", interrupted)
    problem = random_cvrp("capacity", 30, 1).penalised(load=1)
    starts = giant_tours(problem, 8, 2)
    found = search(problem, starts, **options)
    feasible = problem.feasible(starts)
    assert found.statistics.interrupted and feasible.sum() == 4
    assert problem.feasible(found.tours).sum() >= 4
    assert found.best_cost <= problem.tsp.cost(starts)[feasible].min()


def test_callbacks_receive_the_best_feasible_cost():
    """Violations cost so little here that many tours are cheaper than all feasible ones."""
    problem, told, cheaper = random_cvrp("capacity", 30, 1).penalised(load=1), [], []

    def look(progress: gls.Progress) -> None:
        tours = progress.best_tours()
        feasible, lengths = problem.feasible(tours), problem.cost(tours)
        told.append(progress.best_cost)
        assert progress.best_cost == min(lengths[feasible], default=np.inf)
        cheaper.append((lengths < progress.best_cost).any())

    starts, budget = giant_tours(problem, 8, 2), gls.Budget(kicks=300)
    search, options = search_of(replace(PRICED, feasible=0.3)), {"seed": 1, "backend": "cpu"}
    found = search(problem, starts, budget=budget, callback=look, **options)
    assert any(cheaper) and min(told) == found.statistics.history[-1].best_cost
    again = search(problem, starts, budget=replace(budget, target=min(told) - 1), **options)
    assert again.statistics.stopped_by == found.statistics.stopped_by == "kicks"


POINTS = np.random.default_rng(1).integers(0, 100, (10, 2))
SCARCE = gls.CVRP(POINTS, [0] + [2] * 9, 3)  # nine routes; the capacity alone allows six
EACH = SCARCE.tour([[customer] for customer in range(1, 10)])


def test_constraints_become_soft_if_vehicles_are_scarce():
    search = default_settings(SCARCE, Settings(backend="cpu", population=4)).search
    assert search.perturbation == gls.StringRemoval()
    soft = softened(SCARCE, search, 60.0, lambda: EACH)
    assert soft.penalties is not None and soft.penalties.load > 0
    found = search(soft, np.stack([EACH] * 4), budget=gls.Budget(kicks=20), backend="cpu")
    asked = as_asked(found, SCARCE)
    assert asked.problem is SCARCE and (asked.costs == SCARCE.cost(found.tours)).all()
    assert SCARCE.feasible(asked.best_tour).all()

    roomy = gls.CVRP(POINTS, [0] + [2] * 9, 6)
    three = roomy.tour([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    for problem, other, seconds, start in (
        (roomy, search, 60.0, three),
        (gls.CVRP(POINTS, [0] + [2] * 9, 3, route_limit=1000), search, 60.0, EACH),
        (SCARCE.penalised(load=3), search, 60.0, EACH),
        (SCARCE, search, 0.01, EACH),
        (gls.CVRP(POINTS, [0] * 10, 3), search, 60.0, EACH),
    ):
        assert softened(problem, other, seconds, lambda start=start: start) is problem


def test_solve_saves_a_route_by_soft_constraints():
    demands = [0, *[7, 6, 7] * 6]  # three customers fill a vehicle
    points = np.random.default_rng(2).integers(0, 100, (19, 2))
    problem = gls.CVRP(points, demands, 20)
    assert len(problem.routes(gls.savings(problem, 1, backend="cpu")[0])) > 6
    found = gls.solve(problem, seconds=60, kicks=300, population=4, backend="cpu")
    assert found.problem is problem and problem.feasible(found.best_tour).all()
    assert found.best_cost == problem.cost(found.best_tour)[0]
    assert len(problem.routes(found.best_tour)) == 6


def test_a_given_iterated_search_keeps_hard_constraints():
    problem = scarce_cvrp()
    for search in (None, LOCAL):
        asked = Settings(backend="cpu", search=search)
        chosen = default_settings(problem, asked)
        assert searched_as(problem, asked, chosen).penalties is not None
    given = replace(asked, search=chosen.search)
    assert searched_as(problem, given, default_settings(problem, given)) is problem


def test_windows_become_soft_at_a_price_that_chains_adapt():
    problem = random_cvrp("windows", 20, 3)
    search = default_settings(problem, Settings(backend="cpu", population=4)).search
    soft = softened(problem, search, 60.0, lambda: EACH)
    assert soft.penalties.resources == {"time_windows": 16} and soft.penalties.load > 0
    loaded = softened(random_cvrp("two loads", 20, 3), search, 60.0, lambda: EACH)
    assert loaded.penalties.resources["load 2"] > 0
    found = gls.solve(problem, seconds=60, kicks=300, population=4, backend="cpu")
    assert found.problem is problem and problem.feasible(found.best_tour).all()


def test_slow_chains_exchange_several_times_in_the_time_limit(clock, monkeypatch):
    made = []
    exchange = gls.PricedMigration.exchange
    monkeypatch.setattr(
        gls.PricedMigration, "exchange", lambda *given: made.append(0) or exchange(*given)
    )
    problem = gls.CVRP.generated(40, seed=1).penalised(load=1)
    rare = gls.PricedMigration(every=1e6)  # more kicks than there is time for
    search = gls.IteratedLocalSearch(
        gls.LocalSearch([gls.RouteMoves()]), gls.StringRemoval(), cooperation=rare
    )
    tours = gls.savings(problem, 4, seed=1, backend="cpu")
    search(problem, tours, seed=1, budget=gls.Budget(kicks=200), backend="cpu")
    assert made == []  # runs that kicks limit do not depend on time
    search(problem, tours, seed=1, budget=gls.Budget(seconds=3), backend="cpu")
    assert 5 <= len(made) <= 20
