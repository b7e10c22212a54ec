"""Importing the package is cheap: public names are imported when they are first used."""

from __future__ import annotations

import ast
import importlib
import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import gpu_ls_plugin as gls

ROOT = Path(__file__).resolve().parents[2]
LAZY = ("gpu_ls_plugin", "gpu_ls_deap", "gpu_ls_pygad", "gpu_ls_pymoo")
CHEAP = {"", ".core", ".core.exceptions", ".core.former_rooms", ".core.lazy_names"}
CHEAP |= {
    ".core.former_parts",
    ".core.upper_layers",
    ".core.text",
}  # what the import may load of its own


def python(code: str) -> str:
    """The output of a fresh interpreter."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def loaded_by(code: str) -> set[str]:
    """The modules that a fresh interpreter has loaded after some code, beyond its own."""
    listing = "import json, sys; before = set(sys.modules)"
    end = "print(json.dumps(sorted(set(sys.modules) - before)))"
    return set(json.loads(python(f"{listing}\n{code}\n{end}")))


@pytest.mark.parametrize(
    "package", ["gpu_ls_plugin", "gpu_ls_pymoo", "gpu_ls_pygad", "gpu_ls_deap"]
)
def test_importing_a_package_loads_next_to_nothing(package: str) -> None:
    loaded = loaded_by(f"import {package}")
    own = {name for name in loaded if name.startswith("gpu_ls_plugin")}
    assert own <= {f"gpu_ls_plugin{name}" for name in CHEAP}
    heavy = {"numpy", "scipy", "rich", "vrplib", "dask", "distributed", "pluggy", "cupy"}
    heavy |= {"pymoo", "pygad", "deap", "matplotlib", "pandas", "autograd"}
    assert {name.partition(".")[0] for name in loaded}.isdisjoint(heavy)
    assert len(loaded) < 40


@pytest.mark.parametrize(
    ("use", "unused"),
    [
        (
            "gls.TSP([[0, 0], [1, 1]]).cost([0, 1])",
            {"tours.searches", "solver", "evolution"},
        ),
        ("gls.Budget(seconds=1)", {"tours.problem", "tours.searches", "solver"}),
        ("gls.solve", {"distributed", "cli", "drawing", "experiments"}),
    ],
)
def test_a_name_loads_no_more_than_it_needs(use: str, unused: set[str]) -> None:
    loaded = loaded_by(f"import gpu_ls_plugin as gls; {use}")
    assert loaded.isdisjoint({f"gpu_ls_plugin.{room}" for room in unused})


def typed_names(package: str) -> set[str]:
    """The names that a package imports for type checkers."""
    tree = ast.parse(Path(importlib.import_module(package).__file__ or "").read_text("utf-8"))
    blocks = [node for node in tree.body if isinstance(node, ast.If)]
    imports = [node for node in blocks[0].body if isinstance(node, ast.ImportFrom)]
    return {alias.asname or alias.name for node in imports for alias in node.names}


@pytest.mark.parametrize("package", LAZY)
def test_people_and_type_checkers_see_the_same_names(package: str) -> None:
    framework = package.removeprefix("gpu_ls_")
    if framework in ("pymoo", "pygad", "deap"):
        pytest.importorskip(framework)
    module = importlib.import_module(package)
    names = set(module.__all__)
    assert names <= typed_names(package)
    assert names <= set(module._HOMES)
    assert names <= set(dir(module))
    for name in module._HOMES:
        value = getattr(module, name)
        assert getattr(value, "__name__", name).rpartition(".")[2] in (name, "referee")
    with pytest.raises(AttributeError, match="no attribute 'Nonsense'"):
        _ = module.Nonsense


def test_every_name_can_be_the_first_that_is_used() -> None:
    code = """
import os, sys, numpy
import gpu_ls_plugin as gls
failed = []
homes = {home: name for name, home in reversed(gls._HOMES.items()) if home}
homes |= {name: name for name, home in gls._HOMES.items() if not home}
for name in homes.values():  # one of each module, in a process of its own
    child = os.fork()
    if not child:
        try:
            getattr(gls, name)
        except BaseException as error:
            print(name, repr(error), flush=True)
            os._exit(1)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        failed.append(name)
print(failed)
"""
    assert python(code).strip() == "[]"


def test_many_threads_can_use_names_at_once() -> None:
    code = """
import threading, gpu_ls_plugin as gls
names, failed, start = list(gls.__all__), [], threading.Barrier(8)
def use(own):
    start.wait()
    for name in own:
        try:
            getattr(gls, name)
        except BaseException as error:
            failed.append((name, repr(error)))
threads = [threading.Thread(target=use, args=(names[k * 13:] + names[:k * 13],)) for k in range(8)]
[t.start() for t in threads]
[t.join() for t in threads]
print(failed)
"""
    assert python(code).strip() == "[]"


def test_star_and_pickle_work() -> None:
    star: dict[str, object] = {}
    exec("from gpu_ls_plugin import *", star)
    assert set(gls.__all__) <= set(star)
    assert star["TSP"] is gls.TSP
    code = "import pickle, sys; print(type(pickle.loads(bytes.fromhex(sys.argv[1]))).__name__)"
    text = pickle.dumps(gls.Budget(seconds=1)).hex()
    done = subprocess.run([sys.executable, "-c", code, text], capture_output=True, text=True)
    assert done.stdout.strip() == "Budget", done.stderr
