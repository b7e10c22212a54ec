"""Files of one permutation with its cost, as QAPLIB has them for solutions (.sln)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.files import atomically
from gpu_ls_plugin.core.integer_files import Integers

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray


def read_permutation(
    path: str | os.PathLike[str], n: int, what: str
) -> tuple[float, NDArray[np.int64]]:
    """Return the cost in a solution, and its permutation of 0 to n - 1; `what` names the entries.

    The cost is an integer if it is written as one.
    """
    numbers = Integers(path)
    count = numbers.count(what)
    if count != n:
        raise numbers.error(f"{count} {what}, but the problem has {n}")
    cost = numbers.number("cost")
    places = numbers.take("permutation", n)
    numbers.end()
    if not np.array_equal(np.sort(places), np.arange(1, n + 1)):
        raise numbers.error(f"not a permutation of 1..{n}")
    return cost, places - 1


def write_permutation(path: str | os.PathLike[str], cost: float, places: NDArray[Any]) -> None:
    """Write a line with the number of entries and the cost, and a line of entries from 1 on."""
    lines = [f"{len(places)} {cost}", " ".join(map(str, (places + 1).tolist()))]
    with atomically(Path(path)) as file:
        file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
