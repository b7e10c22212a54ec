"""Small random problems of each objective, and brute force over their rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np

import gpu_ls_plugin as gls
from tests.sequences.engines.own_objectives import LEVELS, Backward, Deadlines, Visits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

MACHINES = 3  # part of the C++ type
SPAN = 9  # numbers are small, so that many costs are equal


@dataclass(frozen=True)
class Case:
    """A problem with the arrays that it is made of, each with its axes of items."""

    build: Callable[..., gls.Sequence]
    arrays: Mapping[str, tuple[NDArray[Any], tuple[int, ...]]]

    @property
    def problem(self) -> gls.Sequence:
        """The problem of all items."""
        return self.build(**{name: array for name, (array, _) in self.arrays.items()})

    def restricted(self, items: Sequence[int]) -> gls.Sequence:
        """Return the problem of some items; item k is the k-th of these."""
        taken = {}
        for name, (array, axes) in self.arrays.items():
            for axis in axes:
                array = array.take(items, axis)
            taken[name] = array
        return self.build(**taken)


def _integers(rng: np.random.Generator, *shape: int, axes: Iterable[int] | None = None) -> Any:
    """Return random numbers with their axes of items: by default, all axes."""
    every = range(len(shape)) if axes is None else axes
    return rng.integers(0, SPAN, shape), tuple(every)


def _flow_shop(objective: str, setups: bool, n: int, rng: np.random.Generator) -> Case:
    arrays = {"times": _integers(rng, n, MACHINES, axes=[0])}
    if setups:
        arrays["setups"] = _integers(rng, MACHINES, n, n, axes=[1, 2])
    if objective == "weighted_tardiness":
        arrays["due_dates"] = rng.integers(0, 3 * n, n) + SPAN, (0,)
        arrays["weights"] = _integers(rng, n)
    return Case(partial(gls.FlowShop, objective=objective), arrays)


def _single_machine(setups: bool, n: int, rng: np.random.Generator) -> Case:
    arrays = {name: _integers(rng, n) for name in ("times", "weights")}
    arrays["due_dates"] = rng.integers(0, 3 * n, n), (0,)
    if setups:
        arrays["setups"] = _integers(rng, n, n)
    return Case(gls.SingleMachine, arrays)


def _latency(real: bool, closed: bool, n: int, rng: np.random.Generator) -> Case:
    def build(matrix: Any) -> gls.Sequence:
        return gls.Latency(gls.TSP.from_matrix(matrix), closed=closed)

    matrix, axes = _integers(rng, n, n)
    return Case(build, {"matrix": (matrix / 7 if real else matrix, axes)})


def _linear_ordering(real: bool, n: int, rng: np.random.Generator) -> Case:
    matrix, axes = _integers(rng, n, n)
    return Case(gls.LinearOrdering, {"matrix": (matrix / 7 if real else matrix, axes)})


def _own(objective: Callable[..., gls.SequenceObjective], **arrays: Any) -> Case:
    def build(**given: Any) -> gls.Sequence:
        found = objective(**given)
        return gls.Sequence(len(next(iter(given.values()))), found)

    return Case(build, arrays)


def _visits(level: str, real: bool, constrained: bool, n: int, rng: np.random.Generator) -> Case:
    ways, weights = rng.integers(0, SPAN, (n, n)), rng.integers(0, SPAN, n)
    if real:
        ways, weights = ways / 7, weights / 3
    forbidden = (rng.random((n, n)) < 0.3).astype(np.uint8) if constrained else None
    arrays: dict[str, Any] = {"ways": (ways, (0, 1)), "weights": (weights, (0,))}
    if forbidden is not None:
        return _own(partial(Visits, level), **arrays, forbidden=(forbidden, (0, 1)))
    return _own(partial(Visits, level, forbidden=None), **arrays)


def _deadlines(n: int, rng: np.random.Generator) -> Case:
    names = ("times", "releases", "deadlines")
    spans = (SPAN, 4 * n, 6 * n)
    arrays = {
        name: (rng.integers(0, span, n).astype(np.int32), (0,))
        for name, span in zip(names, spans, strict=True)
    }
    return _own(Deadlines, **arrays)


def _backward(n: int, rng: np.random.Generator) -> Case:
    return _own(Backward, costs=(rng.integers(0, SPAN, (n, n)).astype("f4") / 7, (0, 1)))


BUILT_IN: dict[str, Callable[[int, np.random.Generator], Case]] = {
    **{
        f"{objective}{' with setups' * setups}": partial(_flow_shop, objective, setups)
        for objective in ("makespan", "total_flowtime", "weighted_tardiness")
        for setups in (False, True)
    },
    **{f"single machine{' with setups' * s}": partial(_single_machine, s) for s in (False, True)},
    "latency": partial(_latency, False, False),
    "closed latency": partial(_latency, False, True),
    "real latency": partial(_latency, True, False),
    "linear ordering": partial(_linear_ordering, False),
    "real linear ordering": partial(_linear_ordering, True),
}
OWN: dict[str, Callable[[int, np.random.Generator], Case]] = {
    **{f"visits by {level}": partial(_visits, level, False, True) for level in LEVELS},
    **{f"real visits by {level}": partial(_visits, level, True, False) for level in LEVELS},
    "real constrained visits": partial(_visits, "suffix", True, True),
    "deadlines": _deadlines,
    "real pairs": _backward,
}
ALL = BUILT_IN | OWN
# One kind for each way in which kernels evaluate moves.
WAYS = (
    "makespan with setups",
    "weighted_tardiness",
    "single machine with setups",
    "latency",
    "visits by suffix",
    "linear ordering",
)
WAYS_FIRST = (*WAYS, *(kind for kind in ALL if kind not in WAYS))
CLOSE = 1e-9


def case_of(kind: str, n: int, seed: int) -> Case:
    """Return a random case of a kind."""
    return ALL[kind](n, np.random.default_rng([seed, n]))


def lower(problem: gls.Sequence, values: Any, than: Any) -> Any:
    """Return whether values are lower, by more than an error of rounding."""
    return values < than - (0 if problem.integer else CLOSE)


def rows_of(problem: gls.Sequence, size: int, seed: int = 0) -> NDArray[np.int32]:
    """Return random rows, which begin with the items that are fixed."""
    rng, fixed = np.random.default_rng(seed), list(problem.front)
    movable = np.setdiff1d(np.arange(problem.n), fixed)
    return np.array([[*fixed, *rng.permutation(movable)] for _ in range(size)], np.int32)


def every_row(problem: gls.Sequence) -> NDArray[np.int32]:
    """Return all rows of a small problem."""
    movable = np.setdiff1d(np.arange(problem.n), problem.front)
    return np.array([[*problem.front, *order] for order in permutations(movable)], np.int32)


@cache
def neighbours(move: gls.sequences.SequenceMove, n: int, fixed: int) -> NDArray[np.int64]:
    """Return what a move can make of 0..n-1, and this order itself; the first ones are fixed."""
    made = {"insertion": _insertions, "swap": _swaps, "reversal": _reversals}[move.name]
    return np.array([list(range(n)), *made(move, n, fixed)], np.int64)


def _insertions(move: Any, n: int, fixed: int) -> Iterable[list[int]]:
    for count in range(1, move.longest + 1):
        for begin in range(fixed, n - count + 1):
            block = list(range(begin, begin + count))
            others = [k for k in range(n) if k not in block]
            for place in range(fixed, len(others) + 1):
                yield others[:place] + block + others[place:]


def _swaps(_move: Any, n: int, fixed: int) -> Iterable[list[int]]:
    for i in range(fixed, n):
        for j in range(i + 1, n):
            row = list(range(n))
            row[i], row[j] = j, i
            yield row


def _reversals(_move: Any, n: int, fixed: int) -> Iterable[list[int]]:
    for i in range(fixed, n):
        for j in range(i + 2, n + 1):
            yield [*range(i), *range(j - 1, i - 1, -1), *range(j, n)]
