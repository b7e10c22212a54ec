"""Successor generation for the operators of frameworks, whose rows are always complete."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from gpu_ls_plugin.assignment.heuristics.base import Heuristic
from gpu_ls_plugin.assignment.heuristics.weight_table import WeightTable
from gpu_ls_plugin.assignment.plan.domains import Domains
from gpu_ls_plugin.assignment.problem.assignment import Assignment
from gpu_ls_plugin.assignment.successors.generation import SuccessorGeneration
from gpu_ls_plugin.assignment.successors.samplers import DRAWN
from gpu_ls_plugin.backends import check_name
from gpu_ls_plugin.core import checks

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.assignment.plan.domains import Integers, States

    Keys = NDArray[np.float64]


def default_heuristic(domains: Domains) -> Heuristic:
    """Return the default heuristic of operators: all values are equally likely."""
    problem = domains.problem
    return WeightTable(np.ones((problem.n, int(problem.sizes.max())), np.uint32))


@dataclass(frozen=True)
class Reassignment:
    """Successor generation of complete states; can be pickled.

    If `heuristic` is None, `default_heuristic` makes one for the domains. The other parameters are
    as in `SuccessorGeneration` and its calls.
    """

    heuristic: Heuristic | None = None
    sampler: str = "auto"
    order: str = "shuffled"
    backend: str = "auto"
    _made: WeakKeyDictionary[Domains, SuccessorGeneration] = field(
        default_factory=WeakKeyDictionary, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        check_name(self.backend)  # raises now rather than in the first generation
        checks.fields(self, checks.choice, "order", known=DRAWN)
        if self.heuristic is not None:
            checks.instance("heuristic", self.heuristic, kind=Heuristic, wanted="Heuristic")
        SuccessorGeneration(self.heuristic or WeightTable([[1]]), self.sampler)  # checks sampler

    def __reduce__(self) -> tuple[object, ...]:
        """Leave the cached generations out of pickles."""
        return type(self), (self.heuristic, self.sampler, self.order, self.backend)

    def sample(self, domains: Domains, size: int, random_state: np.random.Generator) -> States:
        """Return complete states (`size`, n).

        A variable that the heuristic leaves unassigned gets a random value.
        """
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
        """Return a complete successor (P, n) of each complete state.

        The `active` variables (P, n) are reassigned; if the heuristic leaves a variable unassigned,
        it keeps its value. If values must be distinct, inactive variables keep their values, and
        each of the remaining values goes to the first active variable that chose it. All other
        active variables get free values in random order.
        """
        found = self._successors(domains, states, active, random_state)
        return _completed(domains.problem, found, states, active, random_state.random)

    def decode(self, domains: Domains, keys: Keys) -> States:
        """Return the complete states that random keys encode; see `SuccessorGeneration.decode`.

        If the heuristic leaves a variable unassigned, its key chooses among all values, which are
        then equally likely. If values must be distinct, such variables get the free values in
        ascending order instead.
        """
        problem = domains.problem
        found: States = self.generation(domains).decode(problem, keys, backend=self.backend)
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
        found: States = self.generation(domains)(
            domains.problem,
            states,
            active=active,
            order=self.order,
            seed=int(random_state.integers(2**63)),
            backend=self.backend,
        )
        return found

    def generation(self, domains: Domains) -> SuccessorGeneration:
        """Return the generation for these domains; it is cached, since it keeps device arrays."""
        if domains not in self._made:
            heuristic = self.heuristic or default_heuristic(domains)
            self._made[domains] = SuccessorGeneration(heuristic, self.sampler)
        return self._made[domains]


def released(
    shape: tuple[int, int], share: float, least: int, random_state: np.random.Generator
) -> NDArray[np.bool_]:
    """Return a mask of random variables: `share` of each row, rounded, but at least `least`."""
    count = min(shape[1], max(least, round(share * shape[1])))
    mask = np.zeros(shape, np.bool_)
    chosen = random_state.random(shape).argpartition(count - 1, axis=1)[:, :count]
    np.put_along_axis(mask, chosen, True, axis=1)
    return mask


class StateReassignment:
    """Reassignment of one problem's states, as a mutation and for initial populations.

    `share`, from 0 to 1, is the share of variables that a mutation releases in each row. It is
    rounded to at least one variable, or two if values are distinct.
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
        """Return rows whose released variables are reassigned; the given rows do not change."""
        states = self.domains.states(rows)
        least = 2 if self.domains.problem.distinct else 1
        active = released(states.shape, self.share, least, random_state)
        return self.domains.rows(self.reassign(self.domains, states, active, random_state))


def _completed(
    problem: Assignment,
    found: States,
    others: States,
    active: NDArray[np.bool_],
    draw: Callable[[tuple[int, int]], NDArray[np.float64]],
) -> States:
    """Return states in which each variable without a value takes its value from `others`.

    If values must be distinct, it takes a free value instead, as does a variable whose value is
    already taken. Free values are used in the order of the numbers from `draw`.
    """
    if not problem.distinct:
        return np.where(found < 0, others, found)
    # Sort by value; of equal values, inactive variables come first. The first one keeps the value.
    place = np.argsort(2 * found.astype(np.int64) + active, axis=1, kind="stable")
    ordered = np.take_along_axis(found, place, axis=1)
    repeated = ordered < 0
    repeated[:, 1:] |= ordered[:, 1:] == ordered[:, :-1]
    lacks = np.empty_like(repeated)
    np.put_along_axis(lacks, place, repeated, axis=1)
    taken = np.zeros((len(found), int(problem.sizes.max()) + 1), np.bool_)  # last column: for -1
    np.put_along_axis(taken, found, True, axis=1)
    taken = taken[:, :-1]
    free_first = np.argsort(draw(taken.shape) + taken, axis=1, kind="stable")
    turn = np.maximum(np.cumsum(lacks, axis=1) - 1, 0)
    free = np.take_along_axis(free_first, turn, axis=1)
    return np.where(lacks, free, found).astype(np.int32)
