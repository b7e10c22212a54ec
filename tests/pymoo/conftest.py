"""Fixtures of the tests of the pymoo adapter."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

import gpu_ls_plugin as gls
from tests.evolution.samples import cities

if TYPE_CHECKING:
    from tests.helpers.clock import Clock


collect_ignore_glob = [] if find_spec("pymoo") else ["test_*.py"]


@pytest.fixture(scope="session")
def tsp() -> gls.TSP:
    """Sixty cities with integer distances."""
    return gls.TSP(cities(60), "EUC_2D", name="sixty")


@pytest.fixture
def clock(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of budgets, which runs of pymoo read as well."""
    from pymoo.core import algorithm
    from pymoo.termination import max_time

    from gpu_ls_pymoo import clock as limits
    from gpu_ls_pymoo import output

    clock.govern(monkeypatch, algorithm, max_time, limits, output)
    return clock
