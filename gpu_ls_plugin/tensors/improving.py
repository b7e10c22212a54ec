"""The function `improve`: local search of rows that are tensors, without leaving their device."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.budget import NO_LIMIT, Budget
from gpu_ls_plugin.core.exceptions import (
    InvalidParameterError,
    InvalidProblemError,
    InvalidTourError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.core.problem import Problem
from gpu_ls_plugin.core.problem_data import array_of
from gpu_ls_plugin.plugins.search_text import parse_search
from gpu_ls_plugin.runs.domain import domain_of, of_each
from gpu_ls_plugin.runs.tensors import ImprovedRows, RowLimits, Tensors
from gpu_ls_plugin.tensors.libraries import Caller

if TYPE_CHECKING:
    from collections.abc import Callable

REALS = np.dtype("float32"), np.dtype("float64")
WHOLES = np.dtype("int32"), np.dtype("int64")
INVALID = {  # why a row may be invalid, without and with demands
    False: "is not a permutation of its instance's cities, or the instance has lengths that are "
    "not finite, negative or not symmetric",
    True: "does not visit each customer once with loads within the capacity, or the instance has "
    "lengths that are not finite, a demand below 0 or above the capacity, or one of the depot",
}


class Improved(ImprovedRows):
    """The result of `improve`: rows like those of the caller, costs and validity.

    Attributes
    ----------
    rows : array, shape and dtype of the caller's rows
    costs : array, float64, shape of the rows without their last axis
        NaN for invalid rows. JAX has float32 unless its 64-bit mode is enabled.
    valid : array, bool, same shape
        Invalid rows come back unchanged.
    """


def improve(
    instances: Any,
    rows: Any,
    *,
    distances: Any = None,
    demands: Any = None,
    capacity: Any = None,
    search: Any = None,
    moves: int | None = None,
    kicks: int | None = None,
    seconds: float | None = None,
    seed: int | None = 1,
    check: bool = False,
) -> Improved:
    """Improve rows of many instances by local search on their device, in the caller's library.

    Each row is searched to a local optimum; with `kicks` or `seconds`, an iterated local search
    continues from there. All rows are searched at the same time. On a GPU, the call only queues
    work on the caller's stream: nothing is copied to the host and nothing waits, except with
    `seconds`, with `check`, and in the first call of a kind, which compiles kernels.

    Parameters
    ----------
    instances : array, shape (B, n, 2), or Problem, or None
        Coordinates of B instances; lengths are Euclidean. A `Problem` is a single instance, which
        is searched as usual. None if `distances` are given.
    rows : array, shape (B, n) or (B, P, n), integers
        Tours, as permutations of 0..n-1; (P, n) for a `Problem`. NumPy, CuPy, torch or JAX. With
        `demands`, action sequences of vehicles: customers 1..n-1, with 0 for each return to the
        depot, padded with 0 at the end. Not changed.
    distances : array, shape (B, n, n), optional
        Symmetric lengths of at least 0, in place of coordinates.
    demands : array, shape (B, n), optional
        Integer demands for vehicle routing; that of the depot, the first one, is 0.
    capacity : int or array, shape (B,), optional
        Capacity of a vehicle, together with `demands`.
    search : LocalSearch, IteratedLocalSearch or str, optional
        Moves, candidates, kicks and acceptance rule; by default Lin-Kernighan moves of depth 3 on
        five candidates, one from each quadrant, and double bridges with annealing.
    moves, kicks : int, optional
        Maximum numbers for each row.
    seconds : float, optional
        Time limit of the call; the call then waits for the device.
    seed : int or None
        Seed of the kicks. None draws one.
    check : bool
        Wait for the device, and raise if a row is invalid.

    Returns
    -------
    Improved
        Named tuple (rows, costs, valid). A valid row is never longer than before.

    Raises
    ------
    InvalidTypeError, InvalidParameterError, InvalidProblemError
        An argument has a wrong type, shape or value; the message names it.
    InvalidTourError
        With `check`, a row is invalid; the message names the first one.
    UnsupportedProblemError
        No domain improves such arrays, or the search has parts that cannot search them.
    """
    limits = _limits(moves, kicks, seconds, seed)
    search = parse_search(search) if isinstance(search, str) else search
    if isinstance(instances, Problem):
        given = {"distances": distances, "demands": demands, "capacity": capacity}
        if foreign := [name for name, value in given.items() if value is not None]:
            raise InvalidParameterError(f"{foreign[0]}: a problem has its own; leave it out")
        return _of_problem(instances, rows, search, limits, check)
    if isinstance(instances, (list, tuple)) and isinstance(next(iter(instances), None), Problem):
        raise InvalidTypeError(
            "instances: improve takes a single problem, or arrays; "
            "use solve_many(problems, start=rows)"
        )
    caller = Caller.of(rows)
    with caller.backend.current(), caller.working():
        taken = caller.take("rows", rows)
        tensors = _tensors(caller, taken, instances, distances, demands, capacity)
        found = _improved(caller, tensors, search, limits)
        better, costs, valid = found
        if taken.ndim == 3:
            costs, valid = (part.reshape(taken.shape[:-1]) for part in (costs, valid))
            better = better.reshape(taken.shape)
        better = better.astype(taken.dtype, copy=False)
        if check:
            _require_valid(caller.backend.to_numpy(valid), INVALID[demands is not None])
        return Improved(*map(caller.give, (better, costs, valid)))


def _limits(
    moves: int | None, kicks: int | None, seconds: float | None, seed: int | None
) -> RowLimits:
    budget = Budget(moves=moves, kicks=kicks, seconds=seconds)
    moves, kicks = (
        None if limit is None else min(limit, NO_LIMIT) for limit in (budget.moves, budget.kicks)
    )
    return RowLimits(moves, kicks, budget.seconds, checks.seed(seed))


def _of_problem(
    problem: Problem, rows: Any, search: Any, limits: RowLimits, check: bool
) -> Improved:
    """Improve rows (P, n) of one problem by the search of its domain."""
    caller = Caller.of(rows)
    with caller.backend.current(), caller.working():
        taken = caller.take("rows", rows)
        if taken.ndim != 2:
            raise InvalidTourError(f"rows: shape {taken.shape} is not (P, {problem.n})")
        found = domain_of(problem).improve_rows(problem, taken, search, limits, caller.backend)
        if check:
            _require_valid(caller.backend.to_numpy(found.valid), "is no solution of the problem")
        better = found.rows.astype(taken.dtype, copy=False)
        return Improved(*map(caller.give, (better, found.costs, found.valid)))


def _improved(caller: Caller, tensors: Tensors, search: Any, limits: RowLimits) -> ImprovedRows:
    """Return the result of the domain that serves such arrays."""
    answers = of_each(lambda domain: domain.improver(tensors))
    improver: Callable[..., ImprovedRows] | None
    improver = next((answer for answer in reversed(answers) if answer is not None), None)
    if improver is None:
        raise UnsupportedProblemError("demands: no installed domain improves such rows")
    found: ImprovedRows = improver(caller.backend, tensors, search, limits)
    return found


def _tensors(
    caller: Caller, taken: Any, coordinates: Any, distances: Any, demands: Any, capacity: Any
) -> Tensors:
    """Return checked arrays of the backend; the rows `taken` already are one."""
    if coordinates is None and distances is None:
        raise InvalidParameterError("instances: pass coordinates, a problem, or distances=")
    if not (coordinates is None or distances is None):
        raise InvalidParameterError("distances: pass either coordinates or distances, not both")
    if (demands is None) != (capacity is None):
        raise InvalidParameterError("capacity: demands and capacity belong together")
    if taken.dtype.kind not in "iu":
        raise InvalidTypeError(f"rows: {taken.dtype} is not an integer type")
    if taken.ndim not in (2, 3) or not taken.size:
        raise InvalidTourError(
            f"rows: shape {taken.shape} is neither (B, n) nor (B, P, n) of at least 1 each"
        )
    xp, shape = caller.backend.xp, taken.shape
    wide = taken if taken.dtype in WHOLES else taken.astype("int64")
    flat = xp.ascontiguousarray(wide)
    if len(shape) == 3:
        flat = flat.reshape(-1, shape[-1])
    name, given = ("distances", distances) if coordinates is None else ("coordinates", coordinates)
    lengths = _lengths(caller, name, given, shape[0])
    n, whole = lengths.shape[1], Tensors(flat, **{name: lengths})
    if demands is None:
        if shape[-1] != n:
            raise InvalidTourError(f"rows: {shape[-1]} columns, but instances have {n} cities")
        return whole
    loads = caller.take("demands", demands)
    if loads.shape != (shape[0], n):
        raise InvalidProblemError(f"demands: shape {loads.shape} is not ({shape[0]}, {n})")
    if hasattr(capacity, "shape"):
        limit = caller.take("capacity", capacity)
    else:
        limit = xp.asarray(array_of(capacity, "capacity"))
    if limit.ndim and limit.shape != (shape[0],):
        raise InvalidProblemError(f"capacity: shape {limit.shape} is not ({shape[0]},)")
    return replace(whole, demands=loads, capacity=xp.broadcast_to(limit, (shape[0],)))


def _lengths(caller: Caller, name: str, given: Any, count: int) -> Any:
    """Return coordinates (B, n, 2) or distances (B, n, n), contiguous, float32 or float64."""
    lengths = caller.take(name, given)
    if lengths.dtype.kind not in "iuf":
        raise InvalidTypeError(f"{name}: {lengths.dtype} is not a type of real numbers")
    square = name == "distances"
    form = "(B, n, n)" if square else "(B, n, 2)"
    last = lengths.shape[1] if square and lengths.ndim == 3 else 2
    if lengths.ndim != 3 or lengths.shape[2] != last:
        raise InvalidProblemError(f"{name}: shape {lengths.shape} is not {form}")
    if lengths.shape[0] != count:
        raise InvalidProblemError(
            f"{name}: {lengths.shape[0]} instances, but rows have {count}; the first axis of both "
            "counts instances"
        )
    if lengths.dtype not in REALS:
        lengths = lengths.astype("float64")
    return caller.backend.xp.ascontiguousarray(lengths)


def _require_valid(valid: Any, reason: str) -> None:
    """Raise InvalidTourError if a row is invalid."""
    if not valid.all():
        where = ", ".join(str(axis[0]) for axis in (~valid).nonzero())
        raise InvalidTourError(f"rows: row ({where}) {reason}")
