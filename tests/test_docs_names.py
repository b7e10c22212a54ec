"""Files, folders, modules and names in the documentation exist."""

from __future__ import annotations

import importlib
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "benchmarks/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
LOOKED_IN = (
    ".ci",
    "adapters",
    "benchmarks",
    "docs",
    "examples",
    "gpu_ls_plugin",
    "tests",
)
ENDINGS = "py|cuh|cu|cpp|json|csv|md|toml|png|ipynb|tsp|vrp|txt"

# Placeholders for files of the reader.
PATTERN = re.compile(r"(.*/)?(name|NAME)(_\w+)?\.\w+|raw/|.*gpu_ls_(torus|cuts)/.*")
OWN = {
    "tests/test_cuts.py",
    "curves.csv",
    "plan.json",
    "way.tsp",
    "tardiness.cuh",
    "tsp/solutions.json",
    "solutions.json",
}
# First words of dotted names in the text that are variables or packages, not rooms of this one.
VARIABLES = {"result", "torch", "jax"}


@cache
def files() -> frozenset[str]:
    """Return all files of the repository, relative to its root."""
    found = [path for room in LOOKED_IN for path in (ROOT / room).rglob("*") if path.is_file()]
    found += [path for path in ROOT.iterdir() if path.is_file()]
    names = (path.relative_to(ROOT).as_posix() for path in found)
    return frozenset(name for name in names if "__pycache__" not in name)


@cache
def folders() -> frozenset[str]:
    """Return all folders that contain a file."""
    return frozenset(parent.as_posix() for name in files() for parent in Path(name).parents)


def ends_one(name: str, known: frozenset[str]) -> list[str]:
    """Return the known paths that equal a path or end in it."""
    return [path for path in known if path == name or path.endswith(f"/{name}")]


def is_there(dotted: str) -> bool:
    """Return whether a dotted name can be imported, or is an attribute of a module."""
    words = dotted.split(".")
    for end in range(len(words), 0, -1):
        try:
            found: object = importlib.import_module(".".join(words[:end]))
        except ModuleNotFoundError:
            continue
        return all((found := getattr(found, word, None)) is not None for word in words[end:])
    return False


def wrong_names(text: str) -> list[str]:
    """Return the names in code font on a page that do not exist."""
    wrong = []
    prose = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    for name in sorted(set(re.findall(r"`([^`\n]+)`", prose)) - OWN):
        if PATTERN.fullmatch(name):
            continue
        if re.fullmatch(rf"[\w./-]+\.({ENDINGS})", name):
            wrong += [] if ends_one(name, files()) else [name]
        elif re.fullmatch(r"[\w.-]+(/[\w.-]+)*/", name):
            wrong += [] if ends_one(name[:-1], folders()) else [name]
        elif match := re.fullmatch(r"(gpu_ls_\w+(?:\.\w+)+)(\(.*\))?", name):
            wrong += [] if is_there(match[1]) else [name]
        elif match := re.fullmatch(r"([a-z_]+)((?:\.\w+)+)(\(.*\))?", name):
            room = match[1] not in VARIABLES and ends_one(f"gpu_ls_plugin/{match[1]}", folders())
            wrong += [] if not room or is_there(f"gpu_ls_plugin.{match[1]}{match[2]}") else [name]
    for name, file in re.findall(r"`(\w+)(?:\(.*?\))?`\s+in\s+`([\w./-]+\.(?:py|cuh|cu))`", prose):
        places = [ROOT / path for path in ends_one(file, files())]
        if not any(re.search(rf"\b{name}\b", path.read_text("utf-8")) for path in places):
            wrong.append(f"{name} in {file}")
    return wrong


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_names_exist(page: Path) -> None:
    assert wrong_names(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("the table in `backends/tuning.py`", []),
        ("`filter_mode` in `backends/tuning.py`", ["filter_mode in backends/tuning.py"]),
        ("`filter_mode` in\n`tours/engines/filtered/filter_layouts.py`", []),
        ("`searches/moved.py` and `moved/`", ["moved/", "searches/moved.py"]),
        ("`gpu_ls_plugin.testing.check_filter`, `gpu_ls_plugin.solver.calls.solve(x)`", []),
        ("`gpu_ls_plugin.drawings.plot`", ["gpu_ls_plugin.drawings.plot"]),
        ("`solver.default_settings`, `solver.nothing`", ["solver.nothing"]),
        ("```python\n`moved.py`\n```", []),
    ],
)
def test_the_check_of_names_works(text: str, wrong: list[str]) -> None:
    assert wrong_names(text) == wrong
