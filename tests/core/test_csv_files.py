"""CSV files contain no formulas."""

from __future__ import annotations

import ast
import csv
import io
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gpu_ls_plugin.core.csv_files import csv_text, save_csv
from gpu_ls_plugin.experiments.tables import Table
from tests.experiments.samples import results
from tests.test_architecture import MODULES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FORMULAS = (
    *("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "\xa0=1"),
    *("\uff1d1", "\uff0b1", "\uff0d1", "\uff201", "=cmd|' /C calc'!A0", "-"),
)
PLAIN = ("a=1", "", "'=1", "E-n22", "1-1", "(=1)")


def _table(text: str, path: Path) -> str:
    return Table(text, (text,), ((text,),), text).csv()


def _curves(text: str, path: Path) -> str:
    results({(text, text): [1.0]}).save_csv(path)
    return path.read_bytes().decode()


@pytest.mark.parametrize("writer", [_table, _curves])
@pytest.mark.parametrize("text", FORMULAS)
def test_no_cell_is_a_formula(
    writer: Callable[[str, Path], str], text: str, tmp_path: Path
) -> None:
    cells = _cells(writer(text, tmp_path / "file.csv"))
    assert f"'{text}" in cells
    assert text not in cells


@pytest.mark.parametrize("text", PLAIN)
def test_other_text_is_unchanged(text: str) -> None:
    assert _cells(csv_text(("a", "b"), [(text, 1)])) == ["a", "b", text, "1"]


@pytest.mark.parametrize(
    ("number", "cell"),
    [
        *((-1, "-1"), (-0.1, "-0.1"), (1 / 3, str(1 / 3)), (-(2**70), str(-(2**70))), (None, "")),
        *((float("-inf"), "-inf"), (np.int64(-3), "-3"), (np.float64(-0.5), "-0.5")),
    ],
)
def test_numbers_stay_numbers(number: Any, cell: str) -> None:
    assert _cells(csv_text(("number", "name"), [(number, "x")])) == ["number", "name", cell, "x"]


def test_any_text_is_written_as_utf_8(tmp_path: Path) -> None:
    save_csv(tmp_path / "file.csv", ("é",), [("\ud800",)])
    assert (tmp_path / "file.csv").read_bytes().decode() == "é\n\\ud800\n"


def test_only_one_module_writes_csv() -> None:
    writers = [
        name
        for name, text in MODULES.items()
        if any(
            isinstance(node, ast.Attribute) and node.attr in {"writer", "DictWriter"}
            for node in ast.walk(ast.parse(text))
        )
    ]
    assert writers == ["core/csv_files.py"]


def _cells(text: str) -> list[str]:
    rows = list(csv.reader(io.StringIO(text, newline="")))
    return [cell for row in rows for cell in row]
