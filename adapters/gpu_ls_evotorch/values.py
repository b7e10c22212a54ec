"""Rows of EvoTorch's batches as arrays of NumPy or CuPy, without a copy, and random numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.arrays import on_gpu

if TYPE_CHECKING:
    from numpy.random import Generator

    from gpu_ls_plugin.backends.base import Backend


def device_for(backend: Backend) -> str:
    """Return the device of torch that has the memory of a backend, if torch can use it."""
    if backend.name == "cuda" and torch.cuda.is_available():
        return f"cuda:{backend.device}"  # type: ignore[attr-defined]
    return "cpu"


def array_of(values: Any) -> Any:
    """Return a tensor as an array of NumPy or, if it is on a GPU, of CuPy; memory is shared."""
    tensor = values.detach()
    if not tensor.is_cuda:
        return tensor.numpy()
    return get_backend("cuda", tensor.device.index).adopt(tensor)


def tensor_of(array: Any) -> Any:
    """Return an array of NumPy or CuPy as a tensor on the same device.

    Memory is shared, except with arrays of NumPy that are not contiguous or not writable.
    """
    if on_gpu(array):
        return torch.from_dlpack(array)
    return torch.from_numpy(np.require(array, requirements=["C", "W"]))


def rows_of(batch: Any) -> Any:
    """Return the rows of a batch, which keeps its evaluations; do not write to them."""
    return array_of(batch.access_values(keep_evals=True))


def write(batch: Any, rows: Any) -> None:
    """Replace the rows of a batch, whose evaluations are deleted."""
    values = batch.access_values()
    values[:] = tensor_of(rows).to(values.device)


def random_state(problem: Any) -> Generator:
    """Return a generator of NumPy, seeded by that of a problem of EvoTorch."""
    source = problem.generator
    device = "cpu" if source is None else source.device
    seed = torch.randint(2**63 - 1, (), generator=source, device=device)
    return np.random.default_rng(int(seed))
