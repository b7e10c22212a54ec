"""Files that were cut off or changed raise errors of the library, and no others."""

from __future__ import annotations

import random
import zipfile
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import FileFormatError, InvalidParameterError
from gpu_ls_plugin.experiments.records import Record
from gpu_ls_plugin.tours.candidates.base import Candidates
from gpu_ls_plugin.tours.problem.tsplib import read_tour
from tests.core.test_file_schemas import KINDS, PROBLEM, RECORD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

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
    **{name: (kind.name, kind.write, kind.read) for name, kind in KINDS.items()},
    "record": ("a.json", RECORD.save, Record.load),
    "packed lists": ("a.npz", write_packed_lists, Candidates.load),
    "tour": ("a.tour", lambda path: PROBLEM.write_tour(path, range(5)), read_tour),
    "matrix": ("a.tsp", lambda path: path.write_text(MATRIX), gls.TSP.read),
    "flow shop": ("a", lambda path: path.write_text("2 2\n3 1\n2 4\n"), gls.FlowShop.read),
    "lolib": ("a", lambda path: path.write_text("a b\n2\n3 1\n2 4\n"), gls.LinearOrdering.read),
    "plane": ("a.tsp", lambda path: path.write_text(PLANE), gls.TSP.read),
}
STRANGE = (b"9" * 30, b"-", b"e999", b"[", b"null", b"NaN", b"\xff", b'"', b"1" * 5000)


def damaged(data: bytes) -> Iterator[bytes]:
    """Yield data cut off at any place, with one or all bits of a byte changed, and mixtures."""
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
        except (FileFormatError, InvalidParameterError):
            refused += 1
    assert refused > 100


def npz(method: int = zipfile.ZIP_STORED, **arrays: Any) -> bytes:
    """Return an NPZ file; bytes are stored unchanged."""
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
    """Return the header of an array, in version 1.0 of the format."""
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
def test_invalid_lists(change: dict[str, Any], tmp_path: Path) -> None:
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
