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

# From the bottom up. A room imports from those above it in this list, within what `MAY_IMPORT`
# says; a sub-room of a domain also from those of its domain that stand above it.
ROOMS = (
    *("core", "backends", "runs"),
    *("tours/problem", "tours/kernels", "tours/candidates", "tours/construction", "tours/moves"),
    *("tours/filters", "tours/kicks", "tours/engines", "tours/cooperation", "tours/crossovers"),
    *(
        "tours/searches",
        "tours/many",
        "tours/fronts",
        "tours/plan",
        "tours/domain",
        "tours/parts",
        "tours",
    ),
    *("routes/problem", "routes/construction", "routes/kernels", "routes/moves", "routes/engines"),
    *(
        "routes/removals",
        "routes/crossovers",
        "routes/searches",
        "routes/plan",
        "routes/domain",
        "routes/parts",
    ),
    "routes",
    *("assignment/problem", "assignment/heuristics", "assignment/successors"),
    *(
        "assignment/engines",
        "assignment/plan",
        "assignment/domain",
        "assignment/parts",
        "assignment",
    ),
    *("plugins", "solver", "drawing", "experiments", "extend", "testing"),
    *("evolution", "distributed", "cli", "__main__", "__init__"),
)
LEVEL = {room: level for level, room in enumerate(ROOMS)}
# Each domain, and the domains that it may know.
DOMAINS = {"tours": {"tours"}, "routes": {"routes", "tours"}, "assignment": {"assignment"}}
NO_DOMAIN = {
    *("core", "backends", "runs", "solver", "drawing", "experiments", "evolution", "distributed"),
    "cli",
}
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


def file_of(name: str, files: Collection[str]) -> str | None:
    """The file of the package that a dotted name is, or is defined in."""
    package, _, path = name.replace(".", "/").partition("/")
    if package != "gpu_ls_plugin":
        return None
    whole, within = path, path.rpartition("/")[0]
    candidates = [f"{part}{end}" for part in (whole, within) for end in (".py", "/__init__.py")]
    return next((file.lstrip("/") for file in candidates if file.lstrip("/") in files), None)


def arrows(texts: Mapping[str, str]) -> set[tuple[str, str]]:
    """Pairs of a file and one that it imports or includes, also for types, also when called."""
    found = set()
    for name, text in texts.items():
        if name.endswith(".py"):
            others = [file_of(dotted, texts) for dotted in imported(text)]
            others += [file for file in re.findall(r'"([\w/]+\.cuh)"', text) if file in texts]
        else:
            others = re.findall(r'#include "(.+)"', text)
        found |= {(name, other) for other in others if other not in (None, name)}
    return found


def room_of(file: str) -> str:
    """The room of a file: the longest part of its path that is one."""
    path = re.sub(r"\.(py|cuh)$", "", file)
    while path not in LEVEL:
        assert "/" in path, f"{file} is in no room: enter it in ROOMS"
        path = path.rpartition("/")[0]
    return path


def may_import(room: str, other: str) -> bool:
    """Whether a room may know another one."""
    own, its = room.partition("/")[0], other.partition("/")[0]
    if own in DOMAINS and its in DOMAINS and its not in DOMAINS[own]:
        return False
    if own in NO_DOMAIN and its in DOMAINS:
        return False
    return LEVEL[other] <= LEVEL[room]


def wrong_arrows(texts: Mapping[str, str]) -> set[tuple[str, str]]:
    """Files, each with a file that it must not know."""
    return {pair for pair in arrows(texts) if not may_import(*map(room_of, pair))}


def circles(pairs: Collection[tuple[str, str]]) -> list[set[str]]:
    """Sets of names that point at each other in a circle."""
    names = sorted({name for pair in pairs for name in pair})
    number = {name: index for index, name in enumerate(names)}
    ends = tuple(zip(*((number[a], number[b]) for a, b in pairs), strict=True)) or ((), ())
    graph = coo_array(([1] * len(pairs), ends), shape=(len(names), len(names)))
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
FILES = {
    path.relative_to(CORE).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted(CORE.rglob("*"))
    if path.suffix in (".py", ".cuh")
}
MODULES = {name: text for name, text in FILES.items() if name.endswith(".py")}


def wrong(check: Callable[[str, str], Collection[str]]) -> dict[str, Collection[str]]:
    """What a check finds, by module: one test for all, of which each takes no time."""
    return {name: found for name, text in MODULES.items() if (found := check(name, text))}


def test_imports_and_includes_point_downwards() -> None:
    assert wrong_arrows(FILES) == set()


def test_cupy_ctypes_and_adapters_stay_in_their_rooms() -> None:
    assert wrong(strangers) == {}


@pytest.mark.parametrize(
    ("name", "text", "other"),
    [
        ("backends/cpu.py", "def f():\n    import gpu_ls_plugin.cli.main", "cli/main.py"),
        ("tours/plan/a.py", "from gpu_ls_plugin.routes.plan.b import B", "routes/plan/b.py"),
        ("tours/moves/a.py", "from gpu_ls_plugin.tours.plan import b", "tours/plan/b.py"),
        ("cli/a.py", "from gpu_ls_plugin.tours.plan import b", "tours/plan/b.py"),
        ("assignment/plan/a.py", "from gpu_ls_plugin.tours.plan import b", "tours/plan/b.py"),
        ("tours/moves/a.cuh", '#include "tours/plan/b.cuh"', "tours/plan/b.cuh"),
        ("tours/moves/a.py", 'FILE = "routes/plan/b.cuh"', "routes/plan/b.cuh"),
    ],
)
def test_the_check_of_arrows_works(name: str, text: str, other: str) -> None:
    assert wrong_arrows({name: text, other: ""}) == {(name, other)}


def test_the_check_of_arrows_lets_the_right_ones_pass() -> None:
    texts = {
        "routes/plan/a.py": "from gpu_ls_plugin.tours.plan.b import B",
        "tours/plan/b.py": "from gpu_ls_plugin.core import c",
        "core/c.py": "import numpy",
        "cli/d.py": "from gpu_ls_plugin.solver.e import E",
        "solver/e.py": "",
    }
    assert wrong_arrows(texts) == set()


@pytest.mark.parametrize(
    ("name", "text", "packages"),
    [
        ("tours/searches/local_search.py", "def f():\n    import cupy.cuda", {"cupy"}),
        ("backends/cuda.py", "import cupy\nimport ctypes", {"ctypes"}),
        ("backends/cpu.py", "from ctypes import c_int", set()),
        ("plugins/loader.py", "import gpu_ls_pymoo.plugin", {"gpu_ls_pymoo"}),
    ],
)
def test_the_check_of_rooms_works(name: str, text: str, packages: set[str]) -> None:
    assert strangers(name, text) == packages


def test_no_files_import_each_other_in_a_circle() -> None:
    assert circles(arrows(FILES)) == []


def between_rooms(texts: Mapping[str, str]) -> set[tuple[str, str]]:
    """Pairs of rooms of which one imports the other; the package's face is none."""
    pairs = {tuple(map(room_of, pair)) for pair in arrows(texts)}
    return {(room, other) for room, other in pairs if room not in (other, "__init__")}


def test_no_rooms_import_each_other_in_a_circle() -> None:
    assert circles(between_rooms(FILES)) == []


def test_the_check_of_circles_works() -> None:
    texts = {
        "core/a.py": "import gpu_ls_plugin.core.b",
        "core/b.py": "if TYPE_CHECKING:\n    from gpu_ls_plugin.core.a import x",
        "core/c.py": "def f():\n    from gpu_ls_plugin.core import d",
        "core/d.py": "import numpy",
        "core/e.cuh": '#include "core/f.cuh"',
        "core/f.cuh": '#include "core/e.cuh"',
    }
    found = circles(arrows(texts))
    assert sorted(map(sorted, found)) == [["core/a.py", "core/b.py"], ["core/e.cuh", "core/f.cuh"]]


# Files with a ``while`` that asks how much time is left, and what its turns are.
WHILE_TIME_IS_LEFT = {
    "tours/crossovers/merging.py": "merge what is left of the tours, within one exchange",
    "runs/drive.py": "launch",
    "tours/engines/chains/chains.py": "kick from the host, within one launch",
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
    code = "from gpu_ls_plugin.core.registry import registry; assert list(registry.parts())"
    assert loaded_by(code).isdisjoint(HEAVY)
