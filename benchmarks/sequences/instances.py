"""Instances of the sequence benchmarks, and their best published costs."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.helpers import common

MAKESPAN, FLOWTIME = "makespan", "total_flowtime"
LARGEST_TIME = 99  # of generated flow shops, as of Taillard's


class Instance(NamedTuple):
    """A flow shop, its objective and its best published cost."""

    name: str
    path: Path
    jobs: int
    machines: int
    objective: str
    best: int

    @property
    def size(self) -> str:
        """Numbers of jobs and machines."""
        return f"{self.jobs} x {self.machines}"


def folder(name: str) -> Path:
    """Return a folder of instances, or end the program with a message."""
    for place in filter(None, map(str, common.INSTANCE_FOLDERS)):
        if (Path(place) / name).is_dir():
            return Path(place) / name
    sys.exit(f"no {name}/ found; set GPU_LS_INSTANCES to the folder that holds {name}/")


def large(*, all_of_them: bool = False) -> list[Instance]:
    """Return the first instance of each size of the set VFR large, or all of them."""
    found = _instances("vfr-large", "_Gap", MAKESPAN, "best_published")
    if all_of_them:
        return found
    return list({instance.size: instance for instance in reversed(found)}.values())[::-1]


def taillard(objective: str) -> list[Instance]:
    """Return Taillard's instances with one of two objectives."""
    return _instances("taillard", "", objective, objective)


def _instances(set_: str, suffix: str, objective: str, column: str) -> list[Instance]:
    """Return the instances of a set that have a published cost, by size and number."""
    place = folder("flowshop")
    known: dict[str, dict[str, Any]] = json.loads((place / "solutions.json").read_text())[set_]
    found = []
    for name, costs in known.items():
        jobs, machines, number = map(int, re.findall(r"\d+", name))
        if (cost := costs.get(column)) is not None:
            path = place / set_ / f"{name}{suffix}.txt"
            instance = Instance(name, path, jobs, machines, objective, cost)
            found.append(((jobs, machines, number), instance))
    return [instance for _, instance in sorted(found)]


def random_times(jobs: int, machines: int, seed: int = 1) -> np.ndarray[Any, Any]:
    """Return uniform times, shape (jobs, machines)."""
    return np.random.default_rng(seed).integers(1, LARGEST_TIME + 1, (jobs, machines))
