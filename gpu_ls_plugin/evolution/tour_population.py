"""Populations as arrays of a backend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.arrays import on_host
from gpu_ls_plugin.runs.domain import domain_of

if TYPE_CHECKING:
    from numpy.random import Generator

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem


@dataclass(frozen=True, eq=False)
class TourPopulation:
    """Tours, their costs and their keys, on the device that searches them."""

    xp: Any  # NumPy or CuPy
    tours: Any  # (P, n) int32
    costs: Any  # (P,)
    keys: Any  # (P,) uint64; rotations and reversals that are the same tour have equal keys

    @classmethod
    def of(cls, problem: Problem, xp: Any, tours: Any, costs: Any) -> TourPopulation:
        """Return a population of tours with known costs; the arrays are not copied."""
        return cls(xp, tours, costs, domain_of(problem).keys(problem, xp, tours))

    def on(self, backend: Backend) -> TourPopulation:
        """Return the population on the device of a backend, or itself if it is already there."""
        if backend.xp is self.xp:
            return self
        arrays = (self.tours, self.costs, self.keys)
        return TourPopulation(backend.xp, *map(backend.xp.asarray, arrays))

    def __reduce__(self) -> Any:
        """Copies and pickles hold arrays on the host."""
        return _on_host, tuple(map(on_host, (self.tours, self.costs, self.keys)))

    def __len__(self) -> int:
        return len(self.tours)

    def take(self, rows: Any) -> TourPopulation:
        """Return a population of the rows with these indices, in this order."""
        return TourPopulation(self.xp, self.tours[rows], self.costs[rows], self.keys[rows])

    def joined(self, other: TourPopulation) -> TourPopulation:
        """Return the tours of both populations, those of this one first."""
        both = zip(
            (self.tours, self.costs, self.keys), (other.tours, other.costs, other.keys), strict=True
        )
        return TourPopulation(self.xp, *(self.xp.concatenate(pair) for pair in both))

    def parents(self, pairs: int, random_state: Generator) -> tuple[Any, Any]:
        """Draw pairs of distinct rows, uniformly; a single row is paired with itself."""
        size = len(self)
        first = random_state.integers(size, size=pairs)
        second = (first + random_state.integers(1, max(size, 2), size=pairs)) % size
        return self.xp.asarray(first), self.xp.asarray(second)

    def first_of_each(self) -> Any:
        """Return which rows have a tour that no earlier row has, bool array (P,)."""
        xp, size = self.xp, len(self)
        order = self._sorted(self.keys.view(xp.int64))
        ordered, fresh = self.keys[order], xp.ones(size, dtype=bool)
        fresh[order[1:]] = ordered[1:] != ordered[:-1]
        return fresh

    def distinct(self) -> int:
        """Return the number of distinct tours."""
        return int(on_host(self.first_of_each()).sum())

    def by_cost(self) -> Any:
        """Return the indices of the rows in order of increasing cost, ties by index."""
        return self._sorted(self.costs)

    def best(self, size: int) -> TourPopulation:
        """Return up to `size` of the cheapest distinct tours; of equal tours, the first."""
        kept = self.xp.flatnonzero(self.first_of_each())
        return self.take(kept[self._sorted(self.costs[kept])[:size]])

    def _sorted(self, values: Any) -> Any:
        """Return the indices that sort values, ties by index, as CuPy's sorts may be unstable."""
        rows = self.xp.arange(len(values), dtype=values.dtype)
        return self.xp.lexsort(self.xp.stack([rows, values]))


def _on_host(tours: Any, costs: Any, keys: Any) -> TourPopulation:
    return TourPopulation(np, tours, costs, keys)
