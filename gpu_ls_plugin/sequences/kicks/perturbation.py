"""A perturbation of sequences for frameworks: random items move to random places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core import checks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.core.problem import Problem


@dataclass(frozen=True)
class RemoveAndInsert:
    """Move random items to random places.

    Parameters
    ----------
    count : int
        Number of items to move, at least 1.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        `count` is out of range or not an integer.
    """

    count: int = 3

    name = "remove_and_insert"
    by_lengths = False

    def __post_init__(self) -> None:
        checks.fields(self, checks.integer, "count", least=1, most=checks.MOST_INT)

    def perturb(
        self, problem: Problem, rows: Any, *, seed: int | None = 0, backend: str = "auto"
    ) -> NDArray[np.int32]:
        """Return kicked copies of permutations (P, n), on the host; `backend` has no effect."""
        checked, fixed = problem.check(rows), len(getattr(problem, "front", ()))
        movable, random = problem.n - fixed, np.random.default_rng(checks.seed(seed))
        # An item that moves gets a random key between those of the others.
        keys = np.tile(np.arange(problem.n, dtype=float), (len(checked), 1))
        for _ in range(min(self.count, movable)):
            moved = fixed + random.integers(movable, size=len(checked))
            to = fixed - 0.5 + random.random(len(checked)) * movable
            keys[np.arange(len(checked)), moved] = to
        return np.take_along_axis(checked, keys.argsort(axis=1, kind="stable"), axis=1)
