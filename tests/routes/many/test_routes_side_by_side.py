"""Many routing problems solved side by side."""

from __future__ import annotations

import math

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.exceptions import InsufficientMemoryError, UnsupportedProblemError
from gpu_ls_plugin.routes.many.batches import why_alone
from gpu_ls_plugin.routes.many.migration import InstanceMigration
from gpu_ls_plugin.routes.many.searches import InstanceChains, start_of
from gpu_ls_plugin.routes.many.side_by_side import KICK, solve_side_by_side
from tests.helpers.many_routes import instances_of, least_cost, problems_of
from tests.helpers.routing import random_cvrp, random_vrp

BOTH = pytest.mark.parametrize("backend", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])


def solved(problems, backend="cpu", seconds=60.0, seed=1, **options):
    where = get_backend(backend)
    with where.current():
        found = solve_side_by_side(problems, seconds, seed, where, **options)
    for problem, row, cost in zip(problems, found.rows, found.costs, strict=True):
        assert row.shape == (problem.n,) and row.dtype == np.int32
        assert problem.feasible(row).all() and problem.cost(row)[0] == cost
    return found


@BOTH
def test_problems_of_all_sizes_and_metrics(backend):
    problems = [
        gls.CVRP.generated(20, seed=1),
        *problems_of(3, 6),
        *problems_of(2, 6, "EUC"),
        gls.CVRP.generated(20, seed=2, route_size=3),
        *problems_of(1, 1),
    ]
    found = solved(problems, backend, kicks=200, replicas=3)
    for number in (1, 2, 3, 4, 5, 7):
        assert found.costs[number] == pytest.approx(float(least_cost(problems[number])), rel=1e-12)
    assert found.statistics.kicks == 200 * 3 * len(problems)
    assert found.statistics.stopped_by == "kicks"
    assert [type(cost) for cost in found.costs[3:5]] == [int, float]


def test_costs_are_near_those_of_solve():
    problems = [gls.CVRP.generated(30, seed=seed) for seed in range(3)]
    found = solved(problems, kicks=1000)
    alone = [gls.solve(problem, seconds=0.3, backend="cpu").best_cost for problem in problems]
    assert sum(found.costs) <= 1.01 * sum(alone)


def test_results_depend_on_the_seed_alone():
    problems = [gls.CVRP.generated(30, seed=seed) for seed in range(4)]
    first = solved(problems, kicks=100, replicas=2)
    again = solved(problems, kicks=100, replicas=2)
    assert all((a == b).all() for a, b in zip(first.rows, again.rows, strict=True))
    other = solved(problems, kicks=100, replicas=2, seed=2)
    assert any((a != b).any() for a, b in zip(first.rows, other.rows, strict=True))


def test_the_best_chains_of_each_problem_replace_its_worst():
    where, problems = get_backend("cpu"), problems_of(3, 20)
    instances = instances_of(where, problems)
    tours = instances.first_tours(4)
    chains = InstanceChains(instances, start_of(instances, tours, 1), gls.Better(), KICK.arguments)
    chains.advance(3, 0.0, 0.0, 60.0)
    before, costs = chains.best_tours.copy(), chains.best_costs.reshape(3, 4).copy()
    assert InstanceMigration(1.0, 0.5, 4).exchange(chains, 0.0) == 0
    order = costs.argsort(axis=1, kind="stable")
    for number, (best, second, *others) in enumerate(order):
        rows = {second: second, best: best, others[1]: best, others[0]: second}
        for row, source in rows.items():
            found = chains.tours[4 * number + row]
            assert (found == before[4 * number + source]).all()
            assert chains.best_costs[4 * number + row] == costs[number, source]


def test_reports_of_falling_costs():
    problems = [*problems_of(3, 12), *problems_of(2, 15)]
    seen = []
    found = solved(problems, kicks=300, report=lambda costs, _: seen.append(costs.copy()))
    assert np.isfinite(seen[-1]).all() and (seen[-1] == found.costs).all()
    assert (np.stack(seen[1:]) <= np.stack(seen[:-1])).all()
    assert np.isinf(seen[0][3:]).all()


def test_given_rows_never_get_worse():
    problems = [gls.CVRP.generated(50, seed=seed) for seed in range(4)]
    starts = [gls.savings(problem, backend="cpu")[0] for problem in problems]
    before = [problem.cost(row)[0] for problem, row in zip(problems, starts, strict=True)]
    found = solved(problems, kicks=1, starts=starts)
    assert all(a <= b for a, b in zip(found.costs, before, strict=True))
    assert sum(found.costs) < sum(before)


def test_without_time_there_are_rows():
    assert solved(problems_of(4, 30), seconds=0.0).statistics.stopped_by == "seconds"


def test_memory_divides_batches():
    problems = problems_of(12, 30)
    given = {"kicks": 100, "replicas": 1, "seconds": math.inf}  # no result depends on time
    whole = solved(problems, **given)
    parts = solved(problems, **given, memory_limit=60_000)
    assert (np.array(whole.costs) == parts.costs).all()
    with pytest.raises(InsufficientMemoryError, match="memory_limit"):
        solved(problems, memory_limit=1000)


@pytest.mark.parametrize(
    ("problem", "reason"),
    [
        (random_cvrp("duration", 9), "route limit"),
        (random_cvrp("fleet", 9), "fleet"),
        (random_cvrp("directed", 9), "metric is EXPLICIT"),
        (random_cvrp("windows", 9), "resources"),
        (random_cvrp("capacity", 9).penalised(), "soft"),
        (random_vrp(9), "FLOOR_2D"),
        (gls.CVRP.generated(1200), "more than 1,000 customers"),
        (gls.TSP([(0, 0), (1, 0), (2, 5)]), "not a plain CVRP"),
    ],
)
def test_other_problems_are_refused(problem, reason):
    assert reason in why_alone(problem)
    with pytest.raises(UnsupportedProblemError, match=f"row 1 must be solved alone: .*{reason}"):
        solve_side_by_side([*problems_of(1, 5), problem], 1.0, 1, get_backend("cpu"))


def test_plain_problems_are_not_refused():
    for problem in (*problems_of(1, 5), *problems_of(1, 5, "EUC"), gls.CVRP.generated(1000)):
        assert why_alone(problem) is None
