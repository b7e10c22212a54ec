"""Many tours as input: coordinates, checked row by row, and problems, grouped by metric."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import (
    GpuLsError,
    InvalidParameterError,
    InvalidProblemError,
    InvalidTypeError,
    PrecisionWarning,
)
from gpu_ls_plugin.core.problem_data import points_of
from gpu_ls_plugin.tours.many.instances import Instances
from gpu_ls_plugin.tours.problem.metrics import find_metric
from gpu_ls_plugin.tours.problem.tsp import TSP

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.tours.problem.metrics import Metric


class PointProblems(Sequence[TSP]):
    """Problems with the same metric, each made from its coordinates when it is asked for.

    Parameters
    ----------
    points : float64 array, shape (B, n, 2), or list of B float64 arrays (n, 2)
        Checked coordinates.
    metric : Metric
    """

    def __init__(self, points: Any, metric: Metric) -> None:
        self.points, self.metric = points, metric

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, number: Any) -> Any:
        """Return a problem, or such a sequence of the problems of a slice."""
        if isinstance(number, slice):
            return PointProblems(self.points[number], self.metric)
        return TSP._assemble(self.points[number].copy(), None, self.metric, "", "", None)


def read(arrays: Any, metric: str | Metric | None = None) -> PointProblems:
    """Return the problems in an array (B, n, 2), or in a list of arrays (n, 2).

    Raises
    ------
    InvalidProblemError, InvalidParameterError, InvalidTypeError
        The input or one of its rows is invalid; the error names the row.
    """
    if isinstance(arrays, np.ndarray):
        return _of_points(_points_of_array(arrays), metric)
    rows = [_check_row(row, points_of, given) for row, given in enumerate(arrays)]
    return _of_points(rows, metric)


def why_not(problem: Any) -> str | None:
    """Return why a problem cannot be searched side by side, as a clause; None if it can."""
    if not isinstance(problem, TSP):
        return (
            f"is of the type {type(problem).__name__}, not a TSP; use gls.solve(problem) for each"
        )
    if problem.coordinates is None:
        return "is a matrix, but solve_many needs coordinates; use gls.solve(problem) for each"
    if not problem.objective.length_alone:
        return (
            f"has the objective {problem.objective.name!r}, but solve_many minimises lengths only; "
            "use gls.solve(problem) for each"
        )
    return None


def instances_of(problems: Sequence[TSP]) -> list[Instances]:
    """Return problems in groups, one for each metric."""
    if isinstance(problems, PointProblems):
        return [_group_of(problems.metric, problems.points, range(len(problems)))]
    rows: dict[Metric, list[int]] = {}
    for row, problem in enumerate(problems):
        rows.setdefault(problem.metric, []).append(row)
    return [
        _group_of(metric, [problems[row].coordinates for row in own], own)
        for metric, own in rows.items()
    ]


def _of_points(points: Any, metric: str | Metric | None) -> PointProblems:
    found = find_metric("EUC" if metric is None else metric)
    if found.explicit:
        raise InvalidParameterError(
            f"metric: {found.name!r} takes its lengths from a matrix, not from coordinates"
        )
    instances = _group_of(found, points, range(len(points)))
    try:
        found.check(instances.points)
    except InvalidProblemError:  # one instance is invalid, or the instances are just far apart
        for row, own in enumerate(points):
            _check_row(row, found.check, own)
    if found.rounds_away(points[0]):
        warnings.warn(
            f"problems: {found.name} rounds most lengths of row 0 to 0 or 1; "
            'use metric="EUC" for real lengths, or scale the coordinates up',
            PrecisionWarning,
            stacklevel=7,  # the caller of `gls.solve_many`
        )
    return PointProblems(points, found)


def _group_of(metric: Metric, points: Any, rows: Sequence[int]) -> Instances:
    alike = isinstance(points, np.ndarray)  # (B, n, 2)
    sizes = np.array([len(own) for own in points], np.int64)
    if sizes.sum() > checks.MOST_INT:
        raise InvalidParameterError(
            f"problems: {sizes.sum():,} cities are more than {checks.MOST_INT:,}; give fewer"
        )
    cities = points.reshape(-1, 2) if alike else np.concatenate(points)
    return Instances(metric, cities, sizes, np.asarray(rows, np.int64))


def _points_of_array(array: NDArray[Any]) -> NDArray[np.float64]:
    """Return finite float64 coordinates (B, n, 2)."""
    checks.unmasked("problems", array, InvalidProblemError)
    if array.ndim != 3 or array.shape[2] != 2 or not array.size:
        raise InvalidProblemError(
            f"problems: shape {array.shape}, but B >= 1 instances of n >= 1 cities are (B, n, 2)"
        )
    if array.dtype.kind not in "iuf":
        raise InvalidTypeError(f"problems: coordinates must be numbers, not {array.dtype}")
    with np.errstate(over="ignore"):
        points = np.array(array, np.float64, order="C")
    sound = np.isfinite(points).all(axis=(1, 2))
    if array.dtype.kind in "iu":
        sound &= (np.abs(points) <= 2.0**53).all(axis=(1, 2))
    if not sound.all():
        row = int(sound.argmin())
        _check_row(row, points_of, array[row])
    return points


def _check_row(row: int, check: Any, values: Any) -> Any:
    """Return the result of a check; if it raises, add the row to the message."""
    try:
        return check(values)
    except GpuLsError as error:
        raise type(error)(f"problems: row {row}: {error}") from error
