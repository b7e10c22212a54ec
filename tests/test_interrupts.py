"""Ctrl-C at any moment of a search leaves tours and costs that belong together."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# Signals arrive while threads start, run and end; a thread that outlives its launch would go on
# writing into the tours.
SCRIPT = """
import os, signal, threading
import numpy as np
import gpu_ls_plugin as gls
from gpu_ls_plugin.solver import Settings, solve

signal.signal(signal.SIGINT, signal.default_int_handler)  # off in a background job of a shell
random = np.random.default_rng(0)
problem = gls.TSP(random.integers(0, 10_000, (400, 2)))
solve(problem, Settings(seconds=0, population=16, backend="cpu"))
stopped = 0
for _ in range(40):
    delay = 0.02 + 0.05 * random.random()
    timer = threading.Timer(delay, lambda: os.kill(os.getpid(), signal.SIGINT))
    try:
        timer.start()
        result = solve(problem, Settings(seconds=100, population=16, backend="cpu"))
        assert result.statistics.interrupted
        assert (problem.cost(result.tours) == result.costs).all(), "tours and costs differ"
        stopped += 1
    except KeyboardInterrupt:  # before there was a tour
        pass
    timer.join()
assert stopped > 10, stopped
"""


def test_ctrl_c_at_any_moment() -> None:
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", SCRIPT],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=os.environ | {"PYTHONPATH": path, "GPU_LS_THREADS": "2"},
    )
    assert done.returncode == 0, done.stderr[-2000:]
