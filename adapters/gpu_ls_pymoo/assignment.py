"""Assignment problems as pymoo problems, and pymoo's integer variables as domains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from pymoo.core.problem import Problem

from gpu_ls_plugin.assignment.plan.domains import Domains
from gpu_ls_plugin.assignment.problem.assignment import Assignment
from gpu_ls_plugin.core.exceptions import InvalidTypeError
from gpu_ls_plugin.core.feasibility import violation
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters
from gpu_ls_pymoo.remembered import Remembered

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


class AssignmentProblem(ShownParameters, Problem):
    """An assignment problem as a pymoo problem: a value for each variable, all rows at once.

    ``F`` is the cost. If the problem has constraints, one inequality constraint ``G`` says by how
    much a row breaks them: the problem's ``excess(rows)``, which is 1 for each infeasible row
    unless the problem overrides it.

    Parameters
    ----------
    problem : gpu_ls_plugin.Assignment
        Kept as it is in `problem`. If it knows its optimum, pymoo shows the gap. Rows of one whose
        values are `distinct` are permutations, for pymoo's operators of permutations.

    Raises
    ------
    InvalidTypeError
        `problem` is not an `Assignment`.
    """

    def __init__(self, problem: Assignment) -> None:
        if not isinstance(problem, Assignment):
            raise InvalidTypeError(
                f"problem: {type(problem).__name__} is not a gpu_ls_plugin.Assignment; problems of "
                "pymoo with integer variables need no wrapper"
            )
        self.problem = problem
        self.domains = Domains.of(problem)
        super().__init__(
            n_var=problem.n,
            n_obj=1,
            n_ieq_constr=int(_has_constraints(problem)),
            xl=0,
            xu=self.domains.highest,
            vtype=int,
        )

    def _evaluate(self, rows: Any, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        states = self.domains.states(rows)
        out["F"] = np.asarray(self.problem.cost(states), np.float64)
        if self.n_ieq_constr:
            out["G"] = violation(self.problem, states)

    def states(self, rows: ArrayLike) -> NDArray[np.int32]:
        """Return rows, such as ``result.X``, as states (P, n) of the problem.

        Raises
        ------
        InvalidTourError, InvalidTypeError
            A row is not one of the problem's; it is named.
        """
        return self.domains.states(rows)

    def _calc_pareto_front(self, *args: Any, **kwargs: Any) -> Any:
        optimum = self.problem.optimum
        return None if optimum is None else np.array([[optimum]], dtype=float)

    def name(self) -> str:
        """Return the instance's name."""
        return self.problem.name or super().name()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # immutable, as `TSPProblem`


def _has_constraints(problem: Assignment) -> bool:
    """Whether more is asked for than that every variable has a value."""
    own = type(problem)
    return own.excess is not Assignment.excess or own.feasible is not Assignment.feasible


def domains_of(problem: Any) -> Domains:
    """Return the variables of a pymoo problem and their values.

    Parameters
    ----------
    problem : pymoo problem
        An `AssignmentProblem`, or one with bounds and ``vtype=int`` or ``bool``. What is found is
        kept until the problem is destroyed.

    Raises
    ------
    InvalidTypeError
        It is another object, or its variables are not integers.
    InvalidProblemError
        Bounds are not whole numbers, or too far from each other.
    """
    if isinstance(problem, AssignmentProblem):
        return problem.domains
    return _domains.get(problem) or _domains.keep(problem, _between_bounds(problem))


def _between_bounds(problem: Any) -> Domains:
    if not isinstance(problem, Problem):
        raise InvalidTypeError(
            f"problem: {type(problem).__name__} is not a pymoo problem; wrap a "
            "gpu_ls_plugin.Assignment as AssignmentProblem(problem)"
        )
    name, bounds = type(problem).__name__, problem.bounds()
    if any(bound is None or isinstance(bound, dict) for bound in bounds):
        raise InvalidTypeError(f"problem: {name} has no lower and upper bounds of integers")
    if np.dtype(problem.vtype).kind not in "biu":  # that of None is a float
        raise InvalidTypeError(
            f"problem: {name} has vtype {problem.vtype}, but successors are generated of integers; "
            "give its constructor vtype=int"
        )
    return Domains.between(*bounds)


_domains: Remembered[Domains] = Remembered()
