"""Problems of pymoo that ask for a sequence, as sequence problems of gpu_ls_plugin."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
from pymoo.core.problem import Problem
from pymoo.problems.single.flowshop_scheduling import FlowshopScheduling

import gpu_ls_plugin as gls
import gpu_ls_pymoo
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import (
    InvalidParameterError,
    InvalidProblemError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.evolution.batches.rows import checked_rows
from gpu_ls_pymoo.recognition import IdentityCache
from gpu_ls_pymoo.sequence_objective import PymooObjective
from gpu_ls_pymoo.view import Unwrapped, kind_of, plain
from gpu_ls_pymoo.weighted_sequences import WeightedImprover, weighted_problems

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.core import problem as problems
    from gpu_ls_plugin.evolution.batches.improver import Improver
    from gpu_ls_plugin.evolution.batches.kick import Kick
    from gpu_ls_pymoo.view import Fitness, Rows, Weighting

OWN = ("_evaluate", "makespan", "get_machine_times")  # what a flow shop of pymoo evaluates with


def as_sequence(
    problem: Problem, weights: ArrayLike | None = None, price: float | None = None
) -> gls.Sequence:
    """Return a pymoo problem whose rows are permutations as a sequence problem.

    pymoo's `FlowshopScheduling` becomes a `FlowShop`, whose searches are compiled. pymoo itself
    evaluates the rows of all other problems and subclasses, in batches, which is slower.

    Parameters
    ----------
    problem : pymoo.core.problem.Problem
        Its variables are permutations of 0..n-1, read from the first to the last.
    weights : array_like, shape (n_obj,), optional
        Weights of the objectives; needed if there are several.
    price : float, optional
        Cost of a unit of violation in searches, not negative. By default, ten times the mean cost
        of a few random rows, divided by the smaller of 1 and their median violation. Equality
        constraints have pymoo's tolerance.

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
        with suppress(InvalidProblemError):  # too many machines for a kernel, for example
            return gls.FlowShop(np.asarray(problem.records).T, name=problem.name())
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
    """Return whether a problem may have permutations as rows: n > 2 integers in 0..n-1."""
    if isinstance(problem, FlowshopScheduling):  # its upper bound is the number of machines
        return True
    if not isinstance(problem, Problem) or kind_of(problem) != "i" or problem.n_var < 3:
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
            There are several objectives, or the problem cannot be evaluated.
        """
        problem = self.pymoo_problem
        if problem.n_obj > 1:
            raise UnsupportedProblemError(
                f"problem: {type(problem).__name__} has {problem.n_obj} objectives, but this takes "
                "one; give each a weight: DomainProblem(as_sequence(problem, weights=[...])) of "
                "gpu_ls_pymoo (docs/your-own-objective.md). LocalSearchMutation, MemeticMating and "
                "LocalSearchSampling draw weights by themselves"
            )
        return as_sequence(problem)

    def for_starts(self) -> problems.Problem:
        """Return the problem to construct rows for; several objectives get weights later."""
        return self.for_kicks()

    def for_search(
        self, rows: ArrayLike, weights: Weighting | None, random_state: Generator, backend: str
    ) -> problems.Problem:
        """Return the problem to search; several objectives get weights from `searching`."""
        return self.for_kicks()

    def searching(self, improver: Improver, weights: Weighting | None) -> Improver:
        """Return the search itself; for several objectives, one that draws weights for each row."""
        if self.pymoo_problem.n_obj == 1:
            return improver
        rule: Any = gpu_ls_pymoo.PositionWeights() if weights is None else weights
        if type(rule).scalarised is not gpu_ls_pymoo.PositionWeights.scalarised:
            raise UnsupportedProblemError(
                f"weights: {rule!r:.80} does not add up objectives, which searches of sequences "
                "need; pass RandomWeights() or PositionWeights()"
            )
        return WeightedImprover(**vars(improver), objective=self._objective, rule=rule)

    def kicked(self, kick: Kick, rows: ArrayLike, random_state: Generator) -> Rows:
        """Return kicked copies; several objectives get weights for each row if the kick needs any.

        The weights are those of `PositionWeights`.
        """
        if self.pymoo_problem.n_obj == 1 or not kick.by_lengths:
            return super().kicked(kick, rows, random_state)
        given, rule = self.check_rows(rows, "X"), gpu_ls_pymoo.PositionWeights()
        weighted = weighted_problems(self._objective, given, rule, random_state)
        pairs = zip(weighted, given, strict=True)
        return np.concatenate([kick(problem, row[None], random_state) for problem, row in pairs])

    def for_kick(self, kick: Kick) -> problems.Problem:
        """Return a problem with which a kick can be compiled."""
        return self.for_kicks()

    def for_compiling(self, size: int, weights: Weighting) -> problems.Problem:
        """Return a problem with which a search of `size` rows can be compiled."""
        return self.for_kicks()

    def for_kicks(self) -> problems.Problem:
        """Return a problem with the same rows, for perturbations that read only these."""
        return self.for_operators() if self.pymoo_problem.n_obj == 1 else self._unpriced

    def writer(self) -> problems.Problem:
        """Return the problem that writes rows: as they are."""
        return self.for_kicks()

    def check_rows(self, rows: ArrayLike, parameter: str) -> Rows:
        """Return rows of pymoo as permutations; raise if a row is none."""
        return checked_rows(self.for_kicks(), rows, parameter)

    def knows_fitness(self) -> bool:
        """Return whether F is the cost by which a search ranks rows, without constraints."""
        return plain(self.pymoo_problem)

    def fitness(self, rows: Rows, costs: NDArray[Any] | None = None) -> Fitness | None:
        """Return F of rows; None if there is more for pymoo to evaluate."""
        if not self.knows_fitness():
            return None
        problem = self.for_operators()
        exact = costs if costs is not None and problem.integer else problem.cost(rows)
        return np.asarray(exact, np.float64)

    @property
    def _unpriced(self) -> gls.Sequence:
        """The problem of several objectives with weights of 1."""
        problem = self.pymoo_problem
        known = _unpriced.get(problem)
        if known is None:
            known = _unpriced.keep(problem, as_sequence(problem, np.ones(problem.n_obj), price=1.0))
        return known

    @property
    def _objective(self) -> PymooObjective:
        objective: Any = self._unpriced.objective
        return objective  # type: ignore[no-any-return]

    def _recognised(self) -> problems.Problem:
        try:  # another plugin may know the problem better
            return super()._recognised()
        except InvalidTypeError:
            return self.known_problem()


_unpriced: IdentityCache[gls.Sequence] = IdentityCache()
