"""Files that were cut off or changed: errors of the library, nothing else."""

from __future__ import annotations

import random
import zipfile
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import FileFormatError, GpuLsError
from gpu_ls_plugin.core.history import Point, load_history, save_history
from gpu_ls_plugin.core.result import Result
from gpu_ls_plugin.experiments.records import CurvePoint, Record
from gpu_ls_plugin.tours.candidates.base import Candidates
from gpu_ls_plugin.tours.problem.tsplib import read_tour

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

PROBLEM = gls.TSP([[0, 0], [3, 4], [5, 0], [9, 9], [1, 7]])
POINTS = [Point(0.5, 1, 3, 4.0), Point(1.5, 2, 3, 3.5)]
RESULT = Result(
    np.array([[0, 1, 2, 3, 4], [4, 3, 2, 1, 0]], np.int32),
    np.array([5, 6]),
    gls.Statistics(history=POINTS, moves_by={"two_opt": 1}, phases={"kicks": 1.0}),
)
RECORD = Record("a", "p", 1, {"algorithm": "x"}, curve=[CurvePoint(0.5, 3, 1, [[4.0]])])
MATRIX = (
    "TYPE : TSP\nDIMENSION : 3\nEDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : FULL_MATRIX\n"
    "EDGE_WEIGHT_SECTION\n0 1 2\n1 0 3\n2 3 0\nEOF\n"
)
PLANE = (
    "TYPE : TSP\nDIMENSION : 3\nEDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n1 0 1.5\n2 1e1 3\n"
    "3 2 -3\nEOF\n"
)


def write_packed_lists(path: Path) -> None:
    lists = gls.Nearest(2).of(PROBLEM).cities
    named = {"rule": "Nearest(k=2)", "fingerprint": PROBLEM.fingerprint, "cities": lists}
    with path.open("wb") as stream:
        np.savez_compressed(stream, version=1, **named)


FILES: dict[str, tuple[str, Callable[[Path], object], Callable[[Path], object]]] = {
    "lists": ("a.npz", lambda path: gls.Nearest(2).save(path, PROBLEM), Candidates.load),
    "packed lists": ("a.npz", write_packed_lists, Candidates.load),
    "result": ("a.json", RESULT.save, Result.load),
    "packed result": ("a.json.gz", RESULT.save, Result.load),
    "record": ("a.json", RECORD.save, Record.load),
    "history": ("a.csv", lambda path: save_history(POINTS, path), load_history),
    "tour": ("a.tour", lambda path: PROBLEM.write_tour(path, range(5)), read_tour),
    "matrix": ("a.tsp", lambda path: path.write_text(MATRIX), gls.TSP.read),
    "plane": ("a.tsp", lambda path: path.write_text(PLANE), gls.TSP.read),
}
STRANGE = (b"9" * 30, b"-", b"e999", b"[", b"null", b"NaN", b"\xff", b'"', b"1" * 5000)


def damaged(data: bytes) -> Iterator[bytes]:
    """Cut off anywhere, one bit or all bits of a byte changed, and some changes at a time."""
    drawn = random.Random(0)
    for place in range(len(data)):  # one of the three at each place, in turn
        changed = data[place] ^ (1 << drawn.randrange(8) if place % 3 == 1 else 255)
        yield data[:place] + (bytes([changed]) + data[place + 1 :] if place % 3 else b"")
    for _ in range(200):
        changed = bytearray(data)
        for place in drawn.choices(range(len(data)), k=drawn.randint(1, 4)):
            end = place + drawn.choice((0, 1, 9))
            changed[place:end] = drawn.choice((*STRANGE, b"", drawn.randbytes(4)))
        yield bytes(changed)


@pytest.mark.parametrize(("name", "write", "read"), FILES.values(), ids=FILES)
def test_damaged_files(
    name: str, write: Callable[[Path], object], read: Callable[[Path], object], tmp_path: Path
) -> None:
    path = tmp_path / name
    write(path)
    read(path)
    refused = 0
    for content in damaged(path.read_bytes()):
        path.write_bytes(content)
        try:
            read(path)
        except (GpuLsError, OSError):
            refused += 1
    assert refused > 100


def npz(method: int = zipfile.ZIP_STORED, **arrays: Any) -> bytes:
    """An NPZ file; bytes are taken as they are."""
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, array in arrays.items():
            content = BytesIO()
            if isinstance(array, bytes):
                content.write(array)
            else:
                np.lib.format.write_array(content, np.asarray(array))
            archive.writestr(f"{name}.npy", content.getvalue())
    return stream.getvalue()


def header(shape: str, descr: str = "'<i4'") -> bytes:
    """An array of version 1.0 that has a header alone."""
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}}}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


GOOD = {"version": 1, "rule": "r", "fingerprint": "f", "cities": np.array([[1], [0]], np.int32)}
ODD = {
    "huge": {"cities": header("(99999999999999, 5)")},
    "more than huge": {"cities": header(f"({2**80},)")},
    "negative": {"cities": header("(-1, 5)")},
    "no header": {"cities": header("((((")},
    "long header": {"cities": header("(" + "1, " * 20_000 + ")")},
    "no type": {"cities": header("(1, 1)", "'x'")},
    "objects": {"cities": header("(1, 1)", "'|O'")},
    "dates": {"cities": header("(0, 1)", "'<M8[s]'")},
    "records": {"cities": np.zeros((2, 1), [("a", "i4")])},
    "text": {"cities": np.array([["1"], ["0"]])},
    "no rule": {"rule": np.array([1, 2])},
    "no fingerprint": {"fingerprint": np.float64(3)},
    "no version": {"version": np.array("one")},
}


@pytest.mark.parametrize("change", ODD.values(), ids=ODD)
def test_lists_that_are_none(change: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    path.write_bytes(npz(**GOOD))
    Candidates.load(path)
    path.write_bytes(npz(**GOOD | change))
    with pytest.raises(FileFormatError, match=r"a\.npz"):
        Candidates.load(path)


@pytest.mark.parametrize(
    "method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
def test_lists_packed_in_any_way_and_damaged(method: int, tmp_path: Path) -> None:
    path, whole = tmp_path / "a.npz", npz(method, **GOOD)
    path.write_bytes(whole)
    assert Candidates.load(path).cities.tolist() == [[1], [0]]
    refused = 0
    for place in range(30, len(whole), 3):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :])
        try:
            Candidates.load(path)
        except (FileFormatError, OSError):
            refused += 1
    assert refused > 50
