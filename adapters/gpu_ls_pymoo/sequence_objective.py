"""The objective of a pymoo problem whose rows are permutations."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np
from pymoo.core.individual import default_config

import gpu_ls_plugin as gls
from gpu_ls_plugin.evolution.recognition import answer_of
from gpu_ls_pymoo.recognition import twin_of

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pymoo.core.problem import Problem

SAMPLE = 8  # number of random rows from which the price of violations follows
DEAR = 10.0  # price of the usual violation, in mean absolute costs of random rows


class PymooObjective(gls.SequenceObjective):
    """A pymoo problem as an objective of level "python": a copy evaluates rows in batches.

    Parameters
    ----------
    problem : pymoo.core.problem.Problem
    weights : float64 array, shape (n_obj,)
    price : float, optional
        See `as_sequence`.
    """

    integer = False

    def __init__(self, problem: Problem, weights: NDArray[Any], price: float | None) -> None:
        self.name = type(problem).__name__  # type: ignore[misc]
        self._problem, self._weights = twin_of(problem), weights
        self.price = self._usual_price() if price is None else price

    def evaluate(self, rows: NDArray[Any], /) -> Any:
        """Return the weighted sum of F; if there are constraints, also their violation."""
        found = answer_of(self.name, self._evaluated, rows)
        costs = np.asarray(found["F"], np.float64) @ self._weights
        if not self._problem.n_constr:
            return costs
        tolerance = default_config()["cv_eq"]["eps"]
        over = [found["G"]] if self._problem.n_ieq_constr else []
        over += [np.abs(found["H"]) - tolerance] if self._problem.n_eq_constr else []
        return costs, np.maximum(np.concatenate(over, axis=1), 0.0).sum(axis=1)

    def objectives(self, rows: NDArray[Any]) -> NDArray[np.float64]:
        """Return F of rows, shape (P, n_obj)."""
        return np.asarray(answer_of(self.name, self._evaluated, rows)["F"], np.float64)

    def _evaluated(self, rows: NDArray[Any]) -> dict[str, NDArray[Any]]:
        """Return F, G and H of rows."""
        found: dict[str, NDArray[Any]] = self._problem.evaluate(
            rows.astype(np.int64), return_as_dictionary=True
        )
        return found

    def weighted(self, weights: NDArray[Any]) -> PymooObjective:
        """Return the objective with other weights, and the usual price."""
        other = copy(self)
        other._weights = weights
        other.price = other._usual_price()
        return other

    def _usual_price(self) -> float:
        if not self._problem.n_constr:
            return 1.0
        rows = np.tile(np.arange(self._problem.n_var), (SAMPLE, 1))
        costs, over = self.evaluate(np.random.default_rng(0).permuted(rows, axis=1))
        unit = np.median(over[over > 0]) if over.any() else 1.0
        return float(max(1.0, DEAR * np.abs(costs).mean() / min(1.0, unit)))
