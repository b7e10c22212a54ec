"""A domain of somebody else, with rows of 0 and 1 and nothing but what a domain must have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.core.problem import Problem as PymooProblem
from pymoo.operators.crossover.ux import UniformCrossover
from pymoo.operators.sampling.rnd import IntegerRandomSampling
from pymoo.optimize import minimize

from gpu_ls_plugin.core.exceptions import InvalidTourError
from gpu_ls_plugin.core.problem import Problem
from gpu_ls_plugin.core.registry import Part, registry
from gpu_ls_plugin.core.result import Result, Statistics
from gpu_ls_plugin.evolution.diversity import different, distance, entropy
from gpu_ls_plugin.extend import hookimpl
from gpu_ls_plugin.plugins.loader import plugins
from gpu_ls_plugin.runs.domain import Domain
from gpu_ls_plugin.runs.settings import Settings
from gpu_ls_pymoo import LocalSearchMutation, LocalSearchSampling, MemeticGA

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


class MaximumCut(Problem):
    """Rows say on which side of the cut each node is; the sides have no names."""

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
    """Move one node to the other side as long as that makes a cut larger."""

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
    plugin = Theirs()
    plugins._manager.register(plugin)
    weights = np.triu(np.random.default_rng(1).integers(0, 2, (24, 24)), 1)
    yield MaximumCut(weights + weights.T)
    plugins._manager.unregister(plugin)
    registry.remove_owner("theirs")


def test_populations_are_compared_by_positions(cut: MaximumCut) -> None:
    rows = coins(cut, 4, 1, "cpu")
    both = np.concatenate([rows, 1 - rows])  # the same cuts
    assert different(cut, both) == 4
    assert distance(cut, both, both[0])[[0, 4]].tolist() == [0, 0]
    assert entropy(cut, both[[0, 4]]) == 0


@pytest.mark.parametrize("own", [True, False])
def test_algorithms_of_pymoo_search_its_rows(cut: MaximumCut, own: bool) -> None:
    operators = {"crossover": UniformCrossover(), "mutation": LocalSearchMutation()}
    plain = GA(20, IntegerRandomSampling(), **operators)
    warm = MemeticGA(20, sampling=LocalSearchSampling())
    found = minimize(CutOfPymoo(cut), warm if own else plain, ("n_gen", 4), seed=1)
    rows = found.pop.get("X")
    assert np.array_equal(found.pop.get("F")[:, 0], cut.cost(rows))
    assert len(np.unique(cut.canonical(rows), axis=0)) == len(rows)
    assert found.F[0] <= Flips()(cut, coins(cut, 50, 9, "cpu")).costs.min()
