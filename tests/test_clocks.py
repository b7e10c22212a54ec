"""Tests pass on a busy machine: only those marked `timed` depend on seconds."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

TESTS = Path(__file__).parent
GENEROUS = 60  # seconds: limits from here on only stop programs that hang
TOLD = {"elapsed", "seconds", "exec_time"}  # attributes and keys that hold seconds
MODULES = {"time", "timeit"}
IN_TEXT = re.compile(r"\b(perf_counter|monotonic|process_time|time\.time|time\.sleep|timeit)\(")

# Functions that read the clock or wait, and the reason why no test depends on it.
ALLOWED = {
    "adapters/deap_face.py::Deap": "seconds of a run, for tests that are timed",
    "adapters/evotorch_face.py::EvoTorch": "seconds of a run, for tests that are timed",
    "adapters/pygad_face.py::PyGAD": "seconds of a run, for tests that are timed",
    "adapters/pymoo_face.py::Pymoo": "seconds of a run, for tests that are timed",
    "backends/test_forks.py::SCRIPT": "waits for a folder",
    "backends/test_forks.py::SLOW_PLUGIN": "gives time to fork",
    "backends/test_forks.py::START": "gives time to fork",
    "distributed/test_processes.py::test_a_lost_scheduler_ends_the_run_with_the_best_rows": (
        "waits for a file"
    ),
    "helpers/clock.py::Clock": "passes the machine's clock on, for waiting",
    "helpers/stopping.py::delay": "for tests that are timed",
    "pymoo/test_termination.py::SlowCrossover": "for tests that are timed",
    "pymoo/test_termination.py::SlowDuplicates": "for tests that are timed",
    "test_clocks.py::CLOCKS": "examples",
    "test_interrupts.py::SCRIPT": "presses Ctrl-C within seconds that the script has measured",
    "test_interrupts.py::COMMANDS": "presses Ctrl-C within seconds that the script has measured",
}


def found_in(source: str) -> list[str]:
    """Return each use of a clock in a module of tests as "name: what"."""
    tree, found = ast.parse(source), []
    if "timed" in marks_of(tree):
        return []
    imported = {
        name.asname or name.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module in MODULES
        for name in node.names
    }
    for top in tree.body:
        if not isinstance(top, ast.Import | ast.ImportFrom) and "timed" not in decorators(top):
            found += [f"{name_of(top)}: {use}" for use in uses(top, imported)]
    return found


def uses(top: ast.stmt, imported: set[str]) -> Iterator[str]:
    """Yield each use of a clock in a statement of a module."""
    for node in ast.walk(top):
        if isinstance(node, ast.Call):
            if is_clock(node.func, imported):
                yield ast.unparse(node.func)
            for keyword in node.keywords:
                if keyword.arg == "timeout" and not generous(keyword.value):
                    yield f"timeout={ast.unparse(keyword.value)}"
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from (match[0] for match in IN_TEXT.finditer(node.value))
        elif isinstance(node, ast.Compare) and not has_clock(top):
            yield from (ast.unparse(node) for _ in upper_limits(node))


def is_clock(function: ast.expr, imported: set[str]) -> bool:
    """Return whether a called function belongs to `time` or `timeit`."""
    if isinstance(function, ast.Attribute):
        return isinstance(function.value, ast.Name) and function.value.id in MODULES
    return isinstance(function, ast.Name) and function.id in imported


def upper_limits(compare: ast.Compare) -> Iterator[ast.expr]:
    """Yield each upper limit of seconds that is not generous."""
    sides = [compare.left, *compare.comparators]
    for left, operator, right in zip(sides, compare.ops, sides[1:], strict=False):
        if isinstance(operator, ast.Lt | ast.LtE):
            less, more = left, right
        elif isinstance(operator, ast.Gt | ast.GtE):
            less, more = right, left
        else:
            continue
        if is_told(less) and not generous(more):
            yield more


def generous(limit: ast.expr) -> bool:
    """Return whether a limit is another measured time, or a minute and more."""
    if isinstance(limit, ast.Constant) and isinstance(limit.value, int | float):
        return limit.value >= GENEROUS
    return is_told(limit)


def is_told(side: ast.expr) -> bool:
    """Return whether a side of a comparison is an attribute or a key that contains seconds."""
    if isinstance(side, ast.Attribute):
        return side.attr in TOLD
    key = side.slice if isinstance(side, ast.Subscript) else None
    return isinstance(key, ast.Constant) and key.value in TOLD


def has_clock(top: ast.stmt) -> bool:
    """Return whether a test has the fixture `clock`, which does not depend on the machine."""
    if not isinstance(top, ast.FunctionDef):
        return False
    fixtures = {argument.arg for argument in top.args.args}
    return "clock" in fixtures or any("'clock'" in ast.unparse(d) for d in top.decorator_list)


def marks_of(tree: ast.Module) -> set[str]:
    """Return the names in the marks of a whole module."""
    return {
        name.attr
        for top in tree.body
        if isinstance(top, ast.Assign) and name_of(top) == "pytestmark"
        for name in ast.walk(top.value)
        if isinstance(name, ast.Attribute)
    }


def decorators(top: ast.stmt) -> set[str]:
    """Return the last names of the decorators of a function or class."""
    found = [getattr(d, "func", d) for d in getattr(top, "decorator_list", ())]
    return {d.attr for d in found if isinstance(d, ast.Attribute)}


def name_of(top: ast.stmt) -> str:
    """Return the name that a statement of a module defines."""
    if isinstance(top, ast.Assign):
        return ast.unparse(top.targets[0])
    return getattr(top, "name", "") or ast.unparse(top).splitlines()[0]


def test_no_test_depends_on_seconds() -> None:
    found: dict[str, list[str]] = {}
    for path in sorted(TESTS.rglob("*.py")):
        for use in found_in(path.read_text(encoding="utf-8")):
            name, what = use.split(": ", 1)
            found.setdefault(f"{path.relative_to(TESTS).as_posix()}::{name}", []).append(what)
    remedy = "count launches, moves or calls, use the fixture `clock`, or mark the test `timed`"
    assert {name: what for name, what in found.items() if name not in ALLOWED} == {}, remedy
    assert set(ALLOWED) <= set(found), "no longer needed"


CLOCKS = (
    "begin = time.perf_counter()",
    "time.sleep(0.1)",
    "pause(0.1)",
    "timeit.repeat(f)",
    "assert found.statistics.seconds < 5",
    "assert 0 < watch.elapsed <= LIMIT + OVERRUN",
    "assert 5 > result.exec_time",
    "assert found['seconds'] < 0.5",
    "process.communicate(timeout=20)",
    "run('import time; time.sleep(1)')",
)
NO_CLOCKS = (
    "monkeypatch.setattr(time, 'perf_counter', clock)",
    "assert result.exec_time < 600",
    "assert found.statistics.seconds >= 5",
    "assert before.elapsed <= after.elapsed",
    "process.communicate(timeout=60)",
)


@pytest.mark.parametrize("line", CLOCKS)
def test_clocks_are_found(line: str) -> None:
    imports = "import time\nfrom time import sleep as pause\n"
    assert len(found_in(f"{imports}def test_it():\n    {line}\n")) == 1
    assert not found_in(f"{imports}@pytest.mark.timed\ndef test_it():\n    {line}\n")
    assert not found_in(f"{imports}pytestmark = pytest.mark.timed\ndef test_it():\n    {line}\n")


@pytest.mark.parametrize("line", NO_CLOCKS)
def test_other_lines_are_not_found(line: str) -> None:
    assert not found_in(f"import time\ndef test_it():\n    {line}\n")
    with_clock = "def test_it(clock):\n    assert found.seconds < 5\n"
    assert not found_in(with_clock)
