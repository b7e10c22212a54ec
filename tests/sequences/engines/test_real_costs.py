"""Real costs: searches end, rows are never worse, and costs are those of the referee."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import FaultyPartError
from gpu_ls_plugin.runs.stretch import Stretch
from gpu_ls_plugin.sequences.engines.exact_values import check_values, never_worse
from tests.helpers.marks import diagonal
from tests.sequences.problem.functors import permutations

MANY = 5000  # moves, more than any descent of these problems makes
MOVES = (gls.Insertion(3), gls.Swap(), gls.Reversal())
WAITING = """\
struct Waiting {
  const double* times;
  const double* weights;
  struct State { double time, cost; };
  struct Suffix { double weight, cost; };
  GLS_DEVICE State begin() const { return {0, 0}; }
  GLS_DEVICE State append(State state, int item) const {
    state.time += times[item];
    state.cost += weights[item] * state.time;
    return state;
  }
  GLS_DEVICE double cost(const State& state) const { return state.cost; }
  GLS_DEVICE Suffix end() const { return {0, 0}; }
  GLS_DEVICE Suffix prepend(const Suffix& after, int item) const {
    const double weight = after.weight + weights[item];
    return {weight, after.cost + times[item] * weight};
  }
  GLS_DEVICE double join(const State& state, const Suffix& after) const {
    return state.cost + (state.time * after.weight + after.cost);
  }
};
"""


class Waiting(gls.SequenceObjective):
    """The weighted sum of completion times, at level suffix."""

    name = "waiting"
    integer = False

    def __init__(self, times, weights):
        self.times, self.weights = times, weights

    def evaluate(self, rows):
        ends = self.times[rows].cumsum(axis=1)
        return (self.weights[rows] * ends).cumsum(axis=1)[:, -1]

    def functor(self):
        return "Waiting"

    def source(self):
        return WAITING

    def data(self):
        return {"times": self.times, "weights": self.weights}


def problem_of(kind, n, seed):
    """Return a problem whose numbers are tenths, so that many sequences nearly tie."""
    rng = np.random.default_rng(seed)

    def tenths(*shape, most=30):
        return rng.integers(0, most, shape) / 10 + 0.1

    if kind == "pairs":
        return gls.LinearOrdering(tenths(n, n) - 1)
    if kind == "segments":
        return gls.Latency(gls.TSP.from_matrix(tenths(n, n)))
    if kind == "suffix":
        return gls.Sequence(n, Waiting(tenths(n, most=4), tenths(n, most=4)))
    if kind == "prefix":
        late = {"due_dates": tenths(n, most=10 * n), "weights": tenths(n)}
        return gls.SingleMachine(tenths(n), **late, setups=tenths(n, n))
    setups = tenths(3, n, n) if seed % 2 else None
    return gls.FlowShop(tenths(n, 3), kind, setups)


KINDS = ("prefix", "suffix", "segments", "pairs", "makespan", "total_flowtime")


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "kick"), diagonal(KINDS, [None, gls.DestroyRepair(3)]))
def test_searches_end_with_exact_costs_that_are_never_worse(kind, kick):
    search = gls.SequenceSearch(MOVES, kick)
    for n in (1, 2, 9, 25):
        for seed in range(2):
            problem = problem_of(kind, n, seed)
            rows = gls.random_sequences(problem, 6, seed=seed, backend="cpu")
            assert problem.cost_dtype == np.float64
            found = search(problem, rows, seed=seed, budget=gls.Budget(kicks=30, moves=MANY))
            kicked = kick and n - problem.fixed > 1
            assert found.statistics.stopped_by == ("kicks" if kicked else "optimum")
            again = search(problem, found.tours, seed=seed, budget=gls.Budget(kicks=30))
            for before, after in ((problem.cost(rows), found), (found.costs, again)):
                assert (after.costs <= before).all()
                assert (after.costs == problem.cost(after.tours)).all()


def tied_problem(kind, n):
    """Return a problem all of whose sequences cost the same, but for rounding."""
    some = np.random.default_rng(0).integers(1, 40, n) / 10
    if kind == "pairs":
        return gls.LinearOrdering(0.1 * some[:, None] * some)
    if kind == "segments":
        return gls.Latency(gls.TSP.from_matrix(np.full((n, n), 0.1)))
    if kind == "suffix":
        return gls.Sequence(n, Waiting(some, 0.3 * some))
    if kind == "prefix":
        return gls.SingleMachine(some, np.zeros(n), 0.3 * some)
    return gls.FlowShop(some[:, None], "makespan")


@pytest.mark.parametrize("kind", KINDS[:-1])
def test_no_move_is_made_for_a_rounding_error(kind):
    problem = tied_problem(kind, 40)
    rows = gls.random_sequences(problem, 20, backend="cpu")
    found = gls.SequenceSearch(MOVES, kick=None)(problem, rows, budget=gls.Budget(moves=MANY))
    assert found.statistics.moves == 0
    assert (found.tours == rows).all()


@pytest.mark.parametrize("kind", KINDS)
def test_costs_do_not_depend_on_the_batch(kind):
    problem = problem_of(kind, 40, 1)
    rows = gls.random_sequences(problem, 20, backend="cpu")
    alone = [problem.cost(row)[0] for row in rows]
    assert problem.cost(rows).tolist() == problem.cost(rows[::-1])[::-1].tolist() == alone


def test_values_of_a_population_are_exact_between_stretches():
    problem = problem_of("makespan", 20, 1)
    population = gls.SequenceSearch().population(problem, permutations(4, 20), backend="cpu")
    for part in (1, 2, 3):
        population.advance(Stretch(kicks=10 * part))
        assert population.costs.tolist() == problem.cost(population.tours).tolist()


def test_the_given_row_is_returned_instead_of_a_worse_one():
    problem = gls.FlowShop([[0.5, 2.0], [3.0, 1.5], [1.0, 0.25]])
    rows = permutations(50, 3)
    given = rows[::-1].copy()
    best, values = never_worse(problem, (rows, problem.cost(rows)), given)
    assert values.tolist() == np.minimum(problem.cost(rows), problem.cost(given)).tolist()
    assert (problem.cost(best) == values).all()
    same = problem.cost(rows) == problem.cost(given)
    assert (best[same] == rows[same]).all()


def test_wrong_values_are_refused():
    problem = gls.FlowShop([[0.5, 2.0], [3.0, 1.5], [1.0, 0.25]])
    rows = permutations(5, 3)
    exact = problem.cost(rows)
    check_values(problem, (rows, exact * (1 + 1e-12)), (rows, exact))
    with pytest.raises(FaultyPartError, match=r"row .* but evaluate"):
        check_values(problem, (rows, exact * (1 + 1e-6)), (rows, exact))
