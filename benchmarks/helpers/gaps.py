"""Gaps to the optima of the TSPLIB instances, and the available instances."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.helpers import common

if TYPE_CHECKING:
    from collections.abc import Iterator


def names(smallest: int, largest: int) -> list[str]:
    """Return the EUC_2D instances by number of cities."""

    def matching() -> Iterator[tuple[int, str]]:
        for path in common.require_instances().glob("*.tsp"):
            head = path.read_text()[:1000]
            size = re.search(r"^DIMENSION *: *(\d+)", head, re.MULTILINE)
            if size and re.search(r"^EDGE_WEIGHT_TYPE *: *EUC_2D\b", head, re.MULTILINE):
                yield int(size[1]), path.stem

    return [name for n, name in sorted(matching()) if smallest <= n <= largest]


def percent(costs: Any, optimum: int) -> Any:
    """Return the gap of costs to the optimum in percent."""
    return 100.0 * (np.asarray(costs, float) / optimum - 1.0) + 0.0


def mean(rows: list[dict[str, Any]], key: str) -> float:
    """Return the mean of one column."""
    return float(np.mean([row[key] for row in rows]))
