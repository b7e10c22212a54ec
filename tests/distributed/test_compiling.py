"""Workers compile each kernel once per machine, and all before the clock of a run starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.compilations import compilations
from gpu_ls_plugin.distributed import tasks
from gpu_ls_plugin.runs.settings import Settings
from tests.distributed.conftest import CHAINS
from tests.helpers.noting_compiler import noting_compiler
from tests.helpers.processes import run_python

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT = """
import sys
from pathlib import Path

import numpy as np

import gpu_ls_plugin as gls
from gpu_ls_plugin.distributed import local_cluster
from gpu_ls_plugin.runs.settings import Settings

def compiled():
    return len(Path(sys.argv[1], "begun").read_text().split())

if __name__ == "__main__":
    rng = np.random.default_rng(0)
    points = rng.integers(0, 999, (60, 2))
    problem = {problem}
    with local_cluster(2, threads=1) as client:
        islands = gls.Islands({search}client=client)
        settings = Settings({limits}, backend="cpu")
        islands.prepare(problem, settings)
        print(compiled())
        islands.solve(problem, settings)
        print(compiled())
"""
TOURS, ROUTES = "gls.TSP(points)", "gls.CVRP(points[:13], np.r_[0, rng.integers(1, 9, 12)], 15)"


@pytest.mark.parametrize(
    ("problem", "search", "limits"),
    [
        pytest.param(TOURS, "", "1, population=16", marks=pytest.mark.slow),
        pytest.param(
            TOURS, "gls.IteratedLocalSearch(), ", "1, population=16", marks=pytest.mark.slow
        ),
        pytest.param(ROUTES, "", "6", marks=pytest.mark.slow),  # a plan with two stages
    ],
    ids=["tours", "search", "stages"],
)
def test_workers_compile_before_the_clock_starts(
    tmp_path: Path, problem: str, search: str, limits: str
) -> None:
    script, cache = tmp_path / "script.py", tmp_path / "cache"
    script.write_text(SCRIPT.format(problem=problem, search=search, limits=limits))
    # What begins in the background is built one after the other: the second not before the run.
    compiler = noting_compiler(tmp_path, "sleep 0.5")
    own = {"CXX": compiler, "GPU_LS_CACHE_DIR": str(cache)}
    before, after = map(int, run_python(str(script), str(tmp_path), **own).split())
    assert before == after == len(list(cache.glob("*.so"))) > 0


def test_the_client_says_that_workers_compile(client, monkeypatch):
    names, count, unpacked = [], compilations.count, tasks._unpacked

    def noted(packed: bytes) -> tasks.Seat:
        names.append(compilations.names)
        return unpacked(packed)

    monkeypatch.setattr(tasks, "_unpacked", noted)
    problem = gls.TSP(np.random.default_rng(7).integers(0, 500, (50, 2)))
    islands = gls.Islands(CHAINS, client)
    islands.prepare(problem, Settings(kicks=1, seed=0, backend="cpu"))
    islands(problem, budget=gls.Budget(kicks=1), backend="cpu")
    assert len(names) == 4 and all("the kernels of 2 workers" in name for name in names)
    assert "workers" not in compilations.names and compilations.count - count < 10


def test_workers_of_this_machine_leave_the_log_to_the_client():
    code = (
        "from gpu_ls_plugin.core.compilations import compilations\n"
        "from gpu_ls_plugin.distributed.local_processes import dask_setup\n"
        "dask_setup(None)\n"
        "print(compilations.displays)"
    )
    assert run_python("-c", code) == "1\n"
