"""Tables that can be printed, read by column, and converted to CSV, LaTeX, HTML and pandas."""

from __future__ import annotations

import html
import io
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.csv_files import csv_text
from gpu_ls_plugin.core.exceptions import MissingExtraError

if TYPE_CHECKING:
    from rich.console import RenderableType

Cell = str | int | float | None
MISSING = "-"


@dataclass(frozen=True)
class Table:
    """Rows of numbers and strings; numbers are rounded only for display."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]  # None: no value
    note: str = ""  # shown below the table

    def __repr__(self) -> str:
        return f"Table({self.title!r}, {len(self.rows)} rows of {', '.join(self.columns)})"

    def _repr_html_(self) -> str:
        return self.html()

    def column(self, name: str) -> list[Cell]:
        """Return the values of a column."""
        index = self.columns.index(name)
        return [row[index] for row in self.rows]

    def as_dicts(self) -> list[dict[str, Cell]]:
        """Return the rows as dicts for JSON; numbers that are not finite become None."""

        def plain(cell: Cell) -> Cell:
            return None if isinstance(cell, float) and not math.isfinite(cell) else cell

        return [dict(zip(self.columns, map(plain, row), strict=True)) for row in self.rows]

    def __str__(self) -> str:
        from rich.console import Console

        console = Console(file=io.StringIO(), width=1000, color_system=None)
        console.print(self)
        text: str = console.file.getvalue()  # type: ignore[attr-defined]
        return "\n".join(line.rstrip() for line in text.splitlines())

    def __rich__(self) -> RenderableType:
        from rich.console import Group
        from rich.table import Table as RichTable
        from rich.text import Text

        drawn = RichTable(
            title=self.title, title_justify="left", header_style="bold", box=None, pad_edge=False
        )
        for name, number in zip(self.columns, self._numeric(), strict=True):
            drawn.add_column(name, justify="right" if number else "left", overflow="fold")
        for row in self.rows:
            drawn.add_row(*(Text(shown(cell)) for cell in row))
        return Group(drawn, Text(self.note)) if self.note else drawn

    def csv(self) -> str:
        """Return the table as CSV, with unrounded numbers and formulas disabled (`csv_files`)."""
        return csv_text(self.columns, self.rows)

    def latex(self) -> str:
        """Return the table as LaTeX: a ``tabular`` environment with booktabs rules."""
        layout = "".join("r" if number else "l" for number in self._numeric())
        lines = [[shown(cell) for cell in row] for row in self.rows]
        head, *body = (
            " & ".join(text.translate(_LATEX) for text in line) + r" \\"
            for line in (self.columns, *lines)
        )
        begin = [rf"\begin{{tabular}}{{{layout}}}", r"\toprule", head, r"\midrule"]
        end = [r"\bottomrule", r"\end{tabular}"]
        note = [f"% {line}" for line in self.note.splitlines()]
        return "\n".join([f"% {' '.join(self.title.split())}", *begin, *body, *end, *note])

    def to_pandas(self) -> Any:
        """Return the table as a ``pandas.DataFrame``; a missing number is NaN."""
        try:
            import pandas
        except ImportError as error:
            raise MissingExtraError("to_pandas needs pandas: pip install pandas") from error
        return pandas.DataFrame(data=list(self.rows), columns=list(self.columns))

    def html(self) -> str:
        """Return the table as an HTML element."""
        kinds = [' class="number"' if number else "" for number in self._numeric()]

        def cells(tag: str, texts: list[str]) -> str:
            pairs = zip(kinds, texts, strict=True)
            row = "".join(f"<{tag}{kind}>{html.escape(text)}</{tag}>" for kind, text in pairs)
            return f"<tr>{row}</tr>"

        head = cells("th", list(self.columns))
        body = "\n".join(cells("td", [shown(cell) for cell in row]) for row in self.rows)
        note = f"<p>{html.escape(self.note)}</p>" if self.note else ""
        title = f"<caption>{html.escape(self.title)}</caption>"
        return f"<table>{title}<thead>{head}</thead><tbody>\n{body}\n</tbody></table>{note}"

    def _numeric(self) -> list[bool]:
        """Return whether each column has numbers and no strings."""
        return [
            any(cell is not None for cell in column)
            and all(not isinstance(cell, str) for cell in column)
            for column in (self.column(name) for name in self.columns)
        ]


def shown(cell: Cell) -> str:
    """Return a cell as a string; floats have four significant digits."""
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return MISSING
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)


# Special characters, and how they are written.
_LATEX = str.maketrans(
    {
        **{mark: rf"\{mark}" for mark in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "\n": " ",
        "\r": " ",
    }
)
