"""The plan of an experiment: all combinations of algorithms, problems and seeds."""

from __future__ import annotations

import hashlib
import json
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core import checks, schema
from gpu_ls_plugin.core.exceptions import FileFormatError, InvalidParameterError, InvalidTypeError
from gpu_ls_plugin.core.files import atomically
from gpu_ls_plugin.experiments.description import fingerprint, first_difference
from gpu_ls_plugin.experiments.records import Key, Record

if TYPE_CHECKING:
    from pathlib import Path

VERSION = 1
RUNS, PLAN = "runs", "plan.json"
LONGEST_NAME = 60  # maximum number of characters of each name within a file name


@dataclass(frozen=True)
class Run:
    """One run: an algorithm, a problem and a seed, with the hashes of their settings."""

    algorithm: str
    problem: str
    seed: int
    configuration: dict[str, str]

    @property
    def key(self) -> Key:
        """The key that identifies the run in an experiment."""
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
    """All runs of an experiment; `algorithms` and `problems` map names to descriptions.

    `summaries` has a short text about each algorithm for readers; it does not identify settings.
    """

    algorithms: Mapping[str, str]
    problems: Mapping[str, str]
    seeds: tuple[int, ...]
    termination: str
    summaries: Mapping[str, str] = field(default_factory=dict)

    def runs(self) -> Iterator[Run]:
        """Yield all runs, seed by seed, so that an interrupted experiment is balanced."""
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
        """Return the intact records of the plan's runs; raise if the settings in a file differ."""
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
        there = {name: record.description.get(name, "") for name in here}
        summaries = record.description.get("summary"), self.summaries.get(run.algorithm)
        if all(summaries) and summaries[0] != summaries[1] and "termination" not in different:
            there["algorithm"], here["algorithm"] = map(str, summaries)  # without private names
        places = [
            f"; {name}: {first_difference(there[name], here[name])}"
            for name in different
            if name in here
        ]
        raise InvalidParameterError(
            f"folder: {path} is a run of {run.algorithm!r} on {run.problem!r} with seed {run.seed} "
            f"and another {' and '.join(different) or 'name'}{''.join(places)}. Choose another "
            "folder or name, or delete the file"
        )

    def save(self, folder: Path) -> None:
        """Write names and seeds; they tell reports the order of runs and which are missing."""
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
    """Return the record in a file; warn and return None if the file is damaged."""
    try:
        return Record.load(path)
    except FileFormatError as error:
        warnings.warn(
            f"{error}; the run counts as missing, and the next run of the experiment repeats it",
            stacklevel=2,
        )
        return None


def stored_keys(folder: Path) -> list[Key]:
    """Return the keys of the runs of the plan in a folder; an empty list if there is no plan."""
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


def named(parameter: str, given: Any, name_of: Callable[[Any], str]) -> dict[str, Any]:
    """Return the given entries as a dict by name; `name_of` names the entries of a list."""
    if isinstance(given, Mapping):
        pairs = [(checks.text(parameter, name), item) for name, item in given.items()]
    elif isinstance(given, Iterable):
        pairs = [(name_of(item), item) for item in given]
    else:
        raise InvalidTypeError(f"{parameter}: {given!r} is neither a mapping nor a list")
    if not pairs:
        raise InvalidParameterError(f"{parameter}: it is empty")
    names = [name for name, _ in pairs]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InvalidParameterError(
            f"{parameter}: {twice[0]!r} is the name of several entries; pass a mapping from names"
        )
    return dict(pairs)


def seeds_of(given: Any) -> tuple[int, ...]:
    """Return the given seeds, or the seeds 1 to n for a number n."""
    if isinstance(given, Iterable):
        found = tuple(checks.integer("seeds", seed, least=0) for seed in given)
    else:
        found = tuple(range(1, 1 + checks.integer("seeds", given, least=1)))
    if not found or len(set(found)) < len(found):
        raise InvalidParameterError(f"seeds: {given!r} is empty or has a seed twice")
    return found
