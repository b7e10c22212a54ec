"""Sets of values that masks keep beside a state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

NONE = 16  # gls::kNoValue


def set_bytes(sizes: NDArray[Any]) -> int:
    """Return the bytes of what `gls::held_values` returns."""
    return NONE + int(sizes.max())
