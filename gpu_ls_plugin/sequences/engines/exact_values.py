"""Values of kernels, compared with those of the referee."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.exceptions import FaultyPartError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.sequences.problem.sequence import Sequence

CLOSE = 1e-9  # largest relative difference of real values of a kernel and of the referee

Values = tuple["NDArray[np.int32]", "NDArray[Any]"]  # rows (P, n) and their values (P,)


def check_values(problem: Sequence, found: Values, given: Values) -> NDArray[Any]:
    """Return the values of the referee; raise FaultyPartError if a kernel found others.

    Real values may differ by rounding errors, which are relative to the larger one of the values
    found and given.
    """
    (rows, values), exact = found, problem.compared(found[0])
    wrong = values != exact
    if not problem.integer:
        scale = np.maximum(np.abs(exact), np.abs(given[1]))
        wrong = np.abs(values - exact) > CLOSE * (1 + scale)
    if wrong.any():
        row = int(wrong.argmax())
        raise FaultyPartError(
            f"objective: {problem.objective.functor()} computes {values[row]} for row "
            f"{rows[row].tolist()!r:.200}, but evaluate() returns {exact[row]}; "
            "gls.testing.check_sequence_objective finds the member that is wrong"
        )
    return exact


def never_worse(problem: Sequence, found: Values, given: NDArray[np.int32]) -> Values:
    """Return rows with the values of the referee; the given row if a row is worse than that.

    This happens if rounding errors make a row seem better than it is. `found` has the values of the
    referee.
    """
    (rows, exact), before = found, problem.compared(given)
    worse = exact > before
    return np.where(worse[:, None], given, rows), np.where(worse, before, exact)
