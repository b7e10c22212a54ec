"""Total weighted tardiness on a single machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidProblemError
from gpu_ls_plugin.core.problem_data import numbers_of
from gpu_ls_plugin.sequences.problem.due_dates import check_delays, due_data, of_one_type
from gpu_ls_plugin.sequences.problem.objective import SequenceObjective
from gpu_ls_plugin.sequences.problem.sequence import MOST, MOST_ITEMS, Sequence

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray


class SingleMachine(Sequence):
    """Find the order of jobs on one machine with the least total weighted tardiness.

    The tardiness of a job is its delay beyond its due date, or 0 if it ends in time. The cost is
    the sum of weights times tardinesses. A row is the order of the jobs.

    Parameters
    ----------
    times : array_like of numbers >= 0, shape (jobs,)
        How long each job takes. Costs are integers if all times and all other numbers are integers
        (of any type), otherwise real.
    due_dates : array_like of numbers, shape (jobs,)
        When each job should end.
    weights : array_like of numbers >= 0, shape (jobs,)
        Cost of a unit of each job's delay.
    setups : array_like of numbers >= 0, shape (jobs, jobs), optional
        ``setups[a, b]`` is the set-up time between job a and the next job b. The first job needs
        none.
    name : str
    optimum : int or float, optional
        The lowest possible cost.

    Attributes
    ----------
    times, due_dates, weights, setups : int64 or float64 arrays, read-only; `setups` may be None
        As given; all of them are int64, or all are float64.

    Raises
    ------
    InvalidProblemError
        Shapes are wrong, entries are not finite, times or weights are negative, or costs may reach
        2**62.
    InvalidParameterError, InvalidTypeError
        Another parameter is out of range, or of another type.
    """

    def __init__(
        self,
        times: ArrayLike,
        due_dates: ArrayLike,
        weights: ArrayLike,
        setups: ArrayLike | None = None,
        *,
        name: str = "",
        optimum: float | None = None,
    ) -> None:
        given = numbers_of(times, "times", "jobs", signed=False)
        jobs = len(given)
        between = None
        if setups is not None:
            shape = (jobs, jobs)
            between = numbers_of(setups, "setups", "jobs", "jobs", shape=shape, signed=False)
        due = due_data(due_dates, weights, jobs)
        self.times, self.setups, self.due_dates, self.weights = of_one_type(given, between, *due)
        longest = self.times.sum(dtype=object)  # integers of Python cannot overflow
        if self.setups is not None:
            longest += (jobs - 1) * self.setups.max().item()
        if longest >= MOST:
            raise InvalidProblemError("times: sums may reach 2**62; use larger units of time")
        check_delays(self.due_dates, self.weights, longest)
        objective = TotalWeightedTardiness(self.times, self.due_dates, self.weights, self.setups)
        super().__init__(jobs, objective, name=name, optimum=optimum)

    @classmethod
    def generated(
        cls, n: int, seed: int | None = 0, *, tardiness: float = 0.6, spread: float = 0.4
    ) -> Self:
        """Make an instance by the rules of Crauwels, Potts and Van Wassenhove (1998).

        Times are drawn from 1..100, weights from 1..10 and due dates from P (1 - `tardiness` -
        `spread` / 2) to P (1 - `tardiness` + `spread` / 2), where P is the sum of all times. All
        are integers, drawn uniformly.

        Parameters
        ----------
        n : int
            Number of jobs.
        seed : int, optional
            None draws one.
        tardiness, spread : float
            From 0 to 1: about the share of jobs that are late, and the relative range of due dates.
            The paper takes each from 0.2, 0.4, 0.6, 0.8 and 1.
        """
        n = checks.integer("n", n, least=1, most=MOST_ITEMS)
        late = checks.number("tardiness", tardiness, least=0.0, most=1.0)
        half = checks.number("spread", spread, least=0.0, most=1.0) / 2
        rng = np.random.default_rng(checks.seed(seed))
        times, weights = rng.integers(1, 101, n), rng.integers(1, 11, n)
        total = times.sum()
        ends = np.rint([total * (1 - late - half), total * (1 - late + half)]).astype(np.int64)
        due_dates = rng.integers(ends[0], ends[1] + 1, n)
        return cls(times, due_dates, weights, name=f"tardiness{n}")

    def schedule(self, row: Any, /) -> NDArray[Any]:
        """Return when each job ends, in the order of the row.

        Parameters
        ----------
        row : array_like of integers, shape (jobs,)
            The order of the jobs.

        Returns
        -------
        int64 or float64 array, shape (jobs,)

        Raises
        ------
        InvalidTourError, InvalidTypeError
            The row is not a permutation of the jobs.
        """
        assert isinstance(self.objective, TotalWeightedTardiness)
        return np.asarray(self.objective.completions(self._one(row)[None])[0])

    def __repr__(self) -> str:
        name = f" {self.name!r}" if self.name else ""
        setups = "" if self.setups is None else " with set-ups"
        return f"<SingleMachine{name}: {self.n} jobs{setups}>"


class TotalWeightedTardiness(SequenceObjective):
    """The sum of weights times delays beyond due dates.

    Parameters
    ----------
    times, due_dates, weights : int64 or float64 array, shape (jobs,)
    setups : array of the same type, shape (jobs, jobs), or None
    """

    name = "weighted_tardiness"
    header = "sequences/problem/single_machine.cuh"

    def __init__(
        self,
        times: NDArray[Any],
        due_dates: NDArray[Any],
        weights: NDArray[Any],
        setups: NDArray[Any] | None,
    ) -> None:
        self.times, self.due_dates, self.weights, self.setups = times, due_dates, weights, setups
        self.integer = times.dtype.kind == "i"

    def functor(self) -> str:
        """Return the C++ type, which depends on the type of times."""
        setups = "false" if self.setups is None else "true"
        return f"gls::SingleMachine<{setups}{'' if self.integer else ', double'}>"

    def data(self) -> Mapping[str, Any]:
        """Return the tables of jobs, and the set-up times if there are any."""
        found: dict[str, Any] = {
            "times": self.times,
            "due_dates": self.due_dates,
            "weights": self.weights,
        }
        if self.setups is not None:
            found |= {"setups": self.setups, "jobs": len(self.times)}
        return found

    def completions(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Return when the job at each position ends, shape (P, jobs)."""
        taken = self.times[rows]
        if self.setups is not None:
            taken[:, 1:] += self.setups[rows[:, :-1], rows[:, 1:]]
        return np.asarray(taken.cumsum(axis=1))

    def evaluate(self, rows: NDArray[Any], /) -> NDArray[Any]:
        delays = np.maximum(self.completions(rows) - self.due_dates[rows], 0)
        return np.asarray((self.weights[rows] * delays).cumsum(axis=1)[:, -1])

    def priorities(self) -> NDArray[Any]:
        """Return the negative due dates: jobs with early ones come first."""
        return -self.due_dates
