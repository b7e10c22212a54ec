"""The runs of an experiment and their gaps, the data of all tables and figures."""

from __future__ import annotations

import math
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np

from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.experiments.comparison import quantile
from gpu_ls_plugin.experiments.gaps import gap_of
from gpu_ls_plugin.experiments.plan import RUNS, stored_keys, stored_record

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from gpu_ls_plugin.experiments.gaps import Gap
    from gpu_ls_plugin.experiments.records import Key, Record

    Steps = list[tuple[float, float]]


class Runs:
    """Runs of algorithms on problems, compared by their gaps.

    The gap of a run is the distance, in percent, of its best cost from the optimum. If no optimum
    is known, the best cost of all runs on the problem is used instead. With several objectives, the
    gap is the share of the hypervolume of all fronts together that the run's front does not cover.
    The gap of a run that failed or found no feasible solution is infinite.

    Parameters
    ----------
    expected : iterable of keys
        The planned runs; their algorithms and problems come first, in this order.

    Attributes
    ----------
    missing : list of keys
        Planned runs that are not stored or have failed.
    planned : int
        Number of planned runs; 0 if there is no plan.

    Raises
    ------
    InvalidParameterError
        There is no record, a run occurs twice, or runs on a problem differ in their number of
        objectives.
    """

    def __init__(self, records: Iterable[Record], expected: Iterable[Key] = ()) -> None:
        self.records = list(records)
        if not self.records:
            raise InvalidParameterError("records: there is no run")
        found = [record.key for record in self.records]
        self._check_alike(found)
        done = {record.key for record in self.records if not record.error}
        expected = list(expected)
        self.missing = [key for key in expected if key not in done]
        self.planned = len(expected)
        keys = [*(key for key in expected if key in set(found)), *found]
        self.algorithms = list(dict.fromkeys(key[0] for key in keys))
        self.problems = list(dict.fromkeys(key[1] for key in keys))
        self.seeds = sorted({key[2] for key in keys})

    def _check_alike(self, keys: list[Key]) -> None:
        if len(set(keys)) < len(keys):
            algorithm, problem, seed = next(key for key in keys if keys.count(key) > 1)
            raise InvalidParameterError(
                f"records: {algorithm!r} on {problem!r} with seed {seed} is there twice; delete one"
            )
        counts = {record.problem: record.objectives for record in self.records}
        for record in self.records:
            if record.objectives != counts[record.problem]:
                raise InvalidParameterError(
                    f"records: runs on {record.problem!r} have {record.objectives} and "
                    f"{counts[record.problem]} objectives; delete those of the other problem"
                )

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Self:
        """Return all runs in a folder; warn about damaged files.

        Raises
        ------
        InvalidParameterError
            There is no run, a run occurs twice, or runs on a problem differ in their number of
            objectives.
        FileFormatError
            The plan is damaged.
        OSError
            The folder or a file cannot be read.
        """
        place = Path(folder)
        if not place.is_dir():
            raise FileNotFoundError(2, "no such folder", str(folder))
        found = [stored_record(path) for path in sorted((place / RUNS).glob("*.json"))]
        records = [record for record in found if record is not None]
        if not records:
            raise InvalidParameterError(
                f"folder: {folder} has no runs; pass the folder of an Experiment"
            )
        return cls(records, stored_keys(place))

    @cached_property
    def measures(self) -> dict[str, Gap]:
        """The `Gap` of each problem; its text names the reference."""
        found = {}
        for problem in self.problems:
            runs = [record for record in self.records if record.problem == problem]
            optima = [record.optimum for record in runs if record.optimum is not None]
            finals = [record.costs for record in runs]
            found[problem] = gap_of(runs[0].objectives, finals, optima[0] if optima else None)
        return found

    @cached_property
    def curves(self) -> dict[Key, Steps]:
        """Pairs of seconds and gap for each run; the gaps are infinite if the run failed."""
        return {
            record.key: [
                (
                    point.seconds,
                    math.inf if record.error else self.measures[record.problem](point.costs),
                )
                for point in record.curve
            ]
            for record in self.records
        }

    @cached_property
    def gaps(self) -> dict[Key, float]:
        """The final gap of each run, in percent."""
        return {key: curve[-1][1] if curve else math.inf for key, curve in self.curves.items()}

    def gaps_of(self, algorithm: str, problem: str) -> list[float]:
        """Return the final gaps of the runs of an algorithm on a problem, by seed."""
        return [self.gaps[record.key] for record in self.runs_of(algorithm, problem)]

    def seconds_to(self, key: Key, target: float) -> float:
        """Return how many seconds a run took to reach a gap; infinite if it did not reach it."""
        return next((seconds for seconds, gap in self.curves[key] if gap <= target), math.inf)

    def runs_of(self, algorithm: str, problem: str) -> list[Record]:
        """Return the records of the runs of an algorithm on a problem, by seed."""
        runs = (r for r in self.records if (r.algorithm, r.problem) == (algorithm, problem))
        return sorted(runs, key=lambda record: record.seed)

    def combinations(self) -> Iterator[tuple[str, str, list[Record]]]:
        """Yield each problem and algorithm with runs, and the records of the runs."""
        for problem, algorithm in product(self.problems, self.algorithms):
            runs = self.runs_of(algorithm, problem)
            if runs:
                yield problem, algorithm, runs

    def described(self, name: str, problem: str | None = None) -> list[str]:
        """Return the different texts `name` of the runs' descriptions, without empty ones."""
        runs = (run for run in self.records if problem in (None, run.problem))
        return [*dict.fromkeys(text for run in runs if (text := run.description.get(name)))]

    def medians(self) -> tuple[list[str], NDArray[np.float64]]:
        """Return problems on which all algorithms ran, and median gaps (problems, algorithms)."""
        rows = {
            problem: [quantile(self.gaps_of(name, problem), 0.5) for name in self.algorithms]
            for problem in self.problems
        }
        whole = {name: row for name, row in rows.items() if not np.isnan(row).any()}
        return list(whole), np.array(list(whole.values())).reshape(-1, len(self.algorithms))
