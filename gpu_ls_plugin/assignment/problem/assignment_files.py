"""Files of assignment problems: DIMACS graphs, OR-Library and QAPLIB.

Sources: the DIMACS challenge of 1993 (.col), Beasley's OR-Library (gap*), QAPLIB (.dat, .sln).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.exceptions import FileFormatError
from gpu_ls_plugin.core.files import atomically
from gpu_ls_plugin.core.integer_files import MOST, Integers, lines_of
from gpu_ls_plugin.core.text import quoted, whole

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

OTHER_LINES = ("c", "n", "d", "v", "x")  # kinds of DIMACS lines that are skipped


def read_graph(path: str | os.PathLike[str]) -> tuple[int, NDArray[np.int64]]:
    """Return the number of vertices, and the edges with vertices numbered from 0.

    Some files count each edge twice, and some have slightly fewer edges than they state. A file
    with fewer than half of the stated edges raises FileFormatError.
    """
    counts: list[int] = []
    edges: list[tuple[int, int]] = []
    line = 0
    for line, text in enumerate(lines_of(path), start=1):
        kind, *words = text.split() or ["c"]
        error = FileFormatError(f"{path}: line {line}: {quoted(text)} is not part of a .col file")
        if kind in OTHER_LINES:
            continue
        # Some files add a number of colours: p edge VERTICES EDGES COLOURS
        wanted = words[1:3] if kind == "p" and len(words) < 5 else words
        numbers = [number for number in map(whole, wanted) if number is not None]
        if len(numbers) != 2 or len(wanted) != 2 or min(numbers) < 0:
            raise error
        if kind == "p" and not counts and 1 <= numbers[0] <= MOST:
            counts = numbers
        elif kind == "e" and counts:
            if not 1 <= min(numbers) <= max(numbers) <= counts[0]:
                raise FileFormatError(f"{path}: line {line}: vertices are 1..{counts[0]}")
            if numbers[0] == numbers[1]:
                raise FileFormatError(f"{path}: line {line}: an edge from a vertex to itself")
            edges.append((numbers[0] - 1, numbers[1] - 1))
        else:
            raise error
    if not counts:
        raise FileFormatError(f"{path}: no line 'p edge VERTICES EDGES'; this is not a .col file")
    if 2 * len(edges) < counts[1]:
        raise FileFormatError(
            f"{path}: line {line}: {len(edges)} edges of {counts[1]}; the file may be cut off"
        )
    return counts[0], np.array(edges, np.int64).reshape(-1, 2)


def read_generalised_assignment(
    path: str | os.PathLike[str], which: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return costs and resources, shape (jobs, agents), and capacities of problem number `which`.

    A file with one problem may omit the number of problems. All problems are read, so that a file
    of another kind whose beginning looks like a problem is refused.
    """
    numbers = Integers(path)
    alone = _is_alone(numbers)
    problems = 1 if alone else numbers.count("problems")
    if which > problems:
        raise FileFormatError(
            f"{path}: which: there is no problem {which}; the file has {problems}"
        )
    tables = []
    for _ in range(problems):
        agents, jobs = numbers.count("agents"), numbers.count("jobs")
        costs, resources = (numbers.take(what, agents, jobs) for what in ("costs", "resources"))
        tables.append((costs.T, resources.T, numbers.take("capacities", agents)))
    numbers.end()
    return tables[which - 1]


def _is_alone(numbers: Integers) -> bool:
    """Return whether a problem whose sizes are the first two numbers fills the whole file."""
    agents, jobs = [*(whole(word) or 0 for word, _ in numbers.words[:2]), 0, 0][:2]
    return numbers.left == 2 + agents * (2 * jobs + 1)


def read_quadratic_assignment(
    path: str | os.PathLike[str],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the two matrices of a QAPLIB file; a third matrix, of linear costs, must be zero."""
    numbers = Integers(path)
    n = numbers.count("facilities", 2**14)
    first, second = (numbers.take(f"{name} matrix", n, n) for name in ("first", "second"))
    if numbers.left == n * n and numbers.take("third matrix", n, n).any():
        raise numbers.error(
            "the third matrix, of linear costs, is not zero; such costs are not supported"
        )
    numbers.end()
    return first, second


def read_values(path: str | os.PathLike[str], n: int) -> NDArray[np.int64]:
    """Return the values of n variables. The file numbers values from 1; 0 becomes -1."""
    numbers = Integers(path)
    values = numbers.take("values", n)
    numbers.end()
    return values - 1


def write_values(path: str | os.PathLike[str], values: NDArray[Any]) -> None:
    """Write values, numbered from 1, one per line."""
    with atomically(Path(path)) as file:
        file.write_text("".join(f"{value}\n" for value in values + 1), encoding="utf-8")
