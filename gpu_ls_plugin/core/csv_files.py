"""CSV files with unrounded numbers and without text that spreadsheets run as formulas."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.files import atomically

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

WIDE = ("\uff1d", "\uff0b", "\uff0d", "\uff20")  # full-width = + - @
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", *WIDE)


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a header and rows as CSV, with a line feed at the end of each line.

    Numbers are not rounded, and None is an empty cell. A spreadsheet would run a string that, after
    any spaces, begins with one of ``=+-@``, a tab or a line break; such a string gets a leading
    apostrophe.
    """
    writer = csv.writer(_Lines(), lineterminator="\r\n")
    return "".join(writer.writerow([_cell(value) for value in row]) for row in (columns, *rows))


def save_csv(
    path: str | os.PathLike[str], columns: Sequence[str], rows: Iterable[Sequence[Any]]
) -> None:
    """Write `csv_text` to a file in UTF-8, atomically."""
    data = csv_text(columns, rows).encode("utf-8", "backslashreplace")
    with atomically(Path(path)) as file:
        file.write_bytes(data)


class _Lines:
    """Turns "\\r\\n" into "\\n": `csv` quotes cells with "\\r" only if lines end with "\\r\\n"."""

    def write(self, line: str) -> str:
        return line.removesuffix("\r\n") + "\n"


def _cell(value: Any) -> Any:
    """Return a value as a cell that is not run as a formula."""
    formula = isinstance(value, str) and value.lstrip(" \xa0").startswith(FORMULA_STARTS)
    return f"'{value}" if formula else value
