"""Detection of duplicate rows; fitness shows whether rotations and reversals are duplicates."""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.core.rows import canonical
from gpu_ls_plugin.evolution.batches.rows import keys, unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.evolution.batches.rows import Tours

KINDS = ("rotation", "reversal")
MOST_WAITING = 1000  # maximum number of pairs that wait until their fitness is known


class TourDuplicates:
    """Finds duplicates, and learns from fitness whether rotations and reversals cost the same.

    A framework does not say which problem the rows belong to, and rotations of a permutation may be
    different solutions, as in a flow shop. Therefore both members of a pair of rotations are kept
    until the fitness of both is known. If both have the same fitness, rotations count as duplicates
    from then on. The same holds for reversals.

    Members are a framework's objects for solutions. `row` returns the row (n,) of a member;
    `fitness` returns its fitness, or None if it is not known yet. `remedies` maps "rotation" and
    "reversal" to the advice in the error that is raised if the fitness of such a pair differs.
    """

    def __init__(
        self,
        symmetric: bool,
        row: Callable[[Any], ArrayLike],
        fitness: Callable[[Any], ArrayLike | None],
        remedies: Mapping[str, str],
    ) -> None:
        self._canonical: Callable[[Tours], Tours] = partial(canonical, symmetric=symmetric)
        self.waiting: deque[tuple[str, Any, Any]] = deque(maxlen=MOST_WAITING)
        self._row, self._fitness, self._remedies = row, fitness, remedies
        self._proven: set[str] = set()

    def adopt(self, canonical: Callable[[Tours], Tours]) -> None:
        """Trust a problem's `canonical`: rows that it maps to the same row are duplicates."""
        self._canonical = canonical
        self._proven.update(KINDS)

    def duplicates(
        self, members: Sequence[Any], rows: Tours, others: tuple[Sequence[Any], Tours] | None = None
    ) -> NDArray[np.bool_]:
        """Return which members are duplicates, bool (P,).

        `others` holds other members and their rows. A member is a duplicate if one of them has the
        same tour, or, without `others`, if an earlier member has the same tour. If the fitness of
        a tour differs from that of its rotation or reversal, InvalidParameterError is raised.
        """
        self._settle()
        there, known = (members, rows) if others is None else others
        found = _repeated(rows, None if others is None else known)
        first: dict[bytes, Any] = {}
        for key, member in zip(self._keys(known), there, strict=True):
            first.setdefault(key, member)
        for place, key in enumerate(self._keys(rows)):
            twin = first.get(key, members[place])
            if twin is not members[place] and not found[place]:
                found[place] = self._same(members[place], twin)
        return found

    def _keys(self, rows: Tours) -> list[bytes]:
        return keys(self._canonical(rows))

    def _same(self, member: Any, twin: Any) -> bool:
        """Return whether two rows of the same tour are known to cost the same."""
        kind = self._kind(member, twin)
        if kind not in self._proven and not self._compared(kind, member, twin):
            self.waiting.append((kind, member, twin))
        return kind in self._proven

    def _settle(self) -> None:
        """Compare the waiting pairs whose fitness is known by now."""
        left = [pair for pair in self.waiting if not self._compared(*pair)]
        self.waiting.clear()
        self.waiting.extend(pair for pair in left if pair[0] not in self._proven)

    def _compared(self, kind: str, member: Any, twin: Any) -> bool:
        """Compare the fitness of a pair; return False if it is not known yet."""
        one, other = self._fitness(member), self._fitness(twin)
        if one is None or other is None:
            return False
        if not np.allclose(one, other, rtol=1e-9, atol=0, equal_nan=True):
            raise InvalidParameterError(
                f"eliminate_duplicates: a permutation has fitness {other}, its {kind} {one}: "
                f"{self._remedies[kind]}"
            )
        self._proven.add(kind)
        return True

    def _kind(self, member: Any, twin: Any) -> str:
        both = np.array([self._row(member), self._row(twin)], dtype=np.int32)
        directed = canonical(both, symmetric=False)
        return "rotation" if (directed[0] == directed[1]).all() else "reversal"


def _repeated(rows: Tours, known: Tours | None) -> NDArray[np.bool_]:
    """Return which rows are in `known`; if `known` is None, which rows equal an earlier row."""
    if known is None:
        return ~unknown(rows, set())
    there = set(keys(known))
    return np.array([key in there for key in keys(rows)])
