"""Problems of pymoo that ask for a sequence, as sequence problems of gpu_ls_plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from pymoo.core.problem import Problem
from pymoo.problems.single.flowshop_scheduling import FlowshopScheduling

import gpu_ls_plugin as gls
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import (
    InvalidParameterError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.evolution.recognition import answer_of
from gpu_ls_pymoo.recognition import evaluated
from gpu_ls_pymoo.view import Unwrapped, kind_of, plain, unmeasured

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_pymoo.view import Fitness, Rows

OWN = ("_evaluate", "makespan", "get_machine_times")  # what a flow shop of pymoo evaluates with
SAMPLE = 8  # number of random rows from which the price of violations follows
DEAR = 10.0  # price of a unit of violation, in mean absolute costs of random rows


class PymooObjective(gls.SequenceObjective):
    """An objective of level "python" that lets a problem of pymoo evaluate batches of rows."""

    integer = False

    def __init__(self, problem: Problem, weights: NDArray[Any], price: float | None) -> None:
        self.name = type(problem).__name__  # type: ignore[misc]
        self._problem, self._weights = problem, weights
        self.price = self._usual_price() if price is None else price

    def evaluate(self, rows: NDArray[Any], /) -> Any:
        """Return the weighted sum of F; if there are constraints, also their violation."""
        found = answer_of(self.name, lambda some: evaluated(self._problem, some), rows)
        costs = np.asarray(found["F"], np.float64) @ self._weights
        if not self._problem.n_constr:
            return costs
        none = np.zeros((len(rows), 0))
        over = np.maximum(np.asarray(found.get("G", none), np.float64), 0).sum(axis=1)
        return costs, over + np.abs(np.asarray(found.get("H", none), np.float64)).sum(axis=1)

    def _usual_price(self) -> float:
        if not self._problem.n_constr:
            return 1.0
        rows = np.tile(np.arange(self._problem.n_var), (SAMPLE, 1))
        costs, _ = self.evaluate(np.random.default_rng(0).permuted(rows, axis=1))
        return float(max(1.0, DEAR * np.abs(costs).mean()))


def as_sequence(
    problem: Problem, weights: ArrayLike | None = None, price: float | None = None
) -> gls.Sequence:
    """Return a pymoo problem whose rows are permutations as a sequence problem.

    pymoo's `FlowshopScheduling` becomes a `FlowShop`, whose searches are compiled. A problem or
    subclass that evaluates anything else is evaluated by pymoo, in batches: slower, and right.

    Parameters
    ----------
    problem : pymoo.core.problem.Problem
        Its variables are permutations of 0..n-1, read from the first to the last.
    weights : array_like, shape (n_obj,), optional
        Weights of the objectives; needed if there are several.
    price : float, optional
        Cost of a unit of violated constraints in searches, not negative; by default, ten times the
        mean absolute cost of a few random rows.

    Returns
    -------
    Sequence

    Raises
    ------
    InvalidTypeError
        `problem` is not a problem of pymoo, or a weight is not a number.
    InvalidParameterError
        `weights` are missing or of the wrong shape, or `price` is out of range.
    UnsupportedProblemError
        The problem cannot be evaluated.
    """
    if not isinstance(problem, Problem):
        raise InvalidTypeError(f"problem: {problem!r:.80} is not a problem of pymoo")
    if price is not None:
        price = checks.number("price", price, least=0.0)
    if weights is None and price is None and is_flow_shop(problem):
        times = np.asarray(problem.records)
        return gls.FlowShop(times.T, name=problem.name())
    if weights is None and problem.n_obj > 1:
        raise InvalidParameterError(
            f"weights: {type(problem).__name__} has {problem.n_obj} objectives; pass "
            "as_sequence(problem, weights=[...]) with a weight for each"
        )
    given = np.ones(1) if weights is None else np.asarray(weights, np.float64)
    if given.shape != (problem.n_obj,) or not np.isfinite(given).all():
        raise InvalidParameterError(
            f"weights: {weights!r:.80} are not {problem.n_obj} finite numbers, one per objective"
        )
    return gls.Sequence(problem.n_var, PymooObjective(problem, given, price), name=problem.name())


def is_flow_shop(problem: Problem) -> bool:
    """Return whether a problem is pymoo's flow shop and evaluates nothing else."""
    return (
        isinstance(problem, FlowshopScheduling)
        and problem.n_obj == 1
        and not problem.n_constr
        and all(
            getattr(type(problem), name) is getattr(FlowshopScheduling, name)
            and name not in vars(problem)
            for name in OWN
        )
    )


def of_permutations(problem: Any) -> bool:
    """Return whether a problem may have permutations as rows: n integers in 0..n-1."""
    if isinstance(problem, FlowshopScheduling):  # its upper bound is the number of machines
        return True
    if not isinstance(problem, Problem) or kind_of(problem) != "i" or problem.n_var < 2:
        return False
    low, high = problem.bounds()
    if low is None or high is None:
        return False
    return bool(np.all(low == 0) and np.all(high == problem.n_var - 1))


class OfPermutations(Unwrapped):
    """A view of a problem of pymoo whose rows are permutations other than tours."""

    def known_problem(self) -> gls.Sequence:
        """Return the problem as a sequence problem; see `as_sequence`.

        Raises
        ------
        UnsupportedProblemError
            There are several objectives.
        """
        problem = self.pymoo_problem
        if problem.n_obj > 1:
            raise UnsupportedProblemError(
                f"problem: {type(problem).__name__} has {problem.n_obj} objectives, but a search "
                "uses one; give each a weight: "
                "DomainProblem(as_sequence(problem, weights=[...])) of gpu_ls_pymoo"
            )
        return as_sequence(problem)

    def for_kicks(self) -> gls.Problem:
        """Return a problem of the same size, for perturbations that do not use lengths."""
        return unmeasured(self.pymoo_problem.n_var)

    def knows_fitness(self) -> bool:
        """Return whether F is the cost by which a search ranks rows, without constraints."""
        return plain(self.pymoo_problem)

    def fitness(self, rows: Rows, costs: NDArray[Any] | None = None) -> Fitness | None:
        """Return F of rows; None if pymoo has to evaluate the constraints."""
        if not self.knows_fitness() or costs is None:
            return None
        return np.asarray(costs, np.float64)

    def _recognised(self) -> gls.Problem:
        try:  # another plugin may know the problem better
            return super()._recognised()
        except InvalidTypeError:
            return self.known_problem()
