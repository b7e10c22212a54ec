"""Reads a problem from a file of any known format, which the file's content tells."""

from __future__ import annotations

from codecs import BOM_UTF8
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.assignment.problem.generalised_assignment import GeneralisedAssignment
from gpu_ls_plugin.assignment.problem.graph_colouring import GraphColouring
from gpu_ls_plugin.assignment.problem.quadratic_assignment import QuadraticAssignment
from gpu_ls_plugin.core.exceptions import FileFormatError, InvalidParameterError
from gpu_ls_plugin.routes.problem.cvrp import CVRP
from gpu_ls_plugin.tours.problem.tsp import TSP
from gpu_ls_plugin.tours.problem.tsplib import read_sections

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator

    from gpu_ls_plugin.core.problem import Problem


@dataclass(frozen=True)
class Kind:
    """A kind of problem: its title, its reader, and the options that only this kind has."""

    title: str
    read: Callable[..., Problem]
    options: tuple[str, ...] = ()


def read_problem(
    path: str | os.PathLike[str],
    *,
    kind: str | None = None,
    optimum: float | None = None,
    **options: Any,
) -> Problem:
    """Read a problem of TSPLIB, CVRPLIB, DIMACS (graphs), OR-Library (GAP) or QAPLIB.

    Of which `kind`, "tsp", "cvrp", "col", "gap" or "qap", `kind_of` tells by default. `optimum` is
    the best cost; the highest profit, if profits are maximised. Options belong to one kind of
    problem; None is ignored. Vehicle routing has `vehicles` and `rounding`, graph colouring
    `colours` (without, a graph gets a single one), generalised assignment `which` and `sense`.
    """
    file = Path(path)
    name = kind_of(file) if kind is None else kind
    if name not in KINDS:
        raise InvalidParameterError(f"kind: {kind!r:.80} is not one of {', '.join(KINDS)}")
    chosen = KINDS[name]
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        if name not in chosen.options:
            owners = [kind.title for kind in KINDS.values() if name in kind.options]
            whose = f"for {owners[0]}s" if owners else "unknown"
            raise InvalidParameterError(
                f"{name}: {file} is a {chosen.title}; the option is {whose}, leave it out"
            )
    return chosen.read(file, optimum=optimum, **given)


def kind_of(path: str | os.PathLike[str]) -> str:
    """Return which of `KINDS` a file holds: its content decides, its suffix only breaks ties."""
    file = Path(path)
    by_suffix = SUFFIXES.get(file.suffix.lower(), "tsp")
    content = file.read_bytes().removeprefix(BOM_UTF8)
    if b"\0" in content:
        return by_suffix
    if content.lstrip()[:1].isdigit():
        fitting = [*_kinds_of_numbers(content.replace(b",", b" ").split())]
        likely = "qap" if by_suffix == "qap" else "gap"
        return likely if likely in fitting else [*fitting, likely][0]
    if _is_graph(content):
        return "col"
    return _kind_of_keywords(file, by_suffix)


def _is_graph(content: bytes) -> bool:
    """Return whether the first line that is no comment is a problem line of DIMACS."""
    words = (line.split(None, 1)[0] for line in content.splitlines() if line.strip())
    return next((word for word in words if word != b"c"), b"") == b"p"


def _kind_of_keywords(file: Path, by_suffix: str) -> str:
    """Return what a file of TSPLIB's form holds."""
    try:
        sections = read_sections(file)
    except FileFormatError:  # the reader of its kind reports it
        return by_suffix
    if kind := sections.fields.get("TYPE", "").upper():
        return "cvrp" if "VRP" in kind else "tsp"
    if "DEMAND" in sections.lines or "CAPACITY" in sections.fields:
        return "cvrp"
    return "tsp" if sections.lines and by_suffix != "cvrp" else by_suffix


def _kinds_of_numbers(words: list[bytes]) -> Iterator[str]:
    """Yield the kinds of problems that have as many numbers as a file."""
    first = _count(words[0])
    if first and len(words) in (1 + 2 * first * first, 1 + 3 * first * first):
        yield "qap"
    end = 1
    for _ in range(min(first, len(words))):
        end = _gap_end(words, end)
    if len(words) in (end, _gap_end(words, 0)):
        yield "gap"


def _gap_end(words: list[bytes], begin: int) -> int:
    """Return where a generalised assignment problem that begins at a word ends."""
    sizes = words[begin : begin + 2]
    agents, jobs = map(_count, sizes) if len(sizes) == 2 else (0, 0)
    return begin + 2 + agents * (2 * jobs + 1) if agents and jobs else len(words) + 1


def _count(word: bytes) -> int:
    """Return a word as a number; 0 if it counts nothing that a file could hold."""
    return int(word) if word.isdigit() and len(word) < 10 else 0


def _read_graph(file: Path, *, optimum: float | None, colours: int | None = None) -> GraphColouring:
    """Read a graph; if the number of colours is to be minimised, it gets a single one."""
    if colours is None:
        return GraphColouring.read(file, 1)
    return GraphColouring.read(file, colours, optimum=0 if optimum is None else optimum)


def _read_generalised_assignment(
    file: Path, *, optimum: float | None, which: int = 1, sense: str = "min"
) -> GeneralisedAssignment:
    if optimum is not None and sense == "max":
        optimum = -optimum
    return GeneralisedAssignment.read(file, which, sense, optimum=optimum)


KINDS = {
    "tsp": Kind("travelling salesman problem", TSP.read),
    "cvrp": Kind("vehicle routing problem", CVRP.read, ("vehicles", "rounding")),
    "col": Kind("graph colouring problem", _read_graph, ("colours",)),
    "gap": Kind("generalised assignment problem", _read_generalised_assignment, ("which", "sense")),
    "qap": Kind("quadratic assignment problem", QuadraticAssignment.read),
}
SUFFIXES = {".vrp": "cvrp", ".cvrp": "cvrp", ".col": "col", ".gap": "gap", ".dat": "qap"}
