"""Importing the package is cheap, since it imports public names when they are first used."""

from __future__ import annotations

import importlib
import json
import pickle
import pydoc
import re
from pathlib import Path
from typing import Any

import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.lazy_names import public_names
from tests.helpers.processes import run_python

ADAPTERS = ("gpu_ls_deap", "gpu_ls_evotorch", "gpu_ls_pygad", "gpu_ls_pymoo")
DOMAINS = (
    "gpu_ls_plugin.tours",
    "gpu_ls_plugin.routes",
    "gpu_ls_plugin.assignment",
    "gpu_ls_plugin.sequences",
)
LAZY = ("gpu_ls_plugin", *DOMAINS, *ADAPTERS)
CHEAP = {"", ".core", ".core.exceptions", ".core.former_rooms", ".core.lazy_names"}
# Modules of its own that the import may load.
CHEAP |= {".core.former_parts", ".core.upper_layers", ".core.text", ".wiring"}
FRAMEWORKS = {"pymoo", "pygad", "deap", "dask", "distributed", "matplotlib", "cupy", "rich"}
FRAMEWORKS |= {"evotorch", "torch", "jax"}
HEAVY = FRAMEWORKS | {"vrplib", "numpy", "scipy", "pluggy", "pandas", "autograd"}


def loaded_by(code: str) -> set[str]:
    """Return the modules that some code loads in a new interpreter."""
    listing = "import json, sys; before = set(sys.modules)"
    end = "print(json.dumps(sorted(set(sys.modules) - before)))"
    return set(json.loads(run_python("-c", f"{listing}\n{code}\n{end}")))


@pytest.mark.parametrize("package", ["gpu_ls_plugin", *ADAPTERS])
def test_importing_a_package_loads_next_to_nothing(package: str) -> None:
    loaded = loaded_by(f"import {package}")
    own = {name for name in loaded if name.startswith("gpu_ls_plugin")}
    assert own <= {f"gpu_ls_plugin{name}" for name in CHEAP}
    assert {name.partition(".")[0] for name in loaded}.isdisjoint(HEAVY)
    assert len(loaded) < 40


@pytest.mark.parametrize(
    ("use", "unused"),
    [
        (
            "gls.TSP([[0, 0], [1, 1]]).cost([0, 1])",
            {"tours.searches", "solver", "evolution", "plugins.builtin"},
        ),
        ("gls.Budget(seconds=1)", {"tours.problem", "tours.searches", "solver"}),
        ("gls.solve", {"distributed", "cli", "drawing", "experiments"}),
    ],
)
def test_a_name_loads_no_more_than_it_needs(use: str, unused: set[str]) -> None:
    loaded = loaded_by(f"import gpu_ls_plugin as gls; {use}")
    assert loaded.isdisjoint({f"gpu_ls_plugin.{room}" for room in unused})


def test_listing_operators_loads_no_framework() -> None:
    code = "from gpu_ls_plugin.core.registry import registry; assert list(registry.parts())"
    assert {name.partition(".")[0] for name in loaded_by(code)}.isdisjoint(FRAMEWORKS)


def module_of(package: str) -> Any:
    """Return a package; skip the test if its framework is missing."""
    if package in ADAPTERS:
        pytest.importorskip(package.removeprefix("gpu_ls_"))
    return importlib.import_module(package)


@pytest.mark.parametrize("package", LAZY)
def test_each_name_of_a_stub_is_that_of_the_module(package: str) -> None:
    module = module_of(package)
    for name in public_names(package):
        value = getattr(module, name)
        assert getattr(value, "__name__", name).rpartition(".")[2] == name
    with pytest.raises(AttributeError, match="no attribute 'Nonsense'"):
        _ = module.Nonsense


@pytest.mark.parametrize("package", [*LAZY, "gpu_ls_plugin.solver", "gpu_ls_plugin.drawing"])
def test_a_stub_has_no_other_lines(package: str) -> None:
    stub = Path(module_of(package).__file__ or "").with_suffix(".pyi").read_text("utf-8")
    entry = re.compile(r"from [\w.]+ import (?:(\w+) as \1|\*  # noqa: F403)")
    others = [line for line in stub.splitlines() if line and not entry.fullmatch(line)]
    assert others == (["__version__: str"] if package == "gpu_ls_plugin" else [])


@pytest.mark.parametrize("package", DOMAINS)
def test_names_of_a_domain_are_in_its_namespace(package: str) -> None:
    domain = importlib.import_module(package)
    assert dir(domain) == sorted(public_names(package))
    assert all(getattr(domain, name) is getattr(gls, name) for name in dir(domain))


def test_the_front_door_is_small() -> None:
    shown = dir(gls)
    assert {"tours", "routes", "sequences", "assignment", "extend", "testing"} < set(shown)
    assert len(shown) <= 59
    assert all(hasattr(gls, name) for name in shown)
    help_text = pydoc.render_doc(gls, renderer=pydoc.plaintext)
    assert len(help_text.splitlines()) <= 80
    assert [name for name in shown if name not in help_text] == ["__version__"]


@pytest.mark.parametrize("package", ADAPTERS)
def test_a_name_of_an_adapter_is_no_name_of_the_library(package: str) -> None:
    module_of(package)
    assert public_names(package).keys().isdisjoint(public_names("gpu_ls_plugin"))


def test_every_name_is_shown_somewhere() -> None:
    places = [gls, gls.tours, gls.routes, gls.assignment, gls.sequences]
    places += [gls.extend, gls.testing]
    shown = {name for place in places for name in dir(place)}
    names = {n for n, home in public_names("gpu_ls_plugin").items() if home.module != gls.__name__}
    assert names - shown == {"registry", "Improved"}


@pytest.mark.slow
def test_every_name_can_be_the_first_that_is_used() -> None:
    code = """
import os, sys, numpy
import gpu_ls_plugin as gls
failed = []
from gpu_ls_plugin.core.lazy_names import public_names
first = {(module, name if module == "gpu_ls_plugin" else ""): name
         for name, (module, _) in reversed(public_names("gpu_ls_plugin").items())}
for name in first.values():  # a name of each module, in its own process
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
    assert run_python("-c", code).strip() == "[]"


@pytest.mark.slow
def test_many_threads_can_use_names_at_once() -> None:
    code = """
import threading, gpu_ls_plugin as gls
from gpu_ls_plugin.core.lazy_names import public_names
names, failed, start = list(public_names("gpu_ls_plugin")), [], threading.Barrier(8)
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
    assert run_python("-c", code).strip() == "[]"


def test_pickles_load_what_they_need() -> None:
    code = "import pickle, sys; print(type(pickle.loads(bytes.fromhex(sys.argv[1]))).__name__)"
    text = pickle.dumps(gls.Budget(seconds=1)).hex()
    assert run_python("-c", code, text).strip() == "Budget"
