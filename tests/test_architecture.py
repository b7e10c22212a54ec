"""Imports point one way, and CuPy, ctypes, torch and JAX have their rooms."""

from __future__ import annotations

import ast
import re
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

# From the bottom up: a room imports from those before it, within what `may_import` allows.
ROOMS = """
    core backends runs
    tours/problem tours/kernels tours/candidates tours/construction tours/moves tours/filters
    tours/kicks tours/engines tours/cooperation tours/crossovers tours/searches tours/tensors
    tours/many
    tours/fronts tours/plan tours/domain tours/parts tours
    routes/problem routes/construction routes/kernels routes/moves routes/engines routes/removals
    routes/crossovers routes/searches routes/many routes/plan routes/domain routes/parts routes
    assignment/problem assignment/heuristics assignment/successors assignment/engines
    assignment/plan assignment/domain assignment/parts assignment
    sequences/problem sequences/kernels sequences/moves sequences/kicks sequences/cooperation
    sequences/engines sequences/construction sequences/searches sequences/plan sequences/domain
    sequences/parts sequences
    plugins solver tensors drawing experiments extend testing
    evolution defaults distributed cli wiring __main__ __init__
    torch jax
"""
LEVEL = {room: level for level, room in enumerate(ROOMS.split())}
# Each domain, and the domains that it may know.
DOMAINS = {
    "tours": {"tours"},
    "routes": {"routes", "tours"},
    "assignment": {"assignment"},
    "sequences": {"sequences"},
}
SHARED = "core backends runs solver tensors drawing experiments evolution distributed cli"
NO_DOMAIN = set(SHARED.split())
HOMES = {
    "cupy": {"backends/cuda.py", "backends/compile_check.py", "backends/arrays.py"},
    "ctypes": {"backends/cpu.py"},
}
OF_THEIR_ROOMS = {"torch", "jax"}  # each is imported in the room of its name alone


@cache
def imported(text: str) -> tuple[str, ...]:
    """Return the dotted names of all imports of a module, also in functions."""
    return tuple(_imported(text))


def _imported(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def file_of(name: str, files: Collection[str]) -> str | None:
    """Return the file of the package that defines a dotted name, or is called so."""
    package, _, path = name.replace(".", "/").partition("/")
    if package != "gpu_ls_plugin":
        return None
    whole, within = path, path.rpartition("/")[0]
    candidates = [f"{part}{end}" for part in (whole, within) for end in (".py", "/__init__.py")]
    return next((file.lstrip("/") for file in candidates if file.lstrip("/") in files), None)


def arrows(texts: Mapping[str, str]) -> set[tuple[str, str]]:
    """Return pairs: a file, and one that it imports or includes, also in functions or for types."""
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
    """Return the room of a file: the longest beginning of its path that is a room."""
    path = re.sub(r"\.(py|cuh)$", "", file)
    while path not in LEVEL:
        assert "/" in path, f"{file} is in no room: enter it in ROOMS"
        path = path.rpartition("/")[0]
    return path


def may_import(room: str, other: str) -> bool:
    """Return whether a room may import another one."""
    own, its = room.partition("/")[0], other.partition("/")[0]
    if own in DOMAINS and its in DOMAINS and its not in DOMAINS[own]:
        return False
    if own in NO_DOMAIN and its in DOMAINS:
        return False
    return LEVEL[other] <= LEVEL[room]


def wrong_arrows(texts: Mapping[str, str]) -> set[tuple[str, str]]:
    """Return pairs: a file, and one that it must not import."""
    return {pair for pair in arrows(texts) if not may_import(*map(room_of, pair))}


def circles(pairs: Collection[tuple[str, str]]) -> list[set[str]]:
    """Return the sets of names that point at each other in a circle."""
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
    """Return the packages that only other modules may import."""
    packages = {name.partition(".")[0] for name in imported(text)}
    homeless = {package for package in packages & set(HOMES) if name not in HOMES[package]}
    homeless |= {package for package in packages & OF_THEIR_ROOMS if room_of(name) != package}
    return (
        homeless
        | (packages & {"cupyx", "deap", "evotorch", "pygad", "pymoo"})
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
    """Return what a check finds in each module."""
    return {name: found for name, text in MODULES.items() if (found := check(name, text))}


def test_imports_and_includes_point_downwards() -> None:
    assert wrong_arrows(FILES) == set()


def test_frameworks_ctypes_and_adapters_stay_in_their_rooms() -> None:
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
        ("torch/rl4co.py", "import torch\nimport tensordict", set()),
        ("jax/callback.py", "import jax.numpy\nimport torch", {"torch"}),
        ("tours/moves/two_opt.py", "def f():\n    import jax.numpy", {"jax"}),
    ],
)
def test_the_check_of_rooms_works(name: str, text: str, packages: set[str]) -> None:
    assert strangers(name, text) == packages


# The files of each adapter that are for one domain.
OF_A_DOMAIN = {
    "gpu_ls_deap": {"successors"},
    "gpu_ls_evotorch": {"successors"},
    "gpu_ls_pygad": {"benchmark_tours", "successors"},
    "gpu_ls_pymoo": {
        *("tours", "multi_objective", "memetic_nsga2", "weights", "random_keys"),
        *("vehicle_routing", "assignment", "successors", "problems"),
        *("sequences", "sequence_objective", "weighted_sequences"),
    },
}
# A plugin imports the file of a domain when the framework of that file is loaded.
ASKED = {"gpu_ls_pygad/plugin.py": "gpu_ls_pygad.benchmark_tours"}
FACES = {"__init__", "problems"}  # they export the names of the files of domains
ADAPTED = {
    path.relative_to(ADAPTERS).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted(ADAPTERS.rglob("*.py"))
}
FILES_OF_PYTHON = {**MODULES, **ADAPTED}


def of_a_domain(path: str) -> bool:
    """Return whether a file of the package or of an adapter is for one domain."""
    room, _, file = path.removesuffix(".py").partition("/")
    return room in DOMAINS or file in OF_A_DOMAIN.get(room, ())


def domains_known(path: str, text: str) -> set[str]:
    """Return the imports of domains in a shared file of an adapter, also those for types."""
    own, _, file = path.removesuffix(".py").partition("/")
    files = set() if file in FACES else {f"{own}.{other}" for other in OF_A_DOMAIN[own] - FACES}
    rooms = {f"gpu_ls_plugin.{domain}" for domain in DOMAINS} | (files - {ASKED.get(path)})
    names = {name for name in imported(text) if any(f"{name}.".startswith(f"{r}.") for r in rooms)}
    return set() if of_a_domain(path) and file not in FACES else names


def test_shared_files_of_adapters_import_no_domain() -> None:
    found = {path: names for path, text in ADAPTED.items() if (names := domains_known(path, text))}
    assert found == {}


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        ("pymoo/output.py", "if T:\n    from gpu_ls_plugin.tours.a import A", "plugin.tours.a.A"),
        ("deap/cost.py", "def f():\n    import gpu_ls_plugin.routes", "plugin.routes"),
        ("pymoo/search.py", "from gpu_ls_pymoo.assignment import A", "pymoo.assignment.A"),
        ("pymoo/search.py", "from gpu_ls_pymoo import multi_objective", "pymoo.multi_objective"),
        ("pymoo/problems.py", "from gpu_ls_plugin.assignment import a", "plugin.assignment.a"),
    ],
)
def test_the_check_of_adapters_works(path: str, text: str, name: str) -> None:
    assert domains_known(f"gpu_ls_{path}", text) == {f"gpu_ls_{name}"}
    assert domains_known("gpu_ls_pymoo/tours.py", text) == set()


def classes_in(text: str) -> set[str]:
    """Return the names of the classes that a module defines."""
    return {node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ClassDef)}


def types_tested(text: str) -> set[str]:
    """Return the names of classes in tests of types, and of all that types are compared with."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        asked: list[ast.AST] = []
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func).rpartition(".")[2]
            if name in ("isinstance", "issubclass"):
                asked = [*node.args[1:]]
            elif name == "instance":  # of core/checks.py
                asked = [word.value for word in node.keywords if word.arg == "kind"]
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(_asks_type(side) for side in sides):
                asked = [side for side in sides if not _asks_type(side)]
        elif isinstance(node, ast.MatchClass):
            asked = [node.cls]
        for part in (part for side in asked for part in ast.walk(side)):
            if isinstance(part, ast.Name | ast.Attribute):
                found.add(ast.unparse(part).rpartition(".")[2])
            elif isinstance(part, ast.Constant) and isinstance(part.value, str):
                found.add(part.value)
    return found


def _asks_type(node: ast.AST) -> bool:
    """Return whether an expression reads the type of an object, or its name."""
    return any(
        (isinstance(part, ast.Call) and ast.unparse(part.func) == "type" and len(part.args) == 1)
        or (isinstance(part, ast.Attribute) and part.attr == "__class__")
        for part in ast.walk(node)
    )


def domain_types_tested(texts: Mapping[str, str]) -> dict[str, set[str]]:
    """Return the shared files that test for classes of domains, with these classes."""
    ours = {name for path, text in texts.items() if of_a_domain(path) for name in classes_in(text)}
    shared = {
        path: text
        for path, text in texts.items()
        if not of_a_domain(path) and path.partition("/")[0] in {*NO_DOMAIN, *OF_A_DOMAIN}
    }
    return {path: found for path, text in shared.items() if (found := types_tested(text) & ours)}


def test_shared_files_test_for_no_class_of_a_domain() -> None:
    assert domain_types_tested(FILES_OF_PYTHON) == {}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("solver/plans.py", "isinstance(problem, TSP)"),
        ("cli/reports.py", "def f(a):\n    return issubclass(type(a), int | gls.TSP)"),
        ("gpu_ls_pymoo/output.py", "isinstance(problem, (Problem, TSP))"),
        ("gpu_ls_pymoo/output.py", "type(problem) in (int, TSP)"),
        ("gpu_ls_pymoo/output.py", 'type(problem).__name__ == "TSP"'),
        ("gpu_ls_deap/cost.py", "problem.__class__ is not tsp.TSP"),
        ("gpu_ls_deap/cost.py", "match problem:\n    case TSP():\n        pass"),
        ("gpu_ls_pygad/run.py", "checks.instance('a', problem, kind=TSP | None, wanted='b')"),
        ("gpu_ls_pymoo/search.py", "isinstance(problem, TSPProblem)"),
    ],
)
def test_the_check_of_tested_types_works(path: str, text: str) -> None:
    defined = {
        "tours/problem/tsp.py": "class TSP(Problem): pass",
        "gpu_ls_pymoo/tours.py": "class TSPProblem(DomainProblem): pass\nisinstance(a, TSP)",
        "core/problem.py": "class Problem: pass",
    }
    found = domain_types_tested({**defined, path: text})
    assert list(found) == [path]
    assert found[path] <= {"TSP", "TSPProblem"}
    assert domain_types_tested({**defined, path: "isinstance(a, Problem); TSP(a)"}) == {}


def test_no_files_import_each_other_in_a_circle() -> None:
    assert circles(arrows(FILES)) == []


def circles_of_adapter(package: str, texts: Mapping[str, str]) -> list[set[str]]:
    """Return the circles of modules of an adapter."""
    return circles(
        {
            (name, other)
            for name, text in texts.items()
            for dotted in imported(text)
            for other in (dotted.split(".")[1] if dotted.startswith(f"{package}.") else name,)
            if other != name and other in texts
        }
    )


@pytest.mark.parametrize("package", sorted(ADAPTER_NAMES))
def test_no_files_of_an_adapter_import_each_other_in_a_circle(package: str) -> None:
    files = {path.stem: path.read_text("utf-8") for path in (ADAPTERS / package).glob("*.py")}
    assert circles_of_adapter(package, files) == []


def test_the_check_of_circles_of_adapters_works() -> None:
    texts = {"a": "from own.b import x", "b": "def f():\n    import own.a", "c": "import own.a"}
    assert circles_of_adapter("own", texts) == [{"a", "b"}]


def between_rooms(texts: Mapping[str, str]) -> set[tuple[str, str]]:
    """Return pairs: a room, and one that it imports, except ``__init__`` of the package."""
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


# Files with a ``while`` that asks how much time is left, and what one turn does.
WHILE_TIME_IS_LEFT = {
    "tours/crossovers/merging.py": "merge further tours, within one exchange",
    "runs/drive.py": "launch",
    "tours/engines/chains/chains.py": "kick from the host, within one launch",
    "solver/run.py": "go through the stages of a plan",
}


def asks_for_time(text: str) -> bool:
    """Return whether a ``while`` of a module reads the time that is left."""
    loops = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.While))
    return any(
        isinstance(read, ast.Attribute)
        and read.attr in ("left", "ahead")
        and ast.unparse(read.value).split(".")[-1].strip("_") in ("leg", "watch", "stopwatch")
        for loop in loops
        for read in ast.walk(loop)
    )


def test_one_loop_makes_launches() -> None:
    assert {name for name, text in MODULES.items() if asks_for_time(text)} == {*WHILE_TIME_IS_LEFT}


def test_the_check_of_loops_works() -> None:
    assert asks_for_time("while going:\n    go(self._watch.left)")
    assert not asks_for_time(
        "for row in rows:\n    go(watch.left)\nwhile node.left:\n    node = node.left"
    )


# Each of these names stands for one class, with or without an underscore in front.
ONE_CLASS = (
    *("Run", "Population", "Stretch", "Elites", "Chains", "Stagnation", "Islands", "Exchange"),
    *("Schedule", "Plan"),
)
PUBLIC_TOO = ("Plan", "experiments/plan.py")  # the plan of an experiment


def shared_names(texts: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the names of `ONE_CLASS` that several classes have, with their files."""
    files: dict[str, list[str]] = {name: [] for name in ONE_CLASS}
    for path, text in texts.items():
        for name in re.findall(r"^ *class _*(\w+)", text, re.MULTILINE):
            if name in files and (name, path) != PUBLIC_TOO:
                files[name].append(path)
    return {name: sorted(paths) for name, paths in files.items() if len(paths) > 1}


def test_a_name_stands_for_one_class() -> None:
    assert shared_names(FILES_OF_PYTHON) == {}


def test_the_check_of_shared_names_works() -> None:
    texts = {
        "a.py": "class Run(Protocol):\n    pass\nclass RunOfOurs: pass",
        "b.py": "def f():\n    class _Run: pass",
        "c.py": "class Plan: pass",
        PUBLIC_TOO[1]: "class Plan: pass",
    }
    assert shared_names(texts) == {"Run": ["a.py", "b.py"]}
