"""The runs of an experiment and their gaps, of which all else is made."""

from __future__ import annotations

import math
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np

from gpu_ls_plugin.exceptions import InvalidParameterError
from gpu_ls_plugin.experiments.comparison import quantile
from gpu_ls_plugin.experiments.hypervolume import normalised_hypervolumes
from gpu_ls_plugin.experiments.plan import RUNS, stored_keys
from gpu_ls_plugin.experiments.records import Key, Record

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from numpy.typing import NDArray


class Runs:
    """Runs of algorithms on problems, compared by their gaps.

    The gap of a run is how far its best cost is above the optimum, in percent; above the best cost
    of all runs on the problem where no optimum is known. With several objectives it is the share of
    the hypervolume of all runs' fronts together that the run's front lacks. A run that failed or
    found nothing feasible has an infinite gap.

    Parameters
    ----------
    records : iterable of Record
    expected : iterable of keys
        The runs that there should be; their names come first, in this order.

    Attributes
    ----------
    records : list of Record
    algorithms, problems : list of str
    seeds : list of int
    missing : list of keys
        Those that were expected and are not there, or failed.

    Raises
    ------
    InvalidParameterError
        There is no record.
    """

    def __init__(self, records: Iterable[Record], expected: Iterable[Key] = ()) -> None:
        self.records = list(records)
        if not self.records:
            raise InvalidParameterError("records: there is no run")
        found = [record.key for record in self.records]
        done = {record.key for record in self.records if not record.error}
        expected = list(expected)
        self.missing = [key for key in expected if key not in done]
        keys = [*(key for key in expected if key in found), *found]
        self.algorithms = list(dict.fromkeys(key[0] for key in keys))
        self.problems = list(dict.fromkeys(key[1] for key in keys))
        self.seeds = sorted({key[2] for key in keys})

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Self:
        """Return all runs that are in a folder.

        Raises
        ------
        InvalidParameterError
            There is none.
        FileFormatError
            A file is not a record; the message names it.
        OSError
            The folder or a file cannot be read.
        """
        place = Path(folder)
        if not place.is_dir():
            raise FileNotFoundError(2, "no such folder", str(folder))
        records = [Record.load(path) for path in sorted((place / RUNS).glob("*.json"))]
        if not records:
            raise InvalidParameterError(
                f"folder: {folder} holds no run; pass the folder of an Experiment"
            )
        return cls(records, stored_keys(place))

    @cached_property
    def references(self) -> dict[str, float]:
        """What costs are compared with, by problem: its optimum, or the best cost found."""
        found = {}
        for problem in self.problems:
            runs = [record for record in self.records if record.problem == problem]
            optima = [record.optimum for record in runs if record.optimum is not None]
            costs = [record.best for record in runs if record.best is not None]
            found[problem] = (optima or [min(costs, default=math.nan)])[0]
        return found

    @cached_property
    def gaps(self) -> dict[Key, float]:
        """The final gap of each run, in percent."""
        return {
            record.key: self.gap(record.problem, record.best)
            for record in self.records
            if record.objectives == 1
        } | self._front_gaps()

    def gap(self, problem: str, cost: float | None) -> float:
        """Return how far a cost is above the problem's reference, in percent; infinite for None."""
        reference = self.references[problem]
        if cost is None:
            return math.inf
        if cost == reference:
            return 0.0
        return 100.0 * (cost - reference) / abs(reference) if reference else math.inf

    def gaps_of(self, algorithm: str, problem: str) -> list[float]:
        """Return the final gaps of the runs of an algorithm on a problem, by seed."""
        found = (self.gaps.get((algorithm, problem, seed)) for seed in self.seeds)
        return [gap for gap in found if gap is not None]

    def runs_of(self, algorithm: str, problem: str) -> list[Record]:
        """Return the records of the runs of an algorithm on a problem, by seed."""
        runs = (r for r in self.records if (r.algorithm, r.problem) == (algorithm, problem))
        return sorted(runs, key=lambda record: record.seed)

    def medians(self) -> tuple[list[str], NDArray[np.float64]]:
        """Return median gaps (problems, algorithms) and the problems: those that all have run."""
        rows = {
            problem: [quantile(self.gaps_of(name, problem), 0.5) for name in self.algorithms]
            for problem in self.problems
        }
        whole = {name: row for name, row in rows.items() if not np.isnan(row).any()}
        return list(whole), np.array(list(whole.values())).reshape(-1, len(self.algorithms))

    def _front_gaps(self) -> dict[Key, float]:
        """Return what the fronts lack of the hypervolume of all of them, by run."""
        found: dict[Key, float] = {}
        for problem in self.problems:
            runs = [r for r in self.records if r.problem == problem and r.objectives > 1]
            found |= {record.key: math.inf for record in runs}
            runs = [record for record in runs if record.costs]
            if runs:
                volumes, together = normalised_hypervolumes([np.array(r.costs) for r in runs])
                for record, volume in zip(runs, volumes, strict=True):
                    found[record.key] = 100.0 * max(0.0, 1.0 - volume / together)
        return found
