"""Compilers name the author's file and line, and kernels contain only valid names and types."""

from __future__ import annotations

import importlib
import re
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from gpu_ls_plugin.backends.compiler import program_of
from gpu_ls_plugin.backends.composition import Kernel, parse_parameters, read
from gpu_ls_plugin.core.exceptions import (
    CompilationError,
    FaultyPartError,
    InvalidParameterError,
)
from gpu_ls_plugin.core.origins import error_first, sources_of
from gpu_ls_plugin.plugins.instantiations import instantiations

if TYPE_CHECKING:
    from pathlib import Path

WRONG = "\nstruct Mine {\n  using Length = no_such_type;\n};\n"
PART = f"""
from importlib import resources
from gpu_ls_plugin.tours.problem.metrics import Metric

class Inline:
    def source(self):
        return {WRONG!r}

class InHeader:
    def source(self):
        return (resources.files("lines_plugin") / "moves" / "mine.cuh").read_text()
"""

CHECK = (
    "Check mine/m.cuh: a struct must have the name that the part's functor gives, and the members "
    "that the library calls."
)
KERNEL = Kernel("mine", "backends/include/team.cuh", "Mine", parse_parameters("int n"), "gls::Host")


def plugin(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    package = folder / "lines_plugin"
    (package / "moves").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "moves" / "mine.cuh").write_text(f"// Mine.\n#pragma once\n{WRONG}")
    (package / "parts.py").write_text(PART)
    monkeypatch.syspath_prepend(folder)
    for name in [name for name in sys.modules if name.startswith("lines_plugin")]:
        monkeypatch.delitem(sys.modules, name)
    importlib.invalidate_caches()
    return importlib.import_module("lines_plugin.parts")


def test_texts_name_their_origins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for folder in ("here", "there"):
        parts = plugin(tmp_path / folder, monkeypatch)
        found.append(sources_of(parts.InHeader(), parts.Inline(), parts.InHeader()))
        monkeypatch.undo()
    header, inline = found[0]
    assert header.startswith('#line 1 "lines_plugin/moves/mine.cuh"\n// Mine.')
    assert inline == f'#line 1 "lines_plugin/parts.py (Inline)"\n{WRONG}'
    assert found[0] == found[1], "the key of caches depends on the folder of a package"


@pytest.mark.parametrize(
    ("name", "place"),
    [("InHeader", "lines_plugin/moves/mine.cuh:5"), ("Inline", "lines_plugin/parts.py (Inline):3")],
)
def test_errors_name_the_authors_line(
    name: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = getattr(plugin(tmp_path, monkeypatch), name)()
    source = replace(KERNEL, functors=sources_of(part)).source
    with pytest.raises(CompilationError, match=f"^{re.escape(place)}:.*error:.*no_such_type"):
        program_of(source).library()


@pytest.mark.parametrize(
    ("output", "first"),
    [
        ("gpu_ls_plugin/a.cuh:1: error: x\nmine/m.cuh:2:3: error: y", "mine/m.cuh:2:3: error: y"),
        (
            "mine/m.cuh:2: note: y\n gpu_ls_plugin/a.cuh: error: x",
            f"gpu_ls_plugin/a.cuh: error: x\n{CHECK}",
        ),
        ("kernel mine:1: error: no Mine", f"kernel mine:1: error: no Mine\n{CHECK}"),
        ("c++: error: no such option", "c++: error: no such option"),
        ("gpu_ls_plugin/a.cuh(1): error: x\nmine/m.cuh(2): error: y", "mine/m.cuh(2): error: y"),
        ("killed", ""),
    ],
    ids=["author", "library", "name", "compiler", "nvrtc", "none"],
)
def test_the_first_error_of_the_author_is_shown_first(output: str, first: str) -> None:
    names = ("gpu_ls_plugin/a.cuh", "mine/m.cuh", "kernel mine")
    source = "".join(f'#line 1 "{name}"\nint a;\n' for name in names)
    assert error_first(output, source) == (first and f"{first}\n")


def test_a_missing_file_of_a_part_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = plugin(tmp_path, monkeypatch).InHeader()
    (tmp_path / "lines_plugin" / "moves" / "mine.cuh").unlink()
    with pytest.raises(FaultyPartError, match=r"source: .*InHeader.*mine\.cuh.*package-data"):
        sources_of(part)


def test_headers_keep_their_lines() -> None:
    kernel = next(iter(instantiations()))
    for line, name in re.findall(r'^#line (\d+) "gpu_ls_plugin/(.*)"$', kernel.source, re.M):
        text = kernel.source.partition(f'#line {line} "gpu_ls_plugin/{name}"\n')[2].partition("\n")[
            0
        ]
        assert read(name).splitlines()[int(line) - 1] == text


def test_listed_kernels_contain_valid_names_and_types() -> None:
    assert all("kernel " in kernel.source for kernel in instantiations())


EVIL = ("x; int y", "x{}", "a b;", 'x"', "x\n#include </etc/passwd>", "", "a//", "x'", "1x", "(x)")


@pytest.mark.parametrize("field", ["name", "body", "team", "header", "headers", "parameters"])
@pytest.mark.parametrize("text", [*EVIL, "int x = 0", "operator", "gls::X<new int>"])
def test_anything_else_is_refused(field: str, text: str) -> None:
    given: dict[str, Any] = {
        "headers": (text,),
        "parameters": (replace(KERNEL.parameters[0], name=text),),
    }
    with pytest.raises(InvalidParameterError, match="functor: "):
        _ = replace(KERNEL, **{field: given.get(field, text)}).source
