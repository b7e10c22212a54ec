"""Small problems, and a search that records its calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.result import Result, Statistics

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Diary:
    """The default search, which records its calls on the class, since operators are copied.

    The call with the number `interrupt_at` ends as if Ctrl-C had been pressed.
    """

    calls: ClassVar[list[dict[str, Any]]] = []
    interrupt_at: ClassVar[int | None] = None

    def __call__(self, problem: Any, tours: Any, **options: Any) -> Result:
        """Search; record the rows and the options."""
        inner = gls.LocalSearch()
        budget = options["budget"]
        if budget is not None and budget.moves == 0:  # a call that only compiles
            return inner(problem, tours, **options)
        Diary.calls.append({"rows": len(tours), "tours": np.array(tours), **options})
        if len(Diary.calls) - 1 == Diary.interrupt_at:
            statistics = Statistics(stopped_by="interrupt", backend="cpu")
            return Result(np.asarray(tours), problem.cost(tours), statistics)
        return inner(problem, tours, **options)


def cities(n: int, seed: int = 0) -> NDArray[Any]:
    """Return integer coordinates in a square."""
    return np.random.default_rng(seed).integers(0, 1000, size=(n, 2)).astype(float)


def rows(n: int, size: int, seed: int = 0) -> NDArray[Any]:
    """Return random tours, int64 (size, n)."""
    return np.random.default_rng(seed).permuted(np.tile(np.arange(n), (size, 1)), axis=1)


def problem_of(n: int, *, symmetric: bool = True) -> gls.TSP:
    """Return cities at equal distances from each other, or twice as far in one direction."""
    lengths = np.ones((n, n)) - np.eye(n)
    return gls.TSP.from_matrix(lengths if symmetric else lengths + np.triu(lengths))


def undirected(tour: NDArray[Any]) -> set[frozenset[int]]:
    """Return the edges of a tour."""
    return {frozenset(map(int, edge)) for edge in zip(tour, np.roll(tour, -1), strict=True)}


def directed(tour: NDArray[Any]) -> set[tuple[int, int]]:
    """Return the directed edges of a tour."""
    return {(int(a), int(b)) for a, b in zip(tour, np.roll(tour, -1), strict=True)}
