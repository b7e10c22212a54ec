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

    A row has two keys in [0, 1] for each variable. The second half of the row gives the order of
    the assignments, by ascending keys. The first half gives the values: a key is mapped to a value
    by the inverse of the distribution function of the heuristic's weights in the state so far.
    Random keys thus encode rows distributed as those of `SuccessorSampling`. The evaluation decodes
    all rows of a generation in one batch, and the encoded problem evaluates them.

    A row encodes the same values on each backend. If the heuristic leaves a variable unassigned,
    its key chooses among all values with equal weights. If values are distinct and one is chosen
    twice, the first variable gets it, and the other one gets an unused value.

    Parameters
    ----------
    problem : pymoo problem or gpu_ls_plugin.Assignment
        An `AssignmentProblem`, or any pymoo problem of integers; its objectives and constraints
        remain.
    heuristic, backend
        As in `SuccessorSampling`.
    sampler : {"auto", "stored", "rescan"}
        As in `SuccessorGeneration.decode`.

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
        """Return the rows (P, n) that keys (P, 2 n) encode.

        Raises
        ------
        InvalidParameterError, InvalidTypeError
            Keys are not numbers from 0 to 1; the message names the row.
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
