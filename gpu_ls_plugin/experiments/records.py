"""The record of one run: a JSON file that is complete or not there."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.exceptions import FileFormatError
from gpu_ls_plugin.files import atomically

if TYPE_CHECKING:
    from pathlib import Path

VERSION = 1

Key = tuple[str, str, int]
Costs = list[list[float]]


@dataclass(frozen=True)
class CurvePoint:
    """What a run had at a moment.

    `seconds` are since its start, without compiling. `costs` has the objectives of the best
    solution, or a row for each of a front, and no row where nothing feasible is known.
    """

    seconds: float
    evaluations: int
    generation: int
    costs: Costs


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
    optimum : float or None
        Of the problem, where that is known.
    curve : list of CurvePoint
        In order of time; the last one is the end.
    solutions : list of list
        The final solutions.
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
    configuration: dict[str, str] = field(default_factory=dict)
    description: dict[str, str] = field(default_factory=dict)
    objectives: int = 1
    optimum: float | None = None
    curve: list[CurvePoint] = field(default_factory=list)
    solutions: list[list[Any]] = field(default_factory=list)
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
    def costs(self) -> Costs:
        """Of the final solutions; no row for a run that failed."""
        return self.curve[-1].costs if self.curve and not self.error else []

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
            raise FileFormatError(f"{path}: not the record of a run: {error}") from error


def _record(content: Any) -> Record:
    values = dict(content)
    if values.pop("version", None) != VERSION:
        raise ValueError(f"not of version {VERSION}")
    for name, value in values.items():
        if not isinstance(value, KINDS.get(name, object)) or isinstance(value, bool):
            raise ValueError(f"{name}: {value!r:.80}")
    points = [CurvePoint(**point) for point in values.pop("curve", [])]
    record = Record(**values, curve=points)
    for point in points:
        _check(point, record.objectives)
    texts = {**record.configuration, **record.description, **record.machine}.values()
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("configuration, description or machine: not all are texts")
    return record


def _check(point: CurvePoint, objectives: int) -> None:
    numbers = [point.seconds, point.evaluations, point.generation]
    for row in point.costs:
        if len(row) != objectives:
            raise ValueError(f"costs: {len(row)} numbers, but {objectives} objectives")
        numbers += row
    if any(not isinstance(number, NUMBER) or isinstance(number, bool) for number in numbers):
        raise ValueError(f"curve: {point!r:.80}")


NUMBER = (int, float)
KINDS: dict[str, Any] = {
    **dict.fromkeys(("algorithm", "problem", "error", "begun"), str),
    **dict.fromkeys(("seed", "objectives"), int),
    **dict.fromkeys(("configuration", "description", "machine"), dict),
    **dict.fromkeys(("curve", "solutions"), list),
    **dict.fromkeys(("seconds", "compiling"), NUMBER),
    "optimum": (*NUMBER, type(None)),
}
