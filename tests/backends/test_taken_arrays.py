"""Arrays of callers: masked, too large and non-numeric entries are refused."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.assignment.plan.domains import Domains
from gpu_ls_plugin.assignment.problem.assignment import Assignment
from gpu_ls_plugin.assignment.successors.arguments import take_keys
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.exceptions import GpuLsError
from gpu_ls_plugin.core.rows import check_permutations
from gpu_ls_plugin.evolution.batches.rows import as_tours, checked
from gpu_ls_plugin.tours.fronts.weights import DirectionWeights

if TYPE_CHECKING:
    from collections.abc import Callable


class Sized(Assignment):
    """Variables without costs."""

    integer = True

    def cost(self, rows: Any, /) -> Any:
        return np.zeros(len(self.check(rows)), np.int64)


SQUARE = np.array([[0, 1, 2], [1, 0, 3], [2, 3, 0]])
POINTS = np.array([[0, 0], [3, 4], [6, 8], [1, 9]])
DEMANDS = np.array([0, 1, 1, 2])
GAP = np.array([[9, 4], [7, 3], [8, 2]])
TABLE = np.array([[1, 2], [3, 4], [5, 6]])
ROW = np.arange(4)
TSP = gls.TSP(POINTS)
SEVERAL = gls.MultiObjectiveTSP([gls.TSP(POINTS), gls.TSP(POINTS[::-1])])
CVRP = gls.CVRP(POINTS, DEMANDS, 4, vehicles=2)
COLOURS = gls.GraphColouring(4, [(0, 1), (1, 2)], 4)
ASSIGNED = gls.GeneralisedAssignment(GAP, GAP, [30, 30])

# For each array argument: a valid array, and a call that takes it.
DATA: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "coordinates": (POINTS, gls.TSP),
    "matrix": (SQUARE, gls.TSP.from_matrix),
    "problem": (POINTS, lambda given: gls.solve(given, seconds=0.0, backend="cpu")),
    "nodes": (POINTS, lambda given: gls.CVRP(given, DEMANDS, 4)),
    "lengths of routes": (
        SQUARE,
        lambda given: gls.CVRP.from_matrix(given, [0, 1, 1], 4),
    ),
    "demands": (DEMANDS, lambda given: gls.CVRP(POINTS, given, 4)),
    "service times": (DEMANDS, lambda given: gls.CVRP(POINTS, DEMANDS, 4, service_times=given)),
    "costs": (GAP, lambda given: gls.GeneralisedAssignment(given, GAP, [30, 30])),
    "resources": (GAP, lambda given: gls.GeneralisedAssignment(GAP, given, [30, 30])),
    "capacities": (GAP[0], lambda given: gls.GeneralisedAssignment(GAP, GAP, given)),
    "flows": (SQUARE, lambda given: gls.QuadraticAssignment(given, SQUARE)),
    "distances": (SQUARE, lambda given: gls.QuadraticAssignment(SQUARE, given)),
    "edges": (np.array([[0, 1], [1, 2]]), lambda given: gls.GraphColouring(3, given, 2)),
    "sizes": (np.array([2, 3]), Sized),
    "weights": (np.array([[1, 2]]), SEVERAL.weighted),
    "ideal": (np.array([3, 4]), lambda given: SEVERAL.tchebycheff([[1, 2]], given)),
    "directions": (np.array([[1, 2]]), DirectionWeights),
    "several instances": (
        POINTS[np.newaxis],
        lambda given: gls.solve_many(given, seconds=0.0, backend="cpu"),
    ),
    "weight table": (TABLE, gls.WeightTable),
    "table": (TABLE, lambda given: gls.Expression("t[variable, value]", 3, 2, t=given)),
}
ROWS: dict[str, Callable[[Any], Any]] = {
    "cost": TSP.cost,
    "check": lambda given: check_permutations(given, 4),
    "several objectives": SEVERAL.check,
    "search": lambda given: gls.LocalSearch()(TSP, given, backend="cpu").tours,
    "start": lambda given: gls.solve(TSP, seconds=0.0, start=given, backend="cpu"),
    "colours": COLOURS.cost,
    "rows of frameworks": lambda given: checked(given, 4, "rows"),
    "states of frameworks": lambda given: Domains.between(np.zeros(4), np.full(4, 3)).states(given),
}


def masked(array: Any) -> Any:
    """Return the same numbers with the last one masked."""
    hidden = np.ma.array(array)
    hidden[(-1,) * hidden.ndim] = np.ma.masked
    return hidden


def refused(take: Callable[[Any], Any], given: Any, words: str = ".") -> None:
    """Check that a call raises an error of the library, without a warning of NumPy."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(GpuLsError, match=words):
            take(given)


@pytest.mark.parametrize("name", DATA)
def test_masked_data_is_refused(name: str) -> None:
    good, take = DATA[name]
    take(good)
    take(np.ma.array(good))  # hides nothing
    refused(take, masked(good), "masked")
    if good.ndim == 2 and name != "problem":
        refused(take, [np.ma.array(row) for row in good[:-1]] + [masked(good[-1])], "masked")


@pytest.mark.parametrize("name", DATA)
def test_other_entries_than_numbers_are_refused(name: str) -> None:
    good, take = DATA[name]
    for kind in (complex, str, bytes, "datetime64[s]"):
        refused(take, good.astype(kind))
    refused(take, np.full(good.shape, None))
    for value in (np.nan, np.inf, -np.inf):
        wrong = good.astype(float)
        wrong[(0, 1) if good.ndim == 2 else 0] = value  # the diagonal of a matrix is ignored
        refused(take, wrong)


@pytest.mark.parametrize("value", [2**63, 2**64 - 1, 2**70])
@pytest.mark.parametrize("name", DATA)
def test_integers_beyond_64_bits_are_refused(name: str, value: int) -> None:
    good, take = DATA[name]
    if name in ("weights", "ideal", "directions"):
        return  # become floats
    wrong = good.astype(object)
    wrong[(0, 1) if good.ndim == 2 else 0] = value
    refused(take, wrong)
    if value < 2**64:
        refused(take, wrong.astype(np.uint64))
    refused(take, wrong.tolist())


@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "u8", ">i8", "f2", "f4", "f8", "g"])
@pytest.mark.parametrize("name", DATA)
def test_each_type_of_numbers_is_accepted(name: str, dtype: str) -> None:
    good, take = DATA[name]
    whole = np.dtype(dtype).kind in "iu"
    if whole or name not in ("sizes", "weight table", "table"):  # these must be integers
        take(good.astype(dtype))


@pytest.mark.parametrize("dtype", ["i1", "u2", "i8", "u8", "f2", "f4", "f8"])
@pytest.mark.parametrize("name", ROWS)
def test_rows_of_every_type_are_integers(name: str, dtype: str) -> None:
    for rows in (ROW.astype(dtype), np.tile(ROW, (2, 1)).astype(dtype), [ROW.astype(dtype)] * 2):
        ROWS[name](rows)
    assert checked([3.0, 1.0, 0.0, 2.0], 4, "rows").dtype == np.int32
    assert TSP.check([3.0, 1.0, 0.0, 2.0]).tolist() == [[3, 1, 0, 2]]
    assert TSP.check([3.0, 1.0, 0.0, 2.0]).dtype == np.int32


@pytest.mark.parametrize("name", ROWS)
def test_invalid_rows_are_refused(name: str) -> None:
    take, rows = ROWS[name], np.tile(ROW, (2, 1))
    refused(take, masked(rows), "masked")
    refused(take, masked(rows.astype(float)), "masked")
    refused(take, [np.ma.array(ROW), masked(ROW)], "masked")
    for value in (0.5, np.nan, np.inf, -np.inf, 1e300, -2.0, 4.0):
        wrong = rows.astype(float)
        wrong[1, 2] = value
        refused(take, wrong, "row 1" if value == 0.5 else ".")
    wrong = rows.astype(np.uint64)
    wrong[1, 2] = 2**64 - 1
    refused(take, wrong)
    for kind in (complex, str):
        refused(take, rows.astype(kind))


def test_keys_and_masks_are_not_masked() -> None:
    keys = np.full((2, 3), 0.5)
    refused(lambda given: take_keys(get_backend("cpu"), 3, given), masked(keys), "keys: .* masked")
    awake = np.ones((1, 4), bool)
    search = gls.LocalSearch()
    refused(
        lambda given: search(TSP, ROW, backend="cpu", awake=given),
        masked(awake),
        "awake: .* masked",
    )
    refused(as_tours, masked(ROW), "masked")


def test_a_matrix_in_place_of_coordinates_names_from_matrix() -> None:
    for make in (gls.TSP, lambda given: gls.CVRP(given, [0, 1, 1], 4)):
        with pytest.raises(GpuLsError, match=r"shape \(3, 3\).*for a matrix .* use from_matrix"):
            make(SQUARE)
    with pytest.raises(GpuLsError, match=r"are \(n, 2\)$"):
        gls.TSP(TABLE.T[:, :3])
