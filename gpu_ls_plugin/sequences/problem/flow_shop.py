"""Permutation flow shops: one order of jobs on all machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidProblemError
from gpu_ls_plugin.core.integer_files import made_of
from gpu_ls_plugin.core.problem_data import integers_of, largest
from gpu_ls_plugin.sequences.problem.due_dates import due_data
from gpu_ls_plugin.sequences.problem.flow_shop_objectives import (
    FlowShopObjective,
    Makespan,
    TotalFlowtime,
    WeightedTardiness,
)
from gpu_ls_plugin.sequences.problem.sequence import Sequence
from gpu_ls_plugin.sequences.problem.sequence_files import read_flow_shop

if TYPE_CHECKING:
    import os

    from numpy.typing import ArrayLike, NDArray

OBJECTIVES = ("makespan", "total_flowtime", "weighted_tardiness")
MOST_MACHINES = 128  # kernels keep a number for each machine in registers
MOST_MAKESPAN = 2**30  # kernels compute times in 32 bits


class FlowShop(Sequence):
    """Find the best order of jobs that pass all machines, in the same order on each of them.

    Every job visits machine 0 first, then machine 1, and so on. A machine works on one job at a
    time. A row is the order of the jobs.

    Parameters
    ----------
    times : array_like of integers >= 0, shape (jobs, machines)
        How long each job takes on each machine, up to 128 machines.
    objective : {"makespan", "total_flowtime", "weighted_tardiness"}
        The end of the last job; the sum of the ends of all jobs; or the sum of weights times delays
        beyond due dates.
    setups : array_like of integers >= 0, shape (machines, jobs, jobs), optional
        ``setups[k, a, b]`` is the set-up time of machine k between job a and the next job b. The
        set-up may begin before b arrives. The first job needs none.
    due_dates : array_like of integers, shape (jobs,), optional
        When each job should leave the last machine; for the weighted tardiness only.
    weights : array_like of integers >= 0, shape (jobs,), optional
        Cost of a unit of each job's delay; 1 by default.
    name : str
    optimum : int, optional
        The lowest possible cost.

    Attributes
    ----------
    times, setups, due_dates, weights : int64 arrays, read-only, or None
        As given.
    machines : int

    Raises
    ------
    InvalidProblemError
        Shapes are wrong, entries are not integers, times or weights are negative, there are too
        many machines, makespans may reach 2**30, or costs 2**62.
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
        self.times = integers_of(times, "times", "jobs", "machines", signed=False)
        jobs, self.machines = map(int, self.times.shape)
        if self.machines > MOST_MACHINES:
            raise InvalidProblemError(
                f"times: {self.machines} machines, but at most {MOST_MACHINES} are supported; "
                "times have a row for each job and a column for each machine"
            )
        self.setups = None
        if setups is not None:
            shape = (self.machines, jobs, jobs)
            axes = ("machines", "jobs", "jobs")
            self.setups = integers_of(setups, "setups", *axes, shape=shape, signed=False)
        if self._longest() >= MOST_MAKESPAN:
            raise InvalidProblemError("times: makespans may reach 2**30; use larger units of time")
        self.due_dates, self.weights = self._due(chosen, due_dates, weights)
        for array in (self.times, self.setups, self.due_dates, self.weights):
            if array is not None:
                array.flags.writeable = False
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

    def schedule(self, row: Any, /) -> NDArray[np.int64]:
        """Return when each job leaves each machine.

        Parameters
        ----------
        row : array_like of integers, shape (jobs,)
            The order of the jobs.

        Returns
        -------
        int64 array, shape (jobs, machines)
            The jobs are in the order of the row.

        Raises
        ------
        InvalidTourError, InvalidTypeError
            The row is not a permutation of the jobs.
        """
        assert isinstance(self.objective, FlowShopObjective)
        return np.concatenate(list(self.objective.completions(self._one(row)[None])))

    def __repr__(self) -> str:
        name = f" {self.name!r}" if self.name else ""
        size = f"{self.n} jobs, {self.machines} machines"
        return f"<FlowShop{name}: {size}, {self.objective.name}>"

    def _longest(self) -> int:
        """Return a number that no makespan exceeds.

        A makespan is the length of a path through the operations of neighbouring jobs and machines.
        """
        jobs = len(self.times)
        operations = (jobs + self.machines - 1) * largest(self.times)
        every = sum(map(int, self.times.sum(axis=0, dtype=object)))
        between = 0 if self.setups is None else (jobs - 1) * largest(self.setups)
        return min(operations, every) + between

    def _due(
        self, objective: str, due_dates: ArrayLike | None, weights: ArrayLike | None
    ) -> tuple[NDArray[np.int64] | None, NDArray[np.int64] | None]:
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
                "due_dates: weighted_tardiness needs them; pass an integer for each job"
            )
        return due_data(due_dates, weights, len(self.times), self._longest())

    def _objective(self, chosen: str) -> FlowShopObjective:
        if self.due_dates is not None and self.weights is not None:
            return WeightedTardiness(self.times, self.setups, self.due_dates, self.weights)
        made = Makespan if chosen == "makespan" else TotalFlowtime
        return made(self.times, self.setups)
