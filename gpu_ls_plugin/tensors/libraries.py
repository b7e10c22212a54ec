"""Arrays of NumPy, CuPy, torch and JAX, taken and given back through DLPack without a copy."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTypeError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from gpu_ls_plugin.backends.base import Backend

LIBRARIES = ("numpy", "cupy", "torch", "jax", "jaxlib")
SHARED_TYPES = {"float32", "float64", "uint8", "int8", "int16", "int32", "int64"}
DLPACK_CPU, DLPACK_CUDA = (1, 3), (2, 13)  # device types: host and pinned; CUDA and managed


def library_of(name: str, array: Any) -> str:
    """Return the library of an array; raise InvalidTypeError if it is no array.

    Lists and numbers belong to NumPy.
    """
    library = type(array).__module__.partition(".")[0]
    if library in LIBRARIES:
        return "jax" if library == "jaxlib" else library
    if isinstance(array, (list, tuple, int, float)):
        return "numpy"
    raise InvalidTypeError(
        f"{name}: {type(array).__name__} is not an array of NumPy, CuPy, torch or JAX"
    )


def device_of(name: str, array: Any) -> int | None:
    """Return the number of the CUDA device that holds an array; None on the host."""
    library = library_of(name, array)
    if library == "numpy":
        return None
    if library == "torch" and array.is_cuda:
        return int(array.get_device())
    if not hasattr(array, "__dlpack_device__"):  # JAX knows no values yet
        raise InvalidTypeError(f"{name}: inside compiled code of JAX, call gls.jax.improve")
    kind, number = array.__dlpack_device__()
    if kind in DLPACK_CPU:
        return None
    if kind in DLPACK_CUDA:
        return int(number)
    raise InvalidTypeError(f"{name}: the array is on a device of type {kind}; use a CPU or CUDA")


@dataclass(frozen=True)
class Caller:
    """The library and the device of the caller's rows; results have the same."""

    library: str
    backend: Backend
    device: int | None

    @classmethod
    def of(cls, rows: Any) -> Caller:
        """Return the caller of these rows.

        Raises
        ------
        InvalidTypeError
            `rows` is no array.
        BackendUnavailableError
            They are on a GPU that cannot be used.
        """
        library, device = library_of("rows", rows), device_of("rows", rows)
        name = "cpu" if device is None else "cuda"
        return cls(library, get_backend(name, device), device)

    def working(self) -> AbstractContextManager[Any]:
        """Work on the caller's stream during a ``with`` block."""
        if self.library == "torch" and self.device is not None:
            stream = sys.modules["torch"].cuda.current_stream(self.device)
            return self.backend.on_stream(stream.cuda_stream)
        return nullcontext()

    def take(self, name: str, array: Any) -> Any:
        """Return an array of the backend that shares the memory of the caller's array.

        Raises
        ------
        InvalidTypeError
            The array is no array, is on another device, or needs a gradient.
        """
        library = library_of(name, array)
        if library == "numpy" and self.device is None:
            try:
                return np.asarray(array)
            except ValueError as error:  # lists of unequal lengths
                raise InvalidTypeError(f"{name}: no array can be made: {error}") from error
        if device_of(name, array) != self.device:
            raise InvalidParameterError(
                f"{name}: the array is on another device than rows; move it there first"
            )
        if getattr(array, "requires_grad", False):
            raise InvalidTypeError(
                f"{name}: the array needs a gradient, but the search has none; pass {name}.detach()"
            )
        if library == self.library == "torch" and self.device is not None:
            return self._at_torch(array)
        try:
            return self.backend.xp.from_dlpack(array)
        except (BufferError, RuntimeError, TypeError) as error:
            raise InvalidTypeError(f"{name}: {array.dtype} cannot be shared: {error}") from error

    def _at_torch(self, tensor: Any) -> Any:
        """Return a tensor of torch on a GPU as an array of CuPy.

        DLPack takes several times as long. It would let CuPy's stream wait for torch's, but here
        they are the same; see `working`.
        """
        if (kind := str(tensor.dtype).removeprefix("torch.")) not in SHARED_TYPES:
            return self.backend.xp.from_dlpack(tensor)
        cuda, size = self.backend.xp.cuda, tensor.element_size()
        memory = cuda.UnownedMemory(tensor.data_ptr(), size * tensor.numel(), tensor, self.device)
        strides = tuple(size * step for step in tensor.stride())
        place = cuda.MemoryPointer(memory, 0)
        return self.backend.xp.ndarray(tuple(tensor.shape), kind, place, strides)

    def give(self, array: Any) -> Any:
        """Return an array of the backend as an array of the caller's library."""
        if self.library in ("numpy", "cupy"):
            return array
        as_bool = array.dtype == bool
        shared = array.view("uint8") if as_bool else array  # some versions share no booleans
        if self.library == "torch":
            torch = sys.modules["torch"]
            # On a GPU, both libraries use the same stream, so neither waits for the other.
            given = shared if self.device is None else shared.__dlpack__(stream=-1)
            found = torch.from_dlpack(given)
            return found.view(torch.bool) if as_bool else found
        jax = sys.modules["jax"]
        if self.device is None:  # JAX converts float64 unless it is enabled
            return jax.numpy.asarray(array)
        found = jax.dlpack.from_dlpack(shared)
        return found.astype(bool) if as_bool else found
