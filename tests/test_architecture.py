"""Imports point one way, CuPy and ctypes have their rooms, and importing is cheap."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

ROOT = Path(__file__).resolve().parents[1]
CORE, ADAPTERS = ROOT / "gpu_ls_plugin", ROOT / "adapters"

# From the bottom up: a module imports only from its own level and those below. A room stands for
# all that is in it, less what is named by itself.
LEVELS = (
    {"exceptions", "lazy_names", "upper_layers", "words", "origins"},
    {"checks", "trust", "budget", "files", "csv_files", "schema", "history", "plugins/registry"},
    {"problems", "objectives", "resources"},
    {"result", "result_views", "feasibility"},
    {"backends"},
    {"runs"},
    {"tours"},
    {
        "candidates",
        "construction",
        "neighbourhoods",
        "perturbations",
        "acceptance",
        "pivoting",
        "filtering",
        "heuristics",
    },
    {"successors"},
    {"searches", "cooperation", "recombination"},
    {"hookspecs", "plugins", "search_text"},
    {"solver", "progress", "drawing", "cli/interrupts", "experiments", "extend", "testing"},
    {"evolution"},
    {"distributed"},
    {"cli"},
    {"__main__", "__init__"},
)
LEVEL = {room: level for level, rooms in enumerate(LEVELS) for room in rooms}

HOMES = {
    "cupy": {"backends/cuda.py", "backends/compile_check.py", "backends/arrays.py"},
    "ctypes": {"backends/cpu.py"},
}
HEAVY = {
    *("cupy", "dask", "deap", "distributed", "matplotlib", "pygad", "pymoo", "rich", "vrplib"),
}


@cache
def imported(text: str) -> tuple[str, ...]:
    """Dotted names of everything that a module imports, wherever in the module."""
    return tuple(_imported(text))


def _imported(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def level_of(path: str) -> int:
    """The level of a module or of a name in it, by the longest part of its path that has one."""
    while path and path not in LEVEL:
        path = path.rpartition("/")[0]
    return LEVEL.get(path, len(LEVELS))


def wrong_arrows(name: str, text: str) -> list[str]:
    """The imports of a core module, named by its path in the core, that point upwards."""
    level = level_of(name.removesuffix(".py"))
    paths = [n.replace(".", "/").partition("/") for n in imported(text)]
    inside = [path for package, _, path in paths if package == "gpu_ls_plugin"]
    return [path for path in inside if level_of(path) > level]


def file_of(name: str, files: Mapping[str, object]) -> str | None:
    """The file of the core that a dotted name is, or is defined in."""
    package, _, path = name.replace(".", "/").partition("/")
    if package != "gpu_ls_plugin":
        return None
    whole, within = path, path.rpartition("/")[0]
    candidates = [f"{part}{end}" for part in (whole, within) for end in (".py", "/__init__.py")]
    return next((file.lstrip("/") for file in candidates if file.lstrip("/") in files), None)


def circles(texts: Mapping[str, str]) -> list[set[str]]:
    """Sets of files, by their paths in the core, that import each other, for types included."""
    number = {name: index for index, name in enumerate(texts)}
    arrows = [
        (number[name], number[file])
        for name, text in texts.items()
        for file in (file_of(imported_name, texts) for imported_name in imported(text))
        if file not in (None, name)
    ]
    ends = tuple(zip(*arrows, strict=True)) or ((), ())
    graph = coo_array(([1] * len(arrows), ends), shape=(len(texts), len(texts)))
    count, group = connected_components(graph, directed=True, connection="strong")
    found: list[set[str]] = [set() for _ in range(count)]
    for name, index in number.items():
        found[group[index]].add(name)
    return [names for names in found if len(names) > 1]


def strangers(name: str, text: str) -> set[str]:
    """Packages that a core module imports although their home is elsewhere."""
    packages = {name.partition(".")[0] for name in imported(text)}
    homeless = {package for package in packages & set(HOMES) if name not in HOMES[package]}
    return (
        homeless
        | (packages & {"cupyx", "deap", "pygad", "pymoo"})
        | {p for p in packages if p in ADAPTER_NAMES}
    )


ADAPTER_NAMES = {path.name for path in ADAPTERS.iterdir() if path.is_dir()}
MODULES = {
    path.relative_to(CORE).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted(CORE.rglob("*.py"))
}


def wrong(check: Callable[[str, str], Collection[str]]) -> dict[str, Collection[str]]:
    """What a check finds, by module: one test for all, of which each takes no time."""
    return {name: found for name, text in MODULES.items() if (found := check(name, text))}


def test_imports_point_downwards() -> None:
    assert wrong(wrong_arrows) == {}


def test_cupy_ctypes_and_adapters_stay_in_their_rooms() -> None:
    assert wrong(strangers) == {}


def test_every_module_has_a_level() -> None:
    assert [name for name in MODULES if level_of(name.removesuffix(".py")) == len(LEVELS)] == []


# Rooms of one level of which one must not know the other.
KEPT_APART = {
    "searches/chains": ("cooperation", "recombination"),
    "searches/descent": ("cooperation", "recombination"),
    "cooperation": ("recombination",),
}


def forbidden(name: str, text: str) -> list[str]:
    """What a module imports from rooms that its own one is kept apart from."""
    paths = [n.replace(".", "/").removeprefix("gpu_ls_plugin/") for n in imported(text)]
    rooms = [room for own, others in KEPT_APART.items() if name.startswith(own) for room in others]
    return [path for path in paths for room in rooms if path.startswith(room)]


def test_chains_know_no_cooperation_and_these_no_recombination() -> None:
    assert wrong(forbidden) == {}


def test_the_check_of_rooms_kept_apart_works() -> None:
    text = "def f():\n    from gpu_ls_plugin.recombination.base import Recombination"
    assert forbidden("cooperation/base.py", text) == ["recombination/base/Recombination"]
    assert forbidden("recombination/edge_assembly.py", text) == []


@pytest.mark.parametrize(
    ("name", "text", "rooms"),
    [
        (
            "problems/tsp.py",
            "from gpu_ls_plugin.searches import LocalSearch",
            ["searches/LocalSearch"],
        ),
        ("backends/cpu.py", "def f():\n    import gpu_ls_plugin.cli", ["cli"]),
        ("plugins/registry.py", "from gpu_ls_plugin.plugins import loader", ["plugins/loader"]),
        ("budget.py", "from gpu_ls_plugin.plugins.registry import registry", []),
        ("cli/commands.py", "from gpu_ls_plugin import TSP", ["TSP"]),
        ("cli/commands.py", "from gpu_ls_plugin.problems.tsp import TSP", []),
    ],
)
def test_the_check_of_arrows_works(name: str, text: str, rooms: list[str]) -> None:
    assert wrong_arrows(name, text) == rooms


@pytest.mark.parametrize(
    ("name", "text", "packages"),
    [
        ("searches/local_search.py", "def f():\n    import cupy.cuda", {"cupy"}),
        ("backends/cuda.py", "import cupy\nimport ctypes", {"ctypes"}),
        ("backends/cpu.py", "from ctypes import c_int", set()),
        ("plugins/loader.py", "import gpu_ls_pymoo.plugin", {"gpu_ls_pymoo"}),
    ],
)
def test_the_check_of_rooms_works(name: str, text: str, packages: set[str]) -> None:
    assert strangers(name, text) == packages


def test_no_files_import_each_other_in_a_circle() -> None:
    assert circles(MODULES) == []


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (
            {"a.py": "import gpu_ls_plugin.b", "b.py": "from gpu_ls_plugin.a import x"},
            ["a.py", "b.py"],
        ),
        (
            {
                "a.py": "from gpu_ls_plugin import room",
                "room/__init__.py": "from gpu_ls_plugin.room.b import x",
                "room/b.py": "if TYPE_CHECKING:\n    from gpu_ls_plugin.a import x",
            },
            ["a.py", "room/__init__.py", "room/b.py"],
        ),
        (
            {
                "__init__.py": "from gpu_ls_plugin.a import x",
                "a.py": "def f():\n    from gpu_ls_plugin import x",
                "b.py": "from gpu_ls_plugin import a",
            },
            ["__init__.py", "a.py"],
        ),
        ({"a.py": "import numpy", "b.py": "from gpu_ls_plugin.a import x\nimport b.a"}, []),
    ],
)
def test_the_check_of_circles_works(texts: dict[str, str], expected: list[str]) -> None:
    assert sorted(name for circle in circles(texts) for name in circle) == expected


# Files with a ``while`` that asks how much time is left, and what its turns are.
WHILE_TIME_IS_LEFT = {
    "recombination/merging.py": "merge what is left of the tours, within one exchange",
    "runs/drive.py": "launch",
    "searches/chains/chains.py": "kick from the host, within one launch",
    "solver/run.py": "go through the stages of a plan",
}


def asks_for_time(text: str) -> bool:
    """Whether a ``while`` of a module reads `left` of a clock."""
    loops = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.While))
    return any(
        isinstance(read, ast.Attribute)
        and read.attr in ("left", "ahead")
        and ast.unparse(read.value).split(".")[-1].strip("_") in ("leg", "watch", "stopwatch")
        for loop in loops
        for read in ast.walk(loop)
    )


def test_one_loop_makes_launches() -> None:
    found = {
        path.relative_to(CORE).as_posix(): path.read_text("utf-8") for path in CORE.rglob("*.py")
    }
    assert {name for name, text in found.items() if asks_for_time(text)} == {*WHILE_TIME_IS_LEFT}


def test_the_check_of_loops_works() -> None:
    assert asks_for_time("while going:\n    go(self._watch.left)")
    assert not asks_for_time(
        "for row in rows:\n    go(watch.left)\nwhile node.left:\n    node = node.left"
    )


# Each of these names stands for one class, with or without an underscore in front.
ONE_CLASS = (
    *("Run", "Population", "Stretch", "Elites", "Chains", "Stagnation", "Islands", "Exchange"),
    *("Rhythm", "Plan"),
)
PUBLIC_TOO = ("Plan", "gpu_ls_plugin/experiments/plan.py")  # the plan of an experiment


def shared_names(texts: Mapping[str, str]) -> dict[str, list[str]]:
    """Names of `ONE_CLASS` that several classes have, with the file of each class."""
    files: dict[str, list[str]] = {name: [] for name in ONE_CLASS}
    for path, text in texts.items():
        for name in re.findall(r"^ *class _*(\w+)", text, re.MULTILINE):
            if name in files and (name, path) != PUBLIC_TOO:
                files[name].append(path)
    return {name: sorted(paths) for name, paths in files.items() if len(paths) > 1}


def test_a_name_stands_for_one_class() -> None:
    files = [*CORE.rglob("*.py"), *ADAPTERS.rglob("*.py")]
    texts = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in files}
    assert shared_names(texts) == {}


def test_the_check_of_shared_names_works() -> None:
    texts = {
        "a.py": "class Run(Protocol):\n    pass\nclass RunOfOurs: pass",
        "b.py": "def f():\n    class _Run: pass",
        "c.py": "class Plan: pass",
        PUBLIC_TOO[1]: "class Plan: pass",
    }
    assert shared_names(texts) == {"Run": ["a.py", "b.py"]}


def loaded_by(code: str) -> set[str]:
    script = f"{code}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return set(json.loads(done.stdout))


def test_importing_loads_nothing_heavy_and_no_plugin() -> None:
    loaded = loaded_by("import gpu_ls_plugin")
    assert loaded.isdisjoint(HEAVY | ADAPTER_NAMES | {"ctypes.util", "scipy.spatial"})


def test_making_a_problem_loads_no_plugin() -> None:
    loaded = loaded_by(
        "import gpu_ls_plugin as gls; gls.TSP([[0, 0], [1, 1], [2, 0]]).cost([0, 1, 2])"
    )
    assert loaded.isdisjoint(HEAVY | ADAPTER_NAMES | {"gpu_ls_plugin.plugins.builtin"})


def test_listing_operators_loads_no_framework() -> None:
    code = "from gpu_ls_plugin.plugins.registry import registry; assert list(registry.parts())"
    assert loaded_by(code).isdisjoint(HEAVY)
