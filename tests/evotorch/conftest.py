"""All of these tests need EvoTorch."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def evotorch() -> None:
    """Skip a test if EvoTorch is not installed."""
    pytest.importorskip("evotorch", reason='needs pip install "gpu-ls-plugin[evotorch]"')
