"""Permutation flow shops: one order of jobs on all machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidProblemError
from gpu_ls_plugin.core.integer_files import made_of
from gpu_ls_plugin.core.problem_data import numbers_of
from gpu_ls_plugin.sequences.problem.due_dates import check_delays, due_data, of_one_type
from gpu_ls_plugin.sequences.problem.flow_shop_objectives import (
    FlowShopObjective,
    Makespan,
    TotalFlowtime,
    WeightedTardiness,
)
from gpu_ls_plugin.sequences.problem.sequence import MOST, Sequence
from gpu_ls_plugin.sequences.problem.sequence_files import read_flow_shop

if TYPE_CHECKING:
    import os

    from numpy.typing import ArrayLike, NDArray

OBJECTIVES = ("makespan", "total_flowtime", "weighted_tardiness")
MOST_MACHINES = 128  # kernels keep a number for each machine in registers
MOST_MAKESPAN = 2**30  # kernels compute integer times in 32 bits


class FlowShop(Sequence):
    """Find the best order of jobs that pass all machines, in the same order on each of them.

    Every job visits machine 0 first, then machine 1, and so on. A machine works on one job at a
    time. A row is the order of the jobs.

    Parameters
    ----------
    times : array_like of numbers >= 0, shape (jobs, machines)
        How long each job takes on each machine, up to 128 machines. Costs are integers if all times
        and all other numbers are integers (of any type), otherwise real.
    objective : {"makespan", "total_flowtime", "weighted_tardiness"}
        The end of the last job; the sum of the ends of all jobs; or the sum of weights times delays
        beyond due dates.
    setups : array_like of numbers >= 0, shape (machines, jobs, jobs), optional
        ``setups[k, a, b]`` is the set-up time of machine k between job a and the next job b. The
        set-up may begin before b arrives. The first job needs none.
    due_dates : array_like of numbers, shape (jobs,), optional
        When each job should leave the last machine; for the weighted tardiness only.
    weights : array_like of numbers >= 0, shape (jobs,), optional
        Cost of a unit of each job's delay; 1 by default.
    name : str
    optimum : int or float, optional
        The lowest possible cost.

    Attributes
    ----------
    times, setups, due_dates, weights : int64 or float64 arrays, read-only, or None
        As given; all of them are int64, or all are float64.
    machines : int

    Raises
    ------
    InvalidProblemError
        Shapes are wrong, entries are not finite, times or weights are negative, there are too many
        machines, makespans may reach 2**30 (2**62 if they are real), or costs 2**62.
    InvalidParameterError, InvalidTypeError
        The objective is unknown, has no due dates or does not use them, or another parameter is
        out of range or of another type.
    """

    def __init__(
        self,
        times: ArrayLike,
        objective: str = "makespan",
        setups: ArrayLike | None = None,
        due_dates: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        *,
        name: str = "",
        optimum: float | None = None,
    ) -> None:
        chosen = checks.choice("objective", objective, known=OBJECTIVES)
        given = numbers_of(times, "times", "jobs", "machines", signed=False)
        jobs, self.machines = map(int, given.shape)
        if self.machines > MOST_MACHINES:
            raise InvalidProblemError(
                f"times: {self.machines} machines, but at most {MOST_MACHINES} are supported; "
                "times have a row for each job and a column for each machine"
            )
        between = None
        if setups is not None:
            shape = (self.machines, jobs, jobs)
            axes = ("machines", "jobs", "jobs")
            between = numbers_of(setups, "setups", *axes, shape=shape, signed=False)
        due = self._due(chosen, due_dates, weights, jobs)
        self.times, self.setups, self.due_dates, self.weights = of_one_type(given, between, *due)
        longest, real = self._longest(), self.times.dtype.kind == "f"
        if longest >= (MOST if real else MOST_MAKESPAN):
            most = "2**62" if real else "2**30"
            raise InvalidProblemError(
                f"times: makespans may reach {most}; use larger units of time"
            )
        if self.due_dates is not None and self.weights is not None:
            check_delays(self.due_dates, self.weights, longest)
        super().__init__(jobs, self._objective(chosen), name=name, optimum=optimum)

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str],
        objective: str = "makespan",
        setups: ArrayLike | None = None,
        due_dates: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        *,
        optimum: float | None = None,
    ) -> Self:
        """Read the times from a text file.

        The first line contains the numbers of jobs and machines. A line for each machine follows,
        with the times of all jobs.

        Parameters
        ----------
        path : path
        objective, setups, due_dates, weights, optimum
            As in the constructor.

        Raises
        ------
        FileNotFoundError
            No such file.
        FileFormatError
            The file is invalid; the message names the file and the line.
        """
        more = (objective, setups, due_dates, weights)
        return made_of(path, read_flow_shop, cls, *more, optimum=optimum)

    def schedule(self, row: Any, /) -> NDArray[Any]:
        """Return when each job leaves each machine.

        Parameters
        ----------
        row : array_like of integers, shape (jobs,)
            The order of the jobs.

        Returns
        -------
        int64 or float64 array, shape (jobs, machines)
            The jobs are in the order of the row.

        Raises
        ------
        InvalidTourError, InvalidTypeError
            The row is not a permutation of the jobs.
        """
        assert isinstance(self.objective, FlowShopObjective)
        ends: NDArray[Any] = np.empty_like(self.times)
        for machines, positions, own in self.objective.completions(self._one(row)[None]):
            ends[positions, machines] = own[:, 0]
        return ends

    def state_bytes(self, *, gpu: bool = False) -> int:
        """Memory of a chain per job in bytes: its ends on each machine, and totals."""
        joins = self.objective.name == Makespan.name
        number = 4 if self.integer else 8
        total = number if joins else 8
        if not gpu:  # also the ends without a job
            return number * self.machines * (4 if joins else 1) + total
        short: int = getattr(self.objective, "span_bytes", number)
        ends = short * self.machines + (number if short < number else 0)
        return ends * (2 if joins else 1) + total

    def __repr__(self) -> str:
        name = f" {self.name!r}" if self.name else ""
        size = f"{self.n} jobs, {self.machines} machines"
        return f"<FlowShop{name}: {size}, {self.objective.name}>"

    def _longest(self) -> Any:
        """Return a Python number that no makespan exceeds.

        A makespan is the length of a path through the operations of neighbouring jobs and machines.
        """
        jobs = len(self.times)
        operations = (jobs + self.machines - 1) * self.times.max().item()
        every = self.times.sum(dtype=object)  # integers of Python cannot overflow
        between = 0 if self.setups is None else (jobs - 1) * self.setups.max().item()
        return min(operations, every) + between

    def _due(
        self, objective: str, due_dates: ArrayLike | None, weights: ArrayLike | None, jobs: int
    ) -> tuple[NDArray[Any] | None, NDArray[Any] | None]:
        """Return checked due dates and weights, or None for each."""
        given = {"due_dates": due_dates, "weights": weights}
        if objective != "weighted_tardiness":
            for parameter, value in given.items():
                if value is not None:
                    raise InvalidParameterError(
                        f"{parameter}: {objective} does not depend on them; leave them out, or use "
                        'objective="weighted_tardiness"'
                    )
            return None, None
        if due_dates is None:
            raise InvalidParameterError(
                "due_dates: weighted_tardiness needs them; pass a number for each job"
            )
        return due_data(due_dates, weights, jobs)

    def _objective(self, chosen: str) -> FlowShopObjective:
        if self.due_dates is not None and self.weights is not None:
            return WeightedTardiness(self.times, self.setups, self.due_dates, self.weights)
        made = Makespan if chosen == "makespan" else TotalFlowtime
        return made(self.times, self.setups)
