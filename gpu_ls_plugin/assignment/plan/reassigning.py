"""Variables of one assignment problem's states, released and assigned anew in whole batches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpu_ls_plugin.assignment.plan.domains import Domains
from gpu_ls_plugin.assignment.plan.reassignment import Reassignment, released
from gpu_ls_plugin.assignment.problem.assignment import Assignment
from gpu_ls_plugin.core import checks

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from gpu_ls_plugin.assignment.heuristics.base import Heuristic
    from gpu_ls_plugin.assignment.plan.domains import Integers


class Reassigning:
    """Successor generation of a problem's states as a mutation and as a start.

    Rows are states of the problem: values from 0 on. `share` is that of the variables that are
    released, from 0 to 1, rounded; at least one, and two where values are distinct.
    """

    def __init__(
        self,
        problem: Assignment,
        heuristic: Heuristic | None = None,
        share: float = 0.1,
        order: str = "shuffled",
        sampler: str = "auto",
        backend: str = "auto",
    ) -> None:
        checks.instance("problem", problem, kind=Assignment, wanted="Assignment")
        self.domains = Domains.of(problem)
        self.share = checks.number("share", share, least=0, most=1)
        self.reassign = Reassignment(heuristic, sampler, order, backend)

    def prepare(self, size: int = 1) -> None:
        """Compile ahead of a timed run; any `size` works."""
        self.sample(1, np.random.default_rng(0))

    def sample(self, size: int, random_state: np.random.Generator) -> Integers:
        """Return rows (`size`, n) in which every variable has a value."""
        size = checks.integer("size", size, least=1)
        return self.domains.rows(self.reassign.sample(self.domains, size, random_state))

    def __call__(self, rows: ArrayLike, random_state: np.random.Generator) -> Integers:
        """Return rows whose released variables are assigned anew; the given ones do not change."""
        states = self.domains.states(rows)
        least = 2 if self.domains.problem.distinct else 1
        active = released(states.shape, self.share, least, random_state)
        return self.domains.rows(self.reassign(self.domains, states, active, random_state))
