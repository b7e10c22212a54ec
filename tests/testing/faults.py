"""Shared by the tests of checks: a check must find a planted fault."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from gpu_ls_plugin.testing import PartCheckError
from tests.helpers.marks import ON_BOTH as ON_BOTH

if TYPE_CHECKING:
    from collections.abc import Callable


def found_out(check: Callable[..., None], part: Any, words: str, **options: Any) -> None:
    """Assert that a check raises PartCheckError with the seed and a reason that matches `words`."""
    with pytest.raises(AssertionError, match=words) as caught:
        check(part, seed=3, **options)
    assert isinstance(caught.value, PartCheckError)
    assert "seed=3" in str(caught.value)
    assert "; " in str(caught.value)  # what is wrong; what to do
