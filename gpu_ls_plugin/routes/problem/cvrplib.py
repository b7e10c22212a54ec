"""CVRPLIB files: problems (.vrp) and solutions (.sol).

Sources: CVRPLIB (Uchoa et al. 2017) and TSPLIB95 (Reinelt 1995), sections 1.1 and 1.2.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from gpu_ls_plugin.core.exceptions import FileFormatError, UnsupportedProblemError
from gpu_ls_plugin.core.files import atomically, plain_name
from gpu_ls_plugin.core.text import QUOTED, quoted, real, whole
from gpu_ls_plugin.routes.problem.schedules import windows_of
from gpu_ls_plugin.routes.problem.solomon import BEGINNING, is_solomon, read_solomon
from gpu_ls_plugin.runs.domain import MAYBE, NO, SURE
from gpu_ls_plugin.tours.problem import tsplib
from gpu_ls_plugin.tours.problem.metrics import find_metric
from gpu_ls_plugin.tours.problem.tsplib import (
    KNOWN_FIELDS,
    Sections,
    has_demands,
    matrix_of,
    metric_of,
    node_table,
    read_sections,
    sections_of,
    type_of,
)

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from gpu_ls_plugin.routes.problem.giant_tours import RoutedProblem
    from gpu_ls_plugin.runs.domain import Content

# Matches names of instances whose best known costs are sums of unrounded lengths.
REAL_SETS = re.compile(r"(CMT|Golden|Li|tai)[_-]?\d", re.IGNORECASE)
DIMACS = 10  # units of a length in the DIMACS convention
MOST = 2**31 - 1
# A: asymmetric lengths, D: limited durations, TW: time windows.
TYPES = ("CVRP", "DCVRP", "ACVRP", "ADCVRP", "VRPTW")
KNOWN_SECTIONS = {
    *("NODE_COORD", "EDGE_WEIGHT", "DEMAND", "DEPOT", "SERVICE_TIME", "DISPLAY_DATA"),
    *("TIME_WINDOW", "RELEASE_TIME"),
}
WRITTEN_AS = {  # EDGE_WEIGHT_TYPE of each metric in a file
    **{name: name for name in ("EUC_2D", "CEIL_2D", "FLOOR_2D", "ATT", "GEO", "HAVERSINE")},
    **{name: name for name in ("MAN_2D", "MAX_2D")},
    "EUC": "EXACT_2D",  # EUC_2D would be rounded when the file is read
}
# Each returns the class of problems with time windows.
classes_with_windows: list[Callable[[], type[Any]]] = []
ROUTE = re.compile(r"route\s*(?:#\s*)?[0-9]+(?:\s*:|(?!\S))", re.IGNORECASE)
COST = re.compile(r"cost\s*:?\s*(\S+)", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Instance(tsplib.Instance):
    """Content of a problem file, depot first: coordinates and their metric, or a matrix."""

    demands: NDArray[np.float64]
    capacity: int
    service_times: NDArray[np.float64] | None
    route_limit: float | None
    vehicles: int | None
    windows: NDArray[np.float64] | None  # shape (n, 2)
    release_times: NDArray[np.float64] | None
    real: bool = False  # whether lengths are real in any case: EXACT_2D

    @property
    def timed(self) -> bool:
        """Whether there are time windows or release times."""
        return self.windows is not None or self.release_times is not None


@dataclass(frozen=True)
class Solution:
    """Content of a solution file: routes as lists of customers, and their cost or None."""

    routes: list[list[int]]
    cost: float | None


def fits_routes(content: Content) -> int:
    """Return how surely a file holds a routing problem, judging by its TYPE or its demands."""
    sections = sections_of(content)
    if sections is None:
        return NO
    if kind := type_of(sections):
        return SURE if "VRP" in kind else NO
    if has_demands(sections):
        return SURE
    return MAYBE if sections.lines else NO


def rounds(name: str) -> bool:
    """Return whether lengths of type EUC_2D are rounded in the set of an instance.

    The name of the instance identifies its set. Lengths are rounded, as in TSPLIB, except in the
    sets of Christofides et al. (CMT), Golden et al., Li et al., and Rochat and Taillard (tai),
    whose best known costs are sums of real lengths.
    """
    return not REAL_SETS.match(name)


def read_instance(path: str | os.PathLike[str], rounding: str) -> Instance:
    """Read a problem file (.vrp), or a text file with time windows; see `CVRP.read`."""
    with Path(path).open("rb") as file:
        as_text = is_solomon(file.read(BEGINNING))
    if as_text:
        return _instance_of_text(path, rounding)
    sections = read_sections(path)
    _check_known(sections)
    n = sections.dimension()
    nodes, demands = node_table(sections, "DEMAND", "demand", n)
    name, comment = sections.about()
    metric = metric_of(sections)
    coordinates = matrix = None
    if metric.explicit:
        matrix = matrix_of(sections, n)
    else:
        coordinates = _values(sections, "NODE_COORD", "x y", nodes)
    if (
        metric.name == "EUC_2D"
        and rounding != "nearest"
        and not (rounding == "auto" and rounds(name))
    ):
        metric = find_metric("EUC")
    order = _depot_first(sections, nodes)

    def optional(section: str, columns: str) -> NDArray[np.float64] | None:
        given = section in sections.lines
        return _values(sections, section, columns, nodes)[order] if given else None

    limits = [key for key in ("DISTANCE", "VEHICLES_MAX_DURATION") if key in sections.fields]
    releases = optional("RELEASE_TIME", "time")
    if releases is not None:
        releases[0] = 0  # no goods go to the depot
    return Instance(
        name,
        comment,
        metric,
        None if coordinates is None else coordinates[order],
        None if matrix is None else matrix[np.ix_(order, order)],
        demands=demands[order, 0],
        capacity=_whole(sections, "CAPACITY"),
        service_times=_service_times(sections, nodes, order),
        route_limit=min((_number(sections, key) for key in limits), default=None),
        vehicles=_whole(sections, "VEHICLES") if "VEHICLES" in sections.fields else None,
        windows=optional("TIME_WINDOW", "earliest latest"),
        release_times=None if releases is None else releases[:, 0],
        real=sections.fields.get("EDGE_WEIGHT_TYPE", "").upper().split() == ["EXACT_2D"],
    )


def _instance_of_text(path: str | os.PathLike[str], rounding: str) -> Instance:
    name, vehicles, capacity, nodes = read_solomon(path)
    return Instance(
        name,
        "",
        find_metric("EUC_2D" if rounding == "nearest" else "EUC"),
        nodes[:, :2],
        None,
        demands=nodes[:, 2],
        capacity=capacity,
        service_times=np.r_[0, nodes[1:, 5]],
        route_limit=None,
        vehicles=vehicles,
        windows=nodes[:, 3:5],
        release_times=None,
    )


def _check_known(sections: Sections) -> None:
    """Raise UnsupportedProblemError if a file holds another kind of problem or unknown keywords."""
    unknown = [key for key in sections.fields if key not in KNOWN_FIELDS]
    unknown += [f"{key}_SECTION" for key in sections.lines if key not in KNOWN_SECTIONS]
    kind = sections.fields.get("TYPE", "").upper().split() or ["CVRP"]
    if kind[0] not in TYPES:
        how = "; read it by TSP.read" if kind[0] in ("TSP", "ATSP") else ""
        if "VRP" in kind[0] and unknown:
            how = f"; not supported: {', '.join(unknown):.200}"
        raise UnsupportedProblemError(
            f"{sections.path}: TYPE: {quoted(kind[0])} is neither {' nor '.join(TYPES)}{how}"
        )
    if kind[0] == "VRPTW":
        sections.section("TIME_WINDOW")  # raises if there is none
    if unknown:
        raise UnsupportedProblemError(
            f"{sections.path}: {unknown[0][:QUOTED]}: not supported; remove it to solve the "
            "problem without it"
        )


def _number(sections: Sections, keyword: str) -> float:
    """Return the value of a keyword, a number of at least 0."""
    text = sections.field(keyword)
    value = real(text)
    if value is None or value < 0:
        raise sections.error(keyword, f"{quoted(text)} is not a number of at least 0")
    return value


def _whole(sections: Sections, keyword: str) -> int:
    """Return the value of a keyword, an integer of at least 1."""
    value = _number(sections, keyword)
    if value != int(value) or not 1 <= value <= MOST:
        text = sections.fields[keyword]
        raise sections.error(keyword, f"{quoted(text)} is not an integer between 1 and {MOST}")
    return int(value)


def _values(
    sections: Sections, name: str, columns: str, nodes: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the values (n, columns) of a section; it must list the nodes of DEMAND_SECTION."""
    own, values = node_table(sections, name, columns, len(nodes))
    if (own != nodes).any():
        node = own[(own != nodes).argmax()]
        raise sections.error(f"{name}_SECTION", f"node {node} is not in DEMAND_SECTION")
    return values


def _depot_first(sections: Sections, nodes: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return an order of the nodes that begins with the depot."""
    depots = sections.numbers("DEPOT")
    depots = depots[: int((depots == -1).argmax()) if (depots == -1).any() else len(depots)]
    if len(depots) != 1:
        count = f"{len(depots)} numbers" if len(depots) else "no depot"
        raise sections.error("DEPOT_SECTION", f"{count}, but one depot node is needed")
    if depots[0] not in nodes:
        raise sections.error("DEPOT_SECTION", f"the depot, {depots[0]}, is not a node of the file")
    row = int((nodes == depots[0]).argmax())
    order: NDArray[np.intp] = np.r_[row, np.delete(np.arange(len(nodes)), row)]
    return order


def _service_times(
    sections: Sections, nodes: NDArray[np.int64], order: NDArray[np.intp]
) -> NDArray[np.float64] | None:
    """Return service times from a number or a section (0 for the depot); None if unspecified."""
    if "SERVICE_TIME" in sections.lines:
        if "SERVICE_TIME" in sections.fields:
            raise sections.error("SERVICE_TIME", "given both as a number and as a section")
        times: NDArray[np.float64] = _values(sections, "SERVICE_TIME", "time", nodes)[order, 0]
    elif "SERVICE_TIME" in sections.fields:
        times = np.full(len(nodes), _number(sections, "SERVICE_TIME"))
    else:
        return None
    times[0] = 0
    return times


def write_instance(path: str | os.PathLike[str], problem: RoutedProblem) -> None:
    """Write a problem file (.vrp), depot first; see `CVRP.write`."""
    explicit, written_as = problem.nodes.metric.explicit, _written_as(problem)
    timed, shown = windows_of(problem), problem.published
    services = shown(problem.service_times)
    alike = bool((services[1:] == services[1]).all())
    limit = None if timed is None or timed.limit is None else _plain(shown(timed.limit))
    kind = "CVRP" if problem.route_limit is None else "DCVRP"
    fields: dict[str, object] = {
        "NAME": problem.nodes.name or plain_name(Path(path)),
        "COMMENT": problem.nodes.comment,
        "TYPE": kind if timed is None else "VRPTW",
        "DIMENSION": problem.customers + 1,
        "CAPACITY": problem.capacity,
        "DISTANCE": problem.route_limit,
        "SERVICE_TIME": _plain(services[1].item()) if alike and services[1] else None,
        "VEHICLES": problem.fleet,
        "VEHICLES_MAX_DURATION": limit,
        "EDGE_WEIGHT_TYPE": "EXPLICIT" if explicit else written_as,
        "EDGE_WEIGHT_FORMAT": "FULL_MATRIX" if explicit else None,
    }
    texts = {
        key: " ".join(str(value).split()) for key, value in fields.items() if value is not None
    }
    lines = [f"{key} : {text}" for key, text in texts.items() if text]
    if explicit:
        rows = problem.nodes.values.tolist()
        lines += ["EDGE_WEIGHT_SECTION", *(" ".join(map(repr, row)) for row in rows)]
    else:
        lines += ["NODE_COORD_SECTION", *_table(shown(problem.nodes.values))]
    lines += ["DEMAND_SECTION", *_table(problem.demands[:, np.newaxis])]
    if not alike:
        lines += ["SERVICE_TIME_SECTION", *_table(services[:, np.newaxis])]
    if timed is not None:
        lines += ["TIME_WINDOW_SECTION", *_table(shown(timed.windows))]
        if timed.release_times.any():
            lines += ["RELEASE_TIME_SECTION", *_table(shown(timed.release_times)[:, np.newaxis])]
    lines += ["DEPOT_SECTION", "1", "-1", "EOF", ""]
    with atomically(Path(path)) as file:
        file.write_bytes("\n".join(lines).encode("utf-8", "replace"))


def _written_as(problem: RoutedProblem) -> str | None:
    """Return the EDGE_WEIGHT_TYPE of a problem with coordinates; raise if there is none."""
    metric, inexpressible = problem.nodes.metric, list(problem.inexpressible)
    written_as = WRITTEN_AS.get(metric.name)
    if problem.scale > 1:  # only tenths of files with windows are read as such
        tenths = problem.scale == DIMACS and metric.name == "FLOOR_2D"
        if not tenths or windows_of(problem) is None:
            inexpressible.append(f"scale {problem.scale}")
        written_as = "EUC_2D"
    elif not metric.explicit and written_as is None:
        inexpressible.append(f"lengths {metric.name}")
    if inexpressible:
        names = ", ".join(inexpressible)
        raise UnsupportedProblemError(f"problem: files (.vrp) cannot express {names}")
    return written_as


def _plain(value: float) -> str:
    """Return a number as text, an integer without a fraction."""
    return repr(value).removesuffix(".0")


def _table(values: NDArray[Any]) -> Iterator[str]:
    """Yield a line for each node: its number, counted from 1, and its values."""
    for number, row in enumerate(values.tolist(), start=1):
        yield " ".join([str(number), *map(_plain, row)])


def read_solution(path: str | os.PathLike[str]) -> Solution:
    """Read a solution file (.sol)."""
    routes: list[list[int]] = []
    cost = None
    lines = Path(path).read_bytes().decode("utf-8-sig", "replace").splitlines()
    for number, line in enumerate(map(str.strip, lines), start=1):
        if line.lower().startswith("route"):
            match = ROUTE.match(line)
            customers = [whole(word) for word in line[match.end() :].split()] if match else [None]
            if None in customers:
                raise FileFormatError(
                    f"{path}: line {number}: {quoted(line)} is not like 'Route #1: 5 3 8'"
                )
            routes.append(cast("list[int]", customers))
        elif match := COST.match(line):
            cost = real(match[1])
            if cost is None:
                raise FileFormatError(f"{path}: line {number}: {quoted(match[1])} is not a cost")
    if not routes:
        raise FileFormatError(f"{path}: no line such as 'Route #1: 5 3 8'")
    return Solution(routes, cost)


def write_solution(
    path: str | os.PathLike[str], routes: Sequence[Sequence[int]], cost: float
) -> None:
    """Write routes, lists of customers, and their cost as a solution file (.sol)."""
    lines = [
        f"Route #{number}: {' '.join(map(str, route))}"
        for number, route in enumerate(routes, start=1)
    ]
    with atomically(Path(path)) as file:
        file.write_text("\n".join([*lines, f"Cost {cost}", ""]), encoding="utf-8")
