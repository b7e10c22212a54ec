"""Routes searched in parts: feasible, never worse, the same again, and stopped in time."""

from __future__ import annotations

import gc
import re
import threading
import weakref
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.exceptions import (
    InvalidParameterError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.plugins.search_text import parse_search, text_of
from gpu_ls_plugin.routes.plan import settings as choice
from gpu_ls_plugin.routes.searches.decomposition import run as runs
from gpu_ls_plugin.runs.settings import Settings
from gpu_ls_plugin.runs.stretch import Leg
from gpu_ls_plugin.solver.plans import default_settings
from tests.helpers.marks import slow_after
from tests.helpers.routing import random_cvrp
from tests.routes.time_windows import TimeWindows

CUSTOMERS = 60
SEARCH = gls.Decomposed(customers=15, rounds=4)
KICKS = gls.Budget(kicks=40)


def starts_of(problem: gls.CVRP, size: int = 8) -> np.ndarray:
    return gls.savings(problem, size=size, seed=1, backend="cpu")


@pytest.mark.parametrize(
    "kind", slow_after(1, ["capacity", "directed", "real duration", "fleet", "duration"])
)
def test_routes_are_feasible_exact_and_never_worse(kind):
    problem = random_cvrp(kind, CUSTOMERS)
    starts = starts_of(problem)
    starts = starts[problem.feasible(starts)]  # savings may miss a small fleet
    given = starts.copy()
    found = SEARCH(problem, starts, seed=1, budget=KICKS, backend="cpu")
    assert (starts == given).all() and found.tours.shape == starts.shape
    assert problem.feasible(found.tours).all()
    np.testing.assert_allclose(found.costs, problem.cost(found.tours), rtol=1e-12)
    before = np.sort(problem.cost(starts))
    assert found.costs[0] < before[0] and (np.diff(found.costs) >= 0).all()
    np.testing.assert_allclose(found.costs[1:], before[1:], rtol=1e-12)
    history = [point.best_cost for point in found.statistics.history]
    assert history == sorted(history, reverse=True) and len(history) >= 3
    # All chains together make the kicks of as many chains on whole tours.
    assert found.statistics.kicks == pytest.approx(KICKS.kicks * len(starts), rel=0.1)


def test_the_same_seed_gives_the_same_routes():
    problem = random_cvrp("capacity", CUSTOMERS)
    first, again, other = (
        SEARCH(problem, starts_of(problem), seed=seed, budget=KICKS, backend="cpu")
        for seed in (5, 5, 6)
    )
    assert (first.tours == again.tours).all()
    assert (first.tours[0] != other.tours[0]).any()


def test_parts_never_draw_the_same_numbers(monkeypatch):
    """No chain of any part and round has the row of another."""
    problem, rows = random_cvrp("capacity", CUSTOMERS), []
    search = runs.search_part

    def noted(*given, chains, first_row, **options):
        rows.extend(range(first_row, first_row + chains))
        return search(*given, chains=chains, first_row=first_row, **options)

    monkeypatch.setattr(runs, "search_part", noted)
    SEARCH(problem, starts_of(problem), budget=KICKS, backend="cpu", first_row=3)
    assert len(rows) == len(set(rows)) >= 4 * 4 * 2
    assert min(rows) > 3 + len(starts_of(problem))


def test_parts_share_the_vehicles(monkeypatch):
    """Together they may use as many routes as the whole tour has room for, and no more."""
    problem, fleets = random_cvrp("capacity", CUSTOMERS), {}
    search = runs.search_part

    def noted(sub, *given, first_row, **options):
        fleets.setdefault(first_row // runs.ROWS_OF_ROUND, []).append(sub.problem.fleet)
        return search(sub, *given, first_row=first_row, **options)

    monkeypatch.setattr(runs, "search_part", noted)
    SEARCH(problem, starts_of(problem), budget=KICKS, backend="cpu")
    assert [sum(fleet) for fleet in fleets.values()] == [problem.copies] * SEARCH.rounds


def test_acceptance_falls_over_the_whole_run(monkeypatch):
    levels = []
    level = Leg.level

    def noted(self, accept, done, to):
        heat, cooling = level(self, accept, done, to)
        levels.append((heat, heat - cooling * self.stretch.kicks))
        return heat, cooling

    monkeypatch.setattr(Leg, "level", noted)
    problem = random_cvrp("capacity", CUSTOMERS)
    SEARCH(problem, starts_of(problem), budget=KICKS, backend="cpu")
    rounds = sorted(set(levels), reverse=True)
    assert len(rounds) == SEARCH.rounds
    accept = SEARCH.search.accept
    assert rounds[0][0] == pytest.approx(accept.start) and rounds[-1][1] == pytest.approx(
        accept.end
    )
    assert all(rounds[k][1] == pytest.approx(rounds[k + 1][0]) for k in range(3))


def test_a_part_of_a_longer_run_has_its_share_of_acceptance_and_rounds(monkeypatch):
    stretches, turns, cut = [], [], runs.grouped

    def noted(sub, search, backend, stretch, **given):
        stretches.append((stretch.begin, stretch.end))
        return search_part(sub, search, backend, stretch, **given)

    def grouped(problem, routes, count, turn, random):
        turns.append(turn)
        return cut(problem, routes, count, turn, random)

    search_part = runs.search_part
    monkeypatch.setattr(runs, "search_part", noted)
    monkeypatch.setattr(runs, "grouped", grouped)
    problem = random_cvrp("capacity", CUSTOMERS)
    given = {"budget": KICKS, "backend": "cpu"}
    for seed in range(8):
        SEARCH(problem, starts_of(problem), seed=seed, begin_share=0.5, **given)
    assert SEARCH.rounds == 4 and set(stretches) == {(0.5, 0.75), (0.75, 1.0)}
    assert {*turns[::2]} == {0, 1} and {*turns[1::2]} == {1, 2}  # either kind comes first
    stretches.clear()
    SEARCH(problem, starts_of(problem), begin_share=0.3, end_share=0.3, **given)
    assert set(stretches) == {(0.3, 0.3)}


def test_parts_keep_the_best_and_not_the_last_tours():
    """At such a heat, chains go from tour to tour, most of them far worse than the first."""
    problem = random_cvrp("capacity", CUSTOMERS)
    cold = SEARCH(problem, starts_of(problem), seed=1, budget=gls.Budget(kicks=2000), backend="cpu")
    hot = replace(SEARCH.search, accept=gls.Annealing(1000.0, 1000.0), cooperation=None)
    search = replace(SEARCH, search=hot)
    found = search(problem, cold.tours[:1], seed=1, budget=gls.Budget(kicks=400), backend="cpu")
    history = [point.best_cost for point in found.statistics.history[:-1]]
    assert history == sorted(history, reverse=True) and found.best_cost <= cold.best_cost


@pytest.mark.slow
def test_few_tours_and_many_chains():
    problem = random_cvrp("capacity", CUSTOMERS)
    many = replace(SEARCH, chains=8)
    found = many(problem, starts_of(problem, 1), seed=1, budget=KICKS, backend="cpu")
    assert len(found.tours) == 1 and found.statistics.kicks == pytest.approx(8 * 40, rel=0.1)
    best = SEARCH(problem, starts_of(problem, 1).repeat(8, 0), seed=1, budget=KICKS, backend="cpu")
    assert (found.tours[0] == best.tours[0]).all()
    whole = gls.Decomposed(customers=1000, chains=3)
    assert len(whole(problem, starts_of(problem, 1), budget=KICKS, backend="cpu").tours) == 3


def test_soft_constraints_end_in_feasible_routes():
    problem = random_cvrp("capacity", CUSTOMERS).penalised(load=3)
    found = SEARCH(problem, starts_of(problem), budget=KICKS, backend="cpu")
    assert problem.feasible(found.tours[0])[0]


def test_one_chain_of_a_part_lowers_the_price_of_violations(monkeypatch):
    """It follows what is feasible, from round to round."""
    problem = random_cvrp("capacity", CUSTOMERS).penalised(load=100)
    prices, search = [], runs.search_part

    def noted(sub, given, backend, stretch, **options):
        found = search(sub, given, backend, stretch, **options)
        prices.append((options["price"], found.price))
        return found

    monkeypatch.setattr(runs, "search_part", noted)
    SEARCH(problem, starts_of(problem, 1), budget=gls.Budget(kicks=2000), backend="cpu")
    assert {first for first, _ in prices[:2]} == {1.0}
    assert len({first for first, _ in prices}) == SEARCH.rounds
    assert all(last != first for first, last in prices)


def test_what_cannot_be_cut_is_searched_whole():
    problem = random_cvrp("capacity", CUSTOMERS)
    whole = gls.Decomposed(customers=1000)
    starts = starts_of(problem, 2)
    found = whole(problem, starts, seed=2, budget=KICKS, backend="cpu")
    same = whole.search(problem, starts, seed=2, budget=KICKS, backend="cpu")
    assert (found.tours == same.tours).all()


def test_limits_and_ctrl_c(clock):
    problem = random_cvrp("capacity", CUSTOMERS)
    starts = starts_of(problem)
    SEARCH.prepare(problem, len(starts), backend="cpu")
    before = clock.launches
    timed = SEARCH(problem, starts, budget=gls.Budget(seconds=5), backend="cpu")
    assert timed.statistics.stopped_by == "seconds" and timed.statistics.kicks > 0
    assert clock.launches - before <= clock.most_launches(5)
    cost = timed.best_cost
    target = gls.Budget(seconds=2000, target=problem.cost(starts).min() - 1)
    near = SEARCH(problem, starts, budget=target, backend="cpu")
    assert near.statistics.stopped_by == "target"
    assert near.best_cost <= target.target
    few = SEARCH(problem, starts, budget=gls.Budget(moves=20), backend="cpu")
    assert few.statistics.stopped_by == "moves"
    none = SEARCH(problem, starts, budget=gls.Budget(seconds=0), backend="cpu")
    assert none.best_cost == problem.cost(starts).min() >= cost

    def press(progress: gls.Progress) -> None:
        if progress.kicks:  # in the midst of the first round
            raise KeyboardInterrupt

    rest = SEARCH(problem, starts, budget=gls.Budget(seconds=4000), backend="cpu", callback=press)
    assert rest.statistics.interrupted
    assert rest.best_cost < problem.cost(starts).min() and problem.feasible(rest.tours).all()
    assert threading.active_count() < 50


def test_errors_of_callbacks_and_parts_come_through(monkeypatch):
    problem = random_cvrp("capacity", CUSTOMERS)

    def fail(*_given, **_options):
        raise ZeroDivisionError("from a part")

    with pytest.raises(ZeroDivisionError):
        SEARCH(problem, starts_of(problem), budget=KICKS, backend="cpu", callback=fail)
    monkeypatch.setattr(runs, "search_part", fail)
    with pytest.raises(ZeroDivisionError, match="from a part"):
        SEARCH(problem, starts_of(problem), budget=KICKS, backend="cpu")


def test_parts_are_forgotten(monkeypatch):
    """Nothing that backends and candidates keep of a part lives longer than its round."""
    seen = []
    search = runs.search_part

    def noted(sub, *given, **options):
        seen.extend([weakref.ref(sub.problem), weakref.ref(sub.problem.tsp)])
        return search(sub, *given, **options)

    monkeypatch.setattr(runs, "search_part", noted)
    problem = random_cvrp("capacity", CUSTOMERS)
    SEARCH(problem, starts_of(problem), budget=KICKS, backend="cpu")
    gc.collect()
    assert len(seen) >= 2 * 4 * 4 and not any(ref() for ref in seen)


def test_lanes_share_the_processors():
    backend = get_backend("cpu")
    with backend.lane(3, 1):
        assert backend.processors == 1
    assert backend.processors >= 1


def test_what_is_refused():
    for wrong, error in (
        ({"customers": 0}, InvalidParameterError),
        ({"rounds": 0}, InvalidParameterError),
        ({"rounds": 1.5}, InvalidTypeError),
        ({"chains": 0}, InvalidParameterError),
        ({"search": gls.LocalSearch()}, InvalidTypeError),
    ):
        with pytest.raises(error, match=re.escape(next(iter(wrong)))):
            gls.Decomposed(**wrong)
    with pytest.raises(UnsupportedProblemError, match="no routes"):
        SEARCH(gls.TSP(np.random.default_rng(0).random((9, 2))), [range(9)], backend="cpu")
    problem = random_cvrp("capacity", 20)
    limited = problem.with_resources(TimeWindows(np.tile([0, 10**6], (21, 1))))
    with pytest.raises(UnsupportedProblemError, match="split among parts"):
        SEARCH(limited, starts_of(problem), backend="cpu")
    for shares in (
        {"begin_share": -0.1},
        {"end_share": 1.1},
        {"begin_share": 0.6, "end_share": 0.5},
    ):
        with pytest.raises(InvalidParameterError, match="_share"):
            SEARCH(problem, starts_of(problem), backend="cpu", **shares)


def test_it_is_written_as_text():
    text = "decomposed(customers=80, rounds=3)"
    assert parse_search(text) == gls.Decomposed(customers=80, rounds=3)
    assert parse_search(text_of(parse_search(text))) == parse_search(text)


def test_parts_suit_the_device_and_the_time(monkeypatch):
    """A GPU takes them for fewer customers where there is little time, whatever is searched."""

    def taken(device: str, customers: int, seconds: float) -> bool:
        monkeypatch.setattr(choice, "get_backend", lambda _: SimpleNamespace(name=device))
        problem, settings = random_cvrp("capacity", customers), Settings(seconds=seconds)
        chosen = choice.divided(problem, settings, replace(default, seconds=seconds))
        return isinstance(chosen.search, gls.Decomposed)

    default = default_settings(random_cvrp("capacity", 20), Settings(backend="cpu"))
    assert [taken("cuda", 599, 1.0), taken("cuda", 600, 3.0)] == [False, False]
    assert [taken("cuda", 600, 2.9), taken("cuda", 2000, 60.0)] == [True, True]
    assert [taken("cpu", 2000, 1.0), taken("cpu", 3000, 60.0)] == [False, True]


def test_solve_takes_parts_where_there_are_many_customers(monkeypatch):
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
    assert problem.feasible(found.best_tour).all() and found.best_cost == problem.cost(
        found.best_tour
    )
    assert "cuts" in found.statistics.phases
