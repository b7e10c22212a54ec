"""Write rows and fitness into pymoo's individuals without leaving anything stale behind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from gpu_ls_pymoo.view import Fitness

_EVALUATED = ("F", "G", "H")  # what pymoo's evaluator asks for


def write(individuals: Iterable[Any], rows: NDArray[Any], values: Fitness | None) -> None:
    """Give individuals new rows (in place).

    What was known about the old row is forgotten. With `values` the individuals are evaluated,
    and pymoo neither evaluates nor counts them; without, it does both.
    """
    for place, individual in enumerate(individuals):
        individual.reset(data=False)  # changing X alone would keep F and the cached violation
        individual.X = rows[place].copy()
        if values is not None:
            individual.F = np.atleast_1d(values[place])
            individual.evaluated.update(_EVALUATED)


def count(algorithm: Any, evaluations: int) -> None:
    """Add to the number of evaluations of a run what pymoo does not see, so that limits hold."""
    if algorithm is not None:
        algorithm.evaluator.n_eval += evaluations
