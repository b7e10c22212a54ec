"""Learn from fitness whether other ways of writing a tour cost the same, and find duplicates so."""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.cycles import canonical
from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.evolution.batches.rows import keys, unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.evolution.batches.rows import Tours

KINDS = ("rotation", "reversal")
MOST_WAITING = 1000  # pairs of members that wait for their fitness


class Writings:
    """Which ways of writing a tour are proven to cost the same.

    A framework does not say to which problem rows belong: in a flow shop, the rotations of a
    permutation are different solutions. Therefore both members of a population are kept until the
    fitness of such a pair is known; from then on the others are duplicates.

    Members are whatever a framework has for a solution: `row` returns their row (n,), `fitness`
    their fitness, None where it is not known yet. `remedies` are what a message advises where a
    "rotation" or "reversal" does not cost the same.
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
        """Believe a problem's `canonical` which rows stand for the same solution."""
        self._canonical = canonical
        self._proven.update(KINDS)

    def duplicates(
        self,
        members: Sequence[Any],
        rows: Tours,
        others: tuple[Sequence[Any], Tours] | None = None,
    ) -> NDArray[np.bool_]:
        """Tell which members stand for a tour that is there already, bool (P,).

        `others` are where their tours may be already; the members before each if left out. A
        rotation or reversal of another fitness is an InvalidParameterError.
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
        """Tell whether two ways of writing a tour are known to cost the same."""
        kind = self._kind(member, twin)
        if kind not in self._proven and not self._compared(kind, member, twin):
            self.waiting.append((kind, member, twin))
        return kind in self._proven

    def _settle(self) -> None:
        """Compare the pairs whose fitness is known by now."""
        left = [pair for pair in self.waiting if not self._compared(*pair)]
        self.waiting.clear()
        self.waiting.extend(pair for pair in left if pair[0] not in self._proven)

    def _compared(self, kind: str, member: Any, twin: Any) -> bool:
        """Learn from the fitness of a pair if it is known; return whether it is."""
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
    """Tell which rows are in `known`, or without it, equal to a row before them."""
    if known is None:
        return ~unknown(rows, set())
    there = set(keys(known))
    return np.array([key in there for key in keys(rows)])
