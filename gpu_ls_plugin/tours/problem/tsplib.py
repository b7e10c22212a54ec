"""TSPLIB95 files: reads problems (.tsp, .atsp), reads and writes tours (.tour).

Source: G. Reinelt, TSPLIB95 (1995), sections 1.1 (specification part) and 1.2 (data part).
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.exceptions import (
    FileFormatError,
    InvalidTourError,
    InvalidTypeError,
    UnknownPartError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.core.files import atomically, plain_name
from gpu_ls_plugin.core.rows import check_permutations
from gpu_ls_plugin.core.text import QUOTED, quoted, real, whole
from gpu_ls_plugin.runs.domain import MAYBE, NO, SURE
from gpu_ls_plugin.tours.problem.metrics import find_metric

if TYPE_CHECKING:
    import os

    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.runs.domain import Content
    from gpu_ls_plugin.tours.problem.metrics import Metric

KEYWORD = re.compile(r"([A-Za-z][A-Za-z0-9_]*)\s*(:?)\s*(.*)")
COUNT = re.compile(r"0*[1-9][0-9]{0,8}")
KNOWN_FIELDS = {  # keywords that need no colon
    *("NAME", "COMMENT", "TYPE", "DIMENSION", "CAPACITY", "DISTANCE", "SERVICE_TIME", "VEHICLES"),
    "VEHICLES_MAX_DURATION",
    *("EDGE_WEIGHT_TYPE", "EDGE_WEIGHT_FORMAT", "EDGE_DATA_FORMAT"),
    *("NODE_COORD_TYPE", "DISPLAY_DATA_TYPE"),
}

# For each EDGE_WEIGHT_FORMAT: the function that returns the indices of a triangle in the order of
# the file's numbers, and the offset of the triangle's first diagonal. As the matrix is symmetric, a
# triangle stored by columns is read as the other triangle stored by rows.
TRIANGLES = {
    "UPPER_ROW": (np.triu_indices, 1),
    "LOWER_COL": (np.triu_indices, 1),
    "LOWER_ROW": (np.tril_indices, -1),
    "UPPER_COL": (np.tril_indices, -1),
    "UPPER_DIAG_ROW": (np.triu_indices, 0),
    "LOWER_DIAG_COL": (np.triu_indices, 0),
    "LOWER_DIAG_ROW": (np.tril_indices, 0),
    "UPPER_DIAG_COL": (np.tril_indices, 0),
}
READERS = {"VRP": "; read it by CVRP.read", "TOUR": "; read it by gls.read_tour"}


@dataclass(frozen=True)
class Sections:
    """The parts of a TSPLIB file: keywords in upper case, values as strings."""

    path: str
    fields: dict[str, str]
    lines: dict[str, list[str]]  # by section (without `_SECTION`), stripped, without empty lines

    def error(self, section: str, reason: str) -> FileFormatError:
        """Return an error that names the file and the section or keyword."""
        return FileFormatError(f"{self.path}: {section[:QUOTED]}: {reason}")

    def about(self) -> tuple[str, str]:
        """Return the name (by default, the file's name without extension) and the comment."""
        name = self.fields.get("NAME") or plain_name(Path(self.path))
        return name, self.fields.get("COMMENT", "")

    def field(self, keyword: str, known: str = "") -> str:
        """Return the value of a keyword; if it is missing, raise an error that lists `known`."""
        if not self.fields.get(keyword):
            raise self.error(keyword, f"missing{known and f'; known: {known}'}")
        return self.fields[keyword]

    def section(self, name: str) -> list[str]:
        """Return the lines of a section; raise FileFormatError if it is missing."""
        if name not in self.lines:
            raise self.error(f"{name}_SECTION", "missing; the file may be cut off")
        return self.lines[name]

    def dimension(self) -> int:
        """Return the number of cities, at least one."""
        text = self.field("DIMENSION")
        if not COUNT.fullmatch(text):
            raise self.error("DIMENSION", f"{quoted(text)} is not a number of cities")
        return int(text)

    def words(self, name: str) -> list[str]:
        """Return the words of a section; raise FileFormatError unless all are finite numbers."""
        words = [word for line in self.section(name) for word in line.split()]
        for word in words:
            if real(word) is None:
                raise self.error(f"{name}_SECTION", f"{quoted(word)} is not a finite number")
        return words

    def numbers(self, name: str) -> NDArray[Any]:
        """Return the numbers of a section: int64 if all are written as integers, else float64."""
        integers = [whole(word) for line in self.section(name) for word in line.split()]
        if None in integers:
            return np.array([float(word) for word in self.words(name)])
        return np.array(integers, dtype=np.int64)


@dataclass(frozen=True)
class Instance:
    """The content of a problem file: coordinates and their metric, or a matrix."""

    name: str
    comment: str
    metric: Metric
    coordinates: NDArray[np.float64] | None = None
    matrix: NDArray[Any] | None = None


def read_sections(path: str | os.PathLike[str]) -> Sections:
    """Read the sections of a TSPLIB file; keywords may be in any case and need no colon."""
    content = Path(path).read_bytes()
    if b"\0" in content:
        raise FileFormatError(f"{path}: a binary file, not a TSPLIB text file")
    sections = Sections(str(path), {}, {})
    current: list[str] | None = None
    for number, raw in enumerate(content.decode("utf-8-sig", "replace").splitlines(), start=1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        if current is not None and not line[0].isalpha():
            current.append(line)
            continue
        match = KEYWORD.fullmatch(line)
        keyword, colon, value = (match[1].upper(), match[2], match[3]) if match else ("", "", "")
        if keyword == "EOF":
            break
        if keyword.endswith("_SECTION"):
            current = _new_section(sections, keyword)
        elif colon or keyword in KNOWN_FIELDS:
            current = None
            _add_field(sections, keyword, value)
        elif current is not None:
            current.append(line)
        else:
            raise FileFormatError(
                f"{path}: line {number}: {quoted(line)} is neither 'KEYWORD : value' nor part of a "
                "section; this is not a TSPLIB file"
            )
    return sections


def _new_section(sections: Sections, keyword: str) -> list[str]:
    name = keyword.removesuffix("_SECTION")
    if name in sections.lines:
        raise sections.error(keyword, "given twice")
    return sections.lines.setdefault(name, [])


def _add_field(sections: Sections, keyword: str, value: str) -> None:
    if keyword == "COMMENT" and keyword in sections.fields:
        value = f"{sections.fields[keyword]}\n{value}"
    elif sections.fields.get(keyword, value) != value:
        raise sections.error(keyword, "given twice, with different values")
    sections.fields[keyword] = value


def fits_tours(content: Content) -> int:
    """Return whether a file contains a problem of tours: `NO`, `MAYBE` or `SURE`.

    The TYPE decides. If there is none, a file with demands or a capacity contains a problem of
    routes.
    """
    sections = sections_of(content)
    if sections is None:
        return NO
    if kind := type_of(sections):
        return NO if "VRP" in kind else SURE
    return NO if has_demands(sections) or not sections.lines else MAYBE


def sections_of(content: Content) -> Sections | None:
    """Return the sections of a file, or None if it is not a TSPLIB file."""
    if "sections" not in content.found:
        content.found["sections"] = None
        if not content.data.lstrip()[:1].isdigit():
            with suppress(FileFormatError):  # reading the file later reports the error
                content.found["sections"] = read_sections(content.path)
    found: Sections | None = content.found["sections"]
    return found


def type_of(sections: Sections) -> str:
    """Return the TYPE of a file in upper case, or an empty string if it has no TYPE."""
    return sections.fields.get("TYPE", "").upper()


def has_demands(sections: Sections) -> bool:
    """Return whether a file has demands or a capacity, which only problems of routes have."""
    return "DEMAND" in sections.lines or "CAPACITY" in sections.fields


def read_instance(path: str | os.PathLike[str]) -> Instance:
    """Read a symmetric or asymmetric travelling salesman problem.

    Cities are ordered by their node numbers, which need not begin at 1 or be sorted.
    """
    sections = read_sections(path)
    kind = sections.fields.get("TYPE", "").upper().split() or ["TSP"]
    if kind[0] not in ("TSP", "ATSP"):
        how = next((how for word, how in READERS.items() if word in kind[0]), "")
        raise UnsupportedProblemError(
            f"{path}: TYPE: {quoted(kind[0])} is neither TSP nor ATSP{how}"
        )
    if (vehicles := sections.fields.get("VEHICLES", "1")) and whole(vehicles) != 1:
        raise UnsupportedProblemError(
            f"{path}: VEHICLES: {quoted(vehicles)}, but a tour is for one; for several vehicles, "
            "write TYPE CVRP with CAPACITY, DEMAND_SECTION and DEPOT_SECTION"
        )
    if set(sections.lines.get("FIXED_EDGES", ())) - {"-1"}:
        raise UnsupportedProblemError(
            f"{path}: FIXED_EDGES_SECTION: fixed edges are not supported; remove the section to "
            "solve the problem without them, or, if there is one edge, to search for paths "
            "between its ends: gpu_ls_plugin.OpenPath(problem, first, last)"
        )
    n = sections.dimension()
    metric = metric_of(sections)
    if metric.explicit:
        return Instance(*sections.about(), metric, matrix=matrix_of(sections, n))
    points = node_table(sections, "NODE_COORD", "x y", n)[1]
    return Instance(*sections.about(), metric, coordinates=points)


def metric_of(sections: Sections) -> Metric:
    """Return the metric that EDGE_WEIGHT_TYPE names."""
    keyword = "EDGE_WEIGHT_TYPE"
    try:
        return find_metric(sections.field(keyword, known="EUC_2D, GEO, EXPLICIT, ...").upper())
    except UnknownPartError as error:
        raise sections.error(keyword, str(error)) from error


def node_table(
    sections: Sections, name: str, columns: str, n: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the sorted node numbers (n,) of a section and the values (n, k) that follow them.

    `columns` names the k columns of values, separated by spaces.
    """
    from vrplib.parse import parse_vrplib

    section = f"{name}_SECTION"
    lines = sections.section(name)
    sections.words(name)
    for line in lines:
        if len(line.split()) != 1 + len(columns.split()):
            form = f"number {columns}"
            raise sections.error(
                section, f"{quoted(line)} is not {form!r}; the file may be cut off"
            )
    if len(lines) != n:
        what = "cities" if name == "NODE_COORD" else "nodes"
        raise sections.error(section, f"{len(lines)} {what}, but DIMENSION is {n}")
    # The parser drops the first column. An additional column of zeros keeps the node numbers.
    text = "\n".join([section, *(f"0 {line}" for line in lines)])
    parsed = parse_vrplib(text, compute_edge_weights=False)[name.lower()]
    table = np.asarray(parsed, dtype=np.float64)
    if (unknown := ~(np.abs(table[:, 0]) < 2.0**63)).any():
        raise sections.error(
            section, f"{quoted(lines[unknown.argmax()])} does not begin with a node number"
        )
    nodes, first = np.unique(table[:, 0], return_index=True)
    if len(nodes) < n:
        again = np.setdiff1d(np.arange(n), first)[0]
        raise sections.error(section, f"node {table[again, 0]:.0f} is given twice")
    return nodes.astype(np.int64), table[first, 1:]


def matrix_of(sections: Sections, n: int) -> NDArray[Any]:
    """Return the explicit lengths (n, n): integers if all are written as integers, else floats."""
    keyword, section = "EDGE_WEIGHT_FORMAT", "EDGE_WEIGHT_SECTION"
    known = ", ".join(["FULL_MATRIX", *TRIANGLES])
    layout = sections.field(keyword, known).upper()
    if layout != "FULL_MATRIX" and layout not in TRIANGLES:
        raise sections.error(keyword, f"{quoted(layout)} is unknown; known: {known}")
    values = sections.numbers("EDGE_WEIGHT")
    if "DIAG" in layout and _lacks_diagonal(values, layout, n):
        layout = layout.replace("DIAG_", "")
    corner = TRIANGLES[layout][1] if layout in TRIANGLES else 0
    count = n * n if layout == "FULL_MATRIX" else n * (n + 1 - 2 * abs(corner)) // 2
    if len(values) != count:
        raise sections.error(
            section,
            f"{len(values)} numbers, but {layout} of {n} cities has {count}; the file may be cut "
            "off, or DIMENSION or EDGE_WEIGHT_FORMAT may be wrong",
        )
    if layout == "FULL_MATRIX":
        return values.reshape(n, n)
    triangle, offset = TRIANGLES[layout]
    rows, columns = triangle(n, offset)
    matrix = np.zeros((n, n), dtype=values.dtype)
    matrix[rows, columns] = values
    matrix[columns, rows] = values
    return matrix


def _lacks_diagonal(values: NDArray[Any], layout: str, n: int) -> bool:
    """Return whether a triangle is complete except for its diagonal, as in eil7.vrp."""
    if len(values) != n * (n - 1) // 2:
        return False
    triangle, _ = TRIANGLES[layout]
    rows, columns = triangle(n)
    diagonal = np.flatnonzero(rows == columns)
    return bool(values[diagonal[diagonal < len(values)]].any())


def read_tour(path: str | os.PathLike[str]) -> NDArray[np.int32]:
    """Read the first tour of a TSPLIB tour file.

    Returns
    -------
    int32 array, shape (n,)
        A permutation of 0..n-1; the file counts from 1.

    Raises
    ------
    FileNotFoundError
        There is no such file.
    FileFormatError
        The file is not a tour file, or its tour is not a permutation of DIMENSION cities.
    """
    sections = read_sections(path)
    values = sections.numbers("TOUR")  # some tour files say TYPE : TSP
    ends = np.flatnonzero(values == -1)
    tour = values[: ends[0]] if ends.size else values
    n = sections.dimension() if "DIMENSION" in sections.fields else len(tour)
    if len(tour) != n or not n:
        raise sections.error(
            "TOUR_SECTION", f"{len(tour)} cities, but DIMENSION is {n}; the file may be cut off"
        )
    try:
        (cities,) = check_permutations(tour - 1, n, parameter="tour")
    except (InvalidTourError, InvalidTypeError) as error:
        raise sections.error("TOUR_SECTION", f"{error} (zero-based)") from error
    return np.asarray(cities)


def write_tour(
    path: str | os.PathLike[str],
    tour: ArrayLike,
    *,
    name: str = "",
    length: float | None = None,
    comment: str = "",
) -> None:
    """Write one zero-based tour (n,) as a TSPLIB tour file, which counts from 1.

    The comment contains `length`. The file is written completely or not at all, and replaces an
    older one.
    """
    (row,) = check_permutations(tour, np.size(tour), parameter="tour")
    remarks = [comment, "" if length is None else f"length {length}"]
    fields = {
        "NAME": name or plain_name(Path(path)),
        "COMMENT": ", ".join(filter(None, remarks)),
        "TYPE": "TOUR",
        "DIMENSION": str(len(row)),
    }
    head = [f"{key} : {' '.join(value.split())}" for key, value in fields.items() if value]
    lines = [*head, "TOUR_SECTION", *(str(city + 1) for city in row), "-1", "EOF", ""]
    with atomically(Path(path)) as file:
        file.write_bytes("\n".join(lines).encode("utf-8", "replace"))
