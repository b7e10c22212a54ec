"""Distributions of third parties: installed by pip into a folder, and used by processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest

ROOT = Path(__file__).resolve().parents[2]


def install(folders: pytest.TempPathFactory, pyproject: str, module: str, text: str) -> Path:
    """Return a folder into which a distribution of one module has been installed."""
    project = folders.mktemp("project")
    (project / "pyproject.toml").write_text(pyproject, encoding="utf-8")
    (project / f"{module}.py").write_text(text, encoding="utf-8")
    return install_project(project, folders.mktemp("site"))


def install_project(project: Path, target: Path) -> Path:
    """Return the folder into which the distribution in another folder has been installed."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    options = ["--no-build-isolation", "--no-deps", "--no-index", "--target", str(target)]
    subprocess.run(
        [*pip, *options, str(project)], check=True, capture_output=True, text=True, timeout=120
    )
    return target


def run(site: Path, *arguments: str) -> Any:
    """Return what Python prints as JSON, called with such arguments beside a folder."""
    return json.loads(run_text(site, *arguments))


def run_text(site: Path, *arguments: str) -> str:
    """Return what Python prints, called with such arguments beside a folder."""
    path = os.pathsep.join([str(site), str(ROOT), str(ROOT / "adapters")])
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env=os.environ | {"PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
