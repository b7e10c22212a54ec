"""Adapters as plugins: entry points, imports, and errors without the framework."""

from __future__ import annotations

import importlib
import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pytest

from gpu_ls_plugin.plugins.loader import plugins
from tests.adapters.faces import FACES

ROOT = Path(__file__).resolve().parents[2]
FRAMEWORKS = [face.framework for face in FACES]
each_framework = pytest.mark.parametrize("framework", FRAMEWORKS)


def python(code: str) -> str:
    """Run a script in its own process."""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_every_adapter_is_in_the_suite():
    folders = {path.parent.name for path in (ROOT / "adapters").glob("*/plugin.py")}
    assert folders == {f"gpu_ls_{framework}" for framework in FRAMEWORKS}


@each_framework
def test_its_plugin_is_loaded_by_its_entry_point(framework):
    pytest.importorskip(framework, reason=f'needs pip install "gpu-ls-plugin[{framework}]"')
    (info,) = [info for info in plugins.infos() if info.name == framework]
    assert info.module == f"gpu_ls_{framework}.plugin" and not info.error


def test_importing_and_loading_plugins_imports_no_framework():
    for framework in FRAMEWORKS:
        pytest.importorskip(framework, reason=f'needs pip install "gpu-ls-plugin[{framework}]"')
    code = f"""
import importlib, sys
for framework in {FRAMEWORKS}:
    package = importlib.import_module("gpu_ls_" + framework)
    plugin = importlib.import_module("gpu_ls_" + framework + ".plugin")
    assert plugin.gpu_ls_problem_from(object()) is None
    assert "LocalSearchMutation" in dir(package)
names = {{name.partition(".")[0] for name in sys.modules}}
print(sorted(names & {{*{FRAMEWORKS}, "cupy", "scipy.spatial"}}))
"""
    assert python(code) == "[]"


def test_without_a_framework_the_command_is_named():
    code = f"""
import importlib, sys
for framework in {FRAMEWORKS}:
    sys.modules[framework] = None  # as if it were not installed
from gpu_ls_plugin.core.exceptions import MissingExtraError
def say(module, name=""):
    try:
        getattr(importlib.import_module(module), name or "plugin")
    except MissingExtraError as error:
        print(error)
for framework in {FRAMEWORKS}:
    say("gpu_ls_" + framework + ".plugin")
say("gpu_ls_pymoo", "MemeticGA")
"""
    lines = python(code).splitlines()
    for framework, line in zip([*FRAMEWORKS, "pymoo"], lines, strict=True):
        assert f'pip install "gpu-ls-plugin[{framework}]"' in line


@each_framework
def test_public_names(framework):
    pytest.importorskip(framework, reason=f'needs pip install "gpu-ls-plugin[{framework}]"')
    package = importlib.import_module(f"gpu_ls_{framework}")
    for name in package.__all__:
        assert getattr(package, name).__name__ == name or not callable(getattr(package, name))
    assert set(package.__all__) <= set(dir(package))
    with pytest.raises(AttributeError, match="MemeticGB"):
        _ = package.MemeticGB
