"""A plugin's domain whose rows have values 0 and 1, and which has only the required methods."""

from __future__ import annotations

import copy
import math
import pickle
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.core.problem import Problem as PymooProblem
from pymoo.operators.crossover.ux import UniformCrossover
from pymoo.operators.sampling.rnd import IntegerRandomSampling
from pymoo.optimize import minimize

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import (
    InvalidTourError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.core.problem import Problem
from gpu_ls_plugin.core.registry import Part, registry
from gpu_ls_plugin.core.result import Result, Statistics
from gpu_ls_plugin.evolution.diversity import different, distance, entropy
from gpu_ls_plugin.extend import hookimpl
from gpu_ls_plugin.plugins.loader import plugins
from gpu_ls_plugin.runs.domain import Domain
from gpu_ls_plugin.runs.settings import Settings
from gpu_ls_pymoo import (
    DomainProblem,
    LocalSearchMutation,
    LocalSearchSampling,
    MemeticGA,
    TSPProblem,
    as_tsp,
)
from gpu_ls_pymoo.problems import fitness
from tests.helpers.new_packages import new_package

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


class MaximumCut(Problem):
    """Rows give the side of the cut on which each node is; exchanged sides are the same cut."""

    integer = True

    def __init__(self, weights: NDArray[Any]) -> None:
        self.weights, self.n = weights, len(weights)

    def check(self, rows: Any, /, *, parameter: str = "rows") -> NDArray[np.int32]:
        found = np.ascontiguousarray(np.atleast_2d(rows), np.int32)
        if found.shape[1] != self.n or not np.isin(found, (0, 1)).all():
            raise InvalidTourError(f"{parameter}: not rows of {self.n} zeros and ones")
        return found

    def cost(self, rows: Any, /) -> NDArray[Any]:
        sides = 2 * self.check(rows) - 1
        return -((self.weights.sum() - ((sides @ self.weights) * sides).sum(axis=1)) // 4)

    def canonical(self, rows: Any, /) -> NDArray[np.int32]:
        rows = self.check(rows)
        return rows ^ rows[:, :1]


class Flips:
    """Moves single nodes to the other side as long as that makes a cut larger."""

    def __call__(self, problem: MaximumCut, rows: Any, **options: Any) -> Result:
        found, budget = problem.check(rows).copy(), options.get("budget")
        for row in found:
            while budget is None or budget.moves != 0:
                sides = 2 * row - 1
                gains = sides * (problem.weights @ sides)
                if gains.max() <= 0:
                    break
                row[gains.argmax()] ^= 1
        return Result(found, problem.cost(found), Statistics(backend="cpu"))


def coins(problem: Problem, size: int, seed: int, backend: str) -> NDArray[np.int32]:
    return np.random.default_rng(seed).integers(0, 2, (size, problem.n)).astype(np.int32)


class Cuts(Domain):
    name = "cuts"
    problems = (MaximumCut,)

    def settings(self, problem: Any, request: Any) -> Settings:
        return Settings(search=Flips(), start="coins", population=20, backend="cpu")

    def stages(self, problem: Any, request: Any, chosen: Settings) -> tuple[Any, ...]:
        return (self.main_stage(problem, problem, chosen),)


class CutOfPymoo(PymooProblem):
    def __init__(self, cut: MaximumCut) -> None:
        super().__init__(n_var=cut.n, n_obj=1, xl=0, xu=1, vtype=int)
        self.cut = cut

    def _evaluate(self, rows: Any, out: Any, *args: Any, **kwargs: Any) -> None:
        out["F"] = self.cut.cost(rows).astype(float)


class Theirs:
    @hookimpl
    def gpu_ls_problem_from(self, obj: object) -> Problem | None:
        return obj.cut if isinstance(obj, CutOfPymoo) else None


@pytest.fixture
def cut() -> Iterator[MaximumCut]:
    list(registry.parts("domain"))  # loads the others
    registry.register(Part("domain", "cuts", Cuts, "theirs"))
    registry.register(Part("construction", "coins", coins, "theirs"))
    plugins.add(Theirs(), "theirs")
    weights = np.triu(np.random.default_rng(1).integers(0, 2, (24, 24)), 1)
    yield MaximumCut(weights + weights.T)
    plugins.clear()


def test_many_problems_of_the_domain_are_solved_in_one_call(cut):
    cuts = [cut, MaximumCut(cut.weights[:9, :9])]
    given = np.ones((3, 9), int)
    given[1:, :4] = 0
    found = gls.solve_many(
        [*cuts, gls.TSP(np.eye(2))], math.inf, kicks=2, start=[None, given, None]
    )
    every = np.array(list(product((0, 1), repeat=9)))
    assert found.costs[1] == cuts[1].cost(every).min() and found.costs[2] > 0
    for problem, row, cost in zip(cuts, found.tours, found.costs, strict=False):
        assert problem.cost(row)[0] == cost
    none = gls.solve_many(cuts, 0.0, start=[cut.check(found.tours[0]), None])
    assert none.costs[0] == found.costs[0] and none.statistics.stopped_by == "seconds"


def test_populations_are_compared_by_positions(cut):
    rows = coins(cut, 4, 1, "cpu")
    both = np.concatenate([rows, 1 - rows])  # the same cuts
    assert different(cut, both) == 4
    assert distance(cut, both, both[0])[[0, 4]].tolist() == [0, 0]
    assert entropy(cut, both[[0, 4]]) == 0


@pytest.mark.parametrize("own", [True, False])
def test_algorithms_of_pymoo_search_its_rows(cut, own):
    operators = {"crossover": UniformCrossover(), "mutation": LocalSearchMutation()}
    plain = GA(20, IntegerRandomSampling(), **operators)
    warm = MemeticGA(20, sampling=LocalSearchSampling())
    found = minimize(CutOfPymoo(cut), warm if own else plain, ("n_gen", 4), seed=1)
    rows = found.pop.get("X")
    assert np.array_equal(found.pop.get("F")[:, 0], cut.cost(rows))
    assert len(np.unique(cut.canonical(rows), axis=0)) == len(rows)
    assert found.F[0] <= Flips()(cut, coins(cut, 50, 9, "cpu")).costs.min()


class CutsBetween(Cuts):
    """A domain that gives bounds, so that `DomainProblem` can wrap its problems."""

    problems = (MaximumCut,)

    def bounds(self, problem: Any) -> tuple[Any, Any]:
        return 0, 1


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Return the package that ``gpu-ls new`` writes for a domain, as a plugin."""
    with new_package("largest_cut", "domain", tmp_path_factory.mktemp("new")) as package:
        plugins.add(package, "largest_cut")
        yield package
        plugins.clear()


@pytest.fixture
def graph(written: Any) -> Any:
    random = np.random.default_rng(3)
    edges = [pair for pair in combinations(range(30), 2) if random.random() < 0.4]
    return written.LargestCutProblem(30, edges, random.integers(1, 10, len(edges)), name="graph")


def best_cut(graph: Any) -> int:
    return int(gls.solve(graph, seconds=20, kicks=200, population=8, seed=1).best_cost)


def test_a_wrapped_problem_is_one_of_pymoo(graph):
    problem = DomainProblem(graph)
    rows = np.random.default_rng(1).integers(0, 2, (5, 30))
    assert np.array_equal(problem.evaluate(rows)[:, 0], graph.cost(rows))
    assert (problem.n_constr, problem.vtype, problem.name()) == (0, int, "graph")
    assert (problem.xl == 0).all() and (problem.xu == 1).all()
    assert as_tsp(problem) is as_tsp(graph) is plugins.problem_from(problem) is graph
    assert repr(problem).startswith("DomainProblem(problem=")
    assert copy.deepcopy(problem) is problem
    assert np.array_equal(
        pickle.loads(pickle.dumps(problem)).evaluate(rows), problem.evaluate(rows)
    )
    with pytest.raises(InvalidTourError, match="row 0"):
        problem.evaluate(rows + 2)


def test_generations_of_wrapped_rows_stay_on_the_device(graph):
    one = minimize(DomainProblem(graph), MemeticGA(8), ("n_gen", 5), seed=1)
    assert one.algorithm.evolution is not None
    assert one.F[0] == graph.cost(one.X)[0] == best_cut(graph)
    rows = one.pop.get("X")
    assert np.array_equal(one.pop.get("F")[:, 0], graph.cost(rows))
    assert len(np.unique(rows, axis=0)) == len(rows)
    assert one.data["local_search"].kicks > 0


def test_columns_have_the_gap_and_the_entropy(graph):
    graph.optimum = best_cut(graph)
    found = minimize(DomainProblem(graph), MemeticGA(8), ("n_gen", 5), seed=1)
    output = found.algorithm.output
    output.initialize(found.algorithm)
    output.update(found.algorithm)
    above = 100 * (found.F[0] - graph.optimum) / abs(graph.optimum)
    assert output.gap in output.columns and output.gap.value == f"{above:.3f}"
    assert float(output.entropy.value) >= 0


def test_a_subclass_with_other_costs_is_refused(graph):
    class Twice(DomainProblem):
        def _evaluate(self, rows: Any, out: Any, *args: Any, **kwargs: Any) -> None:
            super()._evaluate(rows, out)
            out["F"] = 2 * out["F"]

    class Same(DomainProblem):
        pass

    with pytest.raises(UnsupportedProblemError, match="Twice does not evaluate rows as"):
        as_tsp(Twice(graph))
    assert as_tsp(Same(graph)) is graph
    assert fitness(Same(graph), np.zeros((1, 30), np.int32)) is None


def test_constraints_are_pymoos(cut):
    class Balanced(MaximumCut):
        constrained = True

        def feasible(self, rows: Any, /) -> NDArray[np.bool_]:
            return np.asarray(self.check(rows).sum(axis=1) == self.n // 2)

    registry.register(Part("domain", "cuts_between", CutsBetween, "theirs"))
    problem = DomainProblem(Balanced(cut.weights))
    rows = np.tile(np.arange(24) % 2, (2, 1))
    rows[1, 0] = 1
    assert problem.evaluate(rows, return_as_dictionary=True)["G"].tolist() == [[0], [1]]
    algorithm = MemeticGA(10)
    found = minimize(problem, algorithm, ("n_gen", 3), seed=1)
    assert algorithm.evolution is None and problem.problem.feasible(found.X).all()


def test_only_problems_with_bounds_are_wrapped(cut):
    with pytest.raises(UnsupportedProblemError, match=r"add a method bounds.* to its domain, Cuts"):
        DomainProblem(cut)
    with pytest.raises(InvalidTypeError, match=r"int is not a gpu_ls_plugin\.Problem"):
        DomainProblem(5)
    with pytest.raises(InvalidTypeError, match=r"pass gpu_ls_pymoo\.DomainProblem\(problem\)"):
        TSPProblem(cut)


@pytest.mark.parametrize("kind", ["tours", "routes", "states"])
def test_problems_of_built_in_domains_are_wrapped_as_well(kind):
    points = np.random.default_rng(2).random((9, 2)) * 100
    problem: Any = {
        "tours": gls.TSP(points),
        "routes": gls.CVRP(points, [0, *range(1, 9)], 15),
        "states": gls.GraphColouring(9, [(0, 1), (1, 2)], colours=3),
    }[kind]
    wrapped = DomainProblem(problem)
    rows = np.stack([np.random.default_rng(seed).permutation(problem.n) for seed in range(3)])
    rows = rows % 3 if kind == "states" else rows
    assert wrapped.evaluate(rows, return_as_dictionary=True)["F"][:, 0].tolist() == (
        problem.cost(rows).tolist()
    )
    assert wrapped.xu.max() == (2 if kind == "states" else problem.n - 1)
