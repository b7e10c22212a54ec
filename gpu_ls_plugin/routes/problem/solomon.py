"""Text files of time windows in the format of Solomon, and of Gehring and Homberger."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpu_ls_plugin.core.exceptions import FileFormatError
from gpu_ls_plugin.core.text import quoted
from gpu_ls_plugin.runs.domain import NO, SURE

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from gpu_ls_plugin.runs.domain import Content

HEADS = re.compile(r"^\s*(VEHICLE|CUSTOMER)\s*$", re.IGNORECASE | re.MULTILINE)
BEGINNING = 4096  # bytes that show the format of a file
COLUMNS = 7  # number, x, y, demand, ready time, due date, service time


class Windowed(NamedTuple):
    """Content of a file; the rows of `nodes` have six columns, the depot's is the first."""

    name: str
    vehicles: int
    capacity: int
    nodes: NDArray[np.float64]


def fits_solomon(content: Content) -> int:
    """Return whether a file has lines VEHICLE and CUSTOMER."""
    return SURE if is_solomon(content.data[:BEGINNING]) else NO


def is_solomon(beginning: bytes) -> bool:
    """Return whether the beginning of a file has lines VEHICLE and CUSTOMER."""
    heads = HEADS.findall(beginning.decode("utf-8-sig", "replace"))
    return [head.upper() for head in heads] == ["VEHICLE", "CUSTOMER"]


def read_solomon(path: str | os.PathLike[str]) -> Windowed:
    """Read a file: a name, vehicles and their capacity, then a row for each node.

    The parser of vrplib reads words as numbers without a word of warning.
    """
    text = Path(path).read_bytes().decode("utf-8-sig", "replace")
    parts = HEADS.split(text)
    if len(parts) != 5:
        raise FileFormatError(f"{path}: no lines 'VEHICLE' and 'CUSTOMER'")
    fleet = _rows(path, parts[2], "VEHICLE", 2)
    nodes = _rows(path, parts[4], "CUSTOMER", COLUMNS)
    if len(fleet) != 1:
        raise FileFormatError(f"{path}: VEHICLE: {len(fleet)} lines of numbers, not one")
    numbers = np.arange(len(nodes))
    if len(nodes) < 2 or (nodes[:, 0] != numbers).any():
        raise FileFormatError(
            f"{path}: CUSTOMER: numbers are not 0, 1, 2, ...; the file may be cut off"
        )
    vehicles, capacity = fleet[0].tolist()
    if vehicles != int(vehicles) or capacity != int(capacity):
        raise FileFormatError(f"{path}: VEHICLE: {fleet[0].tolist()} are not integers")
    name = parts[0].strip().splitlines()
    return Windowed(name[0].strip() if name else "", int(vehicles), int(capacity), nodes[:, 1:])


def _rows(path: Any, text: str, part: str, columns: int) -> NDArray[np.float64]:
    """Return the lines of numbers of a part; the first line, if it has words, is a heading."""
    rows: list[list[float]] = []
    for line in filter(str.strip, text.splitlines()):
        words = line.split()
        try:
            rows.append([float(word) for word in words])
        except ValueError:
            if not rows and not any(word.replace(".", "").isdigit() for word in words):
                continue
            raise FileFormatError(f"{path}: {part}: {quoted(line)} is not all numbers") from None
        if len(words) != columns or not np.isfinite(rows[-1]).all():
            raise FileFormatError(
                f"{path}: {part}: {quoted(line)} is not {columns} numbers; the file may be cut off"
            )
    return np.array(rows).reshape(-1, columns)
