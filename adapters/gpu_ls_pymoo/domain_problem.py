"""A wrapper that makes a problem of gpu_ls_plugin, of any domain, a pymoo problem."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from pymoo.core.problem import Problem

from gpu_ls_plugin.core import problem as problems
from gpu_ls_plugin.core.exceptions import InvalidTourError, InvalidTypeError
from gpu_ls_plugin.core.feasibility import violation
from gpu_ls_plugin.core.text import OWN_OBJECTIVE
from gpu_ls_plugin.evolution.batches.rows import as_tours
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters
from gpu_ls_plugin.runs.domain import domain_of
from gpu_ls_pymoo.recognition import require_own_evaluation
from gpu_ls_pymoo.view import View, plain

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_pymoo.view import Fitness, Rows

SAMPLE = 8  # number of rows whose evaluations are compared


class DomainProblem(View, ShownParameters, Problem):
    """A problem of any domain as a pymoo problem, with rows of integers, evaluated in batches.

    ``F`` is the cost. If rows can break constraints, the inequality constraint ``G`` is the amount
    by which they do. The domain of the problem gives the bounds of the variables.

    Parameters
    ----------
    problem : gpu_ls_plugin.Problem
        It becomes the attribute `problem`. If it knows its optimum, pymoo shows the gap.

    Raises
    ------
    InvalidTypeError
        `problem` is not a problem of gpu_ls_plugin, or has no domain.
    UnsupportedProblemError
        The domain of the problem has no bounds for the variables.
    """

    wraps: ClassVar[tuple[type, ...]] = (problems.Problem,)
    bare: ClassVar[bool] = True  # whether operators also take the problem without this wrapper

    def __init__(self, problem: problems.Problem) -> None:
        if not isinstance(problem, problems.Problem):
            raise InvalidTypeError(
                f"problem: {type(problem).__name__} is not a gpu_ls_plugin.Problem. {OWN_OBJECTIVE}"
            )
        self.problem = problem
        low, high = domain_of(problem).bounds(problem)
        self._shape(low, high, constraints=int(problem.constrained))

    def _shape(self, low: Any, high: Any, constraints: int) -> None:
        """Initialise the pymoo problem with bounds of variables and a number of constraints."""
        super().__init__(
            n_var=self.wrapped.n, n_obj=1, n_ieq_constr=constraints, xl=low, xu=high, vtype=int
        )

    @property
    def wrapped(self) -> problems.Problem:
        """The problem of gpu_ls_plugin."""
        return self.problem

    def known_problem(self) -> problems.Problem:
        """Return the problem of gpu_ls_plugin."""
        return self.for_algorithms()

    def for_operators(self) -> problems.Problem:
        """Return the problem in the form that operators take."""
        found = self.for_algorithms()
        return domain_of(found).for_operators(found)

    def for_algorithms(self) -> problems.Problem:
        """Return the problem of gpu_ls_plugin; raise if the pymoo problem evaluates differently."""
        kind = next(kind for kind in type(self).__mro__ if "wraps" in vars(kind))
        require_own_evaluation(self, kind, self._some_rows)
        return self.wrapped

    def knows_fitness(self) -> bool:
        """Return whether F is only the cost: subclasses may evaluate more."""
        return plain(self) and self._own

    def fitness(self, rows: Rows, costs: NDArray[Any] | None = None) -> Fitness | None:
        """Return F of solutions; None if it may differ from their cost."""
        if not self.knows_fitness():
            return None
        problem = self.for_operators()
        exact = costs if costs is not None and problem.integer else problem.cost(rows)
        return np.asarray(exact, dtype=np.float64)

    def published(self, costs: Any) -> Any:
        """Return costs as reports show them."""
        return self.wrapped.published(costs)

    @property
    def _own(self) -> bool:
        """Whether the class belongs to this package and is not a user's subclass."""
        return "wraps" in vars(type(self))

    def _some_rows(self) -> NDArray[Any]:
        """Return a few solutions whose evaluations can be compared with their costs."""
        random, shape, domain = (
            np.random.default_rng(0),
            (SAMPLE, self.n_var),
            domain_of(self.wrapped),
        )
        if domain.permutations and not getattr(self.wrapped, "front", ()):
            return random.permuted(np.tile(np.arange(self.n_var), (SAMPLE, 1)), axis=1)
        drawn = random.integers(self.xl, np.asarray(self.xu) + 1, shape)
        right = [row for row in drawn if self._is_row(row)]
        return np.array([*domain.some_rows(self.wrapped, 1), *right], np.int32)

    def _is_row(self, row: NDArray[Any]) -> bool:
        try:
            self.wrapped.check(row)
        except InvalidTourError:
            return False
        return True

    def _evaluate(self, rows: Any, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        solutions = as_tours(rows)
        out["F"] = self.wrapped.cost(solutions)
        if self.n_ieq_constr:
            out["G"] = violation(self.wrapped, solutions)

    def _calc_pareto_front(self, *args: Any, **kwargs: Any) -> Any:
        return (
            None
            if self.wrapped.optimum is None
            else np.array([[self.wrapped.optimum]], dtype=float)
        )

    def name(self) -> str:
        """Return the instance's name."""
        return self.wrapped.name or super().name()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # immutable, so all generations of a saved history can share it
