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
    from numpy.typing import NDArray

    from gpu_ls_plugin.assignment.heuristics.base import Heuristic
    from gpu_ls_plugin.assignment.plan.domains import Domains, States


class SuccessorSampling(ShownParameters, Sampling):
    """Assign all variables one after the other, each by weighted random choice.

    A variable that the heuristic leaves unassigned, since all its values have weight 0, gets a
    uniformly random value: rows of pymoo are complete. Where values are distinct, values that are
    chosen twice go to the first variable, and the others get what is left.

    Parameters
    ----------
    heuristic : Heuristic, optional
        Of gpu_ls_plugin: says how likely values are in a state; all the same if None. It counts
        values from 0 on, whatever the problem's lower bounds are.
    order : {"shuffled", "given"}
        In which order variables are assigned: a random one for each individual, or by number.
    sampler : {"auto", "stored", "rescan"}
        As of `SuccessorGeneration`.
    backend : str
        "auto", "cpu" or "cuda".

    Raises
    ------
    InvalidTypeError, InvalidParameterError
        A parameter is out of range. In a run: the problem's variables are not integers.
    UnsupportedProblemError
        In a run: the heuristic is not one for the problem.
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
        """Return rows (`n_samples`, n) of the problem's type of variables."""
        size = checks.integer("n_samples", n_samples, least=1)
        domains = domains_of(problem)
        with on_clock(algorithm):
            states = self.reassign.sample(domains, size, np.random.default_rng(random_state))
        return rows_of(problem, domains, states)


class SuccessorMutation(SelectiveMutation):
    """Release a random share of an individual's variables and assign them anew, all in one batch.

    The released variables are assigned one after the other, each by weighted random choice in the
    state as it is then (`SuccessorGeneration`). One that the heuristic leaves unassigned keeps its
    former value. Where values are distinct, at least two are released, and a value that is chosen
    twice goes to the first variable; the others get what is left, so that permutations stay
    permutations.

    An individual is a child's row in place of its parent's, worse or not: survival selects.

    Parameters
    ----------
    heuristic, order, sampler, backend
        As in `SuccessorSampling`.
    share : float
        Of the variables that are released, from 0 to 1, rounded; at least one.
    prob : float or pymoo Real
        Probability of an individual to be mutated; drawn first, once.

    Raises
    ------
    InvalidTypeError, InvalidParameterError
        A parameter is out of range. In a run: the problem's variables are not integers.
    InvalidTourError
        In a run: a row has a number that is not whole, or out of its bounds; it is named.
    UnsupportedProblemError
        In a run: the heuristic is not one for the problem.
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
        self,
        problem: Any,
        chosen: Any,
        others: Any,
        random_state: np.random.Generator,
        algorithm: Any,
    ) -> tuple[NDArray[Any], None]:
        domains = domains_of(problem)
        with on_clock(algorithm):
            states = domains.states(chosen.get("X"), "pop")
            least = 2 if domains.problem.distinct else 1
            active = released(states.shape, self.share, least, random_state)
            found = self.reassign(domains, states, active, random_state)
        return rows_of(problem, domains, found), None


def rows_of(problem: Any, domains: Domains, states: States) -> NDArray[Any]:
    """Return states as rows of a problem, of its type of variables."""
    return domains.rows(states).astype(problem.vtype)
