"""The solver behind `gpu-ls solve`: its choices, its clock, and each reason to stop."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.plugins.search_text import parse_search
from gpu_ls_plugin.runs.acceptance import Annealing, Better
from gpu_ls_plugin.runs.compiling import Ahead
from gpu_ls_plugin.solver import Settings, default_settings, plans, run, solve
from gpu_ls_plugin.tours.candidates import near_cities
from gpu_ls_plugin.tours.candidates.alpha import Alpha
from gpu_ls_plugin.tours.candidates.base import Candidates
from gpu_ls_plugin.tours.candidates.nearest import Nearest
from gpu_ls_plugin.tours.candidates.quadrant import Quadrant
from gpu_ls_plugin.tours.cooperation.migration import Migration
from gpu_ls_plugin.tours.crossovers.edge_assembly import EdgeAssembly
from gpu_ls_plugin.tours.engines.pivoting import First
from gpu_ls_plugin.tours.moves.lin_kernighan import LinKernighan, LinKernighanLead
from gpu_ls_plugin.tours.plan import preparation
from gpu_ls_plugin.tours.problem.tsp import TSP
from gpu_ls_plugin.tours.searches import good_tour
from gpu_ls_plugin.tours.searches.iterated import IteratedLocalSearch
from gpu_ls_plugin.tours.searches.local_search import LocalSearch
from tests.helpers.late_kernels import LateKernels
from tests.helpers.routing import random_cvrp

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.core.result import Progress, Result
    from gpu_ls_plugin.runs.plan import Plan
    from tests.helpers.clock import Clock

PROBLEM = TSP(np.random.default_rng(3).integers(0, 1000, (30, 2)), "EUC_2D")
LOPSIDED = TSP.from_matrix(np.random.default_rng(5).integers(1, 1000, (40, 40)))
SETTINGS = Settings(seconds=0.3, population=6, backend="cpu")


def check(problem: TSP, result: Result) -> None:
    """Check tours, costs and the history of a result."""
    assert (np.sort(result.tours, axis=1) == np.arange(problem.n)).all()
    np.testing.assert_array_equal(problem.cost(result.tours), result.costs)
    assert result.costs.tolist() == sorted(result.costs)
    history = result.statistics.history
    for name, order in (("elapsed", 1), ("kicks", 1), ("best_cost", -1)):
        values = [order * getattr(point, name) for point in history]
        assert values == sorted(values), name
    assert history[-1].best_cost == result.best_cost


# Choices


@pytest.fixture
def on(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that makes plans for a device: its backend, processors, shared memory."""

    def choose(name: str, processors: int, shared_memory: int = 227 << 10) -> None:
        chosen = SimpleNamespace(name=name, processors=processors, shared_memory=shared_memory)
        monkeypatch.setattr(plans, "get_backend", lambda *_: chosen)

    return choose


@pytest.mark.parametrize(
    ("device", "n", "population"),
    [
        (("cpu", 1), 1000, 500),
        (("cpu", 7), 1000, 512),
        (("cpu", 4), 10_000, 200),
        (("cpu", 1), 12_000, 41),
        (("cpu", 2), 20_000, 1),
        (("cpu", 64), 20_000, 320),
        (("cuda", 132), 8, 16 * 132),
        (("cuda", 132), 1500, 16 * 132),
        (("cuda", 132), 8_000, 6 * 132),
        (("cuda", 132), 11_000, 4 * 132),
        (("cuda", 132), 20_000, 2 * 132),
        (("cuda", 132), 45_000, 67),
        (("cuda", 132), 80_000, 48),
        (("cuda", 132), 150_000, 1),
        (("cuda", 40, 64 << 10), 1500, 7 * 40),
    ],
)
def test_the_population_keeps_a_device_busy(device: Any, n: int, population: int, on: Any) -> None:
    on(*device)
    problem = TSP(np.arange(2 * n).reshape(n, 2), "EUC_2D")
    chosen = default_settings(problem, Settings())
    assert chosen.population == population
    assert isinstance(chosen.search, IteratedLocalSearch)
    assert chosen.search.accept == (Annealing(0.2) if population > 1 else Annealing(1.6, 0.8))
    helped = EdgeAssembly(generations=5 if n <= 12_000 else n // 1800, strategy="staged")
    if device[0] == "cuda":
        every = min(0.5, 5000 / n) if n <= 12_000 else max(0.25, n / 60_000)
        helped = EdgeAssembly(every, generations=max(10, n // 1800), strategy="staged")
    assert chosen.search.cooperation == (helped if population > 1 else None)
    assert default_settings(problem, Settings(population=3)).population == 3
    assert default_settings(problem, chosen) == chosen


CROSSED = EdgeAssembly(strategy="staged")


@pytest.mark.parametrize(
    ("population", "cooperation"),
    [(1, None), (3, None), (4, Migration(0.5)), (15, Migration(0.5)), (16, CROSSED)],
)
def test_the_cooperation_of_chains(population: int, cooperation: object) -> None:
    chosen = default_settings(PROBLEM, Settings(population=population, backend="cpu"))
    assert isinstance(chosen.search, IteratedLocalSearch)
    assert chosen.search.cooperation == cooperation
    assert (chosen.start == "random_tours") == (population == 16)


@pytest.mark.parametrize(
    ("seconds", "population", "every"),
    [(0.04, 4, 0.02), (0.1, 4, 0.025), (1, 8, 0.25), (9, 16, 0.5)],
)
def test_crossovers_on_a_gpu_suit_the_time(
    seconds: float, population: int, every: float, on: Any
) -> None:
    on("cuda", 132)
    problem = TSP(np.arange(4000).reshape(2000, 2), "EUC_2D")
    chosen: Any = default_settings(problem, Settings(seconds=seconds))
    assert chosen.population == population * 132
    assert chosen.search.cooperation == EdgeAssembly(every, generations=10, strategy="staged")


def test_long_tours_are_crossed_if_there_is_time(on: Any) -> None:
    """They are searched in parts. The time grows faster than the cities, up to a limit."""

    def crossed(name: str, n: int, seconds: float, **given: Any) -> bool:
        on(name, 2)
        problem = TSP(np.arange(2 * n).reshape(n, 2), "EUC_2D")
        chosen: Any = default_settings(problem, Settings(seconds=seconds, **given))
        assert chosen.search.part == "auto"
        assert isinstance(chosen.search.cooperation, EdgeAssembly) == (chosen.population > 1)
        return chosen.population > 1

    assert [crossed("cuda", 18_500, seconds) for seconds in (0.45, 0.55)] == [False, True]
    assert [crossed("cuda", 37_000, seconds) for seconds in (1.2, 1.4)] == [False, True]
    assert [crossed("cpu", 18_500, seconds) for seconds in (1.4, 1.6)] == [False, True]
    assert [crossed("cuda", n, math.inf) for n in (200_000, 200_001)] == [True, False]
    assert not crossed("cuda", 18_500, 10.0, search=IteratedLocalSearch())
    assert crossed("cuda", 18_500, 10.0, search="lin_kernighan/nearest(5)")


@pytest.mark.parametrize("backend", ["cpu", "cuda"])
def test_longer_tours_exchange_more_cycles(backend: str, on: Any) -> None:
    on(backend, 2)

    def cycles(n: int) -> int:
        problem = TSP(np.arange(2 * n).reshape(n, 2), "EUC_2D")
        chosen: Any = default_settings(problem, Settings(seconds=60.0)).search
        return int(chosen.cooperation.offspring)

    assert [cycles(n) for n in (1000, 3000, 6000, 20_000)] == [32, 32, 90, 1000]


@pytest.mark.parametrize(("threads", "population"), [(1, 2), (7, 7), (64, 16)])
def test_populations_that_cannot_be_crossed(threads: int, population: int, on: Any) -> None:
    """Asymmetric problems, and searches without crossover, get a tour for each thread."""
    on("cpu", threads)
    asymmetric = TSP.from_matrix(np.arange(900).reshape(30, 30) / 7)
    for problem, search in ((asymmetric, None), (PROBLEM, IteratedLocalSearch())):
        assert default_settings(problem, Settings(search=search)).population == population


@pytest.mark.parametrize(
    ("problem", "settled"),
    [
        (random_cvrp("capacity", 20), {}),
        (PROBLEM, {}),
        (TSP.from_matrix(np.arange(900).reshape(30, 30)), {}),
        (PROBLEM, {"search": IteratedLocalSearch()}),
    ],
    ids=["routes", "crossed", "symmetrised", "not_crossed"],
)
def test_islands_have_half_a_population(problem: Any, settled: dict[str, Any], on: Any) -> None:
    """On a GPU, by default, for chains of routes and crossed tours, which converge sooner."""

    def size(name: str, islands: int, **given: Any) -> int | None:
        on(name, 132)
        asked = Settings(**settled | given)
        return default_settings(problem, asked, islands=islands).population

    whole = 16 * 132
    half = whole if settled else whole // 2
    assert [size("cuda", islands) for islands in (1, 2, 8)] == [whole, half, half]
    assert size("cpu", 1) == size("cpu", 2)
    assert size("cuda", 2, population=5) == 5


@pytest.mark.parametrize(
    ("threads", "seconds", "chains"),
    [
        (1, 60, 16),
        (2, 2, 2),
        (2, 10, 10),
        (2, math.inf, 16),
        (6, 10, 12),
        (16, 60, 16),
        (64, 0, 16),
    ],
)
def test_chains_of_routes_on_a_cpu_suit_the_time(
    threads: int, seconds: float, chains: int, on: Any
) -> None:
    routes = random_cvrp("capacity", 100)  # of 200 nodes
    on("cpu", threads)
    assert default_settings(routes, Settings(seconds=seconds)).population == chains


def test_the_population_suits_the_time() -> None:
    def size(seconds: float) -> int | None:
        return default_settings(PROBLEM, Settings(seconds=seconds, backend="cpu")).population

    assert size(0.0) == 16
    assert size(1e9) == size(math.inf) == 512


def test_candidates_and_starts_suit_the_number_of_cities_and_the_time(on: Any) -> None:
    on("cpu", 1)

    def chosen(problem: TSP, seconds: float) -> tuple[object, str | None]:
        found = default_settings(problem, Settings(seconds=seconds, backend="cpu"))
        assert isinstance(found.search, IteratedLocalSearch)
        assert found.search.search.neighbourhoods == (LinKernighanLead(6),)
        assert found.search.search.pivoting == First("step")
        return found.search.search.candidates, found.start

    large, longest = (TSP(np.arange(2 * n).reshape(n, 2), "EUC_2D") for n in (11_000, 13_000))
    matrix = TSP.from_matrix(np.ones((30, 30), int))
    assert chosen(PROBLEM, 10) == (Alpha(5), "random_tours")
    assert chosen(large, 10) == (Alpha(5), "space_filling_curve")
    assert chosen(large, 1) == (Quadrant(6), "space_filling_curve")
    assert chosen(longest, 1) == (Quadrant(8), "greedy")
    assert chosen(longest, 2) == (Quadrant(6), "space_filling_curve")
    assert chosen(longest, 10) == (Alpha(5), "space_filling_curve")
    assert chosen(matrix, 0) == (Nearest(8), "random_tours")
    assert chosen(matrix, math.inf)[0] == Alpha(5)


@pytest.mark.parametrize(
    ("given", "alike"), [({"kicks": 5}, False), ({"moves": 5}, False), ({}, True)]
)
def test_all_backends_use_the_same_moves_unless_time_is_the_limit(
    given: dict[str, int], alike: bool
) -> None:
    found = default_settings(PROBLEM, Settings(**given, backend="cpu"), alike=alike)
    assert isinstance(found.search, IteratedLocalSearch)
    assert found.search.search.neighbourhoods == (LinKernighan(3),)
    assert found.search.search.pivoting == First()


def test_a_local_search_becomes_the_repair_and_others_are_unchanged() -> None:
    local, iterated = "two_opt/nearest(5)", "IteratedLocalSearch(two_opt, accept=better)"
    chosen = default_settings(PROBLEM, replace(SETTINGS, search=local)).search
    assert isinstance(chosen, IteratedLocalSearch)
    assert (chosen.search, chosen.cooperation) == (parse_search(local), Migration(every=0.5))
    own = default_settings(PROBLEM, replace(SETTINGS, search=iterated)).search
    assert own == IteratedLocalSearch(parse_search("two_opt"), accept=Better())
    assert default_settings(PROBLEM, replace(SETTINGS, search=print)).search is print


# Solving


@pytest.mark.usefixtures("clock")
def test_costs_are_exact_and_progress_never_gets_worse() -> None:
    seen: list[Progress] = []
    result = solve(PROBLEM, replace(SETTINGS, seconds=2.0), seen.append)
    check(PROBLEM, result)
    for name, order in (("best_cost", -1), ("elapsed", 1), ("moves", 1), ("kicks", 1)):
        values = [order * getattr(progress, name) for progress in seen]
        assert values == sorted(values), name
    assert seen[-1].best_cost >= result.best_cost
    statistics = result.statistics
    assert statistics.stopped_by == "seconds" and statistics.kicks >= 6
    assert 0 < statistics.accepted <= statistics.kicks


@dataclass(frozen=True)
class Slow(Candidates):
    """Candidates that take 40 seconds to make."""

    clock: Clock

    def build(self, problem: TSP) -> Any:
        self.clock.advance(40)
        return Nearest(5).of(problem)


def test_seconds_count_from_the_call_to_the_tour_without_compiling(
    monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    compiled, clock.launch = preparation.compile_search, 5.0
    monkeypatch.setattr(
        preparation, "compile_search", lambda *given: (clock.advance(500), compiled(*given))
    )
    problem = TSP(np.random.default_rng(3).integers(0, 1000, (30, 2)), "EUC_2D")
    seen: list[Progress] = []
    search = LocalSearch(candidates=Slow(clock))
    result = solve(problem, replace(SETTINGS, seconds=90, search=search), seen.append)
    statistics, phases = result.statistics, dict(result.statistics.phases)
    assert phases.pop("compiling") >= 500 and phases["candidates"] >= 40
    assert 90 <= statistics.seconds < 200
    assert sum(phases.values()) <= statistics.seconds
    assert seen[0].elapsed >= 40 and statistics.history[0].elapsed >= 40
    assert statistics.history[-1].elapsed <= statistics.seconds


def test_no_search_waits_for_the_compiler_while_time_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    kernels = LateKernels(monkeypatch)

    def ahead(plan: Plan) -> Ahead:
        made = Ahead(plan)
        kernels.prepared = True
        return made

    monkeypatch.setattr(run, "Ahead", ahead)
    for text in (None, "two_opt/all/best", "or_opt/best"):
        kernels.known.clear()
        good_tour._compiled.clear()
        preparation._compiled.clear()
        near_cities._compile.cache_clear()
        kernels.prepared = False
        solve(PROBLEM, replace(SETTINGS, search=text, seconds=0.1))
        assert kernels.late == []
    assert {"chain", "double_bridge", "descent"} <= kernels.launched


def test_compiling_makes_no_candidates() -> None:
    search = LocalSearch(candidates=Interrupted())  # raises if it is asked for candidates
    plans.plan_of(PROBLEM, replace(SETTINGS, search=search)).prepare()


def test_kicks_alone_give_the_same_tours_for_a_seed() -> None:
    settings = replace(SETTINGS, seconds=math.inf, kicks=50)
    one, two, other = (solve(PROBLEM, replace(settings, seed=seed)) for seed in (1, 1, 2))
    assert one.statistics.kicks == 300 and one.statistics.stopped_by == "kicks"
    np.testing.assert_array_equal(one.tours, two.tours)
    assert (one.tours != other.tours).any()


@pytest.mark.parametrize("text", ["two_opt/all/best", "or_opt/nearest(5)", "three_opt/best"])
def test_each_kind_of_search_can_be_given(text: str) -> None:
    for search in (text, parse_search(text)):
        result = solve(PROBLEM, replace(SETTINGS, seconds=math.inf, kicks=1, search=search))
        check(PROBLEM, result)
        assert result.statistics.kicks >= 6


def test_moves_are_limited() -> None:
    result = solve(PROBLEM, replace(SETTINGS, seconds=60, moves=20))
    check(PROBLEM, result)
    assert result.statistics.stopped_by == "moves"
    assert 6 * 20 <= result.statistics.moves < 6 * 40


def test_a_search_of_another_kind_is_called_once() -> None:
    calls: list[dict[str, Any]] = []

    def search(problem: TSP, tours: Any, **options: Any) -> Result:
        calls.append(options)
        return LocalSearch()(problem, tours, **options)

    result = solve(PROBLEM, replace(SETTINGS, search=search))
    check(PROBLEM, result)
    assert len(calls) == 2 and calls[0]["budget"].moves == 0  # the first one compiles
    assert len(result.statistics.history) == 1


def test_asymmetric_tours_are_searched_without_reversals() -> None:
    chosen = default_settings(LOPSIDED, SETTINGS).search
    assert isinstance(chosen, IteratedLocalSearch)
    assert chosen.search == parse_search("three_opt+or_opt")
    settings = replace(SETTINGS, start="random_tours")
    start = solve(LOPSIDED, replace(settings, moves=0))
    result = solve(LOPSIDED, settings)
    check(LOPSIDED, result)
    assert result.costs.max() < start.costs.min()
    assert result.statistics.kicks >= 6
    with pytest.raises(UnsupportedProblemError, match="reverses paths"):
        solve(LOPSIDED, replace(SETTINGS, search="lin_kernighan/nearest"))


def test_the_target_stops_at_once() -> None:
    result = solve(PROBLEM, replace(SETTINGS, seconds=60, target=1e9))
    assert result.statistics.stopped_by == "target" and result.statistics.kicks == 0


@pytest.mark.parametrize("n", range(1, 12))
def test_tiny_problems(n: int) -> None:
    problem = TSP(np.random.default_rng(n).integers(0, 9, (n, 2)), "EUC_2D")
    result = solve(problem, replace(SETTINGS, seconds=0.05))
    check(problem, result)
    assert result.statistics.stopped_by == ("optimum" if n < 8 else "seconds")


def test_ctrl_c_between_launches_returns_the_tours_so_far() -> None:
    calls = 0

    def interrupt(progress: Progress) -> None:
        nonlocal calls
        calls += 1
        if calls == 5:
            raise KeyboardInterrupt

    result = solve(PROBLEM, replace(SETTINGS, seconds=60), interrupt)
    assert result.statistics.interrupted and result.statistics.kicks > 0
    check(PROBLEM, result)


class Interrupted(Candidates):
    """Candidates during whose construction Ctrl-C is pressed."""

    def build(self, problem: TSP) -> Any:
        raise KeyboardInterrupt


def test_ctrl_c_before_the_search_returns_the_starts() -> None:
    result = solve(PROBLEM, replace(SETTINGS, search=LocalSearch(candidates=Interrupted())))
    assert result.statistics.interrupted and result.statistics.kicks == 0
    check(PROBLEM, result)
