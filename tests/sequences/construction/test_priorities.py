"""Orders in which built-in objectives have their items inserted, and what chains keep of items."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls

N = 12


def problem_of(kind):
    """Return a problem with real numbers, so that few places tie."""
    rng = np.random.default_rng(3)
    if kind == "linear_ordering":
        return gls.LinearOrdering(rng.normal(size=(N, N)))
    due = {"due_dates": rng.uniform(5, 60, N), "weights": rng.uniform(1, 5, N)}
    if kind == "single_machine":
        return gls.SingleMachine(rng.uniform(1, 9, N), **due)
    times = rng.uniform(1, 9, (N, 4))
    return gls.FlowShop(times, kind, **(due if kind == "weighted_tardiness" else {}))


def order_of(kind, problem):
    """Return the items in the order in which they should be inserted."""
    if kind == "linear_ordering":
        matrix = problem.matrix
        return np.argsort([-sum(abs(matrix[i] - matrix[:, i])) for i in range(N)])
    totals = problem.times.reshape(N, -1).sum(axis=1)
    first = {"makespan": -totals, "total_flowtime": totals}
    return np.argsort(first.get(kind, problem.due_dates))


def of_some(kind, problem, items):
    """Return the problem with some of its items."""
    if kind == "linear_ordering":
        return gls.LinearOrdering(problem.matrix[np.ix_(items, items)])
    due = {}
    if problem.due_dates is not None:
        due = {"due_dates": problem.due_dates[items], "weights": problem.weights[items]}
    if kind == "single_machine":
        return gls.SingleMachine(problem.times[items], **due)
    return gls.FlowShop(problem.times[items], kind, **due)


@pytest.mark.parametrize(
    "kind",
    ["makespan", "total_flowtime", "weighted_tardiness", "single_machine", "linear_ordering"],
)
def test_the_first_row_inserts_by_priority(kind):
    problem = problem_of(kind)
    row = gls.neh(problem, 3, backend="cpu")[0].tolist()
    order = order_of(kind, problem).tolist()
    for count in range(1, N + 1):
        item, items = order[count - 1], sorted(order[:count])
        built = [other for other in row if other in items]
        others = [other for other in built if other != item]
        tried = [built, *([*others[:k], item, *others[k:]] for k in range(count))]
        costs = of_some(kind, problem, items).cost(np.searchsorted(items, tried))
        assert costs[0] == pytest.approx(costs[1:].min(), rel=1e-12)


@pytest.mark.parametrize("objective", ["makespan", "total_flowtime"])
@pytest.mark.parametrize("machines", [2, 20])
@pytest.mark.parametrize("unit", [1, 0.5])
def test_flow_shops_know_the_memory_of_a_job(objective, machines, unit):
    """The kernel itself says how many bytes a chain needs."""

    def bytes_of(jobs):
        problem = gls.FlowShop(np.full((jobs, machines), unit), objective)
        search = gls.SequenceSearch(kick=None)
        population = search.population(problem, [range(jobs)], backend="cpu")
        return population._layout[0].bytes, problem.state_bytes()

    (small, each), (large, _) = bytes_of(100), bytes_of(1100)
    assert (large - small) / 1000 == 16 + each  # and four integers
