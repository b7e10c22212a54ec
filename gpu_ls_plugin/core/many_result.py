"""The result of `solve_many`."""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.exceptions import InvalidTypeError
from gpu_ls_plugin.core.result import Result, Statistics
from gpu_ls_plugin.core.result_views import call_text, html_facts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gpu_ls_plugin.core.problem import Problem


@dataclass(frozen=True)
class ManyResult:
    """Solutions of many problems, their exact costs and the statistics of the search.

    ``found[k]`` is the `Result` of problem k, with a single row; negative numbers count from the
    end. Loops and ``len`` work as for a list of results.

    Attributes
    ----------
    tours : int32 array, shape (B, n), or list of B int32 arrays
        A list if lengths differ. Row k is the best row found for problem k: a tour, routes, a
        sequence or a state.
    costs : array, shape (B,), int64 or float64
        The cost of each row, by its problem's `cost`; float64 if the costs of any problem are real.
    statistics : Statistics
        Counts and times of all problems together. In the history, `best_cost` is the sum of the
        costs of all problems, infinite until each of them has a solution, and `mean_cost` is the
        mean of those that have one.
    feasible : bool array, shape (B,)
        Whether each row breaks no constraint.
    problems : sequence of Problem
        The problems, in the caller's order.
    own : sequence of Statistics
        Statistics of each problem; `statistics` itself for problems that were searched side by
        side.
    """

    tours: Any
    costs: Any
    statistics: Statistics
    feasible: Any = field(repr=False, compare=False)
    problems: Sequence[Problem] = field(repr=False, compare=False)
    own: Sequence[Statistics] = field(repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.costs)

    def __getitem__(self, number: int) -> Result:
        """Return the result of one problem.

        Raises
        ------
        IndexError
            There are no more than `number` problems.
        InvalidTypeError
            `number` is not an integer.
        """
        try:
            place = operator.index(number)
        except TypeError as error:
            raise InvalidTypeError(
                f"number: {number!r:.80} is not an integer; found[k] is the result of problem k"
            ) from error
        if not -len(self) <= place < len(self):
            raise IndexError(f"number: there is no problem {place} among {len(self)}")
        place %= len(self)
        problem = self.problems[place]
        costs = np.array([self.costs[place]]).astype(problem.cost_dtype)
        return Result(np.array([self.tours[place]]), costs, self.own[place], problem)

    def __iter__(self) -> Iterator[Result]:
        return (self[number] for number in range(len(self)))

    def __repr__(self) -> str:
        return call_text("ManyResult", self._facts())

    def _repr_html_(self) -> str:
        return html_facts("ManyResult", self._facts())

    def _facts(self) -> dict[str, object]:
        total = self.costs.sum().item()
        return {
            "instances": len(self.costs),
            "total_cost": total,
            "mean_cost": total / max(1, len(self.costs)),
            "seconds": round(self.statistics.seconds, 3),
            "stopped_by": self.statistics.stopped_by,
        }
