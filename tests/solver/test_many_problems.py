"""Many problems of all domains in one call: results, starts, order, time and bad input."""

from __future__ import annotations

import math
import threading
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core import budget
from gpu_ls_plugin.core.exceptions import (
    GpuLsError,
    InfeasibleWarning,
    InvalidParameterError,
    InvalidProblemError,
    InvalidTourError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.core.problem import Problem
from gpu_ls_plugin.runs.domain import domain_of
from gpu_ls_plugin.runs.many import ManyFound, ManyRequest, joint_reason, lanes_of
from gpu_ls_plugin.runs.settings import Settings
from gpu_ls_plugin.solver import many
from gpu_ls_plugin.solver.many_inputs import problems_of
from gpu_ls_plugin.tours.many import many_input, solve_many
from gpu_ls_plugin.tours.many.side_by_side import InstanceBatch
from tests.helpers.bin_packing import BinPacking
from tests.helpers.random_problems import random_problem
from tests.helpers.routing import random_cvrp

KICKS: dict[str, Any] = {"seconds": math.inf, "kicks": 30, "backend": "cpu"}
RANDOM = np.random.default_rng(0)


def shop(jobs: int, seed: int = 0) -> gls.FlowShop:
    return gls.FlowShop(np.random.default_rng(seed).integers(1, 50, (jobs, 4)))


# Small problems of each domain, of several sizes.
DOMAINS: dict[str, list[Any]] = {
    "tours": [random_problem("EUC_2D", n, seed=n, span=1000) for n in (12, 9, 7, 12)],
    "routes": [random_cvrp("capacity", n, seed=n) for n in (6, 9, 6)],
    "sequences": [shop(6, 1), shop(7, 2), shop(6, 3)],
    "assignment": [gls.QuadraticAssignment.generated(n, seed=n) for n in (6, 7, 6)],
}
MIXED = [problems[k] for k in range(3) for problems in DOMAINS.values()]


def check(problems: Any, found: gls.ManyResult) -> None:
    """Check that each row is a solution of its problem, with its exact cost and feasibility."""
    assert len(found) == len(problems) == len(found.tours) == len(found.costs)
    for problem, row, cost, feasible in zip(
        problems, found.tours, found.costs, found.feasible, strict=True
    ):
        assert row.dtype == np.int32
        rows = problem.check(row)
        assert problem.cost(rows)[0] == cost and problem.feasible(rows)[0] == feasible


def optimum(problem: Any) -> float:
    """The least cost of all permutations; routes may use each place of a depot."""
    rows = np.array(list(permutations(range(problem.n))), np.int32)
    return float(problem.cost(rows).min())


# Results


@pytest.mark.parametrize("domain", DOMAINS)
def test_each_domain(domain: str) -> None:
    problems = DOMAINS[domain]
    found = gls.solve_many(problems, **KICKS)
    check(problems, found)
    assert found.costs.dtype == np.int64 and found.feasible.all()
    assert found.statistics.stopped_by == "kicks" and found.statistics.backend == "cpu"
    assert found.statistics.history[-1].best_cost == found.costs.sum()
    assert found.statistics.kicks > 0


@pytest.mark.parametrize("domain", ["sequences", "assignment"])
def test_small_problems_reach_the_optimum(domain: str) -> None:
    problems = DOMAINS[domain]
    found = gls.solve_many(problems, **KICKS | {"kicks": 200})
    assert found.costs.tolist() == [optimum(problem) for problem in problems]


def test_the_fewest_bins() -> None:
    problems = [BinPacking(weights, 3, 9) for weights in ([3, 4, 5, 2], [9, 1, 8, 5])]
    found = gls.solve_many(problems, **KICKS)
    for problem, result in zip(problems, found, strict=True):
        rows = np.array(list(product(range(3), repeat=4)))
        assert result.best_cost == problem.cost(rows)[problem.feasible(rows)].min()
        assert result.best_feasible


def test_domains_can_be_mixed() -> None:
    real = gls.TSP(RANDOM.random((10, 2)))
    problems = [*MIXED, real]
    found = gls.solve_many(problems, **KICKS)
    check(problems, found)
    assert isinstance(found.tours, list) and found.costs.dtype == np.float64
    assert found[0].costs.dtype == np.int64  # each problem has its own type of costs
    for domain, others in DOMAINS.items():
        alone = gls.solve_many(others[:3], **KICKS)
        together = [found[MIXED.index(problem)] for problem in others[:3]]
        if domain == "tours":  # searched side by side: the place in the group counts
            assert [one.best_cost for one in together] == alone.costs.tolist()
        check(others[:3], alone)


@pytest.mark.parametrize("domain", ["routes", "sequences", "assignment"])
def test_each_problem_gets_the_plan_of_solve(domain: str, monkeypatch: pytest.MonkeyPatch) -> None:
    problems = DOMAINS[domain]
    if domain == "routes":  # plain ones are searched side by side
        problems = [random_cvrp("duration", n, seed=n) for n in (6, 9, 6)]
    found = gls.solve_many(problems, **KICKS, seed=5)
    monkeypatch.setenv("GPU_LS_THREADS", "1")
    for k, (problem, result) in enumerate(zip(problems, found, strict=True)):
        alone = gls.solve(problem, **KICKS, seed=5 + k)
        np.testing.assert_array_equal(result.best_tour, alone.best_tour)
        assert result.statistics.kicks == alone.statistics.kicks


@pytest.mark.parametrize("threads", ["1", "3"])
def test_kicks_find_the_same_on_any_number_of_cores(
    threads: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GPU_LS_THREADS", "2")
    problems = MIXED[:9]
    expected = gls.solve_many(problems, **KICKS)
    monkeypatch.setenv("GPU_LS_THREADS", threads)
    found = gls.solve_many(problems, **KICKS)
    for one, other in zip(expected.tours, found.tours, strict=True):
        np.testing.assert_array_equal(one, other)


def test_kicks_limit_one_chain_per_tour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPU_LS_THREADS", "4")
    found = gls.solve_many([random_problem("EUC_2D", 60)], **KICKS)
    assert found.statistics.kicks == 30
    assert (
        gls.solve_many([random_problem("EUC_2D", 60)], **KICKS, replicas=4).statistics.kicks == 120
    )


def test_the_seed_matters_and_repeated_problems_are_searched_differently() -> None:
    problem = gls.QuadraticAssignment.generated(30, seed=1)
    found = gls.solve_many([problem, problem], **KICKS | {"kicks": 1}, seed=1)
    other = gls.solve_many([problem], **KICKS | {"kicks": 1}, seed=2)
    assert (found.tours[0] != found.tours[1]).any()
    np.testing.assert_array_equal(found.tours[1], other.tours[0])


def test_a_result_for_each_problem() -> None:
    problems = MIXED[:5]
    found = gls.solve_many(problems, **KICKS)
    results = list(found)
    assert len(results) == len(found) == 5
    for k, result in enumerate(results):
        assert result.problem is problems[k] is found[k - 5].problem
        assert result.tours.shape == (1, problems[k].n)
        assert result.costs.tolist() == [found.costs[k]] == problems[k].cost(result.tours).tolist()
        assert result.best_feasible == found.feasible[k] == result.feasible[0]
    assert results[0].statistics is found.statistics  # tours are searched side by side
    assert results[1].statistics.stopped_by == "kicks"
    assert results[1].routes == problems[1].routes(found.tours[1])
    for number in (5, -6):
        with pytest.raises(IndexError, match=f"no problem {number} among 5"):
            found[number]
    with pytest.raises(InvalidTypeError, match="number"):
        found[1:3]  # type: ignore[index]


def test_coordinates_become_problems_when_they_are_asked_for() -> None:
    points = RANDOM.random((40, 8, 2))
    given = problems_of(points, "EUC")
    assert len(given) == 40 and isinstance(given[1:3], type(given))
    found = gls.solve_many(points, **KICKS)
    np.testing.assert_array_equal(found[7].problem.coordinates, points[7])
    assert found.tours.shape == (40, 8) and found[39].problem.metric.name == "EUC"
    check([gls.TSP(own) for own in points], found)


def test_infeasible_rows_are_told_from_others_and_warn_the_caller() -> None:
    wide, tight = BinPacking([3, 4, 5, 6], 2, 99), BinPacking([3, 4, 5, 6], 2, 7)
    with pytest.warns(InfeasibleWarning, match="1 of 2 problems .* that of problem 1") as caught:
        found = gls.solve_many([wide, tight], **KICKS)
    assert found.feasible.tolist() == [True, False]
    assert [warning.filename for warning in caught] == [__file__]
    check([wide, tight], found)


# Starts


def random_rows(problem: Any, size: int) -> Any:
    rows = np.stack([np.random.default_rng(k).permutation(problem.n) for k in range(size)])
    feasible = problem.feasible(rows)
    return rows[feasible] if feasible.any() else rows


@pytest.mark.parametrize("seconds", [0.0, math.inf])
@pytest.mark.parametrize("domain", DOMAINS)
def test_no_result_is_worse_than_the_best_start(domain: str, seconds: float) -> None:
    problems = DOMAINS[domain]
    best = gls.solve_many(problems, **KICKS).tours
    starts = [
        best[0],
        np.concatenate([random_rows(problems[1], 3), best[1][None]]),
        None,
        *random_rows(problems[-1], 1)[: len(problems) - 3],
    ]
    found = gls.solve_many(problems, **KICKS | {"kicks": 1, "seconds": seconds}, start=starts)
    check(problems, found)
    for problem, rows, cost in zip(problems, starts, found.costs, strict=True):
        assert rows is None or cost <= problem.cost(rows).min()


@pytest.mark.parametrize("metric", ["EUC", "EUC_2D"])
def test_chains_of_tours_start_from_the_given_rows(metric: str) -> None:
    """Without kicks, descents begin from the rows: from tours that none of them improves."""
    problems = [random_problem(metric, 60, seed=seed, span=1000) for seed in range(5)]
    good = gls.solve_many(problems, **KICKS | {"kicks": 3000})
    again = gls.solve_many(problems, **KICKS | {"kicks": 0}, start=good.tours)
    assert again.costs.tolist() == good.costs.tolist()
    plain = gls.solve_many(problems, **KICKS | {"kicks": 0})
    assert (plain.costs > good.costs).all()
    both = np.stack([plain.tours, good.tours], axis=1)  # (B, 2, n), the better one last
    for replicas in (1, 3):
        more = {"kicks": 2, "replicas": replicas}
        found = gls.solve_many(problems, **KICKS | more, start=both)
        assert (found.costs <= good.costs).all()
        check(problems, found)


def test_large_tours_start_from_the_given_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solve_many, "LARGEST", 25)
    problems = [random_problem("EUC_2D", 40, seed=seed, span=1000) for seed in range(2)]
    monkeypatch.setenv("GPU_LS_THREADS", "1")
    good = gls.solve_many(problems, **KICKS | {"kicks": 10})
    again = gls.solve_many(problems, **KICKS | {"kicks": 0}, start=list(good.tours))
    assert (again.costs <= good.costs).all()


def test_large_tours_are_solved_from_the_given_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solve_many, "LARGEST", 25)
    given: list[Settings] = []
    record(monkeypatch, lambda problem, settings: given.append(settings))
    rows = random_rows(random_problem("EUC_2D", 40), 2)
    gls.solve_many([random_problem("EUC_2D", 40)], **KICKS | {"kicks": 0}, start=[rows])
    assert len(given[0].rows) == 2


def test_chains_take_turns_with_the_starts() -> None:
    (group,) = many_input.instances_of(many_input.read([RANDOM.random((n, 2)) for n in (8, 9)]))
    batch = InstanceBatch(group, np.arange(2), group.curves(get_backend("cpu"), np.arange(2)))
    batch.replicas, batch.starts = 3, {0: np.stack([np.arange(8), np.arange(8)[::-1]])}
    rings = batch.rings(get_backend("cpu"))
    expected = [[*range(8)], [*range(8)][::-1], [*range(8)]]
    assert rings[:3, :8].tolist() == expected and (rings[3:] == batch.tours[1]).all()
    assert (np.sort(rings, axis=1) == np.arange(9)).all()


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_worse_result_is_replaced_by_the_start(
    domain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Starts of several problems of several domains keep their places."""
    record(monkeypatch, lambda problem, settings: None)
    monkeypatch.setattr(solve_many, "LARGEST", 0)
    problems = [*DOMAINS["sequences"], *DOMAINS[domain], *DOMAINS["routes"]]
    starts = [random_rows(problem, 9)[:3] for problem in problems]
    found = gls.solve_many(problems, **KICKS, start=starts)
    check(problems, found)
    for problem, rows, cost in zip(problems, starts, found.costs, strict=True):
        assert cost <= problem.cost(rows).min()


def record(monkeypatch: pytest.MonkeyPatch, note: Any) -> None:
    """Replace the search of a single problem by one that returns a constructed row."""

    def search(problem: Any, settings: Settings, *callback: Any) -> gls.Result:
        note(problem, settings)
        row = domain_of(problem).quick_row(problem, settings)
        return gls.Result(row, problem.cost(row), gls.Statistics(), problem)

    monkeypatch.setattr("gpu_ls_plugin.core.upper_layers.solve", search)


@pytest.mark.parametrize(
    ("domain", "name"),
    [("tours", "greedy"), ("routes", "sweep"), ("sequences", "random_sequences")],
)
def test_a_construction_by_name_makes_the_starts(
    domain: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    problems, asked = DOMAINS[domain], []
    first = ManyRequest.start_of
    monkeypatch.setattr(ManyRequest, "start_of", lambda *a: asked.append(a[0]) or first(*a))
    found = gls.solve_many(problems, **KICKS | {"kicks": 1}, start=name)
    check(problems, found)
    assert {request.settings.start for request in asked} == {name}
    with pytest.raises(InvalidParameterError, match=r"has no routes|not a sequence"):
        wrong = "savings" if domain == "sequences" else "neh"
        gls.solve_many(problems, **KICKS, start=wrong)


# Time, progress and Ctrl-C


def test_without_time_each_problem_has_a_constructed_row() -> None:
    found = gls.solve_many(MIXED, 0.0, backend="cpu")
    check(MIXED, found)
    assert found.statistics.stopped_by == "seconds" and found.statistics.kicks == 0


def test_lanes_share_the_time_evenly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four problems on two cores have half of the time; three on six cores have two cores each."""
    monkeypatch.setenv("GPU_LS_THREADS", "2")
    spent, given, cores = threading.local(), [], set()

    class Still:
        """A clock of each thread, which moves only when a search uses its time."""

        @staticmethod
        def perf_counter() -> float:
            return float(getattr(spent, "seconds", 0.0))

    def search(problem: Any, settings: Settings, callback: Any) -> gls.Result:
        given.append(settings.seconds)
        cores.add(get_backend("cpu").processors)
        both.wait(60)  # the lanes begin together
        spent.seconds = Still.perf_counter() + settings.seconds
        row = domain_of(problem).quick_row(problem, settings)
        return gls.Result(row, problem.cost(row), gls.Statistics(stopped_by="seconds"), problem)

    both = threading.Barrier(2)
    monkeypatch.setattr(budget, "time", Still)
    monkeypatch.setattr("gpu_ls_plugin.core.upper_layers.solve", search)
    found = gls.solve_many([shop(6, k) for k in range(4)], 6.0, backend="cpu")
    assert given == [3.0] * 4 and cores == {1}
    assert found.statistics.seconds == 6.0 and found.statistics.stopped_by == "seconds"
    given.clear(), cores.clear()
    both = threading.Barrier(3)
    monkeypatch.setenv("GPU_LS_THREADS", "6")
    gls.solve_many([shop(6, k) for k in range(3)], 6.0, backend="cpu")
    assert given == [6.0] * 3 and cores == {2}


def test_domains_share_the_time_by_their_problems(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, float] = {}

    class Noting:
        def __init__(self, name: str) -> None:
            self.name = name

        def solve_many(self, request: ManyRequest) -> Any:
            seen[self.name] = request.settings.seconds
            rows = [np.arange(problem.n, dtype=np.int32) for problem in request.problems]
            costs = np.array([0] * len(rows))
            statistics = gls.Statistics(seconds=1.0, stopped_by="kicks")
            return ManyFound(rows, costs, costs == 0, statistics)

    groups = {Noting("a"): np.array([0, 2, 3]), Noting("b"): np.array([1])}
    monkeypatch.setattr(many, "groups_of", lambda problems: groups)
    found = gls.solve_many([shop(5)] * 4, 8.0, backend="cpu")
    assert seen == {"a": 6.0, "b": 7.0}  # what a domain leaves is for the others
    assert found.statistics.seconds == 2.0 and found.statistics.stopped_by == "kicks"


def test_progress_is_about_all_problems() -> None:
    seen: list[gls.Progress] = []
    found = gls.solve_many(MIXED, **KICKS, callback=seen.append)
    assert [p.done for p in seen] == sorted(p.done for p in seen)
    assert all(p.total == len(MIXED) for p in seen) and seen[-1].done == len(MIXED)
    assert seen[-1].best_cost == found.costs.sum() and seen[0].best_cost > 0
    assert seen[-1].mean_cost == pytest.approx(found.costs.mean())
    assert seen[-1].kicks == found.statistics.kicks
    costs = [p.best_cost for p in seen]
    assert costs == sorted(costs, reverse=True)


@pytest.mark.parametrize("domain", DOMAINS)
def test_ctrl_c_returns_what_was_found(domain: str) -> None:
    def press(progress: gls.Progress) -> None:
        if progress.kicks > 0:
            raise KeyboardInterrupt

    problems = DOMAINS[domain][:3] * 2 + DOMAINS["sequences"]
    if domain == "assignment":  # the optimum of small ones would end the search
        problems = [gls.QuadraticAssignment.generated(25, seed=k) for k in range(5)]
    found = gls.solve_many(problems, math.inf, kicks=10**8, backend="cpu", callback=press)
    assert found.statistics.interrupted
    check(problems, found)
    assert any(result.statistics.kicks for result in found)


@pytest.mark.parametrize("domain", ["tours", "routes"])
def test_exceptions_of_the_callback_are_raised(domain: str) -> None:
    def fail(progress: gls.Progress) -> None:
        raise RuntimeError("the callback")

    with pytest.raises(RuntimeError, match="the callback"):
        gls.solve_many(DOMAINS[domain], math.inf, kicks=10**8, backend="cpu", callback=fail)


def test_an_error_of_a_search_names_the_row(monkeypatch: pytest.MonkeyPatch) -> None:
    bad = DOMAINS["sequences"][1]

    def search(problem: Any, *given: Any) -> gls.Result:
        if problem is bad:
            raise UnsupportedProblemError("problem: no")
        return original(problem, *given)

    from gpu_ls_plugin.core import upper_layers

    original = upper_layers.solve
    monkeypatch.setattr(upper_layers, "solve", search)
    with pytest.raises(UnsupportedProblemError, match="problems: row 4: problem: no"):
        gls.solve_many([*DOMAINS["tours"], bad, *DOMAINS["routes"]], **KICKS)


def test_a_search_has_ended_because_of_its_first_limit() -> None:
    assert joint_reason(["optimum", "kicks"]) == "kicks"
    assert joint_reason(["kicks", "seconds", "target"]) == "seconds"
    assert joint_reason(["seconds", "interrupt"]) == "interrupt"
    assert joint_reason(["optimum", "target"]) == "target"


@pytest.mark.parametrize(
    ("sizes", "repeated", "lanes"),
    [([50] * 20, False, 8), ([50] * 3, False, 3), ([50, 4000], False, 2), ([9000] * 3, False, 1),
     ([50] * 4, True, 1)],
)  # fmt: skip
def test_a_gpu_has_few_lanes(sizes: list[int], repeated: bool, lanes: int) -> None:
    class Device:
        name, processors = "cuda", 100

    class Sized:
        def __init__(self, n: int) -> None:
            self.n = n

    problems = [Sized(n) for n in sizes]
    problems += problems[:1] * repeated
    request: Any = ManyRequest(problems, np.arange(len(problems)), Settings(), Device())  # type: ignore[arg-type]
    assert lanes_of(request) == lanes


# Bad input


class Unserved(Problem):
    n, integer = 3, True

    def check(self, rows: Any, /, *, parameter: str = "rows") -> Any:
        return rows

    def cost(self, rows: Any, /) -> Any:
        return rows


class OtherTours(Unserved):
    tsp = gls.TSP(np.eye(2))


SHOPS = DOMAINS["sequences"]
ROUTE = DOMAINS["routes"][0]


@pytest.mark.parametrize(
    ("problems", "error", "text"),
    [
        ([], InvalidProblemError, "problems: the list is empty"),
        (SHOPS[0], InvalidTypeError, "problems: .*is not a list of problems"),
        ([*SHOPS, 5], InvalidTypeError, "problems: row 3 is a int, but row 0 is a problem"),
        ([*SHOPS, Unserved()], InvalidTypeError, "problems: row 3: .*no installed domain"),
        ([np.ones((4, 2)), ROUTE], InvalidTypeError, "row 1 is a CVRP, but row 0 is none"),
        ([ROUTE, np.ones((4, 2))], InvalidTypeError, "row 1 is a ndarray, but row 0 is a problem"),
        ([ROUTE, gls.TSP.from_matrix(np.ones((4, 4)))], UnsupportedProblemError, "row 1 is a mat"),
        ([OtherTours()], UnsupportedProblemError, "row 0 is of the type OtherTours, not a TSP"),
    ],
)
def test_bad_problems_are_named(problems: Any, error: type[GpuLsError], text: str) -> None:
    with pytest.raises(error, match=text):
        gls.solve_many(problems, **KICKS)


@pytest.mark.parametrize(
    ("start", "error", "text"),
    [
        ([None] * 2, InvalidTourError, "start: rows for 2 problems, but there are 3"),
        (np.arange(6), InvalidTourError, r"start: shape \(6,\)"),
        (np.zeros((3, 6), int), InvalidTourError, r"start\[0\]: row 0 is not a permutation"),
        ([None, np.arange(6), None], InvalidTourError, r"start\[1\]: shape \(6,\)"),
        ([None, None, [[0, 1, 2, 3, 4, 5], [0] * 6]], InvalidTourError, r"start\[2\]: row 1"),
        ([None, None, np.arange(6) + 0.5], InvalidTypeError, r"start\[2\]: .*integers"),
        (5, InvalidTourError, r"start: shape \(\)"),
        ("nothing", GpuLsError, "no construction is called 'nothing'"),
    ],
)
def test_bad_starts_are_named(start: Any, error: type[GpuLsError], text: str) -> None:
    with pytest.raises(error, match=text):
        gls.solve_many(SHOPS, **KICKS, start=start)


def test_a_metric_belongs_to_coordinates() -> None:
    with pytest.raises(InvalidParameterError, match="metric"):
        gls.solve_many(SHOPS, **KICKS, metric="EUC")
