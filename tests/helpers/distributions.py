"""Third-party distributions: installed with pip into a folder, and used by processes."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from tests.helpers.processes import run_python

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def install(folders: pytest.TempPathFactory, pyproject: str, module: str, text: str) -> Path:
    """Install a distribution of one module; return the folder of its site."""
    project = folders.mktemp("project")
    (project / "pyproject.toml").write_text(pyproject, encoding="utf-8")
    (project / f"{module}.py").write_text(text, encoding="utf-8")
    return install_project(project, folders.mktemp("site"))


def install_project(project: Path, target: Path) -> Path:
    """Install the distribution in a project folder to `target`; return `target`."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    options = ["--no-build-isolation", "--no-deps", "--no-index", "--target", str(target)]
    subprocess.run(
        [*pip, *options, str(project)], check=True, capture_output=True, text=True, timeout=120
    )
    return target


def run(site: Path, *arguments: str) -> Any:
    """Run Python with a folder on its path; return the JSON that it prints."""
    return json.loads(run_text(site, *arguments))


def run_text(site: Path, *arguments: str) -> str:
    """Run Python with a folder on its path; return the text that it prints."""
    return run_python(*arguments, path=[site])
