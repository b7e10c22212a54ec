"""Variables of a batch assigned anew by successor generation, whatever the heuristic leaves out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from gpu_ls_plugin.assignment.heuristics.base import Heuristic
from gpu_ls_plugin.assignment.heuristics.weight_table import WeightTable
from gpu_ls_plugin.assignment.successors.choices import DRAWN
from gpu_ls_plugin.assignment.successors.generation import SuccessorGeneration
from gpu_ls_plugin.backends import check_name
from gpu_ls_plugin.core import checks

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from gpu_ls_plugin.assignment.plan.domains import Domains, States
    from gpu_ls_plugin.assignment.problem.assignment import Assignment

    Keys = NDArray[np.float64]


def default_heuristic(domains: Domains) -> Heuristic:
    """Return the heuristic of operators that are given none: all values are equally likely."""
    problem = domains.problem
    return WeightTable(np.ones((problem.n, int(problem.sizes.max())), np.uint32))


@dataclass(frozen=True)
class Reassignment:
    """Successor generation as operators hold it: of complete states, picklable.

    `heuristic` is the `default_heuristic` of the domains if None; the others are as of
    `SuccessorGeneration`.
    """

    heuristic: Heuristic | None = None
    sampler: str = "auto"
    order: str = "shuffled"
    backend: str = "auto"
    _made: WeakKeyDictionary[Domains, SuccessorGeneration] = field(
        default_factory=WeakKeyDictionary, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        check_name(self.backend)  # here, not in the first generation
        checks.fields(self, checks.choice, "order", known=DRAWN)
        if self.heuristic is not None:
            checks.instance("heuristic", self.heuristic, kind=Heuristic, wanted="Heuristic")
        SuccessorGeneration(self.heuristic or WeightTable([[1]]), self.sampler)  # checks it

    def __reduce__(self) -> tuple[object, ...]:
        """Copies do not have what was made for the problems of this process."""
        return type(self), (self.heuristic, self.sampler, self.order, self.backend)

    def sample(self, domains: Domains, size: int, random_state: np.random.Generator) -> States:
        """Return complete states (`size`, n), random where the heuristic leaves variables out."""
        sizes, shape = domains.problem.sizes, (size, domains.problem.n)
        active = np.ones(shape, np.bool_)
        found = self._successors(domains, np.full(shape, -1, np.int32), active, random_state)
        others = random_state.integers(0, sizes, shape, np.int32)
        return _completed(domains.problem, found, others, active, random_state.random)

    def __call__(
        self,
        domains: Domains,
        states: States,
        active: NDArray[np.bool_],
        random_state: np.random.Generator,
    ) -> States:
        """Return a successor (P, n) of each complete state, in which every variable has a value.

        The `active` variables (P, n) are assigned anew, but what the heuristic leaves unassigned is
        as it was. Where values are distinct, a value goes to the variable that keeps it, or else to
        the first that has chosen it; the others get what is left, in random order.
        """
        found = self._successors(domains, states, active, random_state)
        return _completed(domains.problem, found, states, active, random_state.random)

    def decode(self, domains: Domains, keys: Keys) -> States:
        """Return the complete states that random keys stand for, as `SuccessorGeneration.decode`.

        Of what the heuristic leaves unassigned, all values are equally likely to the same keys.
        Where values are distinct, variables without one get what is left by number.
        """
        problem = domains.problem
        found: States = self._generation(domains).decode(problem, keys, backend=self.backend)
        shares = keys[:, : problem.n] * problem.sizes
        others = np.minimum(shares, problem.sizes - 1).astype(np.int32)
        return _completed(problem, found, others, np.ones(found.shape, np.bool_), np.zeros)

    def _successors(
        self,
        domains: Domains,
        states: States,
        active: NDArray[np.bool_],
        random_state: np.random.Generator,
    ) -> States:
        found: States = self._generation(domains)(
            domains.problem,
            states,
            active=active,
            order=self.order,
            seed=int(random_state.integers(2**63)),
            backend=self.backend,
        )
        return found

    def _generation(self, domains: Domains) -> SuccessorGeneration:
        """Return the generation for these domains, always the same: it keeps device arrays."""
        if domains not in self._made:
            heuristic = self.heuristic or default_heuristic(domains)
            self._made[domains] = SuccessorGeneration(heuristic, self.sampler)
        return self._made[domains]


def released(
    shape: tuple[int, int], share: float, least: int, random_state: np.random.Generator
) -> NDArray[np.bool_]:
    """Return which variables are released: in each row the same share, rounded, or `least`."""
    count = min(shape[1], max(least, round(share * shape[1])))
    mask = np.zeros(shape, np.bool_)
    chosen = random_state.random(shape).argpartition(count - 1, axis=1)[:, :count]
    np.put_along_axis(mask, chosen, True, axis=1)
    return mask


def _completed(
    problem: Assignment,
    found: States,
    others: States,
    active: NDArray[np.bool_],
    lots: Callable[[tuple[int, int]], NDArray[np.float64]],
) -> States:
    """Return successors; what has no value takes that of `others`, or a free one by `lots`."""
    if not problem.distinct:
        return np.where(found < 0, others, found)
    # By value; of those that share one, the first keeps it, and what was kept is before all others.
    place = np.argsort(2 * found.astype(np.int64) + active, axis=1, kind="stable")
    ordered = np.take_along_axis(found, place, axis=1)
    again = ordered < 0
    again[:, 1:] |= ordered[:, 1:] == ordered[:, :-1]
    without = np.empty_like(again)
    np.put_along_axis(without, place, again, axis=1)
    taken = np.zeros((len(found), int(problem.sizes.max()) + 1), np.bool_)  # the last one is for -1
    np.put_along_axis(taken, found, True, axis=1)
    taken = taken[:, :-1]
    free_first = np.argsort(lots(taken.shape) + taken, axis=1, kind="stable")
    turn = np.maximum(np.cumsum(without, axis=1) - 1, 0)
    left = np.take_along_axis(free_first, turn, axis=1)
    return np.where(without, left, found).astype(np.int32)
