"""A child that is forked while another thread compiles or loads plugins can search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.backends import compiler
from tests.helpers.processes import run_python

if TYPE_CHECKING:
    from pathlib import Path

# The child has only the thread that forked. An alarm ends it if it waits for another thread.
SCRIPT = """
import os, signal, sys, threading, time
import numpy as np
import gpu_ls_plugin as gls
from gpu_ls_plugin.plugins.loader import plugins
from gpu_ls_plugin.core.registry import registry

problem = gls.TSP(np.random.default_rng(0).integers(0, 99, (20, 2)))

def compile_kernels():
    assert gls.random_tours(problem, 2, seed=1, backend="cpu").shape == (2, 20)

def load_plugins():
    assert {"slow", "builtin"} <= {info.name for info in plugins.infos()}
    assert registry.lookup("metric", "SLOW")

use = {USE}
thread = threading.Thread(target=use)
thread.start()
while not os.path.exists("started"):
    time.sleep(0.01)
child = os.fork()
if child == 0:
    signal.alarm(100)
    try:
        use()
    except BaseException as error:
        print(repr(error), file=sys.stderr, flush=True)
        os._exit(1)
    os._exit(0)
thread.join()
_, status = os.waitpid(child, 0)
assert status == 0, f"child: {status}"
use()
"""

# Its first run takes long, so that there is time to fork.
SLOW_COMPILER = """#!/bin/sh
case "$*" in *--version*) ;; *) mkdir started 2>/dev/null && sleep 0.5 ;; esac
exec {} "$@"
"""

SLOW_PLUGIN = """
import os, time
os.mkdir("started")
time.sleep(0.5)
from gpu_ls_plugin.plugins.hookspecs import hookimpl

@hookimpl
def gpu_ls_register_parts(register):
    register("metric", "SLOW", object)
"""


def fork_while(use: str, folder: Path, **changes: str) -> None:
    run_python("-c", SCRIPT.replace("{USE}", use), path=[folder], cwd=folder, **changes)


def test_a_fork_while_a_thread_compiles(tmp_path: Path) -> None:
    script = tmp_path / "slow-compiler"
    script.write_text(SLOW_COMPILER.format(" ".join(compiler.find_compiler())))
    script.chmod(0o755)
    cache = str(tmp_path / "cache")
    fork_while("compile_kernels", tmp_path, CXX=str(script), GPU_LS_CACHE_DIR=cache)


def test_a_fork_while_a_thread_loads_plugins(tmp_path: Path) -> None:
    info = tmp_path / "slow-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: slow\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[gpu_ls_plugin]\nslow = slow_plugin\n")
    (tmp_path / "slow_plugin.py").write_text(SLOW_PLUGIN)
    fork_while("load_plugins", tmp_path)


START = """
import os, threading, time
from gpu_ls_plugin.backends.compiler import _starting

held, free = threading.Event(), []

def start():
    with _starting:
        held.set()
        time.sleep(0.3)
        free.append(True)

threading.Thread(target=start).start()
held.wait()
child = os.fork()
if child == 0:
    os._exit(0 if free and _starting.acquire(timeout=60) else 1)
assert free and os.waitpid(child, 0)[1] == 0
"""


def test_a_fork_waits_until_a_compiler_has_started() -> None:
    """The pipes of a compiler that starts would stay open in the child, and both would wait."""
    run_python("-c", START)
