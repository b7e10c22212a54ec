"""Successor generation as sampling and mutation of integer variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from pymoo.core.sampling import Sampling

from gpu_ls_plugin.assignment.plan.reassignment import Reassignment, released
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters
from gpu_ls_pymoo.assignment import domains_of
from gpu_ls_pymoo.clock import on_clock
from gpu_ls_pymoo.selective_mutation import SelectiveMutation

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from gpu_ls_plugin.assignment.heuristics.base import Heuristic
    from gpu_ls_plugin.assignment.plan.domains import Domains, States


class SuccessorSampling(ShownParameters, Sampling):
    """Assign all variables one after the other, each by a weighted random choice.

    If all values of a variable have weight 0, it gets a uniformly random value. If values are
    distinct and one is chosen twice, the first variable gets it, and the other one gets an unused
    value.

    Parameters
    ----------
    heuristic : Heuristic, optional
        Gives the weights of values in a state; None: equal weights. Its values count from 0 on,
        even if lower bounds of the problem are not 0.
    order : {"shuffled", "given"}
        Order of the assignments: random for each individual, or by the number of the variable.
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
        """Compile ahead of a timed run; any `size` works."""
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

    The released variables are assigned one after the other, each by a weighted random choice that
    depends on the state so far (`SuccessorGeneration`). A variable that the heuristic leaves
    unassigned keeps its former value; permutations remain permutations. An individual may become
    worse.

    Parameters
    ----------
    heuristic, order, sampler, backend
        As in `SuccessorSampling`.
    share : float
        Share of the variables that is released, from 0 to 1; at least one variable is, or two if
        values are distinct.
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
        """Compile ahead of a timed run; any `size` works."""
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
