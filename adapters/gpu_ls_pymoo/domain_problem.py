"""Problems of gpu_ls_plugin as pymoo problems, whatever their domain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from pymoo.core.problem import Problem

from gpu_ls_plugin.core import problem as problems
from gpu_ls_plugin.core.exceptions import InvalidTourError, InvalidTypeError
from gpu_ls_plugin.core.feasibility import violation
from gpu_ls_plugin.evolution.batches.rows import as_tours
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters
from gpu_ls_plugin.runs.domain import domain_of
from gpu_ls_pymoo.recognition import require_own_evaluation
from gpu_ls_pymoo.view import View, plain

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_pymoo.view import Fitness, Rows

SAMPLE = 8  # rows by which an evaluation is recognised


class DomainProblem(View, ShownParameters, Problem):
    """A problem of any domain as a pymoo problem: rows of integers, evaluated all at once.

    ``F`` is the cost. If rows can break constraints, one inequality constraint ``G`` says by how
    much. Bounds of the variables are those that the domain of the problem says.

    Parameters
    ----------
    problem : gpu_ls_plugin.Problem
        Kept as it is in `problem`. If it knows its optimum, pymoo shows the gap.

    Raises
    ------
    InvalidTypeError
        `problem` is not a problem of gpu_ls_plugin, or no domain serves it.
    UnsupportedProblemError
        Its domain does not say which values its rows have.
    """

    wraps: ClassVar[tuple[type, ...]] = (problems.Problem,)
    bare: ClassVar[bool] = True  # whether operators take what it wraps without it, too

    def __init__(self, problem: problems.Problem) -> None:
        if not isinstance(problem, problems.Problem):
            raise InvalidTypeError(
                f"problem: {type(problem).__name__} is not a gpu_ls_plugin.Problem"
            )
        self.problem = problem
        low, high = domain_of(problem).bounds(problem)
        self._shape(low, high, constraints=int(problem.constrained))

    def _shape(self, low: Any, high: Any, constraints: int) -> None:
        """Be a pymoo problem with these bounds of variables, and so many constraints."""
        super().__init__(
            n_var=self.ours.n, n_obj=1, n_ieq_constr=constraints, xl=low, xu=high, vtype=int
        )

    @property
    def ours(self) -> problems.Problem:
        """The problem of gpu_ls_plugin."""
        return self.problem

    def answer(self) -> problems.Problem:
        """Return the problem of gpu_ls_plugin."""
        return self.solved()

    def varied(self) -> problems.Problem:
        """Return the problem whose rows operators vary, as its domain says."""
        found = self.solved()
        return domain_of(found).for_operators(found)

    def solved(self) -> problems.Problem:
        """Return the problem of gpu_ls_plugin, if this one evaluates the same as it."""
        kind = next(kind for kind in type(self).__mro__ if "wraps" in vars(kind))
        require_own_evaluation(self, kind, self._some_rows)
        return self.ours

    def knows_fitness(self) -> bool:
        """Return whether F is the cost alone: subclasses may evaluate more."""
        return plain(self) and self._own

    def fitness(self, rows: Rows, costs: NDArray[Any] | None = None) -> Fitness | None:
        """Return F of solutions, None if there is more to it than their cost."""
        if not self.knows_fitness():
            return None
        problem = self.varied()
        exact = costs if costs is not None and problem.integer else problem.cost(rows)
        return np.asarray(exact, dtype=np.float64)

    @property
    def _own(self) -> bool:
        """Whether this is no subclass of what wraps such problems."""
        return "wraps" in vars(type(self))

    def _some_rows(self) -> NDArray[Any]:
        """Return a few solutions, by which an evaluation can be told from the cost."""
        random, shape, domain = np.random.default_rng(0), (SAMPLE, self.n_var), domain_of(self.ours)
        if domain.permutations:
            return random.permuted(np.tile(np.arange(self.n_var), (SAMPLE, 1)), axis=1)
        drawn = random.integers(self.xl, np.asarray(self.xu) + 1, shape)
        right = [row for row in drawn if self._is_row(row)]
        return np.array([*domain.some_rows(self.ours, 1), *right], np.int32)

    def _is_row(self, row: NDArray[Any]) -> bool:
        try:
            self.ours.check(row)
        except InvalidTourError:
            return False
        return True

    def _evaluate(self, rows: Any, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        solutions = as_tours(rows)
        out["F"] = self.ours.cost(solutions)
        if self.n_ieq_constr:
            out["G"] = violation(self.ours, solutions)

    def _calc_pareto_front(self, *args: Any, **kwargs: Any) -> Any:
        return None if self.ours.optimum is None else np.array([[self.ours.optimum]], dtype=float)

    def name(self) -> str:
        """Return the instance's name."""
        return self.ours.name or super().name()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # immutable: a saved history of a thousand generations holds one problem
