"""Islands on a cluster of two workers in this process."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends.cpu import CpuBackend
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import (
    InvalidParameterError,
    InvalidTourError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.distributed import Exchange, IslandProgress, tasks, watcher
from gpu_ls_plugin.distributed.exchange import adopt_guests
from gpu_ls_plugin.runs.elites import Elites
from gpu_ls_plugin.runs.settings import Settings
from tests.distributed.conftest import CHAINS, LINKED, PROBLEM, N
from tests.helpers.marks import slow_after
from tests.helpers.random_problems import random_tours
from tests.helpers.routing import random_vrp

if TYPE_CHECKING:
    from collections.abc import Iterator


KICKS = gls.Budget(kicks=40)
TOURS = random_tours(N, 9)
REST = ("complete", "random")  # of the topologies


def test_the_seed_determines_the_result(islands):
    one, same, other = (islands(PROBLEM, TOURS, seed=seed, budget=KICKS) for seed in (1, 1, 2))
    assert np.array_equal(one.tours, same.tours)
    assert not np.array_equal(one.tours, other.tours)
    assert one.statistics.kicks == 40 * len(TOURS) and one.statistics.stopped_by == "kicks"


def test_costs_are_exact_sorted_and_never_worse(islands):
    descended = CHAINS.search(PROBLEM, TOURS, backend="cpu")
    found = islands(PROBLEM, TOURS, seed=1, budget=KICKS)
    assert found.tours.shape == TOURS.shape and found.problem is PROBLEM
    assert np.array_equal(found.costs, PROBLEM.cost(found.tours))
    assert (np.diff(found.costs) >= 0).all()
    assert found.best_cost <= descended.best_cost


@pytest.mark.parametrize(
    "topology", ["ring", *(pytest.param(name, marks=pytest.mark.slow) for name in REST)]
)
def test_an_island_gets_the_best_of_another_one(client, topology):
    """Three kicks cannot find this tour: the second island must have it from the first."""
    best = gls.solve(PROBLEM, np.inf, kicks=300, population=4, backend="cpu").best_tour
    tours = np.stack([best, TOURS[0]])
    still = replace(CHAINS, accept=gls.Better())
    exchange = Exchange(kicks=1)
    islands = gls.Islands(still, client, exchange, topology)
    found = islands(PROBLEM, tours, seed=1, budget=gls.Budget(kicks=3), backend="cpu")
    assert found.costs.tolist() == [PROBLEM.cost(best)[0]] * 2
    alone = still(PROBLEM, tours, seed=1, budget=gls.Budget(kicks=3), backend="cpu")
    assert alone.costs[1] > alone.costs[0]


class Worsening:
    """A search that returns a good tour, and then worse ones."""

    name = "worsening"

    def __call__(self, problem: Any, tours: Any, *, seed: int = 0, **options: Any) -> gls.Result:
        found = CHAINS.search(problem, TOURS[:1], backend="cpu").tours.repeat(len(tours), axis=0)
        if problem.cost(tours).min() <= problem.cost(found).min():
            found = random_tours(problem.n, len(tours), seed % 99)
        counted = gls.Statistics(stopped_by="kicks")
        return gls.Result(found, problem.cost(found), counted, problem)


def test_the_best_reported_row_is_not_lost(client):
    told: list[float] = []
    islands = gls.Islands(Worsening(), client, Exchange(kicks=1))
    budget, watch = gls.Budget(kicks=2), lambda progress: told.append(progress.best_cost)
    found = islands(PROBLEM, TOURS[2:6], seed=1, budget=budget, callback=watch)
    assert found.best_cost == min(told) == PROBLEM.cost(found.tours[:1])[0]
    assert found.costs[1] > found.costs[0] and len(found.costs) == 4


def test_a_time_limit_and_progress(client, clock):
    told: list[IslandProgress] = []
    islands = gls.Islands(CHAINS, client, Exchange(every=1.0))
    budget = gls.Budget(seconds=5.0)
    found = islands(PROBLEM, TOURS, seed=1, budget=budget, callback=told.append)
    statistics = found.statistics
    assert statistics.stopped_by == "seconds" and statistics.seconds >= 5.0
    assert clock.launches <= 2 * clock.most_launches(5)
    assert set(statistics.phases) >= {"compiling", "exchange", "kicks"}
    assert {line.island for progress in told for line in progress.islands} == {0, 1}
    assert told[-1].best_cost == found.best_cost
    assert told[-1].kicks > 0 and max(line.stretches for line in told[-1].islands) >= 2
    assert [p.best_cost for p in told] == sorted((p.best_cost for p in told), reverse=True)


def test_a_target_ends_all_islands(islands):
    easy = float(PROBLEM.cost(TOURS).min())
    found = islands(PROBLEM, TOURS, budget=gls.Budget(seconds=600, target=easy))
    assert found.statistics.stopped_by == "target"
    assert found.best_cost <= easy


ROUTES = gls.CVRP(PROBLEM.coordinates, np.arange(N) % 9, 40)
PROBLEMS = {
    "routes": (ROUTES, {"kicks": 20, "population": 3}),
    "windows": (random_vrp(20), {"kicks": 20, "population": 3}),
    # Four colours are too few, so that no target ends the run.
    "colours": (gls.GraphColouring.queen(5, 5, 4), {"kicks": 3, "population": 3}),
    "quadratic": (gls.QuadraticAssignment.generated(9, 1), {"kicks": 3, "population": 3}),
}


REAL = gls.CVRP(PROBLEM.coordinates, np.arange(N) % 9, 40, metric="EUC")
# No two routes fit into two vehicles.
IMPOSSIBLE = gls.CVRP(PROBLEM.coordinates[:4], [0, 3, 3, 3], 5, vehicles=2, copies=3)
COSTED = {
    "real lengths": (gls.TSP(PROBLEM.coordinates), CHAINS),
    "real routes": (REAL, LINKED),
    "routes in parts": (REAL, gls.Decomposed(LINKED, customers=20)),
    "no feasible routes": (IMPOSSIBLE, LINKED),
    "no feasible routes, called": (IMPOSSIBLE, LINKED.search),
}


@pytest.mark.parametrize("name", slow_after(3, COSTED))
def test_costs_and_feasibility_are_those_of_the_problem(client, name):
    problem, search = COSTED[name]
    rows = gls.random_tours(problem, 4, seed=1)
    budget = gls.Budget(kicks=3)
    found = gls.Islands(search, client, Exchange(kicks=1))(problem, rows, seed=1, budget=budget)
    np.testing.assert_array_equal(found.costs, problem.cost(found.tours))
    np.testing.assert_array_equal(found.feasible, problem.feasible(found.tours))


@pytest.mark.parametrize("name", PROBLEMS)
def test_solve_with_islands(client, name):
    problem, given = PROBLEMS[name]
    islands = gls.Islands(client=client)
    one, same = (gls.solve(problem, np.inf, islands=islands, **given) for _ in range(2))
    assert np.array_equal(one.tours, same.tours) and len(one.costs) == 6
    assert np.array_equal(one.costs, (problem.tsp or problem).cost(one.tours))
    assert problem.feasible(one.best_tour)[0]


SEARCHES = {
    "local search": (gls.LocalSearch([gls.TwoOpt()]), True),
    "stepped": (
        replace(CHAINS, search=gls.LocalSearch([gls.TwoOpt()], gls.All(), gls.Best())),
        True,
    ),
    "climbs": (gls.RandomRestarts(gls.LocalSearch([gls.TwoOpt()]), climbs=20, keep=3), False),
}


@pytest.mark.parametrize("name", SEARCHES)
def test_searches_of_islands(client, name):
    search, takes = SEARCHES[name]
    islands = gls.Islands(search, client)
    given = (TOURS,) if takes else ()
    budget = gls.Budget(kicks=6) if name == "stepped" else None
    one, same = (islands(PROBLEM, *given, seed=1, budget=budget) for _ in range(2))
    assert np.array_equal(one.tours, same.tours) and len(one.costs) == (9 if takes else 6)
    assert one.statistics.climbs == (9 if takes else 40)
    if not takes:  # islands start from other tours
        assert len({row.tobytes() for row in PROBLEM.canonical(one.tours)}) > 3


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """Return the random streams that launches have used: (seed, row, last kick)."""
    streams: list[tuple[Any, ...]] = []
    launch = CpuBackend.launch

    def watched(self: Any, kernel: Any, count: int, arguments: Any, **options: Any) -> Any:
        if "until" in arguments and "first_row" in arguments:
            first, until = arguments["first_row"], arguments["until"]
            streams.extend((arguments["seed"], first + row, until) for row in range(count))
        return launch(self, kernel, count, arguments, **options)

    monkeypatch.setattr(CpuBackend, "launch", watched)
    return streams


def test_islands_and_stretches_use_different_random_streams(islands, drawn):
    islands(PROBLEM, TOURS, seed=3, budget=KICKS)
    own = [stream for stream in drawn if stream[0] == 3]  # without compilation
    rows = {row for _, row, _ in own}
    assert rows == {*range(5), *range(2**20, 2**20 + 4)}
    assert len(own) == len(set(own)) >= 9 * 10


def test_workers_know_how_many_islands_there_are(islands):
    islands(PROBLEM, TOURS, budget=gls.Budget(kicks=1))
    assert next(reversed(tasks.unpacked_jobs.values())).job.islands == 2


def test_first_row_and_seed_change_the_result(islands):
    given: dict[str, Any] = {"tours": TOURS, "budget": KICKS, "seed": 4}
    first = islands(PROBLEM, **given)
    assert not np.array_equal(first.tours, islands(PROBLEM, **given, first_row=9).tours)
    plain = islands(PROBLEM, TOURS, budget=KICKS, seed=np.uint8(4), first_row=np.int16(0))
    assert np.array_equal(first.tours, plain.tours)


@pytest.mark.slow
def test_no_seed_draws_one(islands, monkeypatch):
    monkeypatch.setattr(checks.secrets, "randbits", lambda bits: 7)
    one, same = (islands(PROBLEM, TOURS, seed=seed, budget=KICKS) for seed in (None, 7))
    assert np.array_equal(one.tours, same.tours)


def test_dask_gets_events_of_islands(client):
    topics: list[str] = []
    log = type(client.cluster.scheduler).log_event

    def watched(self: Any, topic: Any, message: Any) -> None:
        topics.append(str(topic))
        log(self, topic, message)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(client.cluster.scheduler), "log_event", watched)
        patch.setattr(watcher, "BETWEEN_EVENTS", 0.0)
        gls.Islands(CHAINS, client)(PROBLEM, TOURS, budget=gls.Budget(kicks=3000))
    assert any(topic.startswith("gpu-ls-") for topic in topics)


def threads() -> Iterator[int]:
    from gpu_ls_plugin.backends.cpu import thread_count, threads_at_most

    yield thread_count()
    with threads_at_most(1):
        yield thread_count()
    yield thread_count()


def test_a_worker_uses_the_cores_that_it_has(client, monkeypatch):
    monkeypatch.setenv("GPU_LS_THREADS", "3")
    assert list(threads()) == [3, 1, 3]
    settled = gls.Islands(CHAINS, client).prepare(PROBLEM, Settings(backend="cpu"))
    assert [each.processors for each in settled.values()] == [1, 1]


def test_new_guests_replace_the_worst_rows():
    tours = CHAINS.search(PROBLEM, TOURS, backend="cpu").sorted().tours
    good = gls.solve(PROBLEM, np.inf, kicks=200, population=4, backend="cpu").tours[:1]
    population = CHAINS.population(PROBLEM, tours, seed=1, backend="cpu")
    for given in (np.concatenate([tours[:1, ::-1], good]), np.repeat(tours, 2, axis=0)):
        adopt_guests(population, PROBLEM, Elites.of(PROBLEM, given, PROBLEM.cost(given)))
        rows, costs = population.tours, population.costs
        assert sorted(costs) == sorted([*PROBLEM.cost(tours[:-1]), *PROBLEM.cost(good)])
        assert np.array_equal(PROBLEM.cost(rows), costs)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"search": 3}, InvalidTypeError, "search"),
        ({"search": gls.TwoOpt}, InvalidTypeError, "search"),
        ({"search": gls.Islands()}, InvalidTypeError, "search"),
        ({"exchange": 1.0}, InvalidTypeError, "exchange"),
        ({"topology": "star"}, InvalidParameterError, "topology"),
    ],
)
def test_wrong_parameters(given, error, message):
    with pytest.raises(error, match=message):
        gls.Islands(**given)


def test_wrong_calls(client, islands):
    with pytest.raises(InvalidTourError, match="tours"):
        islands(PROBLEM, TOURS[:, :-1])
    with pytest.raises(InvalidTypeError, match="budget"):
        islands(PROBLEM, TOURS, budget=3)
    with pytest.raises(InvalidTypeError, match="callback"):
        islands(PROBLEM, TOURS, callback=3)
    with pytest.raises(InvalidTypeError, match="client"):
        gls.Islands(CHAINS, client=3)(PROBLEM)
    with pytest.raises(InvalidTypeError, match="islands"):
        gls.solve(PROBLEM, islands=3)
    matrix = np.random.default_rng(1).integers(1, 99, (8, 8))
    asymmetric = gls.TSP.from_matrix(matrix)
    with pytest.raises(UnsupportedProblemError):  # without leaving workers out
        gls.Islands(gls.LocalSearch([gls.TwoOpt()]), client)(asymmetric)


def test_islands_can_be_written_as_text(client):
    islands = gls.Islands("two_opt/nearest(5)", client)
    assert islands(PROBLEM, TOURS).statistics.stopped_by == "optimum"
