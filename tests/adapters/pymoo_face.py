"""pymoo as the suite sees it."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

import gpu_ls_plugin as gls
from tests.adapters.face import NAMES, Outcome

if TYPE_CHECKING:
    from tests.adapters.face import Rows


class Pymoo:
    """pymoo hands the problem to its operators."""

    framework = "pymoo"

    def operators(self, problem: Any) -> dict[str, Any]:
        import gpu_ls_pymoo

        return {kind: getattr(gpu_ls_pymoo, name) for kind, name in NAMES.items()}

    def search(self, problem: Any, rows: Rows, seed: int = 1, **options: Any) -> Rows:
        return self.mutated("search", problem, rows, seed, options)

    def kick(self, problem: Any, rows: Rows, seed: int = 1, **options: Any) -> Rows:
        return self.mutated("kick", problem, rows, seed, options)

    def perturb(self, problem: Any, part: Any, rows: Rows, seed: int = 1, **options: Any) -> Rows:
        return self.mutated("perturb", problem, rows, seed, {"part": part, **options})

    def mutated(self, kind: str, problem: Any, rows: Rows, seed: int, options: Any) -> Rows:
        from pymoo.core.evaluator import Evaluator
        from pymoo.core.population import Population

        run = SimpleNamespace(evaluator=Evaluator(), data={}, repair=None, mating=None)
        run.termination = SimpleNamespace(force_termination=False, perc=0.0)
        pop = Population.new("X", rows.copy())
        mutation = self.operators(problem)[kind](**options)
        mutation(self.problem(problem), pop, algorithm=run, seed=seed)
        return pop.get("X")

    def cross(self, problem: Any, part: Any, first: Rows, second: Rows, seed: int = 1) -> Rows:
        from pymoo.core.population import Population

        from gpu_ls_pymoo import RecombinationCrossover

        pop = Population.new("X", [*first, *second])
        pairs = np.arange(len(pop)).reshape(2, -1).T
        children = RecombinationCrossover(part)(
            self.problem(problem), pop, pairs, random_state=np.random.default_rng(seed)
        )
        return children.get("X")

    def starts(self, problem: Any, size: int, seed: int = 1, **options: Any) -> Rows:
        sampling = self.operators(problem)["starts"](**options)
        return sampling(self.problem(problem), size, seed=seed).get("X")

    def reassign(self, problem: Any, rows: Rows, seed: int = 1, **options: Any) -> Rows:
        return self.mutated("reassign", problem, rows, seed, options)

    def assigned(self, problem: Any, size: int, seed: int = 1, **options: Any) -> Rows:
        sampling = self.operators(problem)["assigned"](**options)
        state = np.random.default_rng(seed)
        return sampling(self.problem(problem), size, random_state=state).get("X")

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
        from gpu_ls_pymoo import AssignmentProblem, CVRPProblem, TSPProblem

        if isinstance(problem, gls.Assignment):
            return AssignmentProblem(problem)
        return CVRPProblem(problem) if isinstance(problem, gls.CVRP) else TSPProblem(problem)
