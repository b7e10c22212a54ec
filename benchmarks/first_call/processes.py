"""Calls in processes of their own, with caches in a folder of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.helpers.common import REPOSITORY

HERE = Path(__file__).parent
CACHES = ("GPU_LS_CACHE_DIR", "CUPY_CACHE_DIR", "CUDA_CACHE_PATH")
UNSET = ("GPU_LS_CXXFLAGS", "PYTHONDONTWRITEBYTECODE", "PYTHONPATH")


def python_of(environment: Path | None) -> str:
    """Return the Python of a virtual environment; by default the one that runs this."""
    if environment is None:
        return sys.executable
    python = environment / "bin" / "python"
    if not python.exists():
        sys.exit(f"{environment} is no virtual environment: it has no bin/python")
    return str(python)


def run(
    script: str, *arguments: str, caches: Path, installed: Path | None = None
) -> dict[str, Any]:
    """Run a script of this folder in a new process; return the last line that it prints.

    Compiled programs are kept in `caches`. The process imports the library from this repository, or
    from the environment `installed`, with nothing else on its path.
    """
    environment = {k: v for k, v in os.environ.items() if k not in UNSET}
    for name in CACHES:
        environment[name] = str(caches / name)
    if installed is None:
        environment["PYTHONPATH"] = f"{REPOSITORY}{os.pathsep}{REPOSITORY / 'adapters'}"
    command = [python_of(installed), str(HERE / script), *arguments]
    started = ["--started", str(time.monotonic())]
    done = subprocess.run(
        [*command, *started], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{(done.stdout + done.stderr)[-4000:]}")
    return dict(json.loads(done.stdout.splitlines()[-1]))
