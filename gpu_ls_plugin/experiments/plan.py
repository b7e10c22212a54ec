"""What an experiment consists of: all combinations of algorithms, problems and seeds."""

from __future__ import annotations

import hashlib
import json
import re
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpu_ls_plugin.core import schema
from gpu_ls_plugin.core.exceptions import FileFormatError, InvalidParameterError
from gpu_ls_plugin.core.files import atomically
from gpu_ls_plugin.experiments.description import fingerprint, first_difference
from gpu_ls_plugin.experiments.records import Key, Record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

VERSION = 1
RUNS, PLAN = "runs", "plan.json"
LONGEST_NAME = 60  # of an algorithm or a problem in the name of a file


@dataclass(frozen=True)
class Run:
    """One combination, with the hashes of what it stands for."""

    algorithm: str
    problem: str
    seed: int
    configuration: dict[str, str]

    @property
    def key(self) -> Key:
        """What tells the run from others."""
        return self.algorithm, self.problem, self.seed

    def path(self, folder: Path) -> Path:
        """Return the file of the run's record."""
        words = [
            re.sub(r"[^\w.-]+", "_", name, flags=re.ASCII)[:LONGEST_NAME] for name in self.key[:2]
        ]
        digest = hashlib.sha256(repr(self.key).encode()).hexdigest()[:8]
        return folder / RUNS / f"{words[0]}--{words[1]}--{self.seed}--{digest}.json"


@dataclass(frozen=True)
class Plan:
    """All runs of an experiment; algorithms and problems, by name, are texts that describe them."""

    algorithms: Mapping[str, str]
    problems: Mapping[str, str]
    seeds: tuple[int, ...]
    termination: str

    def runs(self) -> Iterator[Run]:
        """Yield all runs, seed by seed, so that what is there after an interrupt is balanced."""
        for seed in self.seeds:
            for problem in self.problems:
                for algorithm in self.algorithms:
                    texts = {
                        "algorithm": self.algorithms[algorithm],
                        "problem": self.problems[problem],
                        "termination": self.termination,
                    }
                    prints = {name: fingerprint(text) for name, text in texts.items()}
                    yield Run(algorithm, problem, seed, prints)

    def stored(self, folder: Path) -> dict[Key, Record]:
        """Return intact records of the plan's runs in a folder; raise if one is another's."""
        found = {}
        for run in self.runs():
            path = run.path(folder)
            record = stored_record(path) if path.exists() else None
            if record is not None:
                self._check_same(run, record, path)
                found[run.key] = record
        return found

    def _check_same(self, run: Run, record: Record, path: Path) -> None:
        prints = run.configuration.items()
        different = [name for name, value in prints if record.configuration.get(name) != value]
        if not different and record.key == run.key:
            return
        here = {"algorithm": self.algorithms[run.algorithm], "termination": self.termination}
        places = [
            f"; {name}: {first_difference(record.description.get(name, ''), here[name])}"
            for name in different
            if name in here
        ]
        raise InvalidParameterError(
            f"folder: {path} is a run of {run.algorithm!r} on {run.problem!r} with seed {run.seed} "
            f"and another {' and '.join(different) or 'name'}{''.join(places)}. Choose another "
            "folder or name, or delete the file"
        )

    def save(self, folder: Path) -> None:
        """Write names and seeds, by which reports know the order and what is missing."""
        content = {
            "version": VERSION,
            "algorithms": list(self.algorithms),
            "problems": list(self.problems),
            "seeds": list(self.seeds),
            "termination": self.termination,
        }
        with atomically(folder / PLAN) as file:
            file.write_text(json.dumps(content, indent=1), encoding="utf-8")


def stored_record(path: Path) -> Record | None:
    """Return the record in a file; None, and a warning, where it is damaged."""
    try:
        return Record.load(path)
    except FileFormatError as error:
        warnings.warn(
            f"{error}; the run counts as missing, and is made again when the experiment is run",
            stacklevel=2,
        )
        return None


def stored_keys(folder: Path) -> list[Key]:
    """Return the runs of the plan in a folder; none where there is no plan."""
    path = folder / PLAN
    if not path.exists():
        return []
    with schema.reading(path, remedy="; delete the file or repeat the experiment"):
        content = schema.of_version(VERSION, "a plan", schema.read_json(path))
        plan = FILE("", content)
    return [
        (a, p, seed) for seed in plan["seeds"] for p in plan["problems"] for a in plan["algorithms"]
    ]


FILE = schema.fields(
    dict,
    algorithms=schema.listed(schema.text),
    problems=schema.listed(schema.text),
    seeds=schema.listed(schema.integer(most=None)),
    termination=schema.text,
)
