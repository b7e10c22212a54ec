"""Kinds of files of assignment problems, which are recognised by their content."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.assignment.problem.generalised_assignment import GeneralisedAssignment
from gpu_ls_plugin.assignment.problem.graph_colouring import GraphColouring
from gpu_ls_plugin.assignment.problem.quadratic_assignment import QuadraticAssignment
from gpu_ls_plugin.runs.domain import MAYBE, NO, SURE, Content, FileKind

if TYPE_CHECKING:
    from pathlib import Path


def fits_graph(content: Content) -> int:
    """Return `SURE` if the first line after comments is a DIMACS problem line, otherwise `NO`."""
    words = (line.split(None, 1)[0] for line in content.data.splitlines() if line.strip())
    return SURE if next((word for word in words if word != b"c"), b"") == b"p" else NO


def fits_generalised(content: Content) -> int:
    """Return `SURE` if the file has as many words as its generalised assignment problems need.

    Otherwise return `MAYBE` if the file begins with a digit, and `NO` if it does not.
    """
    words = _numbers(content)
    if not words:
        return NO
    end = 1
    for _ in range(min(_count(words[0]), len(words))):
        end = _end_of_problem(words, end)
    return SURE if len(words) in (end, _end_of_problem(words, 0)) else MAYBE


def fits_quadratic(content: Content) -> int:
    """Return `SURE` if the file has as many words as a quadratic assignment problem needs.

    Otherwise return `MAYBE` if the file begins with a digit, and `NO` if it does not.
    """
    words = _numbers(content)
    if not words:
        return NO
    first = _count(words[0])
    square = first * first
    return SURE if first and len(words) in (1 + 2 * square, 1 + 3 * square) else MAYBE


def _numbers(content: Content) -> list[bytes]:
    """Return the words of a file that begins with a digit; an empty list for other files."""
    if not content.data.lstrip()[:1].isdigit():
        return []
    found: list[bytes] = content.found.setdefault(
        "numbers", content.data.replace(b",", b" ").split()
    )
    return found


def _end_of_problem(words: list[bytes], begin: int) -> int:
    """Return the index after a generalised assignment problem that begins at word `begin`."""
    sizes = words[begin : begin + 2]
    agents, jobs = map(_count, sizes) if len(sizes) == 2 else (0, 0)
    return begin + 2 + agents * (2 * jobs + 1) if agents and jobs else len(words) + 1


def _count(word: bytes) -> int:
    """Return a word as a number; 0 if it is not a possible size of a problem."""
    return int(word) if word.isdigit() and len(word) < 10 else 0


def _read_graph(file: Path, *, optimum: float | None, colours: int | None = None) -> GraphColouring:
    """Read a graph; it has one colour if `colours` is None, since the number is then minimised."""
    if colours is None:
        return GraphColouring.read(file, 1)
    return GraphColouring.read(file, colours, optimum=0 if optimum is None else optimum)


def _read_generalised(
    file: Path, *, optimum: float | None, which: int = 1, sense: str = "min"
) -> GeneralisedAssignment:
    if optimum is not None and sense == "max":
        optimum = -optimum
    return GeneralisedAssignment.read(file, which, sense, optimum=optimum)


KINDS = (
    FileKind("col", "graph colouring problem", _read_graph, fits_graph, (".col",), ("colours",)),
    FileKind(
        "gap",
        "generalised assignment problem",
        _read_generalised,
        fits_generalised,
        (".gap",),
        ("which", "sense"),
    ),
    FileKind(
        "qap", "quadratic assignment problem", QuadraticAssignment.read, fits_quadratic, (".dat",)
    ),
)
