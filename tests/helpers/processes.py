"""Python in processes of their own, which must succeed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = Path(__file__).resolve().parents[2]


def run_python(
    *arguments: str,
    path: Iterable[Path] = (),
    cwd: Path = ROOT,
    without: Iterable[str] = (),
    **environment: str,
) -> str:
    """Return what Python prints, with folders in front of the packages of this repository.

    `environment` has variables to add, `without` those to leave out. What the process reports is
    shown if it fails.
    """
    folders = os.pathsep.join(map(str, (*path, ROOT, ROOT / "adapters")))
    inherited = {name: value for name, value in os.environ.items() if name not in without}
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env=inherited | {"PYTHONPATH": folders} | environment,
        timeout=600,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return done.stdout
