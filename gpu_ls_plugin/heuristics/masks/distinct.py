"""No two variables with the same value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.heuristics.masked import Mask
from gpu_ls_plugin.heuristics.masks.value_set import set_bytes

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Distinct(Mask):
    """Forbid values that another variable has: states become permutations, or partial ones."""

    name = "distinct"
    header = "heuristics/masks/distinct.cuh"
    side_by_side = True

    def __repr__(self) -> str:
        return "Distinct()"

    def check(self, sizes: NDArray[Any]) -> None:
        """Find all variables as they should be."""

    def functor(self) -> str:
        """Return the C++ type."""
        return "gls::Distinct"

    def words(self, sizes: NDArray[Any]) -> list[Any]:
        """Return the most values of a variable."""
        return [int(sizes.max())]

    def kept_bytes(self, sizes: NDArray[Any]) -> int:
        """Return the bytes of a set of values."""
        return set_bytes(sizes)
