"""Successor generation for integer variables: sampling, mutation, and random keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from pymoo.core.problem import Problem
from pymoo.core.sampling import Sampling

from gpu_ls_plugin.assignment.plan.reassignment import Reassignment, released
from gpu_ls_plugin.assignment.problem.assignment import Assignment
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters
from gpu_ls_pymoo.assignment import AssignmentProblem, domains_of
from gpu_ls_pymoo.clock import on_clock
from gpu_ls_pymoo.selective_mutation import SelectiveMutation

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.assignment.heuristics.base import Heuristic
    from gpu_ls_plugin.assignment.plan.domains import Domains, States


class SuccessorSampling(ShownParameters, Sampling):
    """Assign all variables one after another, each by a weighted random choice.

    If all values of a variable have weight 0, the variable gets a uniformly random value. If values
    must be distinct and two variables choose the same value, the first of them gets it, and the
    other variable gets an unused value.

    Parameters
    ----------
    heuristic : Heuristic, optional
        Gives the weights of values in a state; None: equal weights. The heuristic counts values
        from 0, even if lower bounds of the problem are not 0.
    order : {"shuffled", "given"}
        Order of the assignments: random for each individual, or by variable number.
    sampler : {"auto", "stored", "rescan"}
        As in `SuccessorGeneration`.
    backend : str
        "auto", "cpu" or "cuda".

    Raises
    ------
    InvalidTypeError, InvalidParameterError
        A parameter is out of range. In a run: the problem's variables are not integers.
    UnsupportedProblemError
        In a run: the heuristic does not fit the problem.
    """

    def __init__(
        self,
        heuristic: Heuristic | None = None,
        order: str = "shuffled",
        sampler: str = "auto",
        backend: str = "auto",
    ) -> None:
        super().__init__()
        self.reassign = Reassignment(heuristic, sampler, order, backend)

    def prepare(self, problem: Any, size: int = 1) -> None:
        """Compile ahead of a timed run; `size` does not matter."""
        self._do(problem, 1, random_state=np.random.default_rng(0))

    def _do(
        self,
        problem: Any,
        n_samples: int,
        *args: Any,
        random_state: Any = None,
        algorithm: Any = None,
        **kwargs: Any,
    ) -> NDArray[Any]:
        """Return rows (`n_samples`, n) with the type of the problem's variables."""
        size = checks.integer("n_samples", n_samples, least=1)
        domains = domains_of(problem)
        with on_clock(algorithm):
            states = self.reassign.sample(domains, size, np.random.default_rng(random_state))
        return rows_of(problem, domains, states)


class SuccessorMutation(SelectiveMutation):
    """Release a random share of an individual's variables and reassign them, all in one batch.

    The released variables are assigned one after another, each by a weighted random choice that
    depends on the state so far (`SuccessorGeneration`). A variable that the heuristic leaves
    unassigned keeps its former value; permutations remain permutations. An individual may become
    worse.

    Parameters
    ----------
    heuristic, order, sampler, backend
        As in `SuccessorSampling`.
    share : float
        Share of the variables that is released, between 0 and 1; at least one variable is released,
        or two if values must be distinct.
    prob : float or pymoo Real
        Probability that an individual is mutated.

    Raises
    ------
    InvalidTypeError, InvalidParameterError
        A parameter is out of range. In a run: the problem's variables are not integers.
    InvalidTourError
        In a run: a value is not a whole number within its bounds; the message names the row.
    UnsupportedProblemError
        In a run: the heuristic does not fit the problem.
    """

    def __init__(
        self,
        heuristic: Heuristic | None = None,
        share: float = 0.1,
        order: str = "shuffled",
        prob: Any = 1.0,
        sampler: str = "auto",
        backend: str = "auto",
        **kwargs: Any,
    ) -> None:
        super().__init__(prob, **kwargs)
        self.share = checks.number("share", share, least=0, most=1)
        self.reassign = Reassignment(heuristic, sampler, order, backend)

    def prepare(self, problem: Any, size: int = 1) -> None:
        """Compile ahead of a timed run; `size` does not matter."""
        self.reassign.sample(domains_of(problem), 1, np.random.default_rng(0))

    def _mutate(
        self, problem: Any, chosen: Any, others: Any, random_state: Generator, algorithm: Any
    ) -> tuple[NDArray[Any], None]:
        domains = domains_of(problem)
        with on_clock(algorithm):
            states = domains.states(chosen.get("X"), "pop")
            least = 2 if domains.problem.distinct else 1
            active = released(states.shape, self.share, least, random_state)
            found = self.reassign(domains, states, active, random_state)
        return rows_of(problem, domains, found), None


def rows_of(problem: Any, domains: Domains, states: States) -> NDArray[Any]:
    """Return states as rows with the type of the problem's variables."""
    return domains.rows(states).astype(problem.vtype)


class SuccessorKeysProblem(ShownParameters, Problem):
    """Integer variables for BRKGA, DE, PSO, CMA-ES and other algorithms over real numbers.

    A row has two keys in [0, 1] for each variable. The second half of the row gives the order of
    the assignments, by ascending keys. The first half gives the values: a key is mapped to a value
    through the inverse of the distribution function of the heuristic's weights in the state so far.
    Decoded random keys therefore have the distribution of `SuccessorSampling`. The evaluation
    decodes all rows of a generation in one batch, and the encoded problem evaluates them.

    A row encodes the same values on each backend. If the heuristic leaves a variable unassigned,
    its key chooses among all values with equal weights. If values must be distinct and two
    variables choose the same value, the first of them gets it, and the other variable gets an
    unused value.

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
            requires_kwargs=True,  # they include the algorithm, which has a clock
        )

    def prepare(self, size: int = 1) -> None:
        """Compile ahead of a timed run; `size` does not matter."""
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
        return self  # immutable, like `TSPProblem`
