"""Routes searched in parts: rounds, rows, vehicles, prices, and when plans search in parts."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.plugins.search_text import parse_search, text_of
from gpu_ls_plugin.routes.plan import settings as choice
from gpu_ls_plugin.routes.searches.decomposition import run as runs
from gpu_ls_plugin.runs.settings import Settings
from gpu_ls_plugin.runs.stretch import Leg
from gpu_ls_plugin.solver.plans import default_settings
from tests.helpers.routing import random_cvrp, random_vrp

CUSTOMERS = 60
SEARCH = gls.Decomposed(customers=15, rounds=4)
KICKS = gls.Budget(kicks=40)


def starts_of(problem: gls.CVRP, size: int = 8):
    return gls.savings(problem, size=size, seed=1, backend="cpu")


def decomposed(problem: gls.CVRP, size: int = 8, search=SEARCH, budget=KICKS, **options):
    given = {"seed": 1, "backend": "cpu", **options}
    return search(problem, starts_of(problem, size), budget=budget, **given)


@pytest.fixture
def parts(monkeypatch) -> list[SimpleNamespace]:
    """Receive the arguments and the final price of each search of a part."""
    seen, search = [], runs.search_part

    def noted(sub, search_of_part, backend, stretch, *, chains, first_row, price, **options):
        options |= {"chains": chains, "first_row": first_row, "price": price}
        found = search(sub, search_of_part, backend, stretch, **options)
        seen.append(
            SimpleNamespace(
                problems=[weakref.ref(sub.problem), weakref.ref(sub.problem.tsp)],
                fleet=sub.problem.fleet,
                span=(stretch.begin, stretch.end),
                rows=range(first_row, first_row + chains),
                prices=(price, found.price),
            )
        )
        return found

    monkeypatch.setattr(runs, "search_part", noted)
    return seen


def test_parts_have_rows_of_their_own_share_the_vehicles_and_are_forgotten(parts):
    problem = random_cvrp("capacity", CUSTOMERS)
    decomposed(problem, first_row=3)
    rows = [row for part in parts for row in part.rows]
    assert len(rows) == len(set(rows)) >= 4 * 4 * 2  # no two chains draw the same numbers
    assert min(rows) > 3 + 8
    fleets: dict[int, int] = {}
    for part in parts:
        number = part.rows[0] // runs.ROWS_OF_ROUND
        fleets[number] = fleets.get(number, 0) + part.fleet
    assert list(fleets.values()) == [problem.copies] * SEARCH.rounds
    gc.collect()
    assert len(parts) >= 4 * 4
    assert not any(problem() for part in parts for problem in part.problems)


def test_acceptance_falls_over_the_whole_run(monkeypatch):
    levels = []
    level = Leg.level

    def noted(self, accept, done, to):
        heat, cooling = level(self, accept, done, to)
        levels.append((heat, heat - cooling * self.stretch.kicks))
        return heat, cooling

    monkeypatch.setattr(Leg, "level", noted)
    decomposed(random_cvrp("capacity", CUSTOMERS))
    rounds = sorted(set(levels), reverse=True)
    assert len(rounds) == SEARCH.rounds
    accept = SEARCH.search.accept
    assert rounds[0][0] == pytest.approx(accept.start)
    assert rounds[-1][1] == pytest.approx(accept.end)
    assert all(rounds[k][1] == pytest.approx(rounds[k + 1][0]) for k in range(3))


def test_a_part_of_a_longer_run_has_its_share_of_acceptance_and_rounds(parts, monkeypatch):
    turns, cut = [], runs.grouped

    def grouped(problem, routes, count, turn, random):
        turns.append(turn)
        return cut(problem, routes, count, turn, random)

    monkeypatch.setattr(runs, "grouped", grouped)
    problem = random_cvrp("capacity", CUSTOMERS)
    for seed in range(8):
        decomposed(problem, seed=seed, begin_share=0.5)
    assert SEARCH.rounds == 4 and {part.span for part in parts} == {(0.5, 0.75), (0.75, 1.0)}
    assert {*turns[::2]} == {0, 1} and {*turns[1::2]} == {1, 2}  # either kind of cut comes first
    parts.clear()
    decomposed(problem, begin_share=0.3, end_share=0.3)
    assert {part.span for part in parts} == {(0.3, 0.3)}


def test_parts_return_their_best_and_not_their_last_tours():
    """At such a heat, chains accept any tour, and most tours are far worse than the first."""
    problem = random_cvrp("capacity", CUSTOMERS)
    cold = decomposed(problem, budget=gls.Budget(kicks=2000))
    hot = replace(SEARCH.search, accept=gls.Annealing(1000.0, 1000.0), cooperation=None)
    search = replace(SEARCH, search=hot)
    found = search(problem, cold.tours[:1], seed=1, budget=gls.Budget(kicks=400), backend="cpu")
    history = [point.best_cost for point in found.statistics.history[:-1]]
    assert history == sorted(history, reverse=True) and found.best_cost <= cold.best_cost


@pytest.mark.slow
def test_few_tours_and_many_chains():
    problem = random_cvrp("capacity", CUSTOMERS)
    found = decomposed(problem, 1, replace(SEARCH, chains=8))
    assert len(found.tours) == 1 and found.statistics.kicks == pytest.approx(8 * 40, rel=0.1)
    best = SEARCH(problem, starts_of(problem, 1).repeat(8, 0), seed=1, budget=KICKS, backend="cpu")
    assert (found.tours[0] == best.tours[0]).all()
    assert len(decomposed(problem, 1, gls.Decomposed(customers=1000, chains=3)).tours) == 3


def test_parts_have_time_windows():
    problem = random_vrp(CUSTOMERS, fixed_cost=301, names=[str(c) for c in range(CUSTOMERS)])
    starts, found = starts_of(problem), decomposed(problem)
    assert found.feasible.all() and (found.costs == problem.cost(found.tours)).all()
    assert found.best_cost < problem.cost(starts).min()


def test_soft_constraints_end_in_feasible_routes():
    problem = random_cvrp("capacity", CUSTOMERS).penalised(load=3)
    assert problem.feasible(decomposed(problem).tours[0])[0]


def test_one_chain_per_part_adapts_the_price_of_violations_from_round_to_round(parts):
    problem = random_cvrp("capacity", CUSTOMERS).penalised(load=100)
    decomposed(problem, 1, budget=gls.Budget(kicks=2000))
    prices = [tuple(np.ravel(price)[0] for price in part.prices) for part in parts]
    assert {first for first, _ in prices[:2]} == {1.0}
    assert len({first for first, _ in prices}) == SEARCH.rounds
    assert all(last != first for first, last in prices)


def test_problems_that_cannot_be_cut_are_searched_whole():
    problem = random_cvrp("capacity", CUSTOMERS)
    whole = gls.Decomposed(customers=1000)
    found, same = (decomposed(problem, 2, search) for search in (whole, whole.search))
    assert (found.tours == same.tours).all()


def test_errors_of_callbacks_and_parts_come_through(monkeypatch):
    problem = random_cvrp("capacity", CUSTOMERS)

    def fail(*_given, **_options):
        raise ZeroDivisionError("from a part")

    with pytest.raises(ZeroDivisionError):
        decomposed(problem, callback=fail)
    monkeypatch.setattr(runs, "search_part", fail)
    with pytest.raises(ZeroDivisionError, match="from a part"):
        decomposed(problem)


def test_lanes_share_the_processors():
    backend = get_backend("cpu")
    with backend.lane(3, 1):
        assert backend.processors == 1
    assert backend.processors >= 1


def test_searches_are_written_as_text():
    text = "decomposed(customers=80, rounds=3)"
    assert parse_search(text) == gls.Decomposed(customers=80, rounds=3)
    assert parse_search(text_of(parse_search(text))) == parse_search(text)


def test_parts_suit_the_device_and_the_time(monkeypatch):
    """A GPU searches parts for fewer customers if there is little time or a further resource."""

    def taken(device: str, customers: int, seconds: float, kind: str = "capacity") -> bool:
        fake = SimpleNamespace(name=device, shared_memory=227 << 10)
        monkeypatch.setattr(choice, "get_backend", lambda _: fake)
        problem, settings = random_cvrp(kind, customers), Settings(seconds=seconds)
        chosen = choice.divided(problem, settings, replace(default, seconds=seconds))
        return isinstance(chosen.search, gls.Decomposed)

    default = default_settings(random_cvrp("capacity", 20), Settings(backend="cpu"))
    assert [taken("cuda", 599, 1.0), taken("cuda", 600, 3.0)] == [False, False]
    assert [taken("cuda", 600, 2.9), taken("cuda", 2000, 60.0)] == [True, True]
    assert [taken("cpu", 2000, 1.0), taken("cpu", 3000, 60.0)] == [False, True]
    for device in ("cpu", "cuda"):
        assert [taken(device, n, 60.0, "windows") for n in (599, 600)] == [False, True]


def test_resources_that_do_not_know_parts_keep_problems_whole(monkeypatch):
    monkeypatch.setattr(gls.TimeWindows, "of_nodes", lambda *_: None)
    problem, settings = random_cvrp("windows", 700), Settings(seconds=60.0, backend="cpu")
    default = default_settings(random_cvrp("capacity", 20), settings)
    assert choice.divided(problem, settings, default) == default


def test_parts_under_resources_have_room_for_several_routes():
    settings = Settings(seconds=60.0, backend="cpu")
    default = default_settings(random_cvrp("capacity", 20), settings)
    sizes = []
    for capacity in (50, 200, 500):
        problem = random_cvrp("windows", 800, capacity=capacity)
        chosen = choice.divided(problem, settings, default)
        sizes.append(getattr(chosen.search, "customers", 800))
    assert sizes[0] == 250 < sizes[1] < 500 < sizes[2] == 800


def test_solve_searches_many_customers_in_parts(monkeypatch):
    monkeypatch.setattr(choice, "LEAST_CUSTOMERS", {"cpu": 50, "cuda": 50})
    problem, few = random_cvrp("capacity", CUSTOMERS), random_cvrp("capacity", 20)
    settings = Settings(seconds=0.3, backend="cpu", population=8)
    for its, parts in ((problem, True), (few, False)):
        chosen = choice.divided(its, settings, default_settings(its, settings))
        assert isinstance(chosen.search, gls.Decomposed) == parts
    asked = Settings(search="local_search", backend="cpu")
    chosen = choice.divided(problem, asked, default_settings(problem, asked))
    assert not isinstance(chosen.search, gls.Decomposed)
    found = gls.solve(problem, 0.3, backend="cpu", population=8, search=SEARCH)
    assert problem.feasible(found.best_tour).all()
    assert found.best_cost == problem.cost(found.best_tour)
    assert "cuts" in found.statistics.phases
