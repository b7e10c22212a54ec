"""The operators of EvoTorch's adapter, for the suite."""

from __future__ import annotations

import importlib
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.adapters.face import NAMES, Face, Outcome, others

if TYPE_CHECKING:
    import gpu_ls_plugin as gls
    from tests.adapters.face import Rows

OF_PROBLEMS = ("starts", "assigned")  # operators that take a problem of gpu_ls_plugin


class EvoTorch(Face):
    """EvoTorch's operators change batches in place; random numbers are the problem's."""

    framework = "evotorch"

    def operators(self, problem: Any, seed: int = 1) -> dict[str, Any]:
        package = importlib.import_module("gpu_ls_evotorch")
        wrapped = package.DomainProblem(problem, backend="cpu", seed=seed)
        return {
            kind: partial(getattr(package, name), problem if kind in OF_PROBLEMS else wrapped)
            for kind, name in NAMES.items()
        }

    def mutated(self, kind: str, problem: Any, rows: Rows, seed: int, options: Any) -> Rows:
        operator = self.operators(problem, seed)[kind](**options)
        batch = batch_of(operator.problem, rows)
        operator(batch)
        return np.asarray(batch.values).astype(rows.dtype)

    def sampled(self, kind: str, problem: Any, size: int, seed: int, options: Any) -> Rows:
        from gpu_ls_evotorch import DomainProblem

        sampling = self.operators(problem)[kind](**options)
        wrapped = DomainProblem(problem, sampling, backend="cpu", seed=seed)
        return np.asarray(wrapped.generate_batch(size).values)

    def cross(self, problem: Any, part: Any, first: Rows, second: Rows, seed: int = 1) -> Rows:
        from gpu_ls_evotorch import DomainProblem, RecombinationCrossover

        wrapped = DomainProblem(problem, backend="cpu", seed=seed)
        parents = [batch_of(wrapped, rows).access_values() for rows in (first, second)]
        children = RecombinationCrossover(wrapped, part)._do_cross_over(*parents)
        assert len(children) == 2 * len(first)
        return np.asarray(children.values)[: len(first)]

    def costs(self, problem: Any, rows: Rows) -> list[float]:
        from gpu_ls_evotorch import DomainProblem

        wrapped = DomainProblem(problem, backend="cpu")
        batch = batch_of(wrapped, rows)
        wrapped.evaluate(batch)
        return batch.evals[:, 0].tolist()

    def run(
        self, problem: gls.TSP, seconds: float, generations: int = 10**6, search: Any = None
    ) -> Outcome:
        from evotorch.algorithms import GeneticAlgorithm

        from gpu_ls_evotorch import DomainProblem, RecombinationCrossover, TimedRun

        run = TimedRun(seconds)
        wrapped = DomainProblem(problem, lambda size, seed: others(problem, size), "cpu", seed=1)
        mutation = partial(self.operators(problem)["search"].func, wrapped)(search, run=run)
        crossover = RecombinationCrossover(wrapped, "order_recombination", tournament_size=3)
        mutation.prepare(50)
        ga = GeneticAlgorithm(wrapped, operators=[crossover, mutation], popsize=50)
        run.restart()
        begin, done = time.perf_counter(), 0
        while not run.over and done < generations:
            ga.step()
            done += 1
        seconds, best = time.perf_counter() - begin, wrapped.status["best"]
        return Outcome(seconds, float(best.evals[0]), np.asarray(best.values), done)


def batch_of(problem: Any, rows: Rows) -> Any:
    """Return rows as a batch of EvoTorch."""
    import torch
    from evotorch import SolutionBatch

    batch = SolutionBatch(problem, popsize=len(rows), empty=True)
    batch.set_values(torch.tensor(np.asarray(rows)))
    return batch
