"""Action sequences of many routing problems, improved on the device."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.routes.many.actions import improve_actions
from tests.helpers.many_routes import least_cost, problems_of

BOTH = pytest.mark.parametrize("backend", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
COUNT, CUSTOMERS = 5, 30


def arrays_of(where, problems):
    """Return coordinates, demands and capacities."""
    parts = (
        np.stack([problem.nodes.coordinates for problem in problems]),
        np.stack([problem.demands for problem in problems]),
        np.array([problem.capacity for problem in problems]),
    )
    return tuple(map(where.xp.asarray, parts))


def random_actions(problems, replicas, width, seed=0):
    """Return valid action sequences: customers in a random order, with a few empty routes."""
    random = np.random.default_rng(seed)
    rows = np.zeros((len(problems) * replicas, width), np.int32)
    for number, row in enumerate(rows):
        problem = problems[number // replicas]
        actions, load = [0] * int(random.integers(2)), 0
        for customer in 1 + random.permutation(problem.customers):
            if load + problem.demands[customer] > problem.capacity:
                actions += [0] * int(random.integers(1, 3))
                load = 0
            load += problem.demands[customer]
            actions.append(customer)
        row[: len(actions)] = actions
    return rows


def cost_of(problem, actions):
    """Return the cost of a valid sequence by a walk along it; fails if it is not valid."""
    stops = np.r_[0, actions, 0]
    assert sorted(actions[actions > 0]) == [*range(1, problem.customers + 1)]
    routes = np.split(actions, np.flatnonzero(actions == 0))
    assert all(problem.demands[route].sum() <= problem.capacity for route in routes)
    a, b = stops[:-1], stops[1:]
    return problem.nodes.lengths(a[a != b], b[a != b]).sum()


@BOTH
@pytest.mark.parametrize("kicks", [None, 40])
@pytest.mark.parametrize("seconds", [None, 60.0])
def test_rows_become_cheaper_and_stay_valid(backend, kicks, seconds):
    where, problems = get_backend(backend), problems_of(COUNT, CUSTOMERS, "EUC")
    rows = random_actions(problems, 2, 80)
    given, options = where.xp.asarray(rows), {"replicas": 2, "kicks": kicks, "seconds": seconds}
    found = improve_actions(where, *arrays_of(where, problems), given, **options)
    assert (where.to_numpy(given) == rows).all() and where.to_numpy(found.valid).all()
    assert found.rows.dtype == "int32" and found.costs.dtype == "float64"
    assert found.valid.dtype == "bool"
    for number, actions in enumerate(where.to_numpy(found.rows)):
        problem = problems[number // 2]
        assert cost_of(problem, actions) == pytest.approx(float(found.costs[number]), rel=1e-12)
        assert found.costs[number] < 0.9 * cost_of(problem, rows[number])
        ends = actions[np.flatnonzero(actions).max() + 1 :]
        assert actions[0] != 0 and (ends == 0).all()  # no empty route


def test_kicks_help_and_repeat():
    where, problems = get_backend("cpu"), problems_of(COUNT, CUSTOMERS, "EUC")
    arrays, rows = arrays_of(where, problems), random_actions(problems, 1, 70)
    totals = []
    for kicks in (None, 30, 300):
        found, again = (improve_actions(where, *arrays, rows, kicks=kicks) for _ in range(2))
        assert (found.rows == again.rows).all() and (found.costs == again.costs).all()
        totals.append(found.costs.sum())
    assert totals[0] > totals[1] > totals[2]
    other = improve_actions(where, *arrays, rows, kicks=30, seed=2)
    assert (other.rows != improve_actions(where, *arrays, rows, kicks=30).rows).any()


@BOTH
def test_optima_of_tiny_instances(backend):
    where, problems = get_backend(backend), problems_of(4, 6, "EUC", 3)
    rows = where.xp.asarray(random_actions(problems, 3, 13))
    found = improve_actions(where, *arrays_of(where, problems), rows, replicas=3, kicks=100)
    costs = where.to_numpy(found.costs).reshape(4, 3)
    best = np.array([[least_cost(problem)] for problem in problems])
    assert (costs >= best * (1 - 1e-12)).all()
    np.testing.assert_allclose(costs.min(axis=1), best[:, 0], rtol=1e-12)


def test_narrow_rows_have_room_for_the_result():
    where, problems = get_backend("cpu"), problems_of(COUNT, CUSTOMERS, "EUC")
    rows = random_actions(problems, 1, 80)
    longest = int((rows > 0).cumsum(axis=1).argmax(axis=1).max()) + 1
    found = improve_actions(where, *arrays_of(where, problems), rows[:, :longest].copy(), kicks=20)
    assert found.valid.all() and found.rows.shape == (COUNT, longest)
    for problem, actions, cost in zip(problems, found.rows, found.costs, strict=True):
        assert cost_of(problem, actions) == pytest.approx(cost, rel=1e-12)


def wrongs(rows):
    """Yield rows with one error each, and what is wrong."""
    first, second = np.flatnonzero(rows[0])[:2]
    for value, what in ((-1, "negative"), (CUSTOMERS + 1, "too large"), (0, "lacking")):
        wrong = rows.copy()
        wrong[0, first] = value
        yield wrong, what
    wrong = rows.copy()
    wrong[0, first] = wrong[0, second]
    yield wrong, "twice"
    wrong = rows.copy()
    wrong[0] = 0
    yield wrong, "empty"
    wrong = rows.copy()
    wrong[0, : np.count_nonzero(rows[0])] = wrong[0][wrong[0] > 0]
    wrong[0, np.count_nonzero(rows[0]) :] = 0
    yield wrong, "overloaded"


@BOTH
def test_invalid_rows_come_back_unchanged(backend):
    where, problems = get_backend(backend), problems_of(2, CUSTOMERS, "EUC")
    arrays, right = arrays_of(where, problems), random_actions(problems, 1, 70)
    alone = improve_actions(where, *arrays, where.xp.asarray(right), kicks=10)
    for wrong, what in wrongs(right):
        found = improve_actions(where, *arrays, where.xp.asarray(wrong), kicks=10)
        assert where.to_numpy(found.valid).tolist() == [False, True], what
        assert (where.to_numpy(found.rows)[0] == wrong[0]).all(), what
        assert np.isnan(float(found.costs[0])) and float(found.costs[1]) == float(alone.costs[1])
    short = improve_actions(where, *arrays, where.xp.asarray(right[:, :10].copy()))
    assert not where.to_numpy(short.valid).any()


@BOTH
@pytest.mark.parametrize("what", ["nan", "infinite", "far", "negative", "large", "depot"])
def test_rows_of_broken_instances_are_invalid(what, backend):
    where, problems = get_backend(backend), problems_of(2, CUSTOMERS, "EUC")
    points, demands, capacities = map(where.to_numpy, arrays_of(where, problems))
    rows = random_actions(problems, 1, 70)
    points, demands, capacities = points.copy(), demands.copy(), np.full(2, 2**31 - 1)
    places = {"nan": np.nan, "infinite": np.inf, "far": 1e200}
    if what in places:
        points[0, 3, 1] = places[what]
    demands[0, {"depot": 0}.get(what, 3)] = {"negative": -1, "large": 2**33, "depot": 1}.get(
        what, 1
    )
    given = map(where.xp.asarray, (points, demands, capacities, rows))
    found = improve_actions(where, *given, kicks=5)
    assert where.to_numpy(found.valid).tolist() == [False, True]
    assert (where.to_numpy(found.rows)[0] == rows[0]).all()


@BOTH
@pytest.mark.parametrize("symmetric", [True, False])
def test_matrices_replace_coordinates(symmetric, backend):
    where, problems = get_backend(backend), problems_of(3, 20, "EUC")
    _, demands, capacities = arrays_of(where, problems)
    random = np.random.default_rng(5)
    matrices = np.stack([p.nodes.lengths(*np.indices((21, 21))) for p in problems])
    matrices = matrices if symmetric else matrices * random.uniform(0.8, 1.2, matrices.shape)
    rows = random_actions(problems, 1, 41)
    options = {"kicks": 100, "distances": where.xp.asarray(matrices), "symmetric": symmetric}
    found = improve_actions(where, None, demands, capacities, where.xp.asarray(rows), **options)
    for number, (problem, actions) in enumerate(
        zip(problems, where.to_numpy(found.rows), strict=True)
    ):
        stops = np.r_[0, actions, 0]
        cost_of(problem, actions)  # checks the row
        walked = matrices[number][stops[:-1], stops[1:]].sum()
        assert walked == pytest.approx(float(found.costs[number]), rel=1e-12)
        own = gls.CVRP.from_matrix(matrices[number], problem.demands, problem.capacity)
        best = gls.solve(own, seconds=0.05, backend="cpu").best_cost
        assert walked <= 1.1 * best


def test_nothing_is_copied_to_the_host(monkeypatch):
    where, problems = get_backend("cpu"), problems_of(COUNT, CUSTOMERS, "EUC")
    arrays, rows = arrays_of(where, problems), random_actions(problems, 1, 70)
    calls = []
    for name in ("to_numpy", "wait", "memory", "available_memory"):
        monkeypatch.setattr(type(where), name, lambda *_, name=name: calls.append(name))
    assert improve_actions(where, *arrays, rows, kicks=20, moves=1000).valid.all()
    assert calls == []
