"""Backends: the same C++ parts, compiled for the CPU or the GPU when they are first used."""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends.base import Backend
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import BackendUnavailableError, InvalidParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMES = ("cpu", "cuda")


def get_backend(
    backend: str | Backend = "auto", device: int | None = None, *, tours: Any = None
) -> Backend:
    """Return a backend by name.

    Parameters
    ----------
    backend : {"auto", "cpu", "cuda"} or Backend
        "auto" is CUDA if `tours` are on a GPU, a `device` is given or a usable GPU is present,
        otherwise the CPU. A `Backend` is returned unchanged, so that a search can pass its backend
        on to other searches.
    device : int, optional
        Number of the CUDA device; by default the device of `tours`, or the current one if `tours`
        are not on a GPU.
    tours : array, optional
        If it is on a GPU, "auto" is CUDA, on that device.

    Raises
    ------
    InvalidParameterError
        The name is unknown, or `device` is given for the CPU or together with a `Backend`.
    InvalidTypeError
        `backend` is not a string, or `device` is not an integer.
    BackendUnavailableError
        CUDA cannot be used; the message gives the reason and the remedy.
    """
    if isinstance(backend, Backend):
        if device is not None:
            raise InvalidParameterError(
                f"device: {device}, but a Backend has its own device; leave the parameter out"
            )
        return backend
    backend = check_name(backend)
    device = None if device is None else checks.integer("device", device, least=0)
    on_gpu = hasattr(tours, "__cuda_array_interface__")
    if backend == "auto":
        backend = "cuda" if on_gpu or device is not None or cuda_reason() is None else "cpu"
    if backend == "cpu":
        if device is not None:
            raise InvalidParameterError(
                f"device: the cpu backend has no device {device}; leave the parameter out"
            )
        return cpu_backend()
    if _stand_ins:
        return _stand_ins[-1]
    reason = cuda_reason()
    if reason is not None:
        raise BackendUnavailableError(f"backend: cuda cannot be used: {reason}")
    return cuda_backend(device, tours if on_gpu else None)


_stand_ins: list[Backend] = []


@contextmanager
def standing_in(backend: Backend) -> Iterator[None]:
    """Use a backend in place of all GPUs during a ``with`` block, in all threads."""
    _stand_ins.append(backend)
    try:
        yield
    finally:
        _stand_ins.remove(backend)


def check_name(backend: Any) -> str:
    """Return the name of a backend, or "auto"; raise if it is anything else."""
    return checks.choice("backend", backend, known=("auto", *NAMES))


def available() -> dict[str, str | None]:
    """Return, for each backend, None if it can be used, otherwise the reason and the remedy."""
    from gpu_ls_plugin.backends import cpu

    return {"cpu": cpu.unavailable_reason(), "cuda": cuda_reason()}


@cache
def cpu_backend() -> Backend:
    """Return the backend of the CPU."""
    from gpu_ls_plugin.backends.cpu import CpuBackend

    return CpuBackend()


def cuda_backend(device: int | None, tours: Any) -> Backend:
    """Return the backend of a device; by default the one that holds `tours`, or the current one."""
    from gpu_ls_plugin.backends import cuda

    return cuda.backend_of(cuda.device_of(tours) if device is None else device)


@cache
def cuda_reason() -> str | None:
    """Return why CUDA cannot be used, with the remedy, or None if it can."""
    from gpu_ls_plugin.backends import cuda

    return cuda.unavailable_reason()
