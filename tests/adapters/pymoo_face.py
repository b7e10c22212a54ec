"""The operators of pymoo's adapter, for the suite."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

import gpu_ls_plugin as gls
from tests.adapters.face import NAMES, Face, Outcome

if TYPE_CHECKING:
    from tests.adapters.face import Rows


class Pymoo(Face):
    """pymoo's operators get the problem in each call."""

    framework = "pymoo"

    def operators(self, problem: Any) -> dict[str, Any]:
        import gpu_ls_pymoo

        return {kind: getattr(gpu_ls_pymoo, name) for kind, name in NAMES.items()}

    def mutated(self, kind: str, problem: Any, rows: Rows, seed: int, options: Any) -> Rows:
        from pymoo.core.evaluator import Evaluator
        from pymoo.core.population import Population

        run = SimpleNamespace(evaluator=Evaluator(), data={}, repair=None, mating=None)
        run.termination = SimpleNamespace(force_termination=False, perc=0.0)
        pop = Population.new("X", rows.copy())
        mutation = self.operators(problem)[kind](**options)
        mutation(self.problem(problem), pop, algorithm=run, seed=seed)
        return pop.get("X")

    def sampled(self, kind: str, problem: Any, size: int, seed: int, options: Any) -> Rows:
        sampling = self.operators(problem)[kind](**options)
        return sampling(self.problem(problem), size, seed=seed).get("X")

    def cross(self, problem: Any, part: Any, first: Rows, second: Rows, seed: int = 1) -> Rows:
        from pymoo.core.population import Population

        from gpu_ls_pymoo import RecombinationCrossover

        pop = Population.new("X", [*first, *second])
        pairs = np.arange(len(pop)).reshape(2, -1).T
        children = RecombinationCrossover(part)(
            self.problem(problem), pop, pairs, random_state=np.random.default_rng(seed)
        )
        return children.get("X")

    def costs(self, problem: Any, rows: Rows) -> list[float]:
        return self.problem(problem).evaluate(rows, return_as_dictionary=True)["F"][:, 0].tolist()

    def run(
        self, problem: gls.TSP, seconds: float, generations: int = 10**6, search: Any = None
    ) -> Outcome:
        from pymoo.algorithms.soo.nonconvex.ga import GA
        from pymoo.operators.crossover.ox import OrderCrossover
        from pymoo.operators.sampling.rnd import PermutationRandomSampling
        from pymoo.optimize import minimize
        from pymoo.termination import get_termination
        from pymoo.termination.collection import TerminationCollection

        mutation = self.operators(problem)["search"](search)
        mutation.prepare(self.problem(problem), 50)
        algorithm = GA(
            pop_size=50,
            sampling=PermutationRandomSampling(),
            crossover=OrderCrossover(),
            mutation=mutation,
        )
        limits = (("time", seconds), ("n_gen", generations))
        ends = TerminationCollection(*(get_termination(*limit) for limit in limits))
        begin = time.perf_counter()
        result = minimize(self.problem(problem), algorithm, ends, seed=1)
        seconds = time.perf_counter() - begin
        return Outcome(seconds, float(result.F[0]), result.X, result.algorithm.n_gen - 1)

    def problem(self, problem: Any) -> Any:
        from gpu_ls_pymoo import AssignmentProblem, CVRPProblem, DomainProblem, TSPProblem

        if isinstance(problem, gls.Sequence):
            return DomainProblem(problem)
        if isinstance(problem, gls.Assignment):
            return AssignmentProblem(problem)
        return CVRPProblem(problem) if isinstance(problem, gls.CVRP) else TSPProblem(problem)
