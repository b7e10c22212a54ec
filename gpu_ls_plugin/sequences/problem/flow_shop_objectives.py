"""Objectives of flow shops: makespan, total flowtime and weighted tardiness."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gpu_ls_plugin.sequences.problem.objective import SequenceObjective

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray


class FlowShopObjective(SequenceObjective):
    """Base class of the objectives of flow shops.

    Parameters
    ----------
    times : int64 array, shape (jobs, machines)
    setups : int64 array, shape (machines, jobs, jobs), or None
    """

    struct: ClassVar[str]  # name of the C++ template
    header = "sequences/problem/flow_shop.cuh"

    def __init__(self, times: NDArray[np.int64], setups: NDArray[np.int64] | None) -> None:
        self.times, self.setups = times, setups

    def functor(self) -> str:
        """Return the C++ type, which depends on the number of machines."""
        setups = "" if self.setups is None else ", true"
        return f"gls::{self.struct}<{self.times.shape[1]}{setups}>"

    def data(self) -> Mapping[str, Any]:
        """Return times and set-up times, with the machines as the last axis."""
        found: dict[str, Any] = {"times": np.ascontiguousarray(self.times, np.int32)}
        if self.setups is not None:
            found["jobs"] = len(self.times)
            found["setups"] = np.ascontiguousarray(self.setups.transpose(1, 2, 0), np.int32)
        return found

    def completions(self, rows: NDArray[Any]) -> Iterator[NDArray[np.int64]]:
        """Yield when the job at each position leaves each machine, shape (P, machines).

        A job leaves a machine after it waited for one of the machines up to there, and then spent
        its times on this machine and on all after it.
        """
        spent = self.times.cumsum(axis=1)
        before = spent - self.times
        ends = np.zeros((len(rows), self.times.shape[1]), np.int64)
        for position, jobs in enumerate(rows.T):
            free = ends
            if self.setups is not None and position:
                free = ends + self.setups[:, rows[:, position - 1], jobs].T
            ends = np.maximum.accumulate(free - before[jobs], axis=1) + spent[jobs]
            yield ends

    def evaluate(self, rows: NDArray[Any], /) -> NDArray[np.int64]:
        """Return the cost of each sequence (P,)."""
        total = np.zeros(len(rows), np.int64)
        for jobs, ends in zip(rows.T, self.completions(rows), strict=True):
            total = self.finish(total, ends[:, -1], jobs)
        return total

    @abstractmethod
    def finish(
        self, total: NDArray[np.int64], ends: NDArray[np.int64], jobs: NDArray[Any]
    ) -> NDArray[np.int64]:
        """Return the costs (P,) with one more job in each sequence, which ends then."""


class Makespan(FlowShopObjective):
    """The end of the last job."""

    name = "makespan"
    struct = "FlowShopMakespan"

    def finish(
        self, total: NDArray[np.int64], ends: NDArray[np.int64], jobs: NDArray[Any]
    ) -> NDArray[np.int64]:
        """Return the ends."""
        return ends


class TotalFlowtime(FlowShopObjective):
    """The sum of the ends of all jobs."""

    name = "total_flowtime"
    struct = "FlowShopFlowtime"

    def finish(
        self, total: NDArray[np.int64], ends: NDArray[np.int64], jobs: NDArray[Any]
    ) -> NDArray[np.int64]:
        """Return the sums of the ends."""
        return total + ends


class WeightedTardiness(FlowShopObjective):
    """The sum of weights times delays beyond due dates.

    Parameters
    ----------
    times, setups
        As in `FlowShopObjective`.
    due_dates, weights : int64 array, shape (jobs,)
    """

    name = "weighted_tardiness"
    struct = "FlowShopTardiness"

    def __init__(
        self,
        times: NDArray[np.int64],
        setups: NDArray[np.int64] | None,
        due_dates: NDArray[np.int64],
        weights: NDArray[np.int64],
    ) -> None:
        super().__init__(times, setups)
        self.due_dates, self.weights = due_dates, weights

    def data(self) -> Mapping[str, Any]:
        """Return also due dates and weights."""
        return {**super().data(), "due_dates": self.due_dates, "weights": self.weights}

    def finish(
        self, total: NDArray[np.int64], ends: NDArray[np.int64], jobs: NDArray[Any]
    ) -> NDArray[np.int64]:
        """Return the costs with the weighted delays."""
        late = np.maximum(ends - self.due_dates[jobs], 0)
        return np.asarray(total + self.weights[jobs] * late)
