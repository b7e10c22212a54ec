"""The benchmark instances that tests and benchmarks read, and their optimal lengths.

The environment variable GPU_LS_INSTANCES names their folder; the default is `../shared/instances`
beside the repository. Tests that need a missing instance are skipped.
"""

from __future__ import annotations

import json
import os
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gpu_ls_plugin.routes.problem.cvrp import CVRP
from gpu_ls_plugin.tours.problem.tsp import TSP

if TYPE_CHECKING:
    from collections.abc import Iterable

BESIDE = Path(__file__).resolve().parents[3] / "shared" / "instances"
FOLDER = Path(os.environ.get("GPU_LS_INSTANCES") or BESIDE)
FIXED_EDGES = "linhp318"  # the only instance that the library refuses


def _optimal_lengths() -> dict[str, int]:
    path = FOLDER / "tsp" / "solutions.json"
    return json.loads(path.read_text()) if path.is_file() else {}


OPTIMA = _optimal_lengths()


def tsp_names(
    smallest: int = 1, largest: int = 10**9, metric: str | None = None, solved: bool = False
) -> list[str]:
    """Return the readable instances by size; `solved` ones have an optimal tour."""
    names = []
    for path in (FOLDER / "tsp").glob("*.tsp"):
        wanted = path.stem != FIXED_EDGES and smallest <= _size(path.stem) <= largest
        if wanted and solved:
            wanted = path.with_suffix(".opt.tour").is_file()
        if wanted and metric is not None:
            wanted = re.search(rf"EDGE_WEIGHT_TYPE *: *{metric}\b", _head(path)) is not None
        if wanted:
            names.append(path.stem)
    return sorted(names, key=lambda name: (_size(name), name))


def _size(name: str) -> int:
    match = re.search(r"\d+$", name)
    return int(match[0]) if match else 0


def _head(path: Path) -> str:
    with path.open() as file:
        return file.read(1000)


def each_name(names: Iterable[str]) -> pytest.MarkDecorator:
    """Run a test once per name; skip it if there are none."""
    absent = pytest.param("absent", marks=pytest.mark.skip(reason=_reason("of this kind")))
    return pytest.mark.parametrize("name", list(names) or [absent])


def instance_path(name: str) -> Path:
    """Return the path of an instance file; skip the test if it is missing."""
    path = FOLDER / name
    if not path.is_file():
        pytest.skip(_reason(name))
    return path


@cache
def _read(path: Path) -> TSP:
    return TSP.read(path, optimum=OPTIMA.get(path.stem))


def tsp_instance(name: str) -> TSP:
    """Read a TSPLIB instance such as "pr1002"; skip the test if it is missing."""
    return _read(instance_path(f"tsp/{name}.tsp"))


def cvrp_instance(name: str) -> CVRP:
    """Read a CVRPLIB instance such as "X/X-n200-k36"; skip the test if it is missing."""
    return CVRP.read(instance_path(f"cvrp/{name}.vrp"))


def _reason(name: str) -> str:
    return f"no instance {name} in {FOLDER}; set GPU_LS_INSTANCES"
