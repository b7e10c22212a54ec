"""Objectives of flow shops: makespan, total flowtime and weighted tardiness."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gpu_ls_plugin.sequences.problem.objective import SequenceObjective

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

LARGEST_SHORT = 2**16 - 1
DTYPES = {"double": "float64", "int": "int32", "gls::uint16": "uint16"}  # of stored times


class FlowShopObjective(SequenceObjective):
    """Base class of the objectives of flow shops.

    Parameters
    ----------
    times : int64 or float64 array, shape (jobs, machines)
    setups : array of the same type, shape (machines, jobs, jobs), or None
    """

    struct: ClassVar[str]  # name of the C++ template
    header = "sequences/problem/flow_shop.cuh"

    def __init__(self, times: NDArray[Any], setups: NDArray[Any] | None) -> None:
        self.times, self.setups = times, setups
        self.integer = times.dtype.kind == "i"

    def functor(self) -> str:
        """Return the C++ type, which depends on the machines and on the type of times."""
        setups = "false" if self.setups is None else "true"
        return f"gls::{self.struct}<{self.times.shape[1]}, {setups}, {', '.join(self._types)}>"

    @property
    def _types(self) -> tuple[str, ...]:
        """The C++ types of times, and of times that are stored."""
        if not self.integer:
            return ("double",)
        return ("int", "gls::uint16") if self._largest_span <= LARGEST_SHORT else ("int",)

    @property
    def span_bytes(self) -> int:
        """Bytes of a time that is stored."""
        return np.dtype(DTYPES[self._types[-1]]).itemsize

    @cached_property
    def _largest_span(self) -> int:
        """Bound of the differences between the times of a job on two machines."""
        most = self.times.max(axis=1).sum() + self.times.max(axis=0).sum()
        if self.setups is not None:
            most += len(self.times) * self.setups.max(initial=0)
        return int(most - min(self.times[:, 0].sum(), self.times[:, -1].sum()))

    def data(self) -> Mapping[str, Any]:
        """Return times and set-up times, with the machines as the last axis."""
        kind = DTYPES[self._types[-1]]
        found: dict[str, Any] = {"times": np.ascontiguousarray(self.times, kind)}
        if self.setups is not None:
            found["jobs"] = len(self.times)
            found["setups"] = np.ascontiguousarray(self.setups.transpose(1, 2, 0), kind)
        return found

    def completions(self, rows: NDArray[Any]) -> Iterator[tuple[Any, Any, NDArray[Any]]]:
        """Yield machines, positions, and when the jobs there leave these machines (K, P).

        Each yield has the machines and positions whose numbers add up to the same sum. The ends
        there depend only on those yielded before.
        """
        order, (jobs, last) = rows.T.astype(np.int64), self.times.shape
        ends = np.zeros((last + 1, len(rows)), self.times.dtype)  # of machine k: at k + 1
        for step in range(jobs + last - 1):
            machines = np.arange(max(0, step - jobs + 1), min(step + 1, last))
            positions, own = step - machines, slice(machines[0] + 1, machines[-1] + 2)
            items, column = order[positions], machines[:, None]
            spent, free = self.times.take(items * last + column), ends[own]
            if self.setups is not None:
                gaps = self.setups[column, order[positions - 1], items]
                free = free + np.where(positions[:, None] > 0, gaps, 0)
            arrivals = ends[machines[0] : machines[-1] + 1]
            ends[own] = np.maximum(free, arrivals) + spent
            yield machines, positions, ends[own]

    def evaluate(self, rows: NDArray[Any], /) -> NDArray[Any]:
        total: NDArray[Any] = np.zeros(len(rows), self.times.dtype)
        last = self.times.shape[1] - 1
        for machines, positions, ends in self.completions(rows):
            if machines[-1] == last:
                total = self.finish(total, ends[-1], rows[:, positions[-1]])
        return total

    @abstractmethod
    def finish(self, total: NDArray[Any], ends: NDArray[Any], jobs: NDArray[Any]) -> NDArray[Any]:
        """Return the costs (P,) with one more job in each sequence, which ends then."""


class Makespan(FlowShopObjective):
    """The end of the last job."""

    name = "makespan"
    looks_ahead = True
    struct = "FlowShopMakespan"

    def finish(self, total: NDArray[Any], ends: NDArray[Any], jobs: NDArray[Any]) -> NDArray[Any]:
        return ends

    def priorities(self) -> NDArray[Any]:
        """Return the total times: jobs with large ones come first (Nawaz, Enscore and Ham 1983)."""
        return np.asarray(self.times.sum(axis=1))


class TotalFlowtime(FlowShopObjective):
    """The sum of the ends of all jobs."""

    name = "total_flowtime"
    struct = "FlowShopFlowtime"

    def finish(self, total: NDArray[Any], ends: NDArray[Any], jobs: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(total + ends)

    def priorities(self) -> NDArray[Any]:
        """Return the negative total times: jobs with small ones come first."""
        return np.asarray(-self.times.sum(axis=1))


class WeightedTardiness(FlowShopObjective):
    """The sum of weights times delays beyond due dates.

    Parameters
    ----------
    times, setups
        As in `FlowShopObjective`.
    due_dates, weights : array of the same type, shape (jobs,)
    """

    name = "weighted_tardiness"
    struct = "FlowShopTardiness"

    def __init__(
        self,
        times: NDArray[Any],
        setups: NDArray[Any] | None,
        due_dates: NDArray[Any],
        weights: NDArray[Any],
    ) -> None:
        super().__init__(times, setups)
        self.due_dates, self.weights = due_dates, weights

    def data(self) -> Mapping[str, Any]:
        """Return also due dates and weights."""
        return {**super().data(), "due_dates": self.due_dates, "weights": self.weights}

    def finish(self, total: NDArray[Any], ends: NDArray[Any], jobs: NDArray[Any]) -> NDArray[Any]:
        """Return the costs with the weighted delays."""
        late = np.maximum(ends - self.due_dates[jobs], 0)
        return np.asarray(total + self.weights[jobs] * late)

    def priorities(self) -> NDArray[Any]:
        """Return the negative due dates: jobs with early ones come first."""
        return -self.due_dates
