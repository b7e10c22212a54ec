"""Fixtures of the tests of the pymoo adapter."""

from __future__ import annotations

import pytest

import gpu_ls_plugin as gls
from tests.evolution.samples import Diary, cities


@pytest.fixture
def diary() -> type[Diary]:
    """The empty diary; `diary()` is a search."""
    Diary.calls.clear()
    Diary.interrupt_at = None
    return Diary


@pytest.fixture(scope="session")
def tsp() -> gls.TSP:
    """Sixty cities with integer distances."""
    return gls.TSP(cities(60), "EUC_2D", name="sixty")
