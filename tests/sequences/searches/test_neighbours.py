"""Neighbours of sequences equal those made with lists."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.sequences.kicks.destroy_repair import SequenceKick
from gpu_ls_plugin.sequences.moves.sequence_moves import SequenceMove
from gpu_ls_plugin.sequences.searches.neighbours import neighbours_of, removed_by


def inserted(row: list[int], at: int, place: int, length: int) -> list[int]:
    begin = min(at, len(row) - length)
    block, rest = row[begin : begin + length], row[:begin] + row[begin + length :]
    place = min(place, len(rest))
    return rest[:place] + block + rest[place:]


def swapped(row: list[int], at: int, place: int) -> list[int]:
    made = list(row)
    made[at], made[place] = row[place], row[at]
    return made


def turned(row: list[int], at: int, place: int) -> list[int]:
    first, last = sorted((at, place))
    return row[:first] + row[first : last + 1][::-1] + row[last + 1 :]


@pytest.mark.parametrize("n", [1, 2, 3, 6, 9])
def test_neighbours_equal_lists(n: int) -> None:
    random = np.random.default_rng(n)
    rows = np.array([random.permutation(n) for _ in range(12)], np.int32)
    at, every = random.integers(0, n, 12).tolist(), range(n)
    blocks = neighbours_of([gls.Insertion(longest=n)])
    expected = [
        lambda row, at, place, length=length: inserted(row, at, place, length)
        for length in range(1, n + 1)
    ]
    makers = [*blocks, *neighbours_of([gls.Swap(), gls.Reversal()])]
    for make, by_hand in zip(makers, [*expected, swapped, turned], strict=True):
        wanted = [[by_hand(list(r), a, p) for p in every] for r, a in zip(rows, at, strict=True)]
        np.testing.assert_array_equal(make(rows, np.array(at), np.arange(n)[None]), wanted)
        own = random.integers(0, n, (12, 2))  # places of each row
        wanted = [
            [by_hand(list(r), a, p) for p in places]
            for r, a, places in zip(rows, at, own.tolist(), strict=True)
        ]
        np.testing.assert_array_equal(make(rows, np.array(at), own), wanted)


def test_parts_that_exist_in_cpp_only_are_refused() -> None:
    with pytest.raises(UnsupportedProblemError, match="use Insertion, Swap and Reversal"):
        neighbours_of([SequenceMove()])
    with pytest.raises(UnsupportedProblemError, match="use DestroyRepair"):
        removed_by(SequenceKick())
    assert removed_by(gls.DestroyRepair(removed=7)) == 7
