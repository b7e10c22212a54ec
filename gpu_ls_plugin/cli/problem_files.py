"""Problems that a solve reads: of which kind a file is, and what can be asked of that kind."""

from __future__ import annotations

from codecs import BOM_UTF8
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.exceptions import InvalidParameterError
from gpu_ls_plugin.problems.cvrp import CVRP
from gpu_ls_plugin.problems.cvrplib import is_routing_file
from gpu_ls_plugin.problems.generalised_assignment import GeneralisedAssignment
from gpu_ls_plugin.problems.graph_colouring import GraphColouring
from gpu_ls_plugin.problems.quadratic_assignment import QuadraticAssignment
from gpu_ls_plugin.problems.tsp import TSP

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from gpu_ls_plugin.problems.problem import Problem


@dataclass(frozen=True)
class Kind:
    """A kind of problem: what it is called, what reads it, and the options that it alone has."""

    title: str
    read: Callable[..., Problem]
    options: tuple[str, ...] = ()


def read_problem(
    file: Path, kind: str | None, optimum: float | None, options: Mapping[str, Any]
) -> Problem:
    """Read a problem of a file of TSPLIB, CVRPLIB, DIMACS (graphs), OR-Library (GAP) or QAPLIB.

    Parameters
    ----------
    file : Path
    kind : str, optional
        One of `KINDS`; by default what name and content of the file say.
    optimum : float, optional
        The best cost; the highest profit, where profits are maximised.
    options : mapping
        What was asked of kinds of problems, by name; None is nothing.

    Raises
    ------
    InvalidParameterError
        An option is for problems of another kind.
    GpuLsError, OSError
        As `read` of the problem's class.
    """
    chosen = KINDS[kind or kind_of(file)]
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        if name not in chosen.options:
            (owner,) = (kind for kind in KINDS.values() if name in kind.options)
            raise InvalidParameterError(
                f"{name}: {file} is a {chosen.title}; the option is for {owner.title}s, leave it "
                "out"
            )
    return chosen.read(file, optimum=optimum, **given)


def kind_of(file: Path) -> str:
    """Return which of `KINDS` a file is of."""
    ending = file.suffix.lower()
    if ending == ".txt" and _begins_with_a_number(file):
        return "gap"
    return ENDINGS.get(ending) or ("cvrp" if is_routing_file(file) else "tsp")


def _begins_with_a_number(file: Path) -> bool:
    """Return whether a file does so, which TSPLIB's never do."""
    with open(file, "rb") as stream:
        return stream.read(1000).removeprefix(BOM_UTF8).lstrip()[:1].isdigit()


def _read_graph(file: Path, *, optimum: float | None, colours: int | None = None) -> GraphColouring:
    """Read a graph with some colours, or one whose least number is searched, with a single one."""
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
ENDINGS = {".col": "col", ".gap": "gap", ".dat": "qap"}
