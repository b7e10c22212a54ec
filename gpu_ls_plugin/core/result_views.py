"""Results as text, HTML, plain dictionaries and CSV files."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.csv_files import save_csv

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

LONGEST_ROW = 12  # number of entries after which a row is cut off


def call_text(name: str, facts: Mapping[str, object]) -> str:
    """Return facts as a call: ``Result(best_cost=40, ...)``."""
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in facts.items())})"


def html_facts(title: str, facts: Mapping[str, object]) -> str:
    """Return facts as an HTML table for a notebook, with a row for each fact."""
    lines = "".join(
        f"<tr><th>{html.escape(key.replace('_', ' '))}</th><td>{html.escape(str(value))}</td></tr>"
        for key, value in facts.items()
    )
    return f"<table><caption>{html.escape(title)}</caption><tbody>{lines}</tbody></table>"


def row_text(row: Sequence[int]) -> str:
    """Return the beginning of a row as a string."""
    end = ", ..." if len(row) > LONGEST_ROW else ""
    return f"[{', '.join(map(str, row[:LONGEST_ROW]))}{end}]"


def plain(value: Any) -> Any:
    """Return a value with its NumPy scalars and arrays converted to Python numbers and lists."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def save_rows(
    path: str | os.PathLike[str],
    tours: NDArray[Any],
    costs: NDArray[Any],
    feasible: NDArray[np.bool_],
    routes: Sequence[Sequence[Sequence[int]]] | None,
) -> None:
    """Write a line for each row to a CSV file: its number, cost, feasibility and entries.

    Spaces separate entries; ``|`` separates the routes, if there are any.
    """
    columns = ["row", "cost", "feasible", "tour", *(["routes"] if routes is not None else [])]
    verdicts = ["yes" if verdict else "no" for verdict in feasible]
    lines: list[list[Any]] = [
        [number, cost, verdict, " ".join(map(str, row))]
        for number, (cost, verdict, row) in enumerate(
            zip(costs.tolist(), verdicts, tours.tolist(), strict=True)
        )
    ]
    for line, row_routes in zip(lines, routes or (), strict=False):
        line.append(" | ".join(" ".join(map(str, route)) for route in row_routes))
    save_csv(path, columns, lines)
