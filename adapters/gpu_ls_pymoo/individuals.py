"""Changes to pymoo's individuals: new rows and fitness replace all former values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from gpu_ls_pymoo.view import Fitness

_EVALUATED = ("F", "G", "H")  # values that pymoo's evaluator checks


def write(individuals: Iterable[Any], rows: NDArray[Any], values: Fitness | None) -> None:
    """Write new rows into individuals, and reset their other values.

    `values` is the fitness of the rows. If it is given, pymoo neither evaluates nor counts the
    individuals. If it is None, pymoo does both.
    """
    for place, individual in enumerate(individuals):
        individual.reset(data=False)  # because assigning X keeps F and the cached violation
        individual.X = rows[place].copy()
        if values is not None:
            individual.F = np.atleast_1d(values[place])
            individual.evaluated.update(_EVALUATED)


def count(algorithm: Any, evaluations: int) -> None:
    """Add evaluations that pymoo does not see to its count, on which terminations may depend."""
    if algorithm is not None:
        algorithm.evaluator.n_eval += evaluations
