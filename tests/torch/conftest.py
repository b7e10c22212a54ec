"""All of these tests need torch."""

from __future__ import annotations

from typing import Any

import pytest

from tests.helpers import improving

REASON = 'needs pip install "gpu-ls-plugin[torch]"'


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The calls of `gls.improve`, in order."""
    pytest.importorskip("torch", reason=REASON)
    return improving.engine(monkeypatch)
