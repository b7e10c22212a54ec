"""The record of one run: a JSON file that is complete or not there."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.exceptions import FileFormatError
from gpu_ls_plugin.files import atomically

if TYPE_CHECKING:
    from pathlib import Path

VERSION = 1

Key = tuple[str, str, int]


@dataclass(frozen=True)
class CurvePoint:
    """A moment of a run at which the best cost fell, or its first or last one.

    `seconds` since the start of the run, without compiling; `best` in the problem's unit, None
    where there is no feasible solution yet or there are several objectives.
    """

    seconds: float
    evaluations: int
    generation: int
    best: float | None


@dataclass(frozen=True)
class Record:
    """What one algorithm did on one problem with one seed.

    Attributes
    ----------
    algorithm, problem, seed
        The names and the seed that tell the run from others.
    configuration : dict
        Hashes of what ran, by "algorithm", "problem" and "termination".
    description : dict
        The texts of "algorithm" and "termination".
    objectives : int
        1, or more where `costs` is a front.
    optimum : float or None
        Of the problem, where that is known.
    curve : list of CurvePoint
        In order of time.
    costs : list of list of float
        Objectives of the final solutions; no row where none is feasible.
    solutions : list of list
        The final solutions, a row for each of `costs`.
    evaluations, generations : int
        In all.
    seconds, compiling : float
        Wall time without and of compiling.
    error : str
        Why the run failed; empty where it did not.
    begun : str
        When the run began (ISO 8601, UTC).
    machine : dict
        What it ran on, and versions.
    """

    algorithm: str
    problem: str
    seed: int
    configuration: dict[str, str]
    description: dict[str, str] = field(default_factory=dict)
    objectives: int = 1
    optimum: float | None = None
    curve: list[CurvePoint] = field(default_factory=list)
    costs: list[list[float]] = field(default_factory=list)
    solutions: list[list[Any]] = field(default_factory=list)
    evaluations: int = 0
    generations: int = 0
    seconds: float = 0.0
    compiling: float = 0.0
    error: str = ""
    begun: str = ""
    machine: dict[str, str] = field(default_factory=dict)

    @property
    def key(self) -> Key:
        """What tells the run from others."""
        return self.algorithm, self.problem, self.seed

    @property
    def best(self) -> float | None:
        """The least final cost; None without a solution or with several objectives."""
        return min(self.costs)[0] if self.objectives == 1 and self.costs else None

    def save(self, path: Path) -> None:
        """Write a JSON file, which appears complete or not at all."""
        content = {"version": VERSION, **asdict(self)}
        with atomically(path) as file:
            file.write_text(json.dumps(content), encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> Record:
        """Return what `save` wrote.

        Raises
        ------
        FileFormatError
            The file holds something else; the message names it.
        OSError
            The file cannot be read.
        """
        try:
            return _record(json.loads(path.read_bytes()))
        except (ValueError, TypeError, RecursionError) as error:
            raise FileFormatError(
                f"{path}: not the record of a run: {error}; delete the file, and the run is made "
                "again when the experiment is"
            ) from error


def _record(content: Any) -> Record:
    if not isinstance(content, dict) or content.get("version") != VERSION:
        raise ValueError(f"not of version {VERSION}")
    values = {name: value for name, value in content.items() if name != "version"}
    points = [CurvePoint(**point) for point in _rows(values.get("curve"), "curve")]
    record = Record(**{**values, "curve": points})
    for name, kinds in KINDS.items():
        value = getattr(record, name)
        if not isinstance(value, kinds) or isinstance(value, bool):
            raise ValueError(f"{name}: {value!r:.80}")
    for point in points:
        for item in fields(point):
            _check_number(f"curve: {item.name}", getattr(point, item.name), item.name == "best")
    for row in record.costs:
        if len(_rows(row, "costs")) != record.objectives:
            raise ValueError(f"costs: {len(row)} numbers, but {record.objectives} objectives")
        for cost in row:
            _check_number("costs", cost, False)
    return record


NUMBER = (int, float)
KINDS: dict[str, tuple[type, ...]] = {
    "algorithm": (str,),
    "problem": (str,),
    "seed": (int,),
    "configuration": (dict,),
    "description": (dict,),
    "objectives": (int,),
    "optimum": (*NUMBER, type(None)),
    "costs": (list,),
    "solutions": (list,),
    "evaluations": (int,),
    "generations": (int,),
    "seconds": NUMBER,
    "compiling": NUMBER,
    "error": (str,),
    "begun": (str,),
    "machine": (dict,),
}


def _rows(value: Any, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{name}: missing, or not a list")
    return value


def _check_number(name: str, value: Any, may_be_none: bool) -> None:
    if not (value is None and may_be_none) and (
        not isinstance(value, NUMBER) or isinstance(value, bool)
    ):
        raise ValueError(f"{name}: {value!r:.80}")
