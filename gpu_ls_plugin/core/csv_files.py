"""CSV files: numbers in full, and no text that a spreadsheet would run as a formula."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.files import atomically

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

WIDE = ("\uff1d", "\uff0b", "\uff0d", "\uff20")  # = + - @ of East Asian fonts
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", *WIDE)


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a header and rows as CSV, whose lines end with a line feed.

    Numbers are written in full and None as an empty cell. Text that begins like a formula, with one
    of ``=+-@``, a tab or a line break, also after spaces, gets an apostrophe in front, so that
    spreadsheets show it.
    """
    writer = csv.writer(_Lines(), lineterminator="\r\n")
    return "".join(writer.writerow([_cell(value) for value in row]) for row in (columns, *rows))


def save_csv(
    path: str | os.PathLike[str], columns: Sequence[str], rows: Iterable[Sequence[Any]]
) -> None:
    """Write `csv_text` to a file in UTF-8, which appears complete or not at all."""
    data = csv_text(columns, rows).encode("utf-8", "backslashreplace")
    with atomically(Path(path)) as file:
        file.write_bytes(data)


class _Lines:
    """Returns each line as it is written, since `csv` quotes only what ends its own lines."""

    def write(self, line: str) -> str:
        return line.removesuffix("\r\n") + "\n"


def _cell(value: Any) -> Any:
    """Return a value as a cell that a spreadsheet shows as it is."""
    formula = isinstance(value, str) and value.lstrip(" \xa0").startswith(FORMULA_STARTS)
    return f"'{value}" if formula else value
