"""Prepared launches pass the same bytes as usual ones, and arrays in one block do not overlap."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gpu_ls_plugin.backends import cuda, get_backend
from gpu_ls_plugin.backends.composition import Kernel
from gpu_ls_plugin.backends.cpu import CpuBackend
from gpu_ls_plugin.backends.prepared import ALIGNMENT, Launch, SharedBlock
from gpu_ls_plugin.backends.structs import Packed, struct_of
from gpu_ls_plugin.core.exceptions import InvalidTypeError

INSTANCE = struct_of("tours/problem/instance.cuh", "Instance")
CONSTANTS = {"n": 7, "sites": None, "error_absolute": 0.5, "error_relative": 0.0}


def prepared(constants: dict[str, Any]) -> Launch:
    kernel = Kernel("name", "header.cuh", "gls::Body", (INSTANCE, INSTANCE), "gls::Host")
    return Launch(kernel, 3, constants, SharedBlock({}), shared_bytes=64)


class Noting(CpuBackend):
    """A backend that notes its launches, and for which of them it was asked for a function."""

    def __init__(self) -> None:
        super().__init__()
        self.launches: list[Any] = []
        self.asked: list[Kernel] = []

    def launch(self, *given: Any, **options: Any) -> bool:
        self.launches.append((given, options))
        return True

    def starter(self, kernel: Kernel, count: int, shared_bytes: int) -> Any:
        self.asked.append(kernel)
        return super().starter(kernel, count, shared_bytes)


@pytest.fixture
def noting() -> Any:
    return Noting()


def test_packed_arguments_are_those_of_a_mapping(noting):
    launch = prepared(CONSTANTS)
    launch.start(noting, {"metric_data": 4096, "unused": 1})
    launch.start(noting, {"metric_data": 8192}, seconds=2.0)
    for number, address in enumerate((4096, 8192)):
        (kernel, count, packed), options = noting.launches[number]
        expected = INSTANCE.pack(
            {**CONSTANTS, "metric_data": address}, lambda field, given: given or 0
        )
        assert (kernel, count, options["shared_bytes"]) == (launch.kernel, 3, 64)
        assert isinstance(packed, Packed)
        assert packed == (expected, expected)
    assert noting.launches[1][1]["seconds"] == 2.0
    assert noting.asked == [launch.kernel]


def test_an_argument_that_is_not_constant_must_be_given(noting):
    with pytest.raises(KeyError, match="metric_data"):
        prepared(CONSTANTS).start(noting, {})


def test_types_of_arrays_in_a_block_are_checked():
    batch = struct_of("tours/engines/descent/descent_batch.cuh", "DescentBatch")
    kernel = Kernel("name", "header.cuh", "gls::Body", (batch,), "gls::Host")
    Launch(kernel, 1, {}, SharedBlock({"tours": ((2, 5), "int32")}))
    with pytest.raises(InvalidTypeError, match="tours"):
        Launch(kernel, 1, {}, SharedBlock({"tours": ((2, 5), "int64")}))


def test_cupy_takes_packed_structs_as_arrays_of_one_item(noting):
    prepared(CONSTANTS).start(noting, {"metric_data": 4096})
    (kernel, _, packed), _ = noting.launches[0]
    passed = cuda._converted(kernel, packed)
    assert [one.shape for one in passed] == [(1,), (1,)]
    assert [one.tobytes() for one in passed] == list(packed)


def test_arrays_in_a_block_do_not_overlap():
    shapes: dict[str, Any] = {
        "bytes": ((3, 5), "uint8"),
        "none": ((0, 4), "int64"),
        "reals": ((7,), "float64"),
        "words": ((300,), "uint32"),
    }
    block = SharedBlock(shapes)
    memory = np.zeros(block.size, "uint8")
    address = get_backend("cpu").address
    places = block.addresses(address(memory))
    for number, (name, (shape, kind)) in enumerate(shapes.items()):
        array = block.array(memory, name)
        assert (array.shape, array.dtype) == (shape, kind)
        assert not array.any()
        assert (places[name] - address(memory)) % ALIGNMENT == 0
        if array.size:
            assert places[name] == address(array)
        array.fill(number + 1)
