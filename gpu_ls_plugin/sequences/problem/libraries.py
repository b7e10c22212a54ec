"""Conversion of rows to the array library of an objective, and of its costs to NumPy."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.arrays import on_host

if TYPE_CHECKING:
    from numpy.typing import NDArray

LIBRARIES = ("numpy", "cupy", "torch")


def in_library(rows: NDArray[Any], library: str) -> Any:
    """Return rows as an array of a library: CuPy on the current GPU, torch on the host."""
    if library == "numpy":
        return rows
    if library == "cupy":
        return get_backend("cuda").xp.asarray(rows)
    return importlib.import_module("torch").from_dlpack(np.require(rows, requirements="W"))


def from_library(given: Any) -> NDArray[Any]:
    """Return an array of any library, or a list, as a NumPy array."""
    if hasattr(given, "detach"):  # torch
        given = given.detach().cpu()
    host: NDArray[Any] = on_host(given)
    return host
