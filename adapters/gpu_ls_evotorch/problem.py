"""A problem of gpu_ls_plugin as a problem of EvoTorch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from evotorch import Problem

from gpu_ls_evotorch.values import array_of, device_for, random_state, tensor_of
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.arrays import on_gpu, on_host, take_tours
from gpu_ls_plugin.core import problem as problems
from gpu_ls_plugin.core.exceptions import InvalidTypeError, UnsupportedProblemError
from gpu_ls_plugin.evolution.batches.rows import checked_rows
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters
from gpu_ls_plugin.evolution.tour_costs import problem_for_operators
from gpu_ls_plugin.plugins.loader import plugins
from gpu_ls_plugin.runs.domain import domain_of

if TYPE_CHECKING:
    from collections.abc import Callable


class DomainProblem(ShownParameters, Problem):
    """A problem of gpu_ls_plugin whose solutions are rows of int32, evaluated in batches.

    The population is on the GPU if there is one and torch can use it. Without constraints, it is
    evaluated there, too. A row that breaks a constraint costs more than all feasible rows, as in
    the adapters of PyGAD and DEAP.

    Parameters
    ----------
    problem : object
        A TSP, a CVRP (solutions are giant tours), a sequence problem such as a `FlowShop`, an
        assignment problem, or an object that a plugin converts.
    sampling : callable, optional
        Makes initial populations: a `LocalSearchSampling`, or ``sampling(size, seed)`` that returns
        rows. None: random permutations, made on the device. Problems whose rows are not
        permutations need one, such as `SuccessorSampling`.
    backend : {"auto", "cpu", "cuda"}
        Decides the device of the population.
    seed : int, optional
        Seed of the random numbers of the problem and its operators; None: torch's generator.

    Raises
    ------
    InvalidTypeError
        No plugin knows the type of `problem`.
    UnsupportedProblemError
        The problem has several objectives.
    """

    def __init__(
        self,
        problem: object,
        sampling: Callable[..., Any] | None = None,
        backend: str = "auto",
        seed: int | None = None,
    ) -> None:
        found = problem if isinstance(problem, problems.Problem) else plugins.problem_from(problem)
        self.problem, self.sampling, self.backend = found, sampling, backend
        self.evaluated = _form_of(found)  # the form whose rows are the solutions
        super().__init__(
            objective_sense="min",
            bounds=domain_of(found).bounds(found),
            solution_length=self.evaluated.n,
            dtype=torch.int32,
            eval_dtype=torch.float64,  # exact for integer costs
            device=device_for(get_backend(backend)),
            seed=seed,
            store_solution_stats=True,
        )

    def known_problem(self) -> problems.Problem:
        """Return the problem of gpu_ls_plugin; raise if a subclass evaluates rows differently."""
        if type(self)._evaluate_batch is not DomainProblem._evaluate_batch:
            raise UnsupportedProblemError(
                f"problem: {type(self).__name__} has an _evaluate_batch of its own, which a search "
                "would ignore; write additional costs as a gpu_ls_plugin.extend.Objective and "
                "search problem.under(objective)"
            )
        return self.problem

    def _fill(self, values: Any) -> None:
        """Fill a tensor with an initial population."""
        size, domain = len(values), domain_of(self.evaluated)
        if self.sampling is not None:
            seed = int(random_state(self).integers(2**63))
            rows = tensor_of(np.asarray(self.sampling(size, seed)))
        elif domain.permutations:
            drawn = self.make_uniform((size, self.solution_length), dtype=torch.float64)
            order = array_of(drawn.argsort(dim=1).to(torch.int32))
            xp = get_backend(self.backend).xp if on_gpu(order) else np
            rows = tensor_of(domain.with_fixed(self.evaluated, xp, order))
        else:
            raise UnsupportedProblemError(
                f"problem: random rows of {self.problem!r:.80} cannot be drawn; pass a sampling, "
                "such as SuccessorSampling(problem)"
            )
        values[:] = rows.to(values.device)

    def _evaluate_batch(self, batch: Any) -> None:
        """Evaluate all solutions; if one is not a row of the problem, the error names it."""
        problem, domain = self.evaluated, domain_of(self.evaluated)
        rows = array_of(batch.values)
        if on_gpu(rows) and domain.permutations and not problem.constrained:
            backend = get_backend("cuda", rows.device.id)
            with backend.current():
                costs = domain.searched_costs(problem, backend, take_tours(backend, problem, rows))
        else:
            costs = domain.fitness(problem, checked_rows(problem, on_host(rows), "solutions"))
        batch.set_evals(tensor_of(costs).to(batch.device, self.eval_dtype))


def _form_of(problem: problems.Problem) -> problems.Problem:
    """Return the form of a problem that operators take; itself if its rows are states."""
    try:
        return problem_for_operators(problem)
    except InvalidTypeError:
        return problem
