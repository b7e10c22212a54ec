"""Launches that are prepared once for many calls, and arrays that share one allocation."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.structs import Packed, Struct
from gpu_ls_plugin.backends.tuning import padded

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Kernel, Parameter

ALIGNMENT = 256  # bytes; the beginning of an array, as `cudaMalloc` aligns it


class Launch:
    """A launch whose constant arguments are packed once; a call adds the others.

    The others are numbers and addresses. Only the types of arrays in `memory` are checked; arrays
    at other addresses must have the types and layouts that the kernel reads. The object holds no
    memory of a device.

    Parameters
    ----------
    kernel : Kernel
        All its parameters are structs.
    count : int
        Number of items.
    constants : mapping
        Arguments by name: numbers, or None for a null pointer.
    memory : SharedBlock
        The places of the launch's arrays.
    shared_bytes : int
        Size of a block's dynamic shared memory.

    Raises
    ------
    InvalidTypeError
        An array in `memory` has another type than the kernel reads.
    """

    def __init__(
        self,
        kernel: Kernel,
        count: int,
        constants: Mapping[str, Any],
        memory: SharedBlock,
        shared_bytes: int = 0,
    ) -> None:
        memory.check(field for field in kernel.fields if field.name not in constants)
        self.kernel, self.count, self.shared_bytes = kernel, count, shared_bytes
        self._structs = [_Open(one, constants) for one in kernel.parameters]

    def start(
        self, backend: Backend, arguments: Mapping[str, Any], seconds: float = math.inf
    ) -> None:
        """Launch the kernel with the arguments that are not constant; others are ignored.

        The backend's device must be the current one of this thread.
        """
        starter = backend.starters.get(self)
        if starter is None:
            starter = backend.starter(self.kernel, self.count, self.shared_bytes)
            backend.starters[self] = starter
        starter(Packed([one.packed(arguments) for one in self._structs]), seconds=seconds)


class _Open:
    """A struct with some constant fields."""

    def __init__(self, parameter: Any, constants: Mapping[str, Any]) -> None:
        assert isinstance(parameter, Struct)
        self._struct = parameter
        self._values = [constants.get(field.name) or 0 for field in parameter.fields]
        self._open = [
            (place, field.name)
            for place, field in enumerate(parameter.fields)
            if field.name not in constants
        ]

    def packed(self, arguments: Mapping[str, Any]) -> bytes:
        values = self._values.copy()
        for place, name in self._open:
            values[place] = arguments[name]
        return self._struct.packed(values)


class SharedBlock:
    """Arrays by name that lie one after the other in one allocation.

    The object describes where the arrays are, and holds no memory.

    Parameters
    ----------
    arrays : mapping
        Shape and type of each array, by name.
    """

    def __init__(self, arrays: Mapping[str, tuple[tuple[int, ...], str]]) -> None:
        self._places: dict[str, tuple[int, int, tuple[int, ...], str]] = {}
        self.size = 0  # in bytes
        for name, (shape, kind) in arrays.items():
            end = self.size + math.prod(shape) * np.dtype(kind).itemsize
            self._places[name] = self.size, end, shape, kind
            self.size = padded(end, ALIGNMENT)
        self._offsets = [(name, begin) for name, (begin, *_) in self._places.items()]

    def check(self, fields: Iterable[Parameter]) -> None:
        """Raise InvalidTypeError unless arrays have the types of the fields with their names."""
        for field in fields:
            if field.name in self._places:
                field.check(np.empty(0, self._places[field.name][-1]), contiguous=True)

    def addresses(self, begin: int) -> dict[str, int]:
        """Return the address of each array in a block that begins at the address `begin`."""
        return {name: begin + offset for name, offset in self._offsets}

    def array(self, block: Any, name: str) -> Any:
        """Return an array as a view of a block, uint8 (size,)."""
        begin, end, shape, kind = self._places[name]
        return block[begin:end].view(kind).reshape(shape)
