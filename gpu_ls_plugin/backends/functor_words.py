"""Parameters of functors as 8-byte words, which backends/include/words.cuh reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from types import ModuleType


def kept_words(xp: ModuleType, words: Iterable[Any]) -> list[Any]:
    """Return parameters with their arrays as contiguous arrays of `xp`.

    The caller must keep the arrays as long as kernels use their addresses.
    """
    return [
        xp.ascontiguousarray(xp.asarray(word)) if hasattr(word, "strides") else word
        for word in words
    ]


def packed_words(xp: ModuleType, words: Sequence[Any], address: Callable[[Any], int]) -> Any:
    """Return integers, floats and addresses of arrays as an array of `xp`, which is never empty."""
    packed = np.zeros(len(words) + 1, "uint64")
    for place, word in enumerate(words):
        if isinstance(word, float):
            packed[place : place + 1].view("float64")[0] = word
        else:
            packed[place] = word if isinstance(word, int) else address(word)
    return xp.asarray(packed)
