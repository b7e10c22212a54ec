"""Kinds of files of sequence problems, which are recognised by their content."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.runs.domain import MAYBE, NO, SURE, Content, FileKind
from gpu_ls_plugin.sequences.problem.flow_shop import FlowShop
from gpu_ls_plugin.sequences.problem.linear_ordering import LinearOrdering

if TYPE_CHECKING:
    from pathlib import Path


def fits_flow_shop(content: Content) -> int:
    """Return how well a file fits a flow shop: a line of sizes, then a line for each machine.

    It is `SURE` if the second line has a time for each job, and the file does not have too many
    numbers. Otherwise it is `MAYBE` if the first line has two numbers, and `NO` if it does not.
    """
    head, rest = _first_line(content.data)
    if len(head) != 2 or not all(map(_count, head)):
        return NO
    jobs, machines = map(_count, head)
    times, more = _first_line(rest)
    if len(times) != jobs or not all(map(_is_integer, times)):
        return MAYBE
    return SURE if len(more.split()) <= jobs * (machines - 1) else MAYBE


def fits_linear_ordering(content: Content) -> int:
    """Return how well a file fits LOLIB: a title or none, a number n, and n x n entries.

    It is `SURE` if there are n x n entries. Otherwise it is `MAYBE` if n is alone in its line, and
    `NO` if it is not.
    """
    head, rest = _first_line(content.data)
    if not all(map(_is_integer, head)):
        head, rest = _first_line(rest)
    n = _count(head[0]) if head else 0
    if not n:
        return NO
    entries = [*head[1:], *rest.replace(b",", b" ").split()]
    if len(entries) == n * n and all(map(_is_integer, entries)):
        return SURE
    return MAYBE if len(head) == 1 else NO


def _first_line(text: bytes) -> tuple[list[bytes], bytes]:
    """Return the words of the first line that is not blank, and the text after it."""
    line, _, rest = text.lstrip().partition(b"\n")
    return line.replace(b",", b" ").split(), rest


def _is_integer(word: bytes) -> bool:
    return word.removeprefix(b"-").isdigit()


def _count(word: bytes) -> int:
    """Return a word as a number; 0 if it is not a possible size of a problem."""
    return int(word) if word.isdigit() and len(word) < 10 else 0


def _read_flow_shop(file: Path, *, optimum: float | None, objective: str = "makespan") -> FlowShop:
    return FlowShop.read(file, objective, optimum=optimum)


def _read_linear_ordering(file: Path, *, optimum: float | None) -> LinearOrdering:
    """Read a matrix; `optimum` is the largest sum."""
    return LinearOrdering.read(file, optimum=None if optimum is None else -optimum)


KINDS = (
    FileKind("fsp", "flow shop", _read_flow_shop, fits_flow_shop, (".fsp",), ("objective",)),
    FileKind(
        "lop",
        "linear ordering problem",
        _read_linear_ordering,
        fits_linear_ordering,
        (".lop", ".mat"),
    ),
)
