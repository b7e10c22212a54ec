"""Which cases of a test are slow."""

from __future__ import annotations

from typing import Any

import pytest

USUAL = ("EUC_2D", "EUC", "EXPLICIT")


def slow_but_usual(*metrics: str) -> list[Any]:
    """Metrics as values of a parameter: kernels are compiled for each, so few are quick."""
    return [
        name if name in USUAL else pytest.param(name, marks=pytest.mark.slow) for name in metrics
    ]
