"""The input of `solve_many`: checked row by row and grouped by metric."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.arrays import on_gpu
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import (
    GpuLsError,
    InvalidParameterError,
    InvalidProblemError,
    InvalidTypeError,
    PrecisionWarning,
    UnsupportedProblemError,
)
from gpu_ls_plugin.core.problem_data import points_of
from gpu_ls_plugin.tours.many.instances import Instances
from gpu_ls_plugin.tours.problem.metrics import find_metric
from gpu_ls_plugin.tours.problem.tsp import TSP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gpu_ls_plugin.tours.problem.metrics import Metric

WANTED = "a list of TSPs, or coordinates of shape (B, n, 2)"


def read(problems: Any, metric: str | Metric | None) -> list[Instances]:
    """Return the instances in groups, one for each metric.

    Raises
    ------
    InvalidProblemError, InvalidParameterError, InvalidTypeError, UnsupportedProblemError
        The input or one of its rows is invalid; the error names the row.
    """
    if on_gpu(problems) and hasattr(problems, "get"):
        problems = problems.get()
    if isinstance(problems, np.ndarray):
        return [_of_points(_points_of_array(problems), metric)]
    if isinstance(problems, TSP) or not isinstance(problems, (list, tuple)):
        raise InvalidTypeError(f"problems: {problems!r:.80} is not {WANTED}")
    if not problems:
        raise InvalidProblemError(f"problems: the list is empty; give {WANTED}")
    if isinstance(problems[0], TSP):
        return _of_problems(problems, metric)
    return [_of_points([_points_of_row(row, given) for row, given in enumerate(problems)], metric)]


def _of_problems(problems: Sequence[Any], metric: object) -> list[Instances]:
    if metric is not None:
        raise InvalidParameterError(
            "metric: each TSP has its own metric; leave the parameter out, or pass coordinates"
        )
    rows: dict[Metric, list[int]] = {}
    for row, problem in enumerate(problems):
        if not isinstance(problem, TSP):
            raise InvalidTypeError(f"problems: row {row}, {problem!r:.80}, is not a TSP")
        if problem.coordinates is None:
            raise UnsupportedProblemError(
                f"problems: row {row} is a matrix, but solve_many needs coordinates; use "
                "gls.solve(problem) for each"
            )
        if not problem.objective.length_alone:
            raise UnsupportedProblemError(
                f"problems: row {row} has the objective {problem.objective.name!r}, but solve_many "
                "minimises lengths only; use gls.solve(problem) for each"
            )
        rows.setdefault(problem.metric, []).append(row)
    return [
        _group_of(found, [problems[row].coordinates for row in own], own)
        for found, own in rows.items()
    ]


def _of_points(points: Any, metric: str | Metric | None) -> Instances:
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
            stacklevel=4,
        )
    return instances


def _group_of(metric: Metric, points: Any, rows: Sequence[int]) -> Instances:
    sizes = np.array([len(own) for own in points], np.int64)
    if sizes.sum() > checks.MOST_INT:
        raise InvalidParameterError(
            f"problems: {sizes.sum():,} cities are more than {checks.MOST_INT:,}; give fewer"
        )
    return Instances(metric, np.concatenate(points), sizes, np.asarray(rows, np.int64))


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


def _points_of_row(row: int, given: Any) -> NDArray[np.float64]:
    if isinstance(given, TSP):
        raise InvalidTypeError(f"problems: row {row} is a TSP, but row 0 is not; give {WANTED}")
    points: NDArray[np.float64] = _check_row(row, points_of, given)
    return points


def _check_row(row: int, check: Any, values: Any) -> Any:
    """Return the result of a check; if it raises, add the row to the message."""
    try:
        return check(values)
    except GpuLsError as error:
        raise type(error)(f"problems: row {row}: {error}") from error
