"""The random numbers of the library, computed with Python integers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

WORD = 2**32


def philox(seed: int, purpose: int, row: int, step: int) -> Iterator[int]:
    """Yield the numbers of a stream from a step on (Salmon et al. 2011, Philox4x32-10)."""
    while True:
        low, high = step % WORD, step // WORD
        yield from philox_block(
            (low, purpose + (high << 8), row % WORD, row // WORD), (seed % WORD, seed // WORD)
        )
        step += 1


def philox_block(counter: Sequence[int], key: Sequence[int]) -> list[int]:
    """Return the four numbers at a counter."""
    (a, b, c, d), (k, q) = counter, key
    for _ in range(10):
        left, right = 0xD2511F53 * a, 0xCD9E8D57 * c
        a, b = (right // WORD) ^ b ^ k, right % WORD
        c, d = (left // WORD) ^ d ^ q, left % WORD
        k, q = (k + 0x9E3779B9) % WORD, (q + 0xBB67AE85) % WORD
    return [a, b, c, d]
