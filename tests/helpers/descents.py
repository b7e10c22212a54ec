"""Engines without a search around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.core.result import Statistics
from gpu_ls_plugin.runs.drive import drive
from gpu_ls_plugin.runs.stretch import Stretch
from gpu_ls_plugin.tours.searches.descents import Descents

if TYPE_CHECKING:
    from gpu_ls_plugin.tours.engines.engine import Engine


def to_optimum(engine: Engine) -> None:
    """Run an engine until all tours are local optima."""
    assert drive(Descents(engine, Statistics()), Stretch()) == "optimum"
