"""Parameters of parts as their functors read them: 8 bytes each (include/words.cuh)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gpu_ls_plugin.backends.base import Backend


def kept_words(backend: Backend, words: Iterable[Any]) -> list[Any]:
    """Return parameters with arrays as functors read them; these have to stay."""
    xp = backend.xp
    return [
        xp.ascontiguousarray(xp.asarray(word)) if hasattr(word, "strides") else word
        for word in words
    ]


def packed_words(backend: Backend, words: Sequence[Any]) -> Any:
    """Return parameters as an array of the backend: arrays by their address."""
    packed = np.zeros(len(words) + 1, "uint64")  # never empty
    for place, word in enumerate(words):
        if isinstance(word, float):
            packed[place : place + 1].view("float64")[0] = word
        else:
            packed[place] = word if isinstance(word, int) else backend.address(word)
    return backend.xp.asarray(packed)
