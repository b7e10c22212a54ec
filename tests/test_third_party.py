"""A third party's distribution with a metric of its own: installed, searched with, compiled."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gpu_ls_plugin.backends import compile_check
from gpu_ls_plugin.exceptions import GpuLsError

ROOT = Path(__file__).resolve().parents[1]

PYPROJECT = """
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"

[project]
name = "gpu-ls-twice"
version = "0.3"
dependencies = ["gpu-ls-plugin"]

[project.entry-points.gpu_ls_plugin]
twice = "gpu_ls_twice"

[tool.setuptools]
py-modules = ["gpu_ls_twice"]
"""

# Twice the rounded Euclidean distance: an order of tours that EUC_2D confirms.
PLUGIN = '''
"""A metric for roads that are travelled twice."""

import numpy as np

from gpu_ls_plugin.hookspecs import hookimpl
from gpu_ls_plugin.problems.metrics import Metric
from gpu_ls_plugin.searches.instantiations import metric_kernels

FUNCTOR = """
struct Twice2D : gls::EstimateByLength<Twice2D> {
  using Length = gls::int64;
  const double* xy;

  GLS_DEVICE Twice2D(const void* data, int) : xy(static_cast<const double*>(data)) {}
  GLS_DEVICE Length operator()(int a, int b) const {
    const double x = xy[2 * a] - xy[2 * b], y = xy[2 * a + 1] - xy[2 * b + 1];
    return 2 * Length(sqrt(x * x + y * y) + 0.5);
  }
};
"""


class Twice2D(Metric):
    """Twice TSPLIB's EUC_2D."""

    name = "TWICE_2D"
    functor = "Twice2D"

    def source(self):
        return FUNCTOR

    def lengths(self, problem, a, b):
        x, y = problem.coordinates.T
        squared = (x[a] - x[b]) ** 2 + (y[a] - y[b]) ** 2
        return 2 * (np.sqrt(squared) + 0.5).astype(np.int64)

    def slack(self, problem):
        span = 2 * np.linalg.norm(np.ptp(problem.coordinates, axis=0)) + 2
        return float(span) * 2.0**-23


@hookimpl
def gpu_ls_register_parts(register):
    register("metric", "TWICE_2D", Twice2D)


@hookimpl
def gpu_ls_kernel_sources():
    return list(metric_kernels(Twice2D()))
'''

CLIMB = """
import json
import numpy as np
import gpu_ls_plugin as gls

points = np.random.default_rng(7).integers(0, 1000, (60, 2))
twice, once = gls.TSP(points, metric="TWICE_2D"), gls.TSP(points, metric="EUC_2D")
search = gls.LocalSearch([gls.TwoOpt()], candidates=gls.All(), pivoting=gls.Best())
starts = gls.random_tours(once, size=20, seed=3, backend="cpu")
found, expected = (search(problem, starts, backend="cpu") for problem in (twice, once))
print(json.dumps({
    "same_tours": bool((found.tours == expected.tours).all()),
    "same_costs": bool((found.costs == 2 * expected.costs).all()),
    "refereed": bool((found.costs == twice.cost(found.tours)).all()),
    "improved": bool((found.costs < twice.cost(starts)).all()),
}))
"""

CHECK = """
import json
from gpu_ls_plugin.backends.compile_check import check
from gpu_ls_plugin.plugins import plugins

kernels = [kernel for kernel in plugins.kernel_sources() if "TWICE_2D" in kernel.parts]
print(json.dumps([row.as_dict() for row in check(kernels)]))
"""

INSTANCE = """NAME : twice
TYPE : TSP
DIMENSION : 4
EDGE_WEIGHT_TYPE : TWICE_2D
NODE_COORD_SECTION
1 0 0
2 3 4
3 0 4
4 3 0
EOF
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The plugin's distribution, installed by pip into a folder of its own."""
    project = tmp_path_factory.mktemp("project")
    (project / "pyproject.toml").write_text(PYPROJECT, encoding="utf-8")
    (project / "gpu_ls_twice.py").write_text(PLUGIN, encoding="utf-8")
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


def test_the_plugin_is_found_through_its_entry_point(site: Path) -> None:
    rows = {row["name"]: row for row in run(site, "-m", "gpu_ls_plugin", "plugins", "--json")}
    assert rows["twice"] == {
        "name": "twice",
        "distribution": "gpu-ls-twice",
        "version": "0.3",
        "module": "gpu_ls_twice",
        "status": "loaded",
        "error": "",
        "parts": ["metric:TWICE_2D"],
    }
    rows = run(site, "-m", "gpu_ls_plugin", "operators", "--json")
    (row,) = [row for row in rows if row["plugin"] == "twice"]
    assert row["summary"] == "Twice TSPLIB's EUC_2D."


def test_its_metric_climbs_on_the_cpu_like_a_built_in_one(site: Path) -> None:
    found = run(site, "-c", CLIMB)
    assert found == dict.fromkeys(("same_tours", "same_costs", "refereed", "improved"), True)


def test_its_metric_is_read_from_files(site: Path, tmp_path: Path) -> None:
    file = tmp_path / "twice.tsp"
    file.write_text(INSTANCE, encoding="utf-8")
    arguments = ("-m", "gpu_ls_plugin", "solve", str(file), "--backend", "cpu", "--json")
    found = run(site, *arguments)
    assert (found["metric"], found["best_cost"]) == ("TWICE_2D", 28)


def test_its_functor_compiles_for_every_architecture(site: Path) -> None:
    try:
        compile_check._nvrtc()
    except GpuLsError as error:
        pytest.skip(str(error))
    rows = run(site, "-c", CHECK)
    assert {row["arch"] for row in rows} == set(compile_check.ARCHITECTURES)
    assert all(row["passed"] and row["registers"] > 0 for row in rows), rows
