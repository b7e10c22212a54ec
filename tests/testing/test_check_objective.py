"""The check of objectives passes those that are right and finds planted faults."""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import FaultyPartError
from gpu_ls_plugin.extend import TSP, Objective, UnsupportedProblemError
from gpu_ls_plugin.testing import check_objective
from gpu_ls_plugin.tours.problem.objective import Length
from tests.helpers.marks import slow_after
from tests.helpers.random_problems import random_problem, random_tours
from tests.testing.faults import ON_BOTH, found_out
from tests.tours.objectives.third_party import (
    Forbidden,
    Tolls,
    WholeTolls,
    some_deadlines,
    some_loads,
    some_tolls,
)

TOLLS = """
struct Mine {{
  int toll, n;

  GLS_DEVICE Mine(const gls::uint64* words, int n) : toll(int({word})), n(n) {{}}

  GLS_DEVICE int of(gls::Edge edge) const {{
    return (edge.from + edge.to) % 3 == 0 ? toll : 0;
  }}
  template <class Change, class Gain>
  GLS_DEVICE Gain gain(const Change& change, Gain shorter) const {{
    Gain gain = shorter;
    for (int edge = 0; edge < change.edges(); ++edge) {{
      gain += of(change.leaving(edge)) - {coming};
    }}
    return {claim};
  }}
  template <class Team, class City>
  GLS_DEVICE bool feasible(const Team& team, int n, City city) const {{
    return {feasible};
  }}
}};
"""
RIGHT = {
    "word": "words[0]",
    "coming": "of(change.coming(edge))",
    "claim": "gain",
    "feasible": """team.template sum<gls::int64>(n, [&](int place) {
      return gls::int64(of({city(place), city(place + 1 < n ? place + 1 : 0)}));
    }) == 0""",
}
TOLL = 20
NUMBERS = count()


class Mine(Objective):
    """Tolls on about each third edge, or a planted fault."""

    name = "mine"
    functor = "Mine"
    by_edges = True

    def __init__(self, **faults: str) -> None:
        self._text = TOLLS.format(**(RIGHT | faults))

    def source(self) -> str:
        return self._text

    def words(self, backend: Any, problem: Any) -> list[Any]:
        return [TOLL]

    def tolled(self, rows: Any) -> Any:
        return (rows + np.roll(rows, -1, axis=1)) % 3 == 0

    def costs(self, problem: Any, rows: Any) -> Any:
        return (TOLL * self.tolled(rows).sum(axis=1)).astype(problem.cost_dtype)

    def feasible(self, problem: Any, rows: Any) -> Any:
        return ~self.tolled(rows).any(axis=1)


class OtherPython(Mine):
    """The same with other Python methods."""

    def __init__(self, costs: Any = None, feasible: Any = None) -> None:
        super().__init__()
        self._costs, self._feasible = costs, feasible

    def costs(self, problem: Any, rows: Any) -> Any:
        right = super().costs(problem, rows)
        return self._costs(right, rows) if self._costs else right

    def feasible(self, problem: Any, rows: Any) -> Any:
        right = super().feasible(problem, rows)
        return self._feasible(right, rows) if self._feasible else right


class Nothing(Mine):
    """Tolls that claim to add nothing."""

    length_alone = True


class Picky(Mine):
    """Refuses each problem."""

    def check(self, problem: Any) -> None:
        raise UnsupportedProblemError("problem: it is never the right one")


def sort_rows(right: Any, rows: Any) -> Any:
    rows.sort(axis=1)
    return right


IN_PYTHON: dict[str, tuple[Any, str]] = {
    "another shape": (OtherPython(lambda c, _: c[:, None]), r"costs\(\) returned .*shape \(P,\)"),
    "another type": (OtherPython(lambda c, _: c / 2), r"costs\(\) returned .*type int64"),
    "integers": (OtherPython(feasible=lambda f, _: f + 0), r"feasible\(\) returned .*type bool"),
    "raises": (OtherPython(lambda c, rows: c[len(rows)]), r"costs\(\) raised IndexError"),
    "sorts": (OtherPython(sort_rows), r"costs\(\) changed the tours"),
    "anew": (OtherPython(lambda c, _: c + next(NUMBERS)), r"costs\(\) .* when called again"),
    "of the batch": (OtherPython(lambda c, _: c + c.max()), r"costs\(\) .* rows 1 and 2 without"),
    "first city": (
        OtherPython(lambda c, rows: c + rows[:, 0]),
        r"costs\(\) .* begin at another city",
    ),
    "feasible first": (
        OtherPython(feasible=lambda _, rows: rows[:, 0] % 2 == 0),
        r"feasible\(\) .* (rows 1 and 2 without|begin at another city)",
    ),
    "direction": (
        OtherPython(lambda c, rows: c + (rows < np.roll(rows, -1, axis=1)).sum(axis=1)),
        r"costs\(\) .* in the other direction",
    ),
    "no sum": (OtherPython(lambda c, _: c * c), "by_edges is True, .* not a sum over edges"),
    "not alone": (Nothing(), r"length_alone is True, but costs\(\) has values"),
    "refuses all": (Picky(), r"refuses every problem; pass problems="),
}
IN_CPP: dict[str, tuple[Any, str]] = {
    "no C++": (Mine(claim="undefined"), "composing its kernel raised CompilationError"),
    "takes no toll": (Mine(coming="0"), "claims to gain .* but makes the tour .* cheaper"),
    "other data": (Mine(word="words[0] + 1"), r"claims to gain .* words\(\) must pass"),
    "nothing gains": (
        Mine(claim="gls::forbidden<Gain>()"),
        "no move of any random tour has a gain",
    ),
    "of kicks": (
        Mine(claim="change.edges() == 4 ? shorter : gain"),
        r"kicks chains have costs .* for kicks \(double bridges\)",
    ),
    "all feasible": (Mine(feasible="true"), r"feasible\(\) is True in C\+\+, False in Python"),
    "none feasible": (Mine(feasible="false"), r"feasible\(\) is False in C\+\+, True in Python"),
    "reads the move": (
        Mine(claim="change.move.edges > 0 ? gain : shorter"),
        "best moves|exhaustive|sampled .*CompilationError",
    ),
}


def slow(kind: type) -> Any:
    """A case that compiles long and repeats another one."""
    return pytest.param(kind, marks=pytest.mark.slow)


def problem_of(n: int = 70) -> TSP:
    return random_problem("EUC_2D", n, 1, 200)


@pytest.mark.parametrize("fault", IN_PYTHON)
def test_faulty_python_methods_are_found_out(fault):
    found_out(check_objective, *IN_PYTHON[fault], backend="cpu")


@ON_BOTH
@pytest.mark.parametrize("fault", slow_after(3, IN_CPP))
def test_a_faulty_functor_is_found_out(fault, backend):
    problems = [problem_of(), problem_of(5)]
    found_out(check_objective, *IN_CPP[fault], backend=backend, problems=problems)


def test_a_functor_that_reads_beyond_its_arrays_is_found_out():
    part = Mine(claim="gain + int(*gls::address<const char>(gain))")
    words = r"gain\(\) ended the process with SIG"
    found_out(check_objective, part, words, backend="cpu", problems=[problem_of(12)])


@pytest.mark.slow
@ON_BOTH
def test_an_objective_that_is_right_passes(backend):
    check_objective(Mine(), backend=backend)


@pytest.mark.slow
def test_objectives_of_a_third_party_pass():  # a later test has Tolls and Forbidden
    check_objective(WholeTolls(some_tolls(70)), [problem_of()], backend="cpu")


@pytest.mark.slow
def test_an_objective_that_is_not_a_sum_over_edges_passes():
    check_objective(some_loads(70), [problem_of()], backend="cpu")


@pytest.mark.parametrize("kind", [slow(Tolls), slow(Forbidden)])
def test_costlier_tours_that_may_be_results_are_no_fault(kind):
    n, edge = 10, ([0, 1], [1, 0])  # an edge of length 0 makes tours infeasible
    matrix, tolls = np.random.default_rng(1).integers(15, 18, (n, n)), np.zeros((n, n), "int64")
    matrix, tolls[edge] = matrix + matrix.T, 1
    matrix[edge] = 0
    problem = TSP.from_matrix(matrix)
    for seed in range(3):
        check_objective(kind(tolls), [problem], backend="cpu", seed=seed)


@pytest.mark.slow
def test_an_objective_of_directed_tours_passes():
    check_objective(some_deadlines(70), [problem_of()], backend="cpu")


DIRECTIONS: dict[str, tuple[Any, str]] = {
    "another segment stays": (
        some_deadlines(70, fixed="change"),
        r"claims to gain .* builds TourSegments\(change, change\.place\(0\)\) in gain",
    ),
    "moves turn it": (some_deadlines(70, turns="false"), "kicks chains have costs .* kDirected"),
}


@pytest.mark.parametrize("fault", slow_after(1, DIRECTIONS))
def test_a_functor_that_forgets_the_direction_is_found_out(fault):
    found_out(check_objective, *DIRECTIONS[fault], backend="cpu", problems=[problem_of()])


def test_a_direction_that_is_not_declared_is_found_out():
    class Undeclared(type(some_deadlines(4))):
        directed = False

    part = Undeclared(some_deadlines(70).due)
    words = r"costs\(\) .* in the other direction.* directed = True in Python"
    found_out(check_objective, part, words, backend="cpu", problems=[problem_of()])


@pytest.mark.slow
def test_a_search_says_what_a_directed_objective_needs():
    problem = problem_of().under(some_deadlines(70, fixed="change"))
    search = gls.IteratedLocalSearch(gls.LocalSearch(), accept=gls.Always())
    with pytest.raises(FaultyPartError, match=r"check_objective.* TourSegments\(change, change\."):
        search(problem, random_tours(70, 4), budget=gls.Budget(kicks=60), backend="cpu")


def test_the_length_alone_passes():
    check_objective(Length(), backend="cpu")
