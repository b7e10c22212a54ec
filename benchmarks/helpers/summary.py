"""Summaries of results: the repository keeps these in place of rows that fill megabytes.

A summary has numbers of five digits and no curves. Long lists of rows become a table that names its
columns once; of very long lists only the length remains. The whole record lies beside the summary
in a folder `raw`, which git ignores.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

RAW = ("history", "curve", "ours")  # lists of these names
MOST_ROWS = 250  # of a list
TABLE = 10  # rows; a list of at least this many becomes a table
DIGITS = 5
LINE = 100  # characters


def write(out: Path, name: str, record: dict[str, Any]) -> Path:
    """Write a record to `out`/raw/`name`.json and its summary to `out`/`name`.json.

    Sections of an older summary that the record lacks are kept: they were measured elsewhere.
    """
    raw = raw_file(out, name)
    raw.parent.mkdir(parents=True, exist_ok=True)
    raw.write_text(json.dumps(record, indent=1) + "\n")
    path = out / f"{name}.json"
    older = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(text(older | summary(record)) + "\n")
    return path


def read_raw(out: Path, name: str) -> dict[str, Any]:
    """Return the whole record; empty if there is none."""
    path = raw_file(out, name)
    return dict(json.loads(path.read_text())) if path.exists() else {}


def raw_file(out: Path, name: str) -> Path:
    """Return the path of a whole record."""
    return out / "raw" / f"{name}.json"


def summary(value: Any) -> Any:
    """Return a record without raw and long lists, with rounded numbers."""
    if isinstance(value, dict):
        kept = {k: v for k, v in value.items() if k not in RAW or not isinstance(v, list | tuple)}
        return {k: summary(v) for k, v in kept.items()}
    if isinstance(value, list):
        return f"{len(value)} rows" if len(value) > MOST_ROWS else _table(list(map(summary, value)))
    if isinstance(value, float) and math.isfinite(value):
        return float(f"{value:.{DIGITS}g}")
    return value


def _table(rows: list[Any]) -> Any:
    """Return rows; many rows as a table, with null for entries that a row lacks."""
    if len(rows) < TABLE or not all(isinstance(row, dict) for row in rows):
        return rows
    columns = list(dict.fromkeys(name for row in rows for name in row))
    return {"columns": columns, "rows": [[row.get(name) for name in columns] for row in rows]}


def rows(kept: Any) -> list[dict[str, Any]]:
    """Return the rows of a summary, whether they are a table or a list."""
    if isinstance(kept, list):
        return kept
    named = (zip(kept["columns"], row, strict=True) for row in kept["rows"])
    return [{name: value for name, value in row if value is not None} for row in named]


def text(value: Any, indent: int = 0) -> str:
    """Return a value as JSON with as much as fits on each line."""
    short = json.dumps(value)
    if not value or not isinstance(value, dict | list) or indent + len(short) <= LINE:
        return short
    inner = " " * (indent + 1)
    if isinstance(value, dict):
        items = [f"{json.dumps(k)}: {text(v, indent + 1)}" for k, v in value.items()]
        ends = "{}"
    else:
        items, ends = [text(v, indent + 1) for v in value], "[]"
    lines: list[str] = []
    for item in items:
        together = f"{lines[-1]}, {item}" if lines else item
        if lines and "\n" not in together and len(inner) + len(together) <= LINE:
            lines[-1] = together
        else:
            lines.append(item)
    return f"{ends[0]}\n{inner}" + f",\n{inner}".join(lines) + f"\n{' ' * indent}{ends[1]}"
