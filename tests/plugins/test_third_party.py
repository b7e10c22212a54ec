"""A foreign distribution with a metric, a neighbourhood and a filter is installed and used."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu_ls_plugin.backends import compile_check
from gpu_ls_plugin.core.exceptions import GpuLsError
from tests.helpers.distributions import install, run
from tests.helpers.marks import slow_after
from tests.test_docs import blocks

ROOT = Path(__file__).resolve().parents[2]

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

# Twice the rounded Euclidean distance, so that tours have the same order as with EUC_2D.
PLUGIN = '''
"""A metric for roads that are travelled twice, and moves that swap neighbouring pairs of cities."""

from dataclasses import dataclass

import numpy as np

from gpu_ls_plugin.extend import (
    Metric,
    Neighbourhood,
    filter_kernels,
    hookimpl,
    metric_kernels,
    neighbourhood_kernels,
)

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

    def lengths(self, values, a, b):
        x, y = values.T
        squared = (x[a] - x[b]) ** 2 + (y[a] - y[b]) ** 2
        return 2 * (np.sqrt(squared) + 0.5).astype(np.int64)

    def slack(self, values):
        span = 2 * np.linalg.norm(np.ptp(values, axis=0)) + 2
        return float(span) * 2.0**-23


MOVES = """
// Swaps two segments of one or two cities each that follow each other:
// t1 [t2 .. t5] [t6 .. t3] t4 -> t1 [t6 .. t3] [t2 .. t5] t4.
struct SwapPairs {
  GLS_DEVICE static int variants(int) { return 2; }  // lengths of the first segment

  template <class View, class Length>
  GLS_DEVICE static Length gain(const View& view, const gls::FirstStep<Length>& first, int variant,
                                gls::Move& move) {
    const auto path = view.path(first);
    const int at5 = variant, at3 = path.step(first.t3);
    if (at3 <= at5 || at3 > at5 + 2 || at3 + 1 >= view.tour.n) return 0;
    const int t4 = path.at(at3 + 1), t5 = path.at(at5), t6 = path.at(at5 + 1);
    move.set(first, gls::Shape::kSwap, 3, t4, t5, t6);
    const Length removed = first.length + view.leaving(t6, t5) + view.leaving(t4, first.t3);
    const Length added = first.length - first.gain + view.length(t6, first.t1);
    return view.gain(move, removed, added + view.length(t4, t5));
  }
};
"""


@dataclass(frozen=True)
class SwapPairs(Neighbourhood):
    """Swap two neighbouring segments of one or two cities."""

    name = "swap_pairs"
    reverses = False

    def functor(self, symmetric):
        return "SwapPairs"

    def source(self):
        return MOVES

    def variants(self, degree, symmetric):
        return 2


@hookimpl
def gpu_ls_register_parts(register):
    register("metric", "TWICE_2D", Twice2D)
    register("neighbourhood", "swap_pairs", SwapPairs)
    register("filter", "leave_city", LeaveCity)


@hookimpl
def gpu_ls_kernel_sources():
    return [
        *metric_kernels(Twice2D()),
        *neighbourhood_kernels(SwapPairs()),
        *filter_kernels(LeaveCity(0)),
    ]
'''

# The filter of the guide.
GUIDE = ROOT / "docs" / "filters.md"
FILTER = f"LEAVE_CITY = {blocks(GUIDE, 'cpp')[0]!r}\n{blocks(GUIDE, 'python')[-1]}"

USE = """
import json
import numpy as np
import gpu_ls_plugin as gls
from gpu_ls_twice import LeaveCity, SwapPairs

points = np.random.default_rng(7).integers(0, 1000, (60, 2))
twice, once = gls.TSP(points, metric="TWICE_2D"), gls.TSP(points, metric="EUC_2D")
starts = gls.random_tours(once, size=20, seed=3, backend="cpu")

def searched(moves, candidates=None, pivoting=None, problem=once):
    search = gls.LocalSearch(moves, candidates or gls.Nearest(20), pivoting or gls.First())
    found = search(problem, starts, backend="cpu")
    assert (found.costs == problem.cost(found.tours)).all()
    assert (found.costs < problem.cost(starts)).all()
    return found

def filtered(test, mode):
    part = gls.FilteredNeighbourhood(gls.TwoOpt(), test, mode)
    return searched([part], gls.All(), gls.Best())

def neighbours(tours):
    # The neighbours of city 3 in each tour.
    at = np.nonzero(tours == 3)[1]
    rows = np.arange(len(tours))
    return np.sort([tours[rows, (at + step) % 60] for step in (-1, 1)], axis=0)

theirs, ours = (searched([gls.TwoOpt()], gls.All(), gls.Best(), one) for one in (twice, once))
alone, named = searched([SwapPairs()]), searched(["swap_pairs"])
two_opt, both = searched([gls.TwoOpt()]), searched([gls.TwoOpt(), SwapPairs()])
left = filtered(LeaveCity(3) & gls.GainBound(), "openings")
masked = filtered(LeaveCity(3), "masked")
print(json.dumps({
    "the metric finds the same tours": bool((theirs.tours == ours.tours).all()),
    "at twice the costs": bool((theirs.costs == 2 * ours.costs).all()),
    "moves have a name": bool((alone.tours == named.tours).all()),
    "moves help 2-opt": bool(both.costs.mean() < two_opt.costs.mean()),
    "the filter keeps edges": bool((neighbours(left.tours) == neighbours(starts)).all()),
    "in each mode": bool((left.tours == masked.tours).all()),
    "with fewer evaluations": left.statistics.evaluations < masked.statistics.evaluations,
}))
"""

CHECKS = """
import json
from gpu_ls_plugin.testing import check_filter, check_metric, check_neighbourhood
from gpu_ls_twice import LeaveCity, SwapPairs, Twice2D

def leaves(problem, removed, added):
    return all(3 not in edge for edge in removed)

check_metric(Twice2D(), backend="cpu")
check_neighbourhood(SwapPairs(), backend="cpu")
check_filter(LeaveCity(3), leaves, backend="cpu")
print(json.dumps("passed"))
"""

CHECK = """
import json
from gpu_ls_plugin.backends.compile_check import check
from gpu_ls_plugin.plugins.loader import plugins

own = {"TWICE_2D", "swap_pairs", "leave_city"}
kernels = [kernel for kernel in plugins.kernel_sources() if own & set(kernel.parts)]
assert own <= {part for kernel in kernels for part in kernel.parts}
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
    """Return the folder into which pip has installed the distribution."""
    return install(tmp_path_factory, PYPROJECT, "gpu_ls_twice", PLUGIN + FILTER)


def test_the_plugin_is_found_through_its_entry_point(site: Path) -> None:
    rows = {row["name"]: row for row in run(site, "-m", "gpu_ls_plugin", "plugins", "--json")}
    assert rows["twice"] == {
        "name": "twice",
        "distribution": "gpu-ls-twice",
        "version": "0.3",
        "module": "gpu_ls_twice",
        "status": "loaded",
        "error": "",
        "parts": ["metric:TWICE_2D", "neighbourhood:swap_pairs", "filter:leave_city"],
    }
    rows = run(site, "-m", "gpu_ls_plugin", "operators", "--json")
    assert [row["summary"] for row in rows if row["plugin"] == "twice"] == [
        "Twice TSPLIB's EUC_2D.",
        "Swap two neighbouring segments of one or two cities.",
        "Keep moves that leave both edges at a city as they are.",
    ]


@pytest.mark.slow
def test_its_parts_work_alone_and_with_others(site: Path) -> None:
    found = run(site, "-c", USE)
    assert found and all(found.values()), found


@pytest.mark.slow
def test_its_parts_pass_the_checks_for_plugins(site: Path) -> None:
    assert run(site, "-c", CHECKS) == "passed"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "search"),
    slow_after(
        1,
        [
            (
                "filtered_neighbourhood(filter=leave_city(3) & gain_bound)",
                "(LeaveCity(city=3) & GainBound())",
            ),
            ("swap_pairs+two_opt/nearest(8)", "SwapPairs()+TwoOpt()/Nearest(k=8)"),
        ],
    ),
)
def test_its_parts_are_known_by_name(site: Path, text: str, search: str) -> None:
    file = str(ROOT / "examples" / "data" / "europe_capitals.tsp")
    options = ("--backend", "cpu", "--seconds", "0.2", "--population", "4", "--json")
    found = run(site, "-m", "gpu_ls_plugin", "solve", file, *options, "--search", text)
    assert search in found["search"]
    assert found["moves"] > 0


@pytest.mark.slow
def test_its_metric_is_read_from_files(site: Path, tmp_path: Path) -> None:
    file = tmp_path / "twice.tsp"
    file.write_text(INSTANCE, encoding="utf-8")
    arguments = ("-m", "gpu_ls_plugin", "solve", str(file), "--backend", "cpu", "--json")
    found = run(site, *arguments)
    assert (found["metric"], found["best_cost"]) == ("TWICE_2D", 28)


@pytest.mark.slow
def test_its_functors_compile_for_every_architecture(site: Path) -> None:
    try:
        compile_check.load_nvrtc()
    except GpuLsError as error:
        pytest.skip(str(error))
    rows = run(site, "-c", CHECK)
    assert {row["arch"] for row in rows} == set(compile_check.ARCHITECTURES)
    assert all(row["passed"] and row["registers"] > 0 for row in rows), rows
