"""A third party's distribution of one file, with a cooperation and a recombination."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.distributions import install, run
from tests.test_docs import blocks

ROOT = Path(__file__).resolve().parents[3]

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

# The parts of the guide.
GUIDE = ROOT / "docs" / "recombination.md"
PLUGIN = "\n".join(blocks(GUIDE, "python")[1:])

USE = """
import json
import numpy as np
import gpu_ls_plugin as gls
from gpu_ls_plugin.plugins.search_text import parse_search
from gpu_ls_ring import Prefix, Ring

problem = gls.TSP(np.random.default_rng(7).integers(0, 1000, (60, 2)), "EUC_2D")
first, second = (gls.random_tours(problem, size=8, seed=s, backend="cpu") for s in (1, 2))

def run(cooperation, kicks=60, **given):
    search = gls.IteratedLocalSearch(cooperation=cooperation, **given)
    return search(problem, first, seed=3, budget=gls.Budget(kicks=kicks), backend="cpu")

alone, ring, crossed = run(None), run(Ring(steps=8)), run(Prefix(0.2, 3, cities=30))
stepped = run(Ring(), 12, search=gls.LocalSearch(pivoting=gls.Best()))
named = parse_search("IteratedLocalSearch(cooperation=ring(steps=8))")
last = run(Ring(every=1.0, steps=8))  # its only exchange is at the end
children = Prefix(cities=5).cross(problem, first, second, backend="cpu")
print(json.dumps({
    "refereed": all((r.costs == problem.cost(r.tours)).all() for r in (ring, crossed, stepped)),
    "the mean falls": bool(ring.costs.mean() < alone.costs.mean()),
    "all continue from the best": bool((last.costs == alone.costs.min()).all()),
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
    """The distribution, installed by pip into a folder of its own."""
    return install(tmp_path_factory, PYPROJECT, "gpu_ls_ring", PLUGIN)


def test_parts_are_listed_with_their_arguments(site: Path) -> None:
    rows = run(site, "-m", "gpu_ls_plugin", "operators", "--json")
    arguments = "every=0.1, generations=5, cities=5"
    assert [(r["kind"], r["name"], r["arguments"]) for r in rows if r["plugin"] == "ring"] == [
        ("cooperation", "ring", "every=0.2, steps=1"),
        ("recombination", "prefix", arguments),
        ("cooperation", "prefix", arguments),
    ]


def test_chains_cooperate(site: Path) -> None:
    found = run(site, "-c", USE)
    assert all(found.values()), found
