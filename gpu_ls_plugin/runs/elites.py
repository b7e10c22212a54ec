"""Elites of an island: the best rows of its population, and rows that differ most from the best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.arrays import on_host

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from gpu_ls_plugin.core.problem import Problem

LOOKED_AT = 32  # number of rows, compared on the host, from which distant ones are chosen


@dataclass(frozen=True, eq=False)
class Elites:
    """Rows (K, n) on the host, the best first, with their costs (K,) and feasibility (K,)."""

    rows: NDArray[np.int32]
    costs: NDArray[Any]
    feasible: NDArray[np.bool_]

    @classmethod
    def none(cls, problem: Problem) -> Elites:
        """Return an empty set of rows of a problem."""
        rows = np.empty((0, problem.n), np.int32)
        return cls(rows, np.empty(0, problem.cost_dtype), np.empty(0, np.bool_))

    @classmethod
    def of(cls, problem: Problem, rows: Any, costs: Any) -> Elites:
        """Return the rows of a population on a backend, the best first."""
        rows, costs = on_host(rows), on_host(costs)
        feasible = problem.feasible(rows) if problem.constrained else np.ones(len(rows), np.bool_)
        return cls(rows, costs, feasible).take(_by_worth(costs, feasible))

    def __len__(self) -> int:
        return len(self.rows)

    def __getstate__(self) -> dict[str, NDArray[Any]]:
        """Return the pickled state, with rows in the narrowest type that holds their numbers."""
        ends = (self.rows.min(), self.rows.max()) if self.rows.size else (0, 0)
        narrow = np.result_type(*map(np.min_scalar_type, ends))
        return vars(self) | {"rows": self.rows.astype(narrow)}

    def __setstate__(self, state: dict[str, NDArray[Any]]) -> None:
        vars(self).update(state, rows=state["rows"].astype(np.int32))

    @property
    def worth(self) -> tuple[bool, float]:
        """Whether the best row is infeasible, and its cost.

        Less is better; an empty set is worst.
        """
        return (not self.feasible[0], float(self.costs[0])) if len(self) else (True, np.inf)

    @property
    def allowed(self) -> Elites:
        """The feasible rows."""
        return self.take(np.flatnonzero(self.feasible))

    def take(self, order: Any) -> Elites:
        """Return the rows with these indices, in that order."""
        return Elites(self.rows[order], self.costs[order], self.feasible[order])

    def sorted(self) -> Elites:
        """Return the rows in the order of their worth; equal ones keep their order."""
        return self.take(_by_worth(self.costs, self.feasible))

    def valued(self, problem: Problem) -> Elites:
        """Return the rows, the best first, with costs that the problem has computed again."""
        costs = (problem.tsp or problem).cost(self.rows) if len(self) else self.costs
        return Elites(self.rows, costs, self.feasible).sorted()

    def chosen(self, problem: Problem, best: int, distant: int) -> Elites:
        """Return the first `best` distinct rows, and `distant` rows far from the best.

        The distant rows are chosen from the next `LOOKED_AT` distinct rows. Of two equally distant
        rows, the better one is taken. The rows must be sorted.
        """
        different = self._different(problem, best + (LOOKED_AT if distant else 0))
        rest = different[best:]
        if not rest or not distant:
            return self.take(different[:best])
        apart = problem.difference(self.rows[0].astype(np.intp))
        distances = [apart(self.rows[row].astype(np.intp)) for row in rest]
        farthest = np.argsort(-np.array(distances), kind="stable")[:distant]
        return self.take([*different[:best], *(rest[place] for place in farthest)])

    def without(self, problem: Problem, others: Elites) -> Elites:
        """Return the rows that are not among `others`; only rows of equal cost are compared."""
        return self.take([row for row in range(len(self)) if not others.holds(problem, self, row)])

    def holds(self, problem: Problem, other: Elites, row: int) -> bool:
        """Return whether these rows contain a given row of `other`."""
        equal = np.flatnonzero(self.costs == other.costs[row])
        if not len(equal):
            return False
        apart = problem.difference(other.rows[row].astype(np.intp))
        return any(apart(self.rows[own].astype(np.intp)) == 0 for own in equal)

    def _different(self, problem: Problem, most: int) -> list[int]:
        """Return the indices of the first `most` rows that differ from all before them."""
        found: list[int] = []
        for row in range(len(self)):
            if len(found) == most:
                break
            if not self.take(found).holds(problem, self, row):
                found.append(row)
        return found


def joined(problem: Problem, groups: Iterable[Elites]) -> Elites:
    """Return the rows of several groups, the best first."""
    given = [Elites.none(problem), *groups]
    costs = np.concatenate([group.costs for group in given])
    feasible = np.concatenate([group.feasible for group in given])
    order = _by_worth(costs, feasible)
    places = np.empty(len(order), np.intp)
    places[order] = np.arange(len(order))
    rows = np.empty((len(order), problem.n), np.int32)  # without copies: it may take gigabytes
    ends = np.cumsum([len(group) for group in given])
    for group, targets in zip(given, np.split(places, ends[:-1]), strict=True):
        rows[targets] = group.rows
    return Elites(rows, costs[order], feasible[order])


def _by_worth(costs: NDArray[Any], feasible: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the order of rows by worth; equal ones keep their order."""
    return np.lexsort((costs, ~feasible))
