"""Parameters of parts as their functors read them: 8 bytes each (backends/include/words.cuh)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from types import ModuleType


def kept_words(xp: ModuleType, words: Iterable[Any]) -> list[Any]:
    """Return parameters with arrays of `xp` as functors read them; these have to stay."""
    return [
        xp.ascontiguousarray(xp.asarray(word)) if hasattr(word, "strides") else word
        for word in words
    ]


def packed_words(xp: ModuleType, words: Sequence[Any], address: Callable[[Any], int]) -> Any:
    """Return parameters as an array of `xp`, with the addresses of arrays."""
    packed = np.zeros(len(words) + 1, "uint64")  # never empty
    for place, word in enumerate(words):
        if isinstance(word, float):
            packed[place : place + 1].view("float64")[0] = word
        else:
            packed[place] = word if isinstance(word, int) else address(word)
    return xp.asarray(packed)
