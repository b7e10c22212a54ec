"""Integer variables for real-coded algorithms: random keys, decoded by successor generation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from pymoo.core.problem import Problem

from gpu_ls_plugin.assignment.plan.reassignment import Reassignment
from gpu_ls_plugin.assignment.problem.assignment import Assignment
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters
from gpu_ls_pymoo.assignment import AssignmentProblem, domains_of
from gpu_ls_pymoo.clock import on_clock
from gpu_ls_pymoo.successors import rows_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.assignment.heuristics.base import Heuristic


class SuccessorKeysProblem(ShownParameters, Problem):
    """Integer variables for BRKGA, DE, PSO, CMA-ES and other algorithms over real numbers.

    A row is two keys in [0, 1] for each variable. The second half says in which order variables
    are assigned, the least first. The first half chooses their values, each by the inverse of the
    distribution function that the heuristic's weights have in the state as it is then: so keys
    drawn at random stand for rows as `SuccessorSampling` makes them. A generation is decoded in
    one batch, as a part of the evaluation, and evaluated by the problem that is encoded.

    A row stands for the same values everywhere. Of a variable that the heuristic leaves unassigned,
    the key chooses among all values alike. Where values are distinct, the first variable has a
    value that is chosen twice, and the others get what is left.

    Parameters
    ----------
    problem : pymoo problem or gpu_ls_plugin.Assignment
        An `AssignmentProblem`, or any pymoo problem of integers, with objectives and constraints
        as it has them.
    heuristic, backend
        As of `SuccessorSampling`.
    sampler : {"auto", "stored", "rescan"}
        As of `SuccessorGeneration.decode`.

    Raises
    ------
    InvalidTypeError, InvalidProblemError, InvalidParameterError
        The variables of `problem` are not integers, or another parameter is out of range.
    """

    def __init__(
        self,
        problem: Any,
        heuristic: Heuristic | None = None,
        sampler: str = "auto",
        backend: str = "auto",
    ) -> None:
        self.reassign = Reassignment(heuristic, sampler, backend=backend)
        self.inner = AssignmentProblem(problem) if isinstance(problem, Assignment) else problem
        super().__init__(
            n_var=2 * domains_of(self.inner).problem.n,
            n_obj=self.inner.n_obj,
            n_ieq_constr=self.inner.n_ieq_constr,
            n_eq_constr=self.inner.n_eq_constr,
            xl=0.0,
            xu=1.0,
            vtype=float,
            requires_kwargs=True,  # the algorithm, for its clock
        )

    def prepare(self, size: int = 1) -> None:
        """Compile ahead of a timed run; any `size` works."""
        self.decode(np.zeros(self.n_var))

    def decode(self, keys: ArrayLike) -> NDArray[Any]:
        """Return the rows (P, n) of the encoded problem that keys (P, 2 n) stand for.

        Raises
        ------
        InvalidParameterError, InvalidTypeError
            Keys are not numbers from 0 to 1; the row is named.
        """
        domains, given = domains_of(self.inner), np.atleast_2d(np.asarray(keys, np.float64))
        states = self.reassign.decode(domains, given)
        return rows_of(self.inner, domains, states)

    def name(self) -> str:
        """Return the name of the problem that is encoded."""
        return str(self.inner.name())

    def _evaluate(
        self, keys: Any, out: dict[str, Any], *args: Any, algorithm: Any = None, **kwargs: Any
    ) -> None:
        with on_clock(algorithm):
            rows = self.decode(keys)
        out.update(self.inner.evaluate(rows, return_as_dictionary=True))

    def _calc_pareto_front(self, *args: Any, **kwargs: Any) -> Any:
        return self.inner.pareto_front()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # immutable, as `TSPProblem`
