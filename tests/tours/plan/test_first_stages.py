"""Runs of hundredths of a second give tours as good as greedy tours after 2-opt and Or-opt."""

from __future__ import annotations

import _thread
import math
import time
from typing import TYPE_CHECKING

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.runs.plan import Found
from gpu_ls_plugin.runs.settings import Request
from gpu_ls_plugin.solver import Settings, default_settings, run
from gpu_ls_plugin.solver.plans import plan_of
from gpu_ls_plugin.tours.plan import first_stages, preparation
from gpu_ls_plugin.tours.problem.symmetric_twin import SymmetricTwin
from gpu_ls_plugin.tours.searches import good_tour
from gpu_ls_plugin.tours.searches.good_tour import GoodTour, number_of_chains
from gpu_ls_plugin.tours.searches.search_call import Call

if TYPE_CHECKING:
    from gpu_ls_plugin.core.result import Progress
    from tests.helpers.clock import Clock

PLAIN = gls.LocalSearch([gls.TwoOpt(), gls.OrOpt(3)], candidates=gls.Nearest(8))
MOST_LATE = 0.5  # seconds, on a machine that also runs other tests


def uniform(n: int, seed: int = 1) -> gls.TSP:
    return gls.TSP(np.random.default_rng(seed).integers(0, 100_000, (n, 2)), "EUC_2D")


def solved(problem: gls.TSP, seconds: float, **options: object) -> gls.Result:
    gls.solve(problem, 0.01, backend="cpu")  # loads the kernels
    fresh = gls.TSP(problem.coordinates, problem.metric)
    return gls.solve(fresh, seconds, backend="cpu", **options)


@pytest.mark.timed
@pytest.mark.parametrize(("n", "seconds"), [(200, 0.02), (1000, 0.05), (1000, 0.1), (4000, 0.1)])
def test_short_times_give_good_tours(n: int, seconds: float) -> None:
    problem = uniform(n)
    plain = PLAIN(problem, gls.greedy(problem, backend="cpu"), backend="cpu").best_cost
    solved(problem, 0.0)
    begin = time.perf_counter()
    result = gls.solve(problem, seconds, backend="cpu")
    assert time.perf_counter() - begin < seconds + MOST_LATE
    # A busy machine may leave no time for the descent, so there are two more attempts.
    found = [result, *(solved(problem, 2 * seconds) for _ in range(2))]
    assert min(r.best_cost for r in found) <= 1.02 * plain
    assert result.best_cost == problem.cost(result.best_tour[None])[0]
    assert result.statistics.stopped_by == "seconds"


def test_without_time_the_result_is_a_greedy_tour() -> None:
    problem = uniform(500)
    result = solved(problem, 0.0)
    assert result.best_cost <= problem.cost(gls.greedy(problem, backend="cpu"))[0]


def test_without_time_for_greedy_the_result_is_a_curve(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GoodTour, "seconds_per_city", 1.0)
    problem = uniform(500)
    result = solved(problem, 0.0)
    curve = problem.cost(gls.space_filling_curve(problem, backend="cpu"))[0]
    assert result.best_cost <= curve


def test_a_population_begins_with_the_tour(clock: Clock) -> None:
    problem = uniform(100)
    seen: list[Progress] = []
    result = solved(problem, 3.0, population=16, callback=seen.append)
    assert len(result.tours) == 16
    assert (np.diff([p.elapsed for p in seen]) >= 0).all()
    assert (np.diff([p.best_cost for p in seen]) <= 0).all()
    history = result.statistics.history
    assert history[0].best_cost <= 1.5 * result.best_cost  # a random tour costs several times more
    assert (np.diff([point.best_cost for point in history]) <= 0).all()
    assert (np.diff([point.kicks for point in history]) >= 0).all()


@pytest.mark.parametrize(("kicks", "follows"), [(0, True), (1, False)])
def test_no_population_follows_on_a_slow_machine(
    kicks: int, follows: bool, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    """A stage that ended before its first kick does not tell how fast the machine is."""

    def slow(search: GoodTour, *given: object, **options: object) -> gls.Result:
        found = call(search, *given, **options)
        if given[1] is None:  # the first stage
            found.statistics.kicks, found.statistics.phases["kicks"] = kicks, 100.0
        return found

    call = GoodTour.__call__
    monkeypatch.setattr(GoodTour, "__call__", slow)
    result = solved(uniform(100), 2.0)
    assert (len(result.tours) == number_of_chains()) != follows
    assert result.statistics.kicks > 0


def test_no_good_tour_is_made_beside_other_settings() -> None:
    problem = uniform(100)
    matrix = gls.TSP.from_matrix(problem.lengths(*np.indices((100, 100))))

    def begins(instance: gls.TSP, **asked: object) -> bool:
        given = Settings(seconds=0.05, backend="cpu", **asked)  # type: ignore[arg-type]
        chosen, request = default_settings(instance, given), Request(given, get_backend("cpu"))
        return first_stages.good_tour_stage(instance, request, chosen) is not None

    assert begins(problem) and begins(problem, population=3)
    assert not begins(matrix)
    for asked in ({"search": "or_opt"}, {"start": "greedy"}, {"kicks": 5}, {"moves": 5}):
        assert not begins(problem, **asked), asked


def test_an_iterated_search_with_little_time_returns_a_good_tour(clock: Clock) -> None:
    clock.launch = 0.01
    problem = uniform(2000)
    starts = gls.random_tours(problem, 200, backend="cpu")
    greedy = problem.cost(gls.greedy(problem, backend="cpu"))[0]
    search = gls.IteratedLocalSearch(gls.LocalSearch(candidates=gls.Quadrant(6)))
    result = search(problem, starts, budget=gls.Budget(seconds=0.1), backend="cpu")
    assert result.best_cost <= greedy
    assert (result.costs <= problem.cost(starts)).all()
    # No good tour is made for tours that a search has improved, or if there are other limits.
    optima = PLAIN(problem, gls.space_filling_curve(problem, backend="cpu"), backend="cpu").tours
    for begin, limit in ((optima.repeat(200, axis=0), {}), (starts, {"kicks": 1})):
        budget = gls.Budget(seconds=0.05, **limit)
        found = search(problem, begin, budget=budget, backend="cpu")
        assert found.statistics.phases.get("opening", 0.0) < 0.05
        assert found.best_cost <= problem.cost(begin).min()


@pytest.mark.parametrize("late", [good_tour.LATE, -600.0])
def test_a_target_ends_the_run(late: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(good_tour, "LATE", late)  # if negative, the first tour leaves no time
    problem = uniform(200)
    result = solved(problem, 600.0, target=math.inf)
    assert result.statistics.stopped_by == "target"


def test_ctrl_c_returns_the_tour() -> None:
    problem = uniform(2000)
    gls.solve(problem, 0.01, backend="cpu")
    given = Settings(seconds=600.0, backend="cpu")
    plan_of(problem, given).prepare()  # Ctrl-C while compiling is an error
    result = gls.solve(problem, 600.0, backend="cpu", callback=lambda _: _thread.interrupt_main())
    assert result.statistics.interrupted
    assert sorted(result.best_tour) == list(range(problem.n))


@pytest.mark.parametrize(
    "late",
    [(run, "first_rows"), (preparation, "with_lists"), (Call, "referee"), (good_tour, "shifted")],
    ids=lambda late: late[1],
)
def test_ctrl_c_between_searches_loses_nothing(
    late: tuple[object, str], monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    def press(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    problem, given = uniform(100), Settings(seconds=5.0, backend="cpu", population=16)
    plan_of(problem, given).prepare()
    monkeypatch.setattr(*late, press)
    result = run.solve(problem, given)
    assert result.statistics.interrupted and len(result.tours) == 16
    assert result.best_cost == problem.cost(result.best_tour)[0]
    assert result.best_cost <= problem.cost(gls.greedy(problem, backend="cpu"))[0]


def like_distances(n: int) -> gls.TSP:
    lengths = np.asarray(uniform(n).lengths(np.arange(n)[:, None], np.arange(n)[None, :]))
    return gls.TSP.from_matrix(lengths.astype(int) + np.triu(np.ones((n, n), int), 1))


def with_a_cheap_ring(n: int) -> gls.TSP:
    lengths, cities = np.full((n, n), 50), np.arange(n)
    lengths[cities, (cities + 1) % n] = 1
    return gls.TSP.from_matrix(lengths)


def has_twin(problem: gls.TSP) -> bool:
    return "two nodes" in gls.solve(problem, 0.3, backend="cpu").statistics.phases


def test_a_twin_needs_time_if_lengths_are_like_distances(monkeypatch: pytest.MonkeyPatch) -> None:
    distances, ring = like_distances(40), with_a_cheap_ring(40)
    assert has_twin(distances) and has_twin(ring)
    monkeypatch.setattr(first_stages, "OF_TWIN", 1.0)  # seconds for a city
    assert has_twin(ring) and not has_twin(distances)


def test_ctrl_c_in_the_first_callback_returns_the_patched_tour() -> None:
    def interrupt(_: object) -> None:
        raise KeyboardInterrupt

    problem = like_distances(30)
    found = gls.solve(problem, seconds=1, backend="cpu", callback=interrupt)
    assert found.statistics.interrupted
    assert found.best_cost == problem.cost(found.tours)[0]


def test_plans_give_a_patched_tour_no_share_of_the_time() -> None:
    text = str(gls.plan(like_distances(30), seconds=5, backend="cpu"))
    assert "1. patched assignment, 0.0% of the time" in text


def test_chains_of_real_lengths_start_from_a_patched_assignment() -> None:
    for made, near in ((with_a_cheap_ring, True), (like_distances, False)):
        problem = gls.TSP.from_matrix(made(30).matrix / 7)
        patched, main = gls.plan(problem, seconds=5, backend="cpu").stages
        tour = patched.search(problem, callback=None).tours[0]
        found = Found(tour, (0.0, problem.cost(tour[None])[0].item()))
        (following,) = patched.after(patched, found, 5.0, (main,))
        if near:
            assert following.search.search.candidates == first_stages.FEW_CANDIDATES
            assert (following.rows == tour).all() and len(following.rows) == main.size
        else:
            assert following is main


def test_programs_for_a_matrix_are_prepared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made, init = [], SymmetricTwin.__init__

    def noted(twin: SymmetricTwin, problem: gls.TSP) -> None:
        made.append(problem)
        init(twin, problem)

    monkeypatch.setattr(SymmetricTwin, "__init__", noted)
    ring = with_a_cheap_ring(41)
    for _ in range(2):
        gls.solve(ring, seconds=0.2, backend="cpu")
    assert len(made) <= 3  # one to compile with, and one in each search
