"""Tables that can be printed, read by column, and converted to CSV, LaTeX, HTML and pandas."""

from __future__ import annotations

import html
import io
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.csv_files import csv_text
from gpu_ls_plugin.core.exceptions import InvalidParameterError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rich.console import RenderableType

Cell = str | int | float | None
MISSING = "-"
ROUNDED = 4  # significant digits of a number without a deviation
EXACT = 6  # significant digits of the mean of equal values
DEVIATION = 2  # significant digits of a standard deviation
EQUAL = 1e-12  # largest deviation, relative to the mean, that is a rounding error
LARGE = 1e15  # from here on, numbers have exponents


class Moments(str):
    """A mean with its deviation and a mark, as one cell; the cells of a row have equal decimals."""

    mean: float
    deviation: float
    mark: str

    @classmethod
    def row(
        cls, cells: Sequence[tuple[float, float, str]], digits: int = DEVIATION
    ) -> list[Moments]:
        """Return the cells of a row, from means, deviations (NaN if unknown) and marks.

        The lowest deviation other than 0 has `digits` significant digits, but no mean gets more
        than EXACT + `digits` - 1. If there is no such deviation, means have EXACT digits.
        """
        means = [mean for mean, _, _ in cells]
        largest = max(map(abs, means), default=0.0)
        most = EXACT + digits - 2 - (math.floor(math.log10(largest)) if largest else 0)
        needed = [
            digits - 1 - math.floor(math.log10(deviation))
            for mean, deviation, _ in cells
            if deviation > EQUAL * abs(mean)
        ] or [len(shown(mean, EXACT).partition("e")[0].partition(".")[2]) for mean in means]
        return [cls._of(*cell, max(0, min(most, max(needed)))) for cell in cells]

    @classmethod
    def _of(cls, mean: float, deviation: float, mark: str, decimals: int) -> Moments:
        known = [f"{value:.{decimals}f}" for value in (mean, deviation) if not math.isnan(value)]
        made = cls(" ± ".join(known) + (f" {mark}" if mark else ""))
        made.mean, made.deviation, made.mark = mean, deviation, mark
        return made


@dataclass(frozen=True)
class Table:
    """Rows of numbers and strings; numbers are rounded only for display."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]  # None: no value
    note: str = ""  # shown below the table
    deviations: tuple[tuple[str, str], ...] = ()  # columns of means, and of their deviations
    bold: frozenset[tuple[int, int]] = frozenset()  # row and column of emphasised cells
    advice: str = ""  # to the author: shown below the note, and a comment in LaTeX

    def __repr__(self) -> str:
        return f"Table({self.title!r}, {len(self.rows)} rows of {', '.join(self.columns)})"

    def _repr_html_(self) -> str:
        return self.html()

    def column(self, name: str) -> list[Cell]:
        """Return the values of a column."""
        if name not in self.columns:
            known = ", ".join(map(repr, self.columns))
            raise InvalidParameterError(f"column: {name!r} is none of {known}")
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
        for texts in self._texts(Text, lambda text: Text(text.plain, "bold")):
            drawn.add_row(*texts)
        return Group(drawn, *map(Text, filter(None, (self.note, self.advice))))

    def csv(self) -> str:
        """Return the table as CSV, with unrounded numbers and formulas disabled (`csv_files`)."""
        return csv_text(self.columns, self.rows)

    def latex(self, *, digits: int = DEVIATION, note: bool = True) -> str:
        """Return the table as LaTeX: a ``tabular`` environment with booktabs rules.

        Advice to the author is a comment in the first lines.

        Parameters
        ----------
        digits : int
            Significant digits of standard deviations; in a row of `Results.paper_table`, of the
            lowest deviation other than 0.
        note : bool
            Whether to add the note as a paragraph below the table.
        """
        layout = "".join("r" if number else "l" for number in self._numeric())

        def escape(text: str) -> str:
            return text.translate(_LATEX)

        texts = self._texts(escape, lambda text: rf"\textbf{{{text}}}", digits)
        lines = [" & ".join(line) + r" \\" for line in (map(escape, self.columns), *texts)]
        head, *body = lines
        begin = [rf"\begin{{tabular}}{{{layout}}}", r"\toprule", head, r"\midrule"]
        end = [r"\bottomrule", r"\end{tabular}"]
        if note and self.note:
            end += [r"\par\smallskip", rf"{{\footnotesize {self.note.translate(_LATEX)}\par}}"]
        comments = [f"% {' '.join(text.split())}" for text in (self.title, self.advice) if text]
        return "\n".join([*comments, *begin, *body, *end, ""])

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

        def cells(tag: str, texts: Iterable[str]) -> str:
            pairs = zip(kinds, texts, strict=True)
            row = "".join(f"<{tag}{kind}>{text}</{tag}>" for kind, text in pairs)
            return f"<tr>{row}</tr>"

        head = cells("th", map(html.escape, self.columns))
        body = "\n".join(
            cells("td", texts) for texts in self._texts(html.escape, "<b>{}</b>".format)
        )
        texts = filter(None, (self.note, self.advice))
        note = "".join(f"<p>{html.escape(text)}</p>" for text in texts)
        title = f"<caption>{html.escape(self.title)}</caption>"
        return f"<table>{title}<thead>{head}</thead><tbody>\n{body}\n</tbody></table>{note}"

    def _texts(
        self, escape: Callable[[str], Any], embolden: Callable[[Any], Any], digits: int = DEVIATION
    ) -> list[list[Any]]:
        """Return the cells as text in some format; `digits` are those of deviations."""
        rows = [_texts_of_row(row, digits) for row in self.rows]
        for names in self.deviations:
            mean, deviation = map(self.columns.index, names)
            for texts, row in zip(rows, self.rows, strict=True):
                pair = shown_mean(row[mean], row[deviation], digits)
                texts[mean], texts[deviation] = pair

        def finished(place: tuple[int, int], text: str) -> Any:
            if place not in self.bold:
                return escape(text)
            mark = getattr(self.rows[place[0]][place[1]], "mark", "")  # it is not emphasised
            plain = embolden(escape(text.removesuffix(f" {mark}")))
            return plain + escape(f" {mark}") if mark else plain

        return [
            [finished((row, column), text) for column, text in enumerate(texts)]
            for row, texts in enumerate(rows)
        ]

    def _numeric(self) -> list[bool]:
        """Return whether each column has numbers and no strings."""
        return [
            any(cell is not None for cell in column)
            and all(isinstance(cell, Moments) or not isinstance(cell, str) for cell in column)
            for column in (self.column(name) for name in self.columns)
        ]


def _texts_of_row(row: Sequence[Cell], digits: int) -> list[str]:
    given = [cell for cell in row if isinstance(cell, Moments)]
    made = iter(Moments.row([(cell.mean, cell.deviation, cell.mark) for cell in given], digits))
    return [str(next(made)) if isinstance(cell, Moments) else shown(cell) for cell in row]


def shown(cell: Cell, digits: int = ROUNDED) -> str:
    """Return a cell as a string; floats have some significant digits, and at least all integers."""
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return MISSING
    if not isinstance(cell, float):
        return str(cell)
    is_long = 10**digits - 0.5 <= abs(cell) < LARGE  # "g" would give it an exponent
    return f"{cell:.0f}" if is_long else f"{cell:.{digits}g}"


def shown_mean(mean: Cell, deviation: Cell, digits: int = DEVIATION) -> tuple[str, str]:
    """Return a mean and its deviation as strings, with the decimals that the deviation suggests."""
    if not isinstance(mean, float) or not isinstance(deviation, float):
        return shown(mean, EXACT), shown(deviation)
    if deviation <= EQUAL * abs(mean):
        return shown(mean, EXACT), "0"
    decimals = max(0, digits - 1 - math.floor(math.log10(deviation)))
    return f"{mean:.{decimals}f}", f"{deviation:.{decimals}f}"


# Special characters, and how they are written.
_LATEX = str.maketrans(
    {
        **{mark: rf"\{mark}" for mark in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "±": r"$\pm$",
        "\N{MINUS SIGN}": "$-$",
        "≈": r"$\approx$",
        "\n": " ",
        "\r": " ",
    }
)
