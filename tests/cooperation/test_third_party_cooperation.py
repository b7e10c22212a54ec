"""A third party's distribution of one file: a cooperation and a recombination of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]

PYPROJECT = """
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"

[project]
name = "gpu-ls-ring"
version = "0.1"
dependencies = ["gpu-ls-plugin"]

[project.entry-points.gpu_ls_plugin]
ring = "gpu_ls_ring"

[tool.setuptools]
py-modules = ["gpu_ls_ring"]
"""

PLUGIN = '''
"""Chains on a ring: each listens to the one before it."""

from dataclasses import dataclass

from gpu_ls_plugin.backends.evaluation import tour_costs
from gpu_ls_plugin.cooperation import Cooperation
from gpu_ls_plugin.hookspecs import hookimpl
from gpu_ls_plugin.recombination import Recombination
from gpu_ls_plugin.recombination.workspace import Workspace


@dataclass(frozen=True)
class Ring(Cooperation):
    """Let each chain go on from the best tour of the one before it, where that is cheaper."""

    every: float = 0.2
    steps: int = 1

    name = "ring"

    def exchange(self, chains, level, seconds=float("inf"), kicks=2**62):
        xp = chains.start.backend.xp
        counts = chains.kept(self, lambda: xp.zeros(1, int))
        counts += 1
        for _ in range(self.steps):
            costs = xp.roll(chains.best_costs, 1)
            (rows,) = xp.nonzero(costs < chains.best_costs)
            chains.take(rows, rows - 1)
        return 0


@dataclass(frozen=True)
class Prefix(Recombination):
    """The first cities of one tour, then the others in the order of another one."""

    cities: int = 5

    name = "prefix"
    reverses = False

    def bytes_per_tour(self, n):
        return 16 * n

    def workspace(self, backend, problem, size, *, seed, first_row=0, parts=None):
        return PrefixWorkspace(self.cities, backend, problem)


class PrefixWorkspace(Workspace):
    def __init__(self, cities, backend, problem):
        self.cities, self.backend, self.problem = cities, backend, problem

    def cross(self, first, costs, second, partners, *, generation=0, seconds=float("inf")):
        xp = self.backend.xp
        ranks = xp.argsort(second[partners], axis=1)
        each = xp.arange(len(first))[:, None]
        head = first[:, : self.cities]
        ranks[each, head] = xp.arange(-self.cities, 0)
        children = xp.argsort(ranks, axis=1).astype("int32")
        return children, tour_costs(self.backend, self.problem, children)


@hookimpl
def gpu_ls_register_parts(register):
    register("cooperation", Ring.name, Ring)
    register("recombination", Prefix.name, Prefix)
    register("cooperation", Prefix.name, Prefix)
'''

USE = """
import json
import numpy as np
import gpu_ls_plugin as gls
from gpu_ls_plugin.search_text import parse_search
from gpu_ls_ring import Prefix, Ring

problem = gls.TSP(np.random.default_rng(7).integers(0, 1000, (60, 2)), "EUC_2D")
first, second = (gls.random_tours(problem, size=8, seed=s, backend="cpu") for s in (1, 2))

def run(cooperation, kicks=60, **given):
    search = gls.IteratedLocalSearch(cooperation=cooperation, **given)
    return search(problem, first, seed=3, budget=gls.Budget(kicks=kicks), backend="cpu")

alone, ring, crossed = run(None), run(Ring(steps=8)), run(Prefix(0.2, 3, cities=30))
stepped = run(Ring(), 12, search=gls.LocalSearch(pivoting=gls.Best()))
named = parse_search("IteratedLocalSearch(cooperation=ring(steps=8))")
last = run(Ring(every=1.0, steps=8))  # whose only exchange is at the end
children = Prefix(cities=5).cross(problem, first, second, backend="cpu")
print(json.dumps({
    "refereed": all((r.costs == problem.cost(r.tours)).all() for r in (ring, crossed, stepped)),
    "the mean falls": bool(ring.costs.mean() < alone.costs.mean()),
    "all go on from the best": bool((last.costs == alone.costs.min()).all()),
    "named": named.cooperation == Ring(steps=8),
    "reproducible": bool((run(Ring(steps=8)).tours == ring.tours).all()),
    "crossed": bool((children[:, :5] == first[:, :5]).all()),
    "the rest in order": all(
        child[5:].tolist() == [c for c in other if c not in set(child[:5])]
        for child, other in zip(children, second.tolist())
    ),
}))
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The plugin's distribution, installed by pip into a folder of its own."""
    project = tmp_path_factory.mktemp("project")
    (project / "pyproject.toml").write_text(PYPROJECT, encoding="utf-8")
    (project / "gpu_ls_ring.py").write_text(PLUGIN, encoding="utf-8")
    target = tmp_path_factory.mktemp("site")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    options = ["--no-build-isolation", "--no-deps", "--no-index", "--target", str(target)]
    subprocess.run(
        [*pip, *options, str(project)], check=True, capture_output=True, text=True, timeout=120
    )
    return target


def run(site: Path, *arguments: str) -> Any:
    path = os.pathsep.join([str(site), str(ROOT), str(ROOT / "adapters")])
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=os.environ | {"PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_its_parts_are_listed_with_their_arguments(site: Path) -> None:
    rows = run(site, "-m", "gpu_ls_plugin", "operators", "--json")
    arguments = "every=0.1, generations=5, cities=5"
    assert [(r["kind"], r["name"], r["arguments"]) for r in rows if r["plugin"] == "ring"] == [
        ("cooperation", "ring", "every=0.2, steps=1"),
        ("recombination", "prefix", arguments),
        ("cooperation", "prefix", arguments),
    ]


def test_chains_cooperate_as_it_says(site: Path) -> None:
    found = run(site, "-c", USE)
    assert all(found.values()), found


def test_its_cooperation_is_known_by_name(site: Path) -> None:
    file = str(ROOT / "examples" / "data" / "europe_capitals.tsp")
    options = ("--backend", "cpu", "--seconds", "0.3", "--population", "4", "--json")
    text = "IteratedLocalSearch(two_opt/nearest(6), cooperation=ring(0.1))"
    found = run(site, "-m", "gpu_ls_plugin", "solve", file, *options, "--search", text)
    assert "Ring(every=0.1, steps=1)" in found["search"]
    assert found["kicks"] > 0
