"""Levels of stretches of a giant tour that are computed ahead."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_LEVEL = 2
LARGEST_PART = 1 << 20
# By level: the places of parts, as exponents of n, where making them takes least (Irnich 2008).
EXPONENTS: dict[int, tuple[float, ...]] = {0: (), 1: (1 / 3,), 2: (1 / 7, 3 / 7)}


@dataclass(frozen=True)
class Hierarchy:
    """Which stretches of a giant tour are kept (Schulz 2013, sections 4.3 and 6.10).

    Level 0 has those between any two places. Level 1 has those within parts of equally many places,
    and those of whole parts; level 2 groups the parts of level 1 in the same way. There are as many
    sizes of parts, powers of two that grow, as there are levels below the top.
    """

    level: int
    parts: tuple[int, ...]

    @classmethod
    def of(cls, n: int, level: Any, parts: Any = None) -> Self:
        """Check a hierarchy over n places; by default parts are cheap to make."""
        level = checks.integer("level", level, least=0, most=MOST_LEVEL)
        if parts is None:
            return cls(level, _usual_parts(n, level))
        if isinstance(parts, int):
            parts = (parts,)
        given: Sequence[int] = ()
        if level or len(parts):
            example = (4, 32)[2 - level :] if level else ()
            given = checks.integers("parts", parts, least=2, most=LARGEST_PART, example=example)
        if len(given) != level:
            raise InvalidParameterError(
                f"parts: {len(given)} of them, but a hierarchy of level {level} has {level}"
            )
        for size in given:
            if size & (size - 1):
                raise InvalidParameterError(f"parts: {size} is not a power of two")
        if any(a >= b for a, b in itertools.pairwise(given)):
            raise InvalidParameterError(f"parts: {given} do not grow from level to level")
        return cls(level, tuple(given))

    def stretches(self, n: int) -> int:
        """Return how many stretches are kept of n places."""
        units, below, kept = n, 1, 0
        for size in self.parts:
            groups, own = -(-n // size), size // below
            kept += groups * own * (own + 1) // 2
            units, below = groups, size
        return kept + units * (units + 1) // 2

    def shifts(self) -> list[int]:
        """Return how many units make one of the level above, as powers of two."""
        whole = [0, *(size.bit_length() - 1 for size in self.parts)]
        return [b - a for a, b in itertools.pairwise(whole)]


def _usual_parts(n: int, level: int) -> tuple[int, ...]:
    """Return the powers of two nearest to what takes least."""
    parts: list[int] = []
    for exponent in EXPONENTS[level]:
        least = 2 * parts[-1] if parts else 2
        parts.append(max(least, 1 << round(math.log2(n) * exponent)))
    return tuple(parts)
