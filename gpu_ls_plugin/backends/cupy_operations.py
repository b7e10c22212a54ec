"""The operations of default calls on arrays of a GPU for which CuPy compiles kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.arrays import reversed_rows

if TYPE_CHECKING:
    from collections.abc import Callable

BLOCK = 1024  # number of items that CuPy scans in one block


def default_operations(xp: Any) -> list[Callable[[], Any]]:
    """Return functions that perform the operations on small arrays, in the order of first use.

    A kernel depends on the types of the arrays, on their numbers of dimensions and on whether they
    are contiguous.
    """

    def made(kind: str, *shape: int) -> Any:
        return xp.asarray(np.ones(shape, kind))  # copied from the host without a kernel

    flags, long_flags = made("bool", 2), made("bool", BLOCK + 1)
    ints, longs, floats = (made(kind, 2) for kind in ("int32", "int64", "float64"))
    rows, points = made("int32", 2, 2), made("float64", 2, 2, 2)
    long_rows = made("int32", BLOCK + 1, BLOCK)  # the sums of its blocks fill several blocks
    guest, words, begins = made("int32", 1, 2), made("uint32", 2, 2), made("uint8", 2, 2)
    return [
        # Any search of tours
        lambda: rows.copy(),
        lambda: xp.full(2, 1, "uint8"),
        lambda: xp.full(2, 1, "int32"),
        lambda: floats > floats,
        lambda: longs < 1,
        lambda: longs >= 1,
        lambda: flags & flags,
        lambda: xp.where(flags, longs, 1),
        # Chains
        lambda: (floats / 2).astype("float32"),
        lambda: (longs / 2).astype("float32"),
        lambda: floats.copy(),
        lambda: longs.copy(),
        lambda: longs + longs,
        lambda: longs + 1,
        lambda: floats < floats,
        lambda: longs < longs,
        lambda: flags == flags,
        lambda: xp.where(flags, flags, flags),
        lambda: floats[flags],
        lambda: floats.__setitem__(flags, floats[flags]),
        lambda: longs[flags],
        lambda: longs.__setitem__(flags, longs[flags]),
        lambda: long_rows[long_flags],
        lambda: long_rows.__setitem__(long_flags, long_rows[long_flags]),
        lambda: rows[longs],
        lambda: floats[longs],
        lambda: longs[longs],
        lambda: rows.__setitem__(longs, rows),
        lambda: floats.__setitem__(longs, floats),
        lambda: longs.__setitem__(longs, longs),
        lambda: longs.__setitem__(longs, 0),
        # The rows in reverse, as an exchange of chains names the worst first
        lambda: rows[longs[::-1]],
        lambda: floats[longs[::-1]],
        lambda: longs[longs[::-1]],
        lambda: rows.__setitem__(longs[::-1], rows),
        lambda: floats.__setitem__(longs[::-1], floats),
        lambda: longs.__setitem__(longs[::-1], longs),
        lambda: longs.__setitem__(longs[::-1], 0),
        lambda: xp.arange(2, dtype="int64"),
        # Crossovers
        lambda: xp.arange(2, dtype="int32") % 2,
        lambda: xp.copyto(rows, rows, where=flags[:, None]),
        lambda: xp.copyto(floats, floats, where=flags),
        lambda: xp.copyto(longs, longs, where=flags),
        lambda: xp.copyto(longs, 0, where=flags),
        lambda: xp.copyto(rows, xp.broadcast_to(guest, (2, 2)), where=flags[:, None]),
        lambda: floats[:1].repeat(2),
        lambda: longs[:1].repeat(2),
        # Routes
        lambda: xp.flatnonzero(reversed_rows(begins).sum(axis=1, dtype="int32") > 1),
        lambda: reversed_rows(begins[:1]).sum(axis=1, dtype="int32"),
        lambda: xp.flatnonzero(long_flags),
        lambda: longs.astype("int32"),
        lambda: ints.astype("int64"),
        lambda: ints.astype("uint32"),
        lambda: longs.astype("uint32"),
        lambda: words << 1,
        lambda: words | words,
        # States
        lambda: rows[:, 1:] == rows[:, :-1],
        lambda: rows[:, 1:] >= 0,
        lambda: rows == rows,
        lambda: rows < 0,
        lambda: flags | flags,
        lambda: longs == longs,
        lambda: xp.full(2, 1, "int64"),
        lambda: longs.__setitem__(flags, -1),
        lambda: longs[ints],
        lambda: rows[ints],
        lambda: xp.where(flags, ints, ints),
        lambda: rows.fill(1),
        lambda: flags.fill(1),
        lambda: longs.fill(1),
        *_classes(xp, made),
        # Many instances
        lambda: begins[0].fill(1),
        lambda: points.min(axis=1, keepdims=True),
        lambda: points.max(axis=1, keepdims=True),
        *_curve(xp, made),
        lambda: rows.__setitem__(slice(None), ints),
        lambda: rows.repeat(2, axis=0),
        lambda: xp.roll(rows, 1, axis=1),
        lambda: floats / longs,
    ]


def _curve(xp: Any, made: Callable[..., Any]) -> list[Callable[[], Any]]:
    """Return the operations of space-filling curves through many instances."""
    points, low, extent = (made("float64", 2, *shape) for shape in ((2, 2), (1, 2), (1, 1)))
    rows, wide, sizes = made("int32", 2, 2), made("int64", 2, 2), made("int64", 2, 1)
    cells = made("int64", 2, 2, 2)[:, :, 0]
    return [
        lambda: points.reshape(-1, 2)[rows],
        lambda: low - low,
        lambda: extent > 0,
        lambda: xp.where(extent > 0, extent, 1.0),
        lambda: points - low,
        lambda: points / extent,
        lambda: points * 3,
        lambda: points.astype("int64"),
        lambda: cells >> 1,
        lambda: wide >> 1,
        lambda: cells & 1,
        lambda: wide & 1,
        lambda: wide << 2,
        lambda: 3 * wide,
        lambda: wide ^ wide,
        lambda: wide | wide,
        lambda: 1 - wide,
        lambda: xp.where(wide, wide, wide),
        lambda: xp.where(wide, cells, wide),
        lambda: xp.arange(2) >= sizes,
    ]


def _classes(xp: Any, made: Callable[..., Any]) -> list[Callable[[], Any]]:
    """Return the operations of a crossover of states by their classes."""
    rows, wide = made("int32", 2, 2), made("int64", 2, 2)
    names, counts = made("int64", 2), made("int64", 2)
    sizes, shared, flags = made("float64", 2, 2), made("int64", 2, 3, 3), made("bool", 2, 2)
    return [
        lambda: xp.where(flags, 2, rows),
        lambda: xp.where(flags, -1, rows),
        lambda: wide * 2,
        lambda: wide[:, :1] + rows,
        lambda: wide + rows,
        lambda: xp.add.at(counts, names, 1),
        lambda: reversed_rows(shared).sum(axis=2),
        lambda: shared.sum(axis=1),
        lambda: shared[0, :2, :-1] + sizes,
        lambda: 1 - reversed_rows(sizes).argmax(axis=1),
        lambda: shared[names, names, :-1],
        lambda: shared[names, :-1, names],
        lambda: sizes.__isub__(wide),
        lambda: shared.__setitem__((names, names), 0),
        lambda: shared.__setitem__((names, slice(None), names), 0),
        lambda: sizes.__setitem__((names, names), -1),
        lambda: rows.__setitem__((names, names), 1),
        lambda: rows[names[:, None], rows],
        lambda: xp.minimum(rows, rows),
        lambda: rows == 2,
        lambda: flags.__setitem__(names, flags),
    ]
