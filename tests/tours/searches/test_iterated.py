"""Iterated local search: results, statistics, limits and reports."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.exceptions import (
    InvalidParameterError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.tours.engines.chains.chains import FusedChains
from gpu_ls_plugin.tours.engines.chains.start import Start
from gpu_ls_plugin.tours.kicks.double_bridge import DoubleBridge
from tests.helpers.marks import diagonal, slow_after
from tests.helpers.random_problems import random_problem, random_tours

N, ROWS, KICKS = 60, 6, 40
PROBLEM = random_problem("EUC_2D", N, span=1000)
STARTS = random_tours(N, ROWS)
USUAL = gls.LocalSearch()
SEARCH = gls.IteratedLocalSearch(USUAL)


class Scramble:
    """A third party's perturbation, without a base class: shuffles six consecutive cities."""

    smallest = 8

    def perturb(self, problem, tours, *, seed=0, backend="auto", device=None, first_row=0):
        kicked = np.array(tours)
        for row, tour in enumerate(kicked, first_row):
            random = np.random.default_rng([seed, row])
            places = (random.integers(problem.n) + np.arange(6)) % problem.n
            tour[places] = random.permutation(tour[places])
        return kicked


STEPPED = {
    "exhaustive": gls.LocalSearch([gls.TwoOpt()], gls.All(), gls.Best()),
    "sweeps": gls.LocalSearch(pivoting=gls.Best()),
    "random moves": gls.LocalSearch([gls.TwoOpt()], gls.All(), gls.RandomK(50)),
}
SEARCHES = {
    "fused": SEARCH,
    "walks": replace(SEARCH, perturbation=gls.DoubleBridge(walk=5)),
    "real restarts": replace(SEARCH, perturbation=gls.Restart()),
    "scrambled": replace(SEARCH, perturbation=Scramble()),
    **{name: gls.IteratedLocalSearch(search) for name, search in STEPPED.items()},
}
SIMILAR = ("walks", *STEPPED)  # kick as other searches do, or step by step
EACH = pytest.mark.parametrize(
    "search",
    [
        pytest.param(search, id=name, marks=[pytest.mark.slow] * (name in SIMILAR))
        for name, search in SEARCHES.items()
    ],
)


def bytes_for(problem, tours):
    """The memory limit at which this number of tours fits."""
    data = problem.metric.data(problem.values)
    return data.nbytes + tours * FusedChains.bytes_per_tour(problem.n)


LIMITS = {"whole": None, "turns": bytes_for(PROBLEM, 2)}
# Each quick search has one of the limits, because turns do not depend on the search.
EACH_IN_TURNS = pytest.mark.parametrize(
    ("search", "limit"),
    [
        pytest.param(
            search,
            limit,
            id=f"{name}-{length}",
            marks=[pytest.mark.slow] * (name in SIMILAR or (at + place) % 2),
        )
        for at, (name, search) in enumerate(SEARCHES.items())
        for place, (length, limit) in enumerate(LIMITS.items())
    ],
)


def run(search=SEARCH, problem=PROBLEM, starts=STARTS, kicks=KICKS, **options):
    budget = options.pop("budget", None) or gls.Budget(kicks=kicks)
    return search(problem, starts, budget=budget, backend="cpu", **options)


def start():
    return Start(get_backend("cpu"), PROBLEM, STARTS.copy(), seed=0)


@pytest.fixture
def short_launches(monkeypatch):
    """Launches of one or two kicks, so that a short search takes many."""
    monkeypatch.setattr("gpu_ls_plugin.backends.tuning.LAUNCH_SECONDS", 1e-9)


def assert_sound(result, problem, starts) -> None:
    """Rows are permutations with exact costs, and none is worse than its start."""
    assert result.tours.dtype == np.int32
    assert (np.sort(result.tours) == np.arange(problem.n)).all()
    assert np.array_equal(result.costs, problem.cost(result.tours))
    assert (result.costs <= problem.cost(starts)).all()


# ---- Results ---------------------------------------------------------------------------------


@EACH
@pytest.mark.parametrize("metric", ["EUC_2D", "EUC"])
def test_tours_are_never_worse_than_their_local_optima(search, metric):
    problem, before = random_problem(metric, N, span=1000), STARTS.copy()
    result = run(search, problem, kicks=15)
    assert_sound(result, problem, STARTS)
    assert np.array_equal(STARTS, before)
    optima = search.search(problem, STARTS, backend="cpu")
    assert (result.costs <= optima.costs).all()
    assert result.costs.sum() < optima.costs.sum()


@pytest.mark.parametrize(
    "moves",
    slow_after(1, [[gls.ThreeOpt(), gls.OrOpt(2)], [gls.OrOpt()], [gls.ThreeOpt()]]),
    ids=["both", "or_opt", "three_opt"],
)
def test_asymmetric_problems(moves):
    random = np.random.default_rng(1)
    problem = gls.TSP.from_matrix(random.integers(1, 1000, (30, 30)))
    starts = random_tours(30, ROWS)
    for pivoting in (gls.First(), gls.Best()):
        local = gls.LocalSearch(moves, gls.Nearest(8), pivoting)
        result = run(gls.IteratedLocalSearch(local), problem, starts)
        assert_sound(result, problem, starts)
        assert result.costs.sum() < local(problem, starts, backend="cpu").costs.sum()


def test_kicks_improve_much():
    problem = random_problem("EUC_2D", 300, span=10_000)
    starts = gls.greedy(problem, 1, backend="cpu")
    optimum = gls.LocalSearch([gls.LinKernighan(3)], gls.Alpha(5))(problem, starts, backend="cpu")
    result = gls.IteratedLocalSearch()(problem, starts, backend="cpu")
    assert result.statistics.kicks == 3000
    assert result.best_cost < 0.98 * optimum.best_cost


# ---- Reproducibility -------------------------------------------------------------------------


@EACH
def test_results_depend_on_seed_and_row_alone(search):
    whole, again, other = (run(search, seed=seed, kicks=20) for seed in (3, 3, 2**64 - 1))
    assert np.array_equal(whole.tours, again.tours)
    assert not np.array_equal(whole.tours, other.tours)
    for rows in (slice(2, 3), slice(3, 6)):
        alone = run(search, starts=STARTS[rows], seed=3, kicks=20, first_row=rows.start)
        assert np.array_equal(alone.tours, whole.tours[rows])
        assert np.array_equal(alone.costs, whole.costs[rows])


@pytest.mark.parametrize(
    "search",
    [
        SEARCH,
        replace(SEARCH, cooperation=gls.Migration(0.1)),
        replace(SEARCHES["exhaustive"], restart_after=3, accept=gls.Always()),
    ],
    ids=["alone", "migration", "restarts step by step"],
)
def test_results_do_not_depend_on_launches(search, short_launches, monkeypatch):
    pieces = run(search, seed=7)
    monkeypatch.setattr("gpu_ls_plugin.backends.tuning.LAUNCH_SECONDS", 100.0)
    whole = run(search, seed=7)
    assert pieces.statistics.launches > KICKS > whole.statistics.launches
    assert np.array_equal(pieces.tours, whole.tours)
    # Moves of stepped chains are rounded to whole numbers per row.
    fused = isinstance(search.chains(start()), FusedChains)
    for name in ("kicks", "accepted", *(("moves", "passes") if fused else ())):
        assert getattr(pieces.statistics, name) == getattr(whole.statistics, name)


# ---- Budgets ---------------------------------------------------------------------------------


@EACH
def test_a_budget_in_kicks_is_per_tour(search):
    for kicks in (0, 1, 7):
        counted = run(search, kicks=kicks).statistics
        assert (counted.kicks, counted.stopped_by) == (kicks * ROWS, "kicks")


def test_kicks_by_the_number_of_cities():
    for kicks, given in ((30, 0.5), (60, 1), (0, 0)):
        search = replace(SEARCH, kicks_per_city=given)
        result = search(PROBLEM, STARTS, backend="cpu")
        assert result.statistics.kicks == kicks * ROWS
        # A target does not replace the limit.
        found = search(PROBLEM, STARTS, budget=gls.Budget(target=1), backend="cpu")
        assert np.array_equal(found.tours, result.tours)


@pytest.mark.parametrize("moves", [0, 3, 40, 100, 2**70])
def test_a_budget_in_moves(moves):
    result = run(budget=gls.Budget(moves=moves, kicks=200), seed=1)
    assert_sound(result, PROBLEM, STARTS)
    assert result.statistics.moves <= moves * ROWS
    assert result.statistics.stopped_by == ("kicks" if moves > 10_000 else "moves")


def test_a_budget_in_moves_is_per_tour():
    # The first tour needs moves for its descent; the others are local optima already.
    optima = USUAL(PROBLEM, STARTS[1:], backend="cpu").tours
    starts = np.concatenate([STARTS[:1], optima])
    search, budget = replace(SEARCH, accept=gls.Always()), gls.Budget(moves=60)
    whole = run(search, starts=starts, budget=budget)
    for row in range(ROWS):
        alone = run(search, starts=starts[row], budget=budget, first_row=row)
        assert alone.statistics.moves == 60
        assert np.array_equal(alone.tours, whole.tours[row : row + 1])


@EACH
def test_seconds(search, clock):
    for limit in (None, bytes_for(PROBLEM, 2)):
        before = clock.launches
        result = run(search, budget=gls.Budget(seconds=1), memory_limit=limit)
        assert_sound(result, PROBLEM, STARTS)
        assert result.statistics.stopped_by == "seconds"
        assert clock.launches - before <= clock.most_launches(1)


# ---- Counts and reports ----------------------------------------------------------------------


@EACH_IN_TURNS
def test_moves_are_counted_by_neighbourhood(search, limit):
    counted = run(search, memory_limit=limit).statistics
    names = [part.name for part in search.search.neighbourhoods]
    assert list(counted.moves_by) == names
    assert all(moves > 0 for moves in counted.moves_by.values())
    fused = isinstance(search.chains(start()), FusedChains) or len(names) == 1
    rounded = 0 if fused else ROWS * KICKS
    assert 0 <= sum(counted.moves_by.values()) - counted.moves <= rounded


@pytest.mark.parametrize("search", [SEARCH, SEARCHES["sweeps"]], ids=["fused", "stepped"])
@pytest.mark.parametrize("n", [6, N])
@pytest.mark.parametrize("turns", [1, 3])
def test_without_kicks_a_search_is_its_descent(n, turns, search):
    """Tours of 6 cities are too short for kicks."""
    problem, tours = random_problem("EUC_2D", n), random_tours(n, ROWS)
    limit = bytes_for(problem, ROWS // turns)
    found = run(search, problem, tours, kicks=0, memory_limit=limit)
    descended = run(search.search, problem, tours)
    assert np.array_equal(found.tours, descended.tours)
    assert found.statistics.stopped_by == ("kicks" if n == N else "optimum")
    for name in ("moves", "passes", "evaluations", "moves_by", "climbs"):
        assert getattr(found.statistics, name) == getattr(descended.statistics, name), name


def test_statistics_add_up():
    counted, descended = run().statistics, run(USUAL).statistics
    assert counted.kicks == KICKS * ROWS
    assert 0 < counted.accepted < counted.kicks
    assert counted.climbs == ROWS
    assert counted.moves > descended.moves
    assert counted.passes > descended.passes + counted.kicks
    assert counted.evaluations > descended.evaluations
    assert set(counted.moves_by) == {"two_opt", "or_opt"}
    assert counted.backend == "cpu"
    assert counted.launches >= 2
    assert set(counted.phases) == {"descent", "kicks", "costs"}
    assert 0 < sum(counted.phases.values()) <= counted.seconds


@EACH_IN_TURNS
def test_the_history_falls(search, limit, short_launches):
    result = run(search, kicks=15, memory_limit=limit)
    history = result.statistics.history
    assert len(history) >= 2
    for before, after in pairwise(history):
        assert before.elapsed <= after.elapsed
        assert before.kicks <= after.kicks
        assert before.best_cost >= after.best_cost
    assert history[0].kicks == 0
    last = history[-1]
    assert (last.kicks, last.best_cost) == (15 * ROWS, result.best_cost)
    assert last.mean_cost == result.costs.mean()
    assert all(type(value) in (int, float) for value in vars(last).values())


@pytest.mark.parametrize("rows", [None, 2])
def test_callbacks_see_the_search_advance(rows, short_launches):
    seen: list[gls.Progress] = []
    limit = rows and bytes_for(PROBLEM, rows)
    result = run(callback=seen.append, memory_limit=limit)
    assert len(seen) > KICKS
    for before, after in pairwise(seen):
        for name in ("elapsed", "kicks", "accepted", "moves", "evaluations", "done"):
            assert getattr(before, name) <= getattr(after, name), name
    assert seen[0].kicks == 0
    assert seen[0].improved
    assert {progress.total for progress in seen} == {ROWS}
    assert (seen[-1].kicks, seen[-1].accepted) == (
        result.statistics.kicks,
        result.statistics.accepted,
    )
    assert min(progress.best_cost for progress in seen) == result.best_cost
    improved = [progress.best_cost for progress in seen if progress.improved]
    assert improved == sorted(set(improved), reverse=True)
    assert improved[-1] == result.best_cost


def press_ctrl_c_after(kicks):
    def press(progress: gls.Progress) -> None:
        if progress.kicks >= kicks:
            raise KeyboardInterrupt

    return press


@EACH_IN_TURNS
def test_ctrl_c(search, limit, short_launches):
    for kicks in (0, 8):
        result = run(search, callback=press_ctrl_c_after(kicks), memory_limit=limit)
        assert result.statistics.interrupted
        assert kicks <= result.statistics.kicks < KICKS * ROWS
        assert_sound(result, PROBLEM, STARTS)
        assert result.costs.sum() < PROBLEM.cost(STARTS).sum()


# ---- Cooperation -----------------------------------------------------------------------------

MIGRATING = replace(SEARCH, cooperation=gls.Migration(0.1, 0.5))


@pytest.mark.parametrize(
    ("search", "accept"),
    diagonal(
        [MIGRATING, replace(MIGRATING, search=STEPPED["sweeps"])], [gls.Better(), gls.Annealing()]
    ),
)
def test_migration_returns_rows_by_cost(search, accept):
    search = replace(search, accept=accept)
    result = run(search, seed=1)
    assert_sound(result, PROBLEM, np.repeat(STARTS[PROBLEM.cost(STARTS).argmax()][None], ROWS, 0))
    assert (np.diff(result.costs) >= 0).all()
    assert np.array_equal(result.tours, run(search, seed=1).tours)
    assert "exchange" in result.statistics.phases
    assert result.statistics.kicks == KICKS * ROWS


@pytest.mark.parametrize("every", [0.05, 0.1, 1.0])
def test_migrations_come_at_fixed_kicks(every, monkeypatch, short_launches):
    seen = []
    exchange = gls.Migration.exchange

    def watched(self, chains, *level):
        seen.append(chains.kicks.tolist())
        return exchange(self, chains, *level)

    monkeypatch.setattr(gls.Migration, "exchange", watched)
    run(replace(SEARCH, cooperation=gls.Migration(every)), kicks=N)
    period = round(every * N)
    assert gls.Migration(every).period(N) == period
    assert seen == [[kicks] * ROWS for kicks in range(period, N + 1, period)]


def test_the_worst_chains_take_tours_of_the_best():
    chains = MIGRATING.chains(start())
    chains.best_costs[:] = [30, 10, 20, 10, 50, 40]
    marks = np.arange(ROWS)[:, None] * np.ones(N, np.int32)
    chains.best_tours[:] = marks
    gls.Migration(1, 0.34).exchange(chains, 0.0)  # two of six
    assert chains.best_tours[:, 0].tolist() == [0, 1, 2, 3, 1, 3]
    assert chains.best_costs.tolist() == [30, 10, 20, 10, 10, 10]
    assert chains.tours[4:, 0].tolist() == [1, 3]
    chains.best_costs[:] = 7  # of equal chains, the first is the best and the last the worst
    chains.best_tours[:] = marks
    gls.Migration(1, 0.5).exchange(chains, 0.0)
    assert chains.best_tours[:, 0].tolist() == [0, 1, 2, 2, 1, 0]
    chains.best_tours[:] = marks
    gls.Migration(1, 0.1).exchange(chains, 0.0)
    assert chains.best_tours[:, 0].tolist() == list(range(ROWS))


def test_migration_of_one_chain_changes_nothing():
    alone = run(starts=STARTS[0], seed=2)
    assert np.array_equal(run(MIGRATING, starts=STARTS[0], seed=2).tours, alone.tours)


# ---- Parts -----------------------------------------------------------------------------------


def test_a_perturbation_needs_no_base_class():
    calls = []

    class Watched(Scramble):
        def perturb(self, problem, tours, **options):
            calls.append((options["seed"], len(tours)))
            return super().perturb(problem, tours, **options)

    result = run(replace(SEARCH, perturbation=Watched()), kicks=9)
    assert len(calls) == 9
    assert len({seed for seed, _ in calls}) == 9
    assert result.statistics.kicks == 9 * ROWS
    assert_sound(result, PROBLEM, STARTS)


def test_subclasses_of_kicks_run_in_the_kernel():
    class Wide(DoubleBridge):
        name = "wide"

    wide, usual = (
        run(replace(SEARCH, perturbation=kick(40)), seed=5) for kick in (Wide, DoubleBridge)
    )
    assert np.array_equal(wide.tours, usual.tours)


@EACH
def test_searches_are_values(search):
    for twin in (pickle.loads(pickle.dumps(search)), copy.deepcopy(search)):
        assert np.array_equal(run(twin, kicks=3).tours, run(search, kicks=3).tours)
    if not isinstance(search.perturbation, Scramble):
        assert pickle.loads(pickle.dumps(search)) == search
        assert hash(search) == hash(replace(search))
    assert "IteratedLocalSearch(search=LocalSearch(" in repr(search)


ITERATED, KICK = gls.IteratedLocalSearch, gls.DoubleBridge
LOPSIDED = gls.TSP.from_matrix(np.random.default_rng(0).integers(0, 99, (9, 9)))


def search_lopsided(search):
    return run(search, LOPSIDED, random_tours(9, 2))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: ITERATED("two_opt"), InvalidTypeError, "search: 'two_opt' is not a LocalSearch"),
        (lambda: ITERATED(gls.RandomRestarts()), InvalidTypeError, "search: .* not a LocalSearch"),
        (lambda: ITERATED(perturbation=None), InvalidTypeError, "perturbation: None"),
        (lambda: ITERATED(accept=None), InvalidTypeError, "accept: None"),
        (lambda: ITERATED(cooperation=0.5), InvalidTypeError, "cooperation: 0.5 is not a coop"),
        (lambda: ITERATED(kicks_per_city=-1), InvalidParameterError, "kicks_per_city: -1 is not"),
        (lambda: ITERATED(kicks_per_city=np.inf), InvalidParameterError, "kicks_per_city: inf"),
        (lambda: ITERATED(kicks_per_city="10"), InvalidTypeError, "kicks_per_city: '10' is not a"),
        (lambda: ITERATED(restart_after=0), InvalidParameterError, "restart_after: 0 is not betw"),
        (lambda: ITERATED(restart_after=2.5), InvalidTypeError, "restart_after: 2.5 is not an int"),
        (lambda: gls.Migration(every=None), InvalidTypeError, "every: None is not a number"),
        (lambda: gls.Migration(share=-1), InvalidParameterError, "share: -1 is not between"),
        (lambda: gls.Threshold(-0.1), InvalidParameterError, "rise: -0.1 is not between 0"),
        (lambda: gls.Threshold("much"), InvalidTypeError, "rise: 'much' is not a number"),
        (lambda: gls.Annealing(np.nan), InvalidParameterError, "start: nan"),
        (lambda: KICK(walk=0), InvalidParameterError, "walk: 0 is not between 1"),
        (lambda: KICK(walk=1.5), InvalidTypeError, "walk: 1.5 is not an integer"),
        (lambda: KICK(9, 9), InvalidParameterError, "walk: .* pass only one"),
        (
            lambda: KICK(walk=5).perturb(PROBLEM, STARTS, backend="cpu"),
            InvalidParameterError,
            "walk: .* of an IteratedLocalSearch",
        ),
        (
            lambda: run(ITERATED(STEPPED["sweeps"], KICK(walk=5))),
            InvalidParameterError,
            "walk: ",
        ),
        (lambda: run(budget=5), InvalidTypeError, r"budget: 5 is not .* Budget\(seconds=5\)"),
        (lambda: run(device=0), InvalidParameterError, "device: the cpu backend"),
        (lambda: search_lopsided(SEARCH), UnsupportedProblemError, "reverses paths"),
        (lambda: search_lopsided(ITERATED()), UnsupportedProblemError, "reverses paths"),
        (
            lambda: search_lopsided(ITERATED(gls.LocalSearch([gls.OrOpt()], gls.Alpha(5)))),
            UnsupportedProblemError,
            "Nearest",
        ),
    ],
)
def test_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call()
