"""The pairs of rows that a population crosses."""

from __future__ import annotations

from typing import Any

from gpu_ls_plugin.backends.structs import constant, enumerators

PHILOX = "backends/include/philox.cuh"
PARTNER, ROUNDS = enumerators(PHILOX, "Purpose")["kPartner"], constant(PHILOX, "kRounds")
WORD = 2**32  # random numbers are below this


class Partners:
    """The partner of each row: the row that is a random number of places after it, cyclically.

    The number of places is the same for all rows of a generation, and each generation draws a new
    one, which depends on the seed and the number of the first row. There must be at least 2 rows.
    """

    def __init__(self, xp: Any, size: int, seed: int, first_row: int) -> None:
        self._size, self._seed, self._first_row = size, seed, first_row
        self._rows = xp.arange(2 * size, dtype="int32") % size

    def of(self, generation: int) -> Any:
        """Return the partner of each row in a generation, shape (P,), int32."""
        drawn = _philox(self._seed, PARTNER, self._first_row, generation)
        distance = 1 + drawn * (self._size - 1) // WORD
        return self._rows[distance : distance + self._size]


def _philox(seed: int, purpose: int, row: int, step: int) -> int:
    """Return the first random number of a step, as in `backends/include/philox.cuh`."""
    a, b = step % WORD, purpose + (step // WORD << 8)
    c, d = row % WORD, row // WORD
    k, q = seed % WORD, seed // WORD
    for _ in range(ROUNDS):
        left, right = 0xD2511F53 * a, 0xCD9E8D57 * c
        a, b = (right // WORD) ^ b ^ k, right % WORD
        c, d = (left // WORD) ^ d ^ q, left % WORD
        k, q = (k + 0x9E3779B9) % WORD, (q + 0xBB67AE85) % WORD
    return a
