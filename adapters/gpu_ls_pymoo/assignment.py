"""Assignment problems as pymoo problems, and the domains of pymoo's integer variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pymoo.core import problem as pymoo_problem

from gpu_ls_plugin.assignment.plan.domains import Domains
from gpu_ls_plugin.assignment.problem.assignment import Assignment
from gpu_ls_plugin.core.exceptions import InvalidTypeError, UnsupportedProblemError
from gpu_ls_plugin.core.feasibility import violation
from gpu_ls_plugin.core.text import OWN_OBJECTIVE
from gpu_ls_pymoo.domain_problem import SAMPLE, DomainProblem
from gpu_ls_pymoo.recognition import IdentityCache
from gpu_ls_pymoo.view import Chosen

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.core.problem import Problem

OPERATORS = (
    "States of an AssignmentProblem are searched by MemeticGA, and varied by SuccessorSampling and "
    "SuccessorMutation"
)


class AssignmentProblem(DomainProblem):
    """An assignment problem as a pymoo problem: a row has a value for each variable.

    ``F`` is the cost. If the problem has constraints, the inequality constraint ``G`` is the amount
    by which a row breaks them: the problem's ``excess(rows)``, by default 1 for an infeasible row.

    Parameters
    ----------
    problem : gpu_ls_plugin.Assignment
        It becomes the attribute `problem`. If it knows its optimum, pymoo shows the gap. If its
        values are `distinct`, rows are permutations, which suit pymoo's permutation operators.

    Raises
    ------
    InvalidTypeError
        `problem` is not an `Assignment`.
    """

    wraps: ClassVar[tuple[type, ...]] = (Assignment,)
    bare: ClassVar[bool] = False
    operators = False
    problem: Assignment

    def __init__(self, problem: Assignment) -> None:
        if not isinstance(problem, Assignment):
            raise InvalidTypeError(
                f"problem: {type(problem).__name__} is not a gpu_ls_plugin.Assignment; problems of "
                f"pymoo with integer variables need no wrapper. {OWN_OBJECTIVE}"
            )
        self.problem = problem
        self.domains = Domains.of(problem)
        self._shape(0, self.domains.highest, constraints=int(_has_constraints(problem)))

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
            A row is not a state of the problem; the message names the row.
        """
        return self.domains.states(rows)

    def for_operators(self) -> Problem:
        """Raise InvalidTypeError, because operators of tours cannot vary states."""
        try:
            return super().for_operators()
        except InvalidTypeError as error:
            raise InvalidTypeError(f"{error}. {OPERATORS}") from error

    def check_rows(self, rows: ArrayLike, parameter: str) -> NDArray[np.int32]:
        """Return rows of pymoo as states; raise if a row is not a state."""
        return self.domains.states(rows, parameter)

    def different_rows(self, rows: NDArray[np.int32], costs: NDArray[Any]) -> Chosen:
        """Return the distinct rows among searched states, the best first."""
        order = np.argsort(costs, kind="stable")
        _, first = np.unique(rows[order], axis=0, return_index=True)
        kept = order[np.sort(first)]
        return Chosen(rows[kept], costs[kept])

    def knows_fitness(self) -> bool:
        """Return False: pymoo itself evaluates the states that it needs."""
        return False

    def check_generations(self, search: Any, *, operators: bool, islands: bool) -> None:
        """Raise if there are operators or islands, or if the search does not search states."""
        if operators:
            raise UnsupportedProblemError(
                "problem: generations of an AssignmentProblem are made by SuccessorSearch(...); "
                "leave out crossover, mutation and other operators, or use pymoo's GA with "
                "SuccessorMutation"
            )
        if islands:
            raise UnsupportedProblemError(
                "islands: they cannot evolve an AssignmentProblem; call gpu_ls_plugin's "
                "solve(problem.problem, islands=...)"
            )
        if search is not None and not hasattr(search, "states"):
            raise UnsupportedProblemError(
                "search: it searches tours, but an AssignmentProblem needs a SuccessorSearch(...); "
                "leave it out for the default"
            )

    def _some_rows(self) -> NDArray[Any]:
        random, shape = np.random.default_rng(0), (SAMPLE, self.n_var)
        if self.problem.distinct:
            return random.permuted(np.tile(np.arange(self.n_var), (SAMPLE, 1)), axis=1)
        return random.integers(0, np.asarray(self.domains.highest) + 1, shape)


def _has_constraints(problem: Assignment) -> bool:
    """Return whether the class of the problem overrides `excess` or `feasible`."""
    own = type(problem)
    return own.excess is not Assignment.excess or own.feasible is not Assignment.feasible


def domains_of(problem: Any) -> Domains:
    """Return the domains of a pymoo problem's variables, cached until the problem is destroyed.

    The problem must be an `AssignmentProblem`, or have bounds and ``vtype=int`` or ``bool``; other
    problems raise InvalidTypeError. Bounds that are not whole numbers or are too far apart raise
    InvalidProblemError.
    """
    if isinstance(problem, AssignmentProblem):
        return problem.domains
    return _domains.get(problem) or _domains.keep(problem, _between_bounds(problem))


def _between_bounds(problem: Any) -> Domains:
    if not isinstance(problem, pymoo_problem.Problem):
        raise InvalidTypeError(
            f"problem: {type(problem).__name__} is not a pymoo problem; wrap a "
            f"gpu_ls_plugin.Assignment as AssignmentProblem(problem). {OWN_OBJECTIVE}"
        )
    name, bounds = type(problem).__name__, problem.bounds()
    if any(bound is None or isinstance(bound, dict) for bound in bounds):
        raise InvalidTypeError(f"problem: {name} has no lower and upper bounds of integers")
    if np.dtype(problem.vtype).kind not in "biu":  # NumPy's dtype of None is float
        raise InvalidTypeError(
            f"problem: {name} has vtype {problem.vtype}, but successor generation needs integers; "
            "pass vtype=int to its constructor"
        )
    return Domains.between(*bounds)


_domains: IdentityCache[Domains] = IdentityCache()
