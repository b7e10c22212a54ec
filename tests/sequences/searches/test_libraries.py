"""Objectives whose evaluation takes CuPy arrays or torch tensors."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidParameterError
from tests.sequences.searches.python_objectives import some_rows


class Tensor:
    """The members of a torch tensor that objectives use."""

    def __init__(self, array: Any) -> None:
        self.array = np.asarray(array)

    def detach(self) -> Tensor:
        return self

    def cpu(self) -> Any:
        return self.array


class OfLibrary(gls.SequenceObjective):
    """The sum of items times positions; it refuses NumPy arrays."""

    def __init__(self, library: str) -> None:
        self.library = library  # type: ignore[misc]

    def evaluate(self, rows: Any) -> Any:
        """Return costs as an array of the library."""
        if self.library == "torch":
            assert isinstance(rows, Tensor)
            return Tensor((rows.array * np.arange(rows.array.shape[1])).sum(axis=1))
        cupy = pytest.importorskip("cupy")
        assert isinstance(rows, cupy.ndarray)
        return (rows * cupy.arange(rows.shape[1])).sum(axis=1)


def test_rows_become_torch_tensors(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = SimpleNamespace(from_dlpack=lambda array: Tensor(np.from_dlpack(array)))
    monkeypatch.setitem(sys.modules, "torch", torch)
    problem = gls.Sequence(6, OfLibrary("torch"))
    rows = some_rows(6, 3)
    rows.flags.writeable = False  # arrays that cannot be written have no DLPack
    assert problem.cost(rows).tolist() == (rows * np.arange(6)).sum(axis=1).tolist()
    found = gls.SequenceSearch()(problem, rows, budget=gls.Budget(kicks=1), backend="cpu")
    assert found.best_tour.tolist() == [5, 4, 3, 2, 1, 0]


@pytest.mark.gpu
def test_rows_become_cupy_arrays() -> None:
    problem = gls.Sequence(6, OfLibrary("cupy"))
    found = gls.SequenceSearch()(problem, some_rows(6, 3), budget=gls.Budget(kicks=1))
    assert found.best_tour.tolist() == [5, 4, 3, 2, 1, 0]


def test_libraries_are_known() -> None:
    with pytest.raises(InvalidParameterError, match=r"objective\.library: 'jax' is not one of"):
        gls.Sequence(3, OfLibrary("jax"))
