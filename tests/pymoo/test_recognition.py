"""Problems are recognised by their evaluations: tours by length, or other costs."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from pymoo.core.callback import Callback
from pymoo.core.population import Population
from pymoo.operators.crossover.ox import OrderCrossover
from pymoo.optimize import minimize
from pymoo.problems.single.traveling_salesman import TravelingSalesman

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidTypeError, UnsupportedProblemError
from gpu_ls_plugin.plugins.hookspecs import hookimpl
from gpu_ls_plugin.plugins.loader import plugins
from gpu_ls_pymoo import (
    AssignmentProblem,
    CanonicalTourRepair,
    CVRPProblem,
    DoubleBridgeMutation,
    LocalSearchMutation,
    LocalSearchSampling,
    MemeticGA,
    MemeticMating,
    MultiObjectiveTSPProblem,
    TourDuplicateElimination,
    TSPProblem,
    as_tsp,
)
from gpu_ls_pymoo.problems import view_of
from tests.evolution.samples import cities, rows

N = 20


class Own(TravelingSalesman):
    """A subclass of pymoo's problem that records its evaluations."""

    def __init__(self, says: Any = None, **kwargs: Any) -> None:
        super().__init__(cities(N), **kwargs)
        self.says, self.evaluated, self.diary = says, 0, []

    def _evaluate(self, x: Any, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        self.evaluated += 1
        self.diary.append(x)
        length = self.get_route_length(x)
        out["F"] = length if self.says is None else self.says(self, x, length)
        if self.n_ieq_constr:
            out["G"] = x[0] - 1.0
        if self.n_eq_constr:
            out["H"] = 0.0


def changed(**attributes: Any) -> Own:
    made = Own()
    vars(made).update(attributes)
    return made


def with_matrix(change: Any) -> Own:
    made = Own()
    made.D = change(made.D)
    return made


def asymmetric(matrix: Any) -> Any:
    matrix[0, 1] += 50
    return matrix


def forbidden(problem: Own, x: Any, length: float) -> float:
    """Return a length with a penalty for the edge from city 0 to the nearest, as in good tours."""
    near = int(np.argsort(problem.D[0])[1])
    after = x[(np.flatnonzero(x == 0)[0] + 1) % N]
    return length + 1000 * float(after == near)


ELSE = {
    "scaled": (lambda: Own(lambda _, x, length: 2 * length), "by their length: the tour .* costs"),
    "shifted": (lambda: Own(lambda _, x, length: length + 1), "by their length"),
    "squared": (lambda: Own(lambda _, x, length: length**2), "by their length"),
    "maximised": (lambda: Own(lambda _, x, length: -length), "by their length"),
    "rounded": (lambda: Own(lambda _, x, length: round(length)), "by their length"),
    "NaN": (lambda: Own(lambda _, x, length: np.nan), "by their length"),
    "open": (
        lambda: Own(lambda problem, x, length: length - problem.D[x[-1], x[0]]),
        "by their length",
    ),
    "on good tours": (lambda: Own(forbidden), "by their length"),
    "noisy": (
        lambda: Own(lambda _, x, length: length + np.random.default_rng().random()),
        "by their length",
    ),
    "raises": (lambda: Own(lambda _, x, length: {}["service"]), "raised KeyError: 'service'"),
    "inequality": (lambda: Own(n_ieq_constr=1), "1 constraints"),
    "equality": (lambda: Own(n_eq_constr=1), "1 constraints"),
    "two objectives": (lambda: changed(n_obj=2), "2 objectives.*MultiObjectiveTSP"),
}
LENGTHS = {
    "the same": Own,
    "numpy sums": lambda: Own(lambda problem, x, _: problem.D[x, np.roll(x, -1)].sum()),
    "asymmetric": lambda: with_matrix(asymmetric),
    "rounded matrix": lambda: with_matrix(np.rint),
    "integers": lambda: with_matrix(lambda matrix: np.rint(matrix).astype(int)),
    "a lock": lambda: changed(lock=threading.Lock()),
    "a callback": lambda: changed(callback=lambda *_: pytest.fail("called for a comparison")),
    "left out of pickles": lambda: changed(exclude_from_serialization=["cities", "D", "says"]),
}
USES = {
    "as_tsp": as_tsp,
    "mutation": lambda problem: LocalSearchMutation()(problem, population()),
    "sampling": lambda problem: LocalSearchSampling()(problem, 4),
    "mating": lambda problem: MemeticMating().do(problem, population(), 4),
    "repair": lambda problem: CanonicalTourRepair()(problem, population()),
    "duplicates": lambda problem: TourDuplicateElimination(problem=problem),
    "algorithm": lambda problem: minimize(problem, MemeticGA(10), ("n_gen", 2)),
    "own crossover": lambda problem: minimize(
        problem, MemeticGA(10, crossover=OrderCrossover()), ("n_gen", 2)
    ),
    "plugin": plugins.problem_from,
}


def population() -> Population:
    return Population.new("X", rows(N, 6))


@pytest.mark.parametrize("name", ELSE)
def test_other_costs_are_refused(name):
    make, reason = ELSE[name]
    with pytest.raises(UnsupportedProblemError, match=f"problem: Own.*{reason}") as error:
        as_tsp(make())
    assert "own operators" in str(error.value) or name in ("raises", "two objectives")


@pytest.mark.parametrize("use", USES)
def test_operators_refuse_other_costs(use):
    with pytest.raises(UnsupportedProblemError, match="by their length"):
        USES[use](ELSE["scaled"][0]())


@pytest.mark.parametrize("name", LENGTHS)
def test_lengths_are_recognised(name):
    problem, some = LENGTHS[name](), rows(N, 5)
    tsp = as_tsp(problem)
    problem.callback = None
    assert tsp.cost(some) == pytest.approx(problem.evaluate(some)[:, 0], rel=1e-12)


def test_a_comparison_leaves_no_trace_and_is_made_once():
    problem, calls = Own(), []
    Own.get_route_length = counted(TravelingSalesman.get_route_length, calls)
    try:
        first = as_tsp(problem)
        assert 0 < len(calls) < 10
        assert (problem.evaluated, problem.diary) == (0, [])
        assert as_tsp(problem) is first
        other = Own(lambda _, x, length: 2 * length)
        for _ in range(3):
            with pytest.raises(UnsupportedProblemError):
                as_tsp(other)
        assert len(calls) < 20
    finally:
        del Own.get_route_length


def counted(function: Any, calls: list[Any]) -> Any:
    def call(problem: Any, x: Any) -> Any:
        calls.append(x)
        return function(problem, x)

    return call


def test_comparisons_do_not_count_as_evaluations():
    class Counts(Callback):
        def notify(self, algorithm: Any) -> None:
            self.data.setdefault("evaluated", []).append(algorithm.evaluator.n_eval)

    def evaluated(problem: Any) -> Any:
        algorithm = MemeticGA(10, crossover=OrderCrossover())
        return minimize(problem, algorithm, ("n_gen", 3), seed=1, callback=Counts()).X.tolist()

    assert evaluated(Own()) == evaluated(Own())


def test_kicks_do_not_need_lengths():
    pop = population()
    before = pop.get("X").copy()
    DoubleBridgeMutation()(ELSE["scaled"][0](), pop, seed=1)
    assert (np.sort(pop.get("X"), axis=1) == np.arange(N)).all()
    assert (pop.get("X") != before).any(axis=1).all()


def test_a_plugin_may_give_the_lengths():
    class Says:
        @staticmethod
        @hookimpl
        def gpu_ls_problem_from(obj: object) -> gls.TSP | None:
            return gls.TSP(obj.cities, "EUC_2D") if isinstance(obj, Own) else None

    plugins.add(Says(), "says")
    try:
        assert as_tsp(ELSE["squared"][0]()).metric.name == "EUC_2D"
    finally:
        plugins.clear()


TSP = gls.TSP(cities(N), "EUC_2D")
CVRP = gls.CVRP(cities(9), [0, *range(1, 9)], 15)
COLOURS = gls.GraphColouring(5, [(0, 1), (1, 2)], colours=3)


def written(problem: Any) -> Any:
    return view_of(problem).writer()


def solved(problem: Any) -> Any:
    return view_of(problem).for_algorithms()


OURS = {
    "TSPProblem": (TSPProblem, TSP, as_tsp),
    "CVRPProblem": (CVRPProblem, CVRP, as_tsp),
    "MultiObjectiveTSPProblem": (MultiObjectiveTSPProblem, [TSP, TSP], written),
    "AssignmentProblem": (AssignmentProblem, COLOURS, solved),
}


def kinds_of(base: Any) -> dict[str, Any]:
    class Dearer(base):
        def _evaluate(self, rows: Any, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
            super()._evaluate(rows, out)
            out["F"] = 2 * out["F"] + 1

    class Named(base):
        def _evaluate(self, rows: Any, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
            super()._evaluate(rows, out)

        def name(self) -> str:
            return "mine"

    return {"base": base, "dearer": Dearer, "named": Named}


@pytest.mark.parametrize("name", OURS)
def test_subclasses_must_evaluate_rows_as_their_base_does(name):
    base, problem, use = OURS[name]
    kinds = kinds_of(base)
    for kind in ("base", "named"):
        use(kinds[kind](problem))
    with pytest.raises(UnsupportedProblemError, match=f"problem: Dearer.*as {name} does: F"):
        use(kinds["dearer"](problem))
    for count in ("n_ieq_constr", "n_eq_constr", "n_obj"):
        changed = base(problem)
        setattr(changed, count, getattr(changed, count) + 2)
        with pytest.raises(UnsupportedProblemError, match="objectives or constraints"):
            use(changed)


def test_errors_suggest_other_operators():
    from pymoo.core.problem import Problem
    from pymoo.problems.single.knapsack import create_random_knapsack_problem

    with pytest.raises(InvalidTypeError, match=r"Binary variables.*SuccessorMutation"):
        as_tsp(create_random_knapsack_problem(5))
    two = Problem(n_var=9, n_obj=2, xl=0, xu=8, vtype=int)
    with pytest.raises(UnsupportedProblemError, match=r"as_sequence\(problem, weights"):
        as_tsp(two)
    others = Problem(n_var=9, n_obj=2, xl=0, xu=9, vtype=int)
    with pytest.raises(InvalidTypeError, match="MultiObjectiveTSP"):
        as_tsp(others)
    one = Problem(n_var=9, n_obj=1, xl=0, xu=9, vtype=int)
    with pytest.raises(InvalidTypeError, match="flow shop") as error:
        as_tsp(one)
    assert "MultiObjectiveTSP" not in str(error.value)


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (gls.MultiObjectiveTSP([TSP, TSP]), r"gpu_ls_pymoo\.MultiObjectiveTSPProblem\(problem\)"),
        (CVRP, r"gpu_ls_pymoo\.CVRPProblem\(problem\)"),
        (COLOURS, r"gpu_ls_pymoo\.AssignmentProblem\(problem\)"),
        (AssignmentProblem(COLOURS), "AssignmentProblem are searched by MemeticGA"),
    ],
    ids=["several lengths", "routes", "assignment", "assignment of pymoo"],
)
def test_errors_name_the_wrapper(problem, message):
    with pytest.raises(InvalidTypeError, match=message):
        LocalSearchMutation()(problem, population())
    if not isinstance(problem, AssignmentProblem):
        with pytest.raises(InvalidTypeError, match=message):
            TSPProblem(problem)
