"""Recognise tours that are in a population already, however they are written."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np
from pymoo.core.duplicate import DuplicateElimination

from gpu_ls_plugin.exceptions import InvalidParameterError, InvalidTourError, InvalidTypeError
from gpu_ls_pymoo.problems import as_tsp
from gpu_ls_pymoo.tours import canonical, checked, keys, unknown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_pymoo.tours import Tours

_DEFAULT = "pymoo's default elimination (eliminate_duplicates=True)"
_REMEDIES = {
    "rotation": f"these are no round trips; use {_DEFAULT}",
    "reversal": "directions differ: use TourDuplicateElimination(symmetric=False) for round trips, "
    f"else {_DEFAULT}",
}
_WAITING = 1000  # pairs of individuals that wait for their fitness at most


class TourDuplicateElimination(DuplicateElimination):
    """Drop individuals whose tour is in the population already, however it is written.

    Equal rows are dropped at once. A rotation or reversal of a known tour is dropped only if that
    costs the same, and pymoo does not say to which problem rows belong: in a flow shop, the
    rotations of a permutation are different solutions. Therefore both individuals are kept until
    the fitness of such a pair is known; from then on the others are dropped. `MemeticGA` takes
    from its problem what costs the same.

    Tours are compared by hash in O(n) per individual; pymoo's default compares all pairs.

    Parameters
    ----------
    symmetric : bool
        Whether a tour and its reverse are the same.

    Raises
    ------
    InvalidTourError, InvalidTypeError
        In a run: a row is no permutation.
    InvalidParameterError
        In a run: a rotation or reversal has another fitness.
    """

    def __init__(self, symmetric: bool = True) -> None:
        super().__init__()
        self.symmetric = symmetric
        self._proven: set[str] = set()
        self._waiting: deque[tuple[str, Any, Any]] = deque(maxlen=_WAITING)

    def adopt(self, problem: Any) -> None:
        """Take from a pymoo problem of tours which ways of writing them cost the same."""
        self.symmetric = as_tsp(problem).symmetric
        self._proven.update(_REMEDIES)

    def _do(self, pop: Any, other: Any, is_duplicate: NDArray[np.bool_]) -> NDArray[np.bool_]:
        self._settle()
        rows, known = self._rows(pop), self._rows(pop if other is None else other)
        is_duplicate |= _repeated(rows, None if other is None else known)
        first: dict[bytes, Any] = {}
        for key, individual in zip(self._keys(known), pop if other is None else other, strict=True):
            first.setdefault(key, individual)
        for row, key in enumerate(self._keys(rows)):
            twin = first.get(key, pop[row])
            if twin is not pop[row] and not is_duplicate[row]:
                is_duplicate[row] = self._same(pop[row], twin)
        return is_duplicate

    def _rows(self, pop: Any) -> Tours:
        rows = self.func(pop)
        try:
            return checked(rows, rows.shape[-1], "eliminate_duplicates")
        except (InvalidTourError, InvalidTypeError) as error:
            raise type(error)(f"{error}; for other rows than tours use {_DEFAULT}") from None

    def _keys(self, rows: Tours) -> list[bytes]:
        return keys(canonical(rows, symmetric=self.symmetric))

    def _same(self, individual: Any, twin: Any) -> bool:
        """Tell whether two ways of writing a tour are known to cost the same."""
        kind = _kind(individual, twin)
        if kind not in self._proven and not self._compared(kind, individual, twin):
            self._waiting.append((kind, individual, twin))
        return kind in self._proven

    def _settle(self) -> None:
        """Compare the pairs whose fitness is known by now."""
        left = [pair for pair in self._waiting if not self._compared(*pair)]
        self._waiting.clear()
        self._waiting.extend(pair for pair in left if pair[0] not in self._proven)

    def _compared(self, kind: str, individual: Any, twin: Any) -> bool:
        """Learn from the fitness of a pair if it is known; return whether it is."""
        if not all("F" in one.evaluated for one in (individual, twin)):
            return False
        if not np.allclose(individual.F, twin.F, rtol=1e-9, atol=0, equal_nan=True):
            raise InvalidParameterError(
                f"eliminate_duplicates: a permutation has fitness {twin.F}, its {kind} "
                f"{individual.F}: {_REMEDIES[kind]}"
            )
        self._proven.add(kind)
        return True


def _repeated(rows: Tours, known: Tours | None) -> NDArray[np.bool_]:
    """Tell which rows are in `known`, or without it, equal to a row before them."""
    if known is None:
        return ~unknown(rows, set())
    there = set(keys(known))
    return np.array([key in there for key in keys(rows)])


def _kind(individual: Any, twin: Any) -> str:
    both = np.array([individual.X, twin.X], dtype=np.int32)
    directed = canonical(both, symmetric=False)
    return "rotation" if (directed[0] == directed[1]).all() else "reversal"
