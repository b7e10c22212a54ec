"""Adapters as plugins: entry points, imports, errors without the framework, and `repr`."""

from __future__ import annotations

import copy
import importlib
import importlib.metadata
import inspect
import pickle
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters
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
    installed = [framework for framework in FRAMEWORKS if find_spec(framework)]
    code = f"""
import importlib, sys
for framework in {installed}:
    package = importlib.import_module("gpu_ls_" + framework)
    plugin = importlib.import_module("gpu_ls_" + framework + ".plugin")
    assert plugin.gpu_ls_problem_from(object()) is None
    assert "LocalSearchMutation" in dir(package)
names = {{name.partition(".")[0] for name in sys.modules}}
print(sorted(names & {{*{FRAMEWORKS}, "cupy", "scipy.spatial", "torch"}}))
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


@each_framework
def test_no_public_class_shows_addresses(framework):
    pytest.importorskip(framework)
    module = importlib.import_module(f"gpu_ls_{framework}")
    kinds = [getattr(module, name) for name in module.__all__]
    bare = [kind for kind in kinds if inspect.isclass(kind) and kind.__repr__ is object.__repr__]
    assert bare == []


def test_algorithms_and_operators_of_pymoo_are_shown_shortly():
    pymoo = pytest.importorskip("gpu_ls_pymoo")
    problem = gls.TSP(np.random.default_rng(1).random((9, 2)))
    assert repr(pymoo.MemeticGA()).startswith("MemeticGA(")
    assert "pop_size=50" in repr(pymoo.MemeticGA(pop_size=50, search="two_opt"))
    assert "search=" in repr(pymoo.MemeticGA(pop_size=50, search="two_opt"))
    assert repr(pymoo.LocalSearchMutation()).startswith("LocalSearchMutation(")
    for made in (
        pymoo.MemeticGA(),
        pymoo.MemeticNSGA2(),
        pymoo.OrderCrossover(),
        pymoo.LocalSearchSampling(),
        pymoo.TSPProblem(problem),
    ):
        for shown in (made, copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
            assert repr(shown) == repr(made)
        assert " at 0x" not in repr(made) and len(repr(made)) < 400


class Sample(ShownParameters):
    def __init__(
        self, size: int = 3, *, name: str = "", rows: object = None, more: int = 1
    ) -> None:
        self.size, self._name, self.rows = size, name, rows


def test_parameters_are_shown_if_they_differ_from_their_defaults():
    assert repr(Sample()) == "Sample()"
    assert repr(Sample(4, name="a", more=5)) == "Sample(size=4, name='a')"
    assert repr(Sample(rows=np.zeros((2, 3)))) == "Sample(rows=<ndarray (2, 3)>)"
    assert repr(Sample(rows=object())) == "Sample(rows=<object>)"
    assert repr(Sample(rows="x" * 100)) == "Sample(rows=<str>)"
