"""Distinct values stay distinct, whatever the moves, the heuristic and the release."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.assignment.engines.state_population import StatePopulation
from gpu_ls_plugin.core.exceptions import InvalidProblemError
from gpu_ls_plugin.runs.stretch import Stretch
from gpu_ls_plugin.testing import check_assignment
from tests.testing.faults import found_out


class Matching(gls.Assignment):
    """Assign different values at minimum cost; moves are evaluated from scratch."""

    integer = True
    distinct = True

    def __init__(self, costs):
        self.costs = np.array(costs, np.int32)
        super().__init__(np.full(len(self.costs), self.costs.shape[1]))

    def cost(self, rows):
        padded = np.pad(self.costs, ((0, 0), (0, 1)))  # index -1 is a cost of 0
        return padded[np.arange(self.n), self.check(rows)].sum(axis=1, dtype=np.int64)

    def functor(self):
        return "Matching"

    def words(self):
        return [self.costs, self.costs.shape[1]]

    def source(self):
        return """
struct Matching : gls::FromScratch<Matching> {
  const int* costs;
  int values;

  GLS_DEVICE explicit Matching(const gls::uint64* words)
      : costs(gls::address<const int>(words[0])), values(int(words[1])) {}

  template <class Values>
  GLS_DEVICE gls::Worth worth_of(int m, const Values& chosen) const {
    gls::Worth worth{0, 0};
    for (int v = 0; v < m; ++v) {
      if (chosen[v] >= 0) worth.cost += costs[v * values + chosen[v]];
    }
    return worth;
  }
};
"""


RNG = np.random.default_rng(1)
PROBLEMS = {
    "as many values": Matching(RNG.integers(0, 100, (6, 6))),
    "more values": Matching(RNG.integers(0, 100, (5, 9))),
    "built in": gls.QuadraticAssignment.generated(6, 1),
}
SEARCHES = {
    "default": gls.SuccessorSearch(),
    "any moves": gls.SuccessorSearch(accept=gls.Annealing(0.5), steps=40),
    "heuristic": gls.SuccessorSearch(heuristic=gls.WeightTable(np.ones((6, 6), int)), share=0.9),
    "related": gls.SuccessorSearch(release="related", share=0.5, mixing=0.9, steps=20),
}

every_problem = pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)


def optimum_of(problem):
    rows = np.array(list(permutations(range(problem.sizes[0]), problem.n)))
    return problem.cost(rows).min()


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
@every_problem
def test_no_value_is_used_twice(problem, search):
    if search.heuristic is not None and problem.sizes[0] != 6:
        pytest.skip("the heuristic is one of six values")
    empty, best = np.full((4, problem.n), -1), optimum_of(problem)
    found = search(problem, empty, budget=gls.Budget(kicks=30, target=best), backend="cpu")
    assert problem.feasible(found.tours).all()
    np.testing.assert_array_equal(found.costs, problem.cost(found.tours))
    assert found.best_cost == best


@every_problem
def test_generations_use_no_value_twice(problem):
    states = np.full((4, problem.n), -1, np.int32)
    population = StatePopulation(gls.SuccessorSearch(), problem, states, 1, "cpu")
    for _ in range(3):
        population.advance(Stretch(1e6, generations=1))
        assert problem.feasible(population.tours).all()


@pytest.mark.parametrize(
    ("values", "moves", "made"),
    [
        (6, ("assign", "swap"), ("swap",)),
        (6, ("assign",), ("swap",)),
        (8, ("assign", "swap"), ("assign", "swap")),
        (8, ("swap",), ("swap",)),
    ],
)
def test_moves_are_inferred(values, moves, made):
    problem = Matching(np.ones((6, values), int))
    problem.moves = moves
    body = gls.SuccessorSearch().plan(problem).improvement.body(problem, "M")
    flags = ", ".join(str(kind in made).lower() for kind in ("assign", "swap"))
    assert body == f"gls::TabuSearch<Matching, M, true, {flags}>"


@pytest.mark.parametrize("sizes", [[2, 2, 2], [3, 3, 4], [3, 4, 2]])
def test_variables_that_must_differ_need_enough_values(sizes):
    class Odd(Matching):
        def __init__(self):
            gls.Assignment.__init__(self, sizes)

    with pytest.raises(InvalidProblemError, match="3 variables that must differ have"):
        Odd()
    Odd.distinct = False
    late = Odd()
    late.distinct = True
    with pytest.raises(InvalidProblemError, match="give all of them the same number"):
        gls.SuccessorSearch()(late, budget=gls.Budget(kicks=1), backend="cpu")
    found_out(check_assignment, late, "it is distinct, but its 3 variables have", backend="cpu")


def test_the_check_finds_repeated_values():
    class Forgetful(Matching):
        def feasible(self, rows):
            return (self.check(rows) >= 0).all(axis=1)

    check_assignment(PROBLEMS["as many values"], backend="cpu")
    check_assignment(PROBLEMS["more values"], backend="cpu")
    wrong = Forgetful(PROBLEMS["more values"].costs)
    found_out(check_assignment, wrong, "two variables have the same value", backend="cpu")
