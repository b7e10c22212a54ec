"""CVRPLIB files: problems (.vrp) and solutions (.sol), taken apart by vrplib.

Sources: CVRPLIB (Uchoa et al. 2017) and TSPLIB95 (Reinelt 1995), sections 1.1 and 1.2.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.exceptions import (
    FileFormatError,
    GpuLsError,
    InvalidProblemError,
    InvalidTourError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.files import atomically

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

# Sets whose best known costs are sums of lengths that are not rounded.
REAL_SETS = re.compile(r"(CMT|Golden|Li|tai|F?Rochat|Christofides)[_-]?\d", re.IGNORECASE)


@dataclass(frozen=True)
class Instance:
    """Content of a problem file, the depot first: coordinates and their metric, or a matrix."""

    path: str
    name: str
    comment: str
    metric: str
    coordinates: NDArray[np.float64] | None
    matrix: NDArray[Any] | None
    demands: NDArray[Any]
    capacity: int
    service_times: NDArray[Any] | None
    route_limit: float | None
    vehicles: int | None

    def errors(self) -> Any:
        """Return a context whose errors are those of the file."""
        return naming(self.path)


@contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Make errors of what a file holds errors that name it."""
    try:
        yield
    except (InvalidProblemError, InvalidTourError) as error:
        if isinstance(error, FileFormatError):
            raise
        raise FileFormatError(f"{path}: {error}") from error


def rounds(name: str) -> bool:
    """Return whether lengths of type EUC_2D are rounded in a set, by the name of an instance.

    They are, as TSPLIB says, but for the sets of Christofides et al. (CMT), Golden et al., Li et
    al. and Rochat and Taillard, whose best known costs are sums of real lengths.
    """
    return not REAL_SETS.match(name)


def read_instance(path: str | os.PathLike[str], rounding: str) -> Instance:
    """Read a problem file; as `CVRP.read`."""
    import vrplib

    Path(path).stat()  # vrplib's own message does not name the file
    try:
        given = vrplib.read_instance(path, compute_edge_weights=False)
    except GpuLsError:
        raise
    except Exception as error:
        raise FileFormatError(f"{path}: not a CVRPLIB file, or cut off: {error}") from error
    return _Reader(str(path), given).instance(rounding)


class _Reader:
    """What a file says, by its keywords."""

    def __init__(self, path: str, given: dict[str, Any]) -> None:
        self.path, self.given = path, given

    def error(self, section: str, reason: str) -> FileFormatError:
        return FileFormatError(f"{self.path}: {section}: {reason}")

    def instance(self, rounding: str) -> Instance:
        """Return the content, checked."""
        kind = str(self.given.get("type", "CVRP")).upper()
        if kind not in ("CVRP", "DCVRP"):
            raise UnsupportedProblemError(f"{self.path}: TYPE: {kind}, not CVRP")
        n = self.whole("dimension", 1)
        depot = self.depot(n)
        order = np.r_[depot, np.delete(np.arange(n), depot)]
        name = str(self.given.get("name", ""))
        coordinates, matrix, metric = self.lengths(n, name, rounding)
        return Instance(
            self.path,
            name,
            str(self.given.get("comment", "")),
            metric,
            None if coordinates is None else coordinates[order],
            None if matrix is None else matrix[np.ix_(order, order)],
            self.section("demand", n)[order],
            self.whole("capacity", 1),
            self.services(n, depot, order),
            self.number("distance"),
            self.whole("vehicles", 1) if "vehicles" in self.given else None,
        )

    def whole(self, keyword: str, least: int) -> int:
        """Return the integer of a keyword."""
        value = self.number(keyword)
        if value is None:
            raise self.error(keyword.upper(), "missing; the file may be cut off")
        if value != int(value) or value < least:
            raise self.error(keyword.upper(), f"{value:.10g} is not an integer of at least {least}")
        return int(value)

    def number(self, keyword: str) -> float | None:
        """Return the number of a keyword, None where it is missing."""
        value = self.given.get(keyword)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not np.isfinite(value):
            raise self.error(keyword.upper(), f"{value!r:.80} is not a number")
        return value

    def depot(self, n: int) -> int:
        """Return the row of the one depot."""
        depots = np.atleast_1d(self.given.get("depot", 0))
        if len(depots) != 1:
            raise self.error("DEPOT_SECTION", f"{len(depots)} depots, not one")
        depot = int(depots[0])
        if not 0 <= depot < n:
            raise self.error("DEPOT_SECTION", f"node {depot + 1} is not one of 1..{n}")
        return depot

    def section(self, name: str, n: int) -> NDArray[Any]:
        """Return the numbers of a section, one for each node."""
        values = np.asarray(self.given.get(name))
        if values.shape != (n,) or values.dtype.kind not in "iuf":
            raise self.error(
                f"{name.upper()}_SECTION", f"{n} numbers are needed; the file may be cut off"
            )
        return values

    def services(self, n: int, depot: int, order: NDArray[Any]) -> NDArray[Any] | None:
        """Return service times, given as one number or as a section."""
        value = self.given.get("service_time")
        if value is None:
            return None
        times: NDArray[Any] = (
            np.full(n, self.number("service_time"))
            if np.ndim(value) == 0
            else self.section("service_time", n).copy()
        )
        times[depot] = 0
        return times[order]

    def lengths(
        self, n: int, name: str, rounding: str
    ) -> tuple[NDArray[Any] | None, NDArray[Any] | None, str]:
        """Return coordinates, or a matrix, and the metric's name."""
        kind = str(self.given.get("edge_weight_type", "")).upper()
        if kind == "EXPLICIT":
            matrix = np.asarray(self.given.get("edge_weight"))
            if matrix.shape != (n, n) or matrix.dtype.kind not in "iuf":
                raise self.error("EDGE_WEIGHT_SECTION", f"not a matrix of {n} x {n} numbers")
            if matrix.dtype.kind == "f" and (np.rint(matrix) == matrix).all():
                matrix = np.rint(matrix).astype(np.int64)
            return None, matrix, kind
        coordinates = np.asarray(self.given.get("node_coord"))
        if coordinates.shape != (n, 2) or coordinates.dtype.kind not in "iuf":
            raise self.error(
                "NODE_COORD_SECTION", f"{n} pairs of numbers are needed; the file may be cut off"
            )
        if kind == "EUC_2D":
            rounded = rounds(name) if rounding == "auto" else rounding == "nearest"
            kind = kind if rounded else "EUC"
        return coordinates.astype(np.float64), None, kind


def read_solution(path: str | os.PathLike[str]) -> list[list[int]]:
    """Return the routes of a solution file (.sol), lists of customers.

    Raises
    ------
    FileNotFoundError
        No such file.
    FileFormatError
        There are no routes in it.
    """
    import vrplib

    Path(path).stat()
    try:
        routes = vrplib.read_solution(path)["routes"]
    except Exception as error:
        raise FileFormatError(f"{path}: not a CVRPLIB solution: {error}") from error
    if not routes:
        raise FileFormatError(f"{path}: no line such as 'Route #1: 5 3 8'")
    return [[int(customer) for customer in route] for route in routes]


def write_solution(
    path: str | os.PathLike[str], routes: Sequence[Sequence[int]], cost: float
) -> None:
    """Write routes, lists of customers, and their cost as a solution file (.sol)."""
    import vrplib

    with atomically(Path(path)) as temporary:
        vrplib.write_solution(temporary, [list(route) for route in routes], {"Cost": cost})
