"""The record of one run: a JSON file that is written completely or not at all."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.files import atomically
from gpu_ls_plugin.core.schema import (
    anything,
    fields,
    integer,
    listed,
    named,
    number,
    of_version,
    optional,
    read_json,
    reading,
    text,
)

if TYPE_CHECKING:
    from pathlib import Path

VERSION = 1

Key = tuple[str, str, int]
Costs = list[list[float]]


@dataclass(frozen=True)
class CurvePoint:
    """The state of a run at one point in time."""

    seconds: float  # since the start of the run, without compiling
    evaluations: int
    generation: int
    costs: Costs  # of the best solution, or of all solutions of a front; empty if none is feasible


@dataclass(frozen=True)
class Record:
    """The run of one algorithm on one problem with one seed."""

    algorithm: str
    problem: str
    seed: int
    configuration: dict[str, str] = field(default_factory=dict)  # hashes of the settings, by name
    description: dict[str, str] = field(default_factory=dict)  # described settings, by name
    objectives: int = 1
    optimum: float | None = None  # of the problem, if it is known
    curve: list[CurvePoint] = field(default_factory=list)  # chronological, to the run's end
    solutions: list[list[Any]] = field(default_factory=list)  # final solutions
    seconds: float = 0.0  # wall time without compiling
    compiling: float = 0.0
    cpu_seconds: float | None = None  # processor time of all threads; None: older versions
    counts: dict[str, int] = field(default_factory=dict)  # kicks and moves of local searches
    error: str = ""  # traceback of a run that failed
    begun: str = ""  # ISO 8601, UTC
    machine: dict[str, str] = field(default_factory=dict)  # hardware and versions

    @property
    def key(self) -> Key:
        """The key that identifies the run in an experiment."""
        return self.algorithm, self.problem, self.seed

    @property
    def costs(self) -> Costs:
        """Costs of the final solutions; empty if the run failed."""
        return self.curve[-1].costs if self.curve and not self.error else []

    def save(self, path: Path) -> None:
        """Write a JSON file, completely or not at all."""
        content = {"version": VERSION, **asdict(self)}
        with atomically(path) as file:
            file.write_text(json.dumps(content), encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> Record:
        """Return what `save` wrote."""
        with reading(path, "not the record of a run"):
            record: Record = RECORD("", of_version(VERSION, "a record", read_json(path)))
            for point in record.curve:
                if any(len(row) != record.objectives for row in point.costs):
                    raise ValueError(f"curve: costs do not have {record.objectives} objectives")
            return record


TEXTS = named(text)
POINT = fields(
    CurvePoint,
    seconds=number(),
    evaluations=integer(),
    generation=integer(),
    costs=listed(listed(number(-math.inf))),
)
RECORD = fields(
    Record,
    **dict.fromkeys(("algorithm", "problem", "error", "begun"), text),
    **dict.fromkeys(("configuration", "description", "machine"), TEXTS),
    **dict.fromkeys(("seconds", "compiling"), number()),
    cpu_seconds=optional(number()),
    counts=named(integer()),
    seed=integer(most=None),
    objectives=integer(1, checks.MOST_INT),
    optimum=optional(number(-math.inf)),
    curve=listed(POINT),
    solutions=listed(listed(anything)),
)
