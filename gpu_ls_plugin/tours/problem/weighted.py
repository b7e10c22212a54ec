"""Weighted sums of several lengths and Tchebycheff distances; each row has separate weights."""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from gpu_ls_plugin.backends.structs import row_type
from gpu_ls_plugin.core.exceptions import InvalidParameterError, UnsupportedProblemError
from gpu_ls_plugin.core.origins import sources_of
from gpu_ls_plugin.core.problem_data import array_of, check_finite
from gpu_ls_plugin.tours.problem.device_data import metric_data
from gpu_ls_plugin.tours.problem.metrics import Metric
from gpu_ls_plugin.tours.problem.objective import Objective
from gpu_ls_plugin.tours.problem.tsp import LENGTH, TSP

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.tours.problem.metrics import Cities, Lengths

ROW_LISTS = "tours/problem/row_lists.cuh"


class WeightedValues(NamedTuple):
    """The data of weighted sums of M objectives, one sum for each of P rows."""

    weights: NDArray[np.float64]  # (P, M)
    parts: tuple[NDArray[Any], ...]  # by objective: the coordinates or the matrix


class WeightedSum(Metric):
    """The weighted sum of the lengths of several metrics."""

    name = "WEIGHTED_SUM"
    integer = False
    explicit = True
    header = "tours/problem/weighted_sum.cuh"

    def __init__(self, metrics: tuple[Metric, ...]) -> None:
        self.metrics = metrics
        functors = ", ".join(metric.functor for metric in metrics)
        vars(self)["functor"] = f"gls::WeightedSum<{functors}>"

    def source(self) -> str:
        """Return the C++ code of all metrics, without repetitions."""
        return "\n".join(sources_of(*self.metrics))

    def lengths(self, values: Any, a: Cities, b: Cities) -> Lengths:
        """Return the lengths from cities `a` to cities `b`, with the weights of the first row."""
        total: Lengths = np.zeros(np.broadcast_shapes(np.shape(a), np.shape(b)))
        for metric, part, weight in zip(self.metrics, values.parts, values.weights[0], strict=True):
            total = total + weight * metric.lengths(part, a, b)
        return total

    def slack(self, values: Any) -> float:
        """Return infinity: estimates are not used."""
        return float("inf")

    def estimate_error(self, values: Any) -> tuple[float, float]:
        """Return zeros: real lengths are not estimated."""
        return 0.0, 0.0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WeightedSum) and self.metrics == other.metrics

    def __hash__(self) -> int:
        return hash(self.metrics)

    def __repr__(self) -> str:
        return f"WeightedSum({self.metrics!r})"


class WeightedTSP(TSP):
    """A problem in which each row of a batch has a different weighted sum of several lengths.

    Searches and crossovers take batches with exactly one tour per row of weights. All rows share
    the coordinates or matrices of the objectives.

    Parameters
    ----------
    parts : sequence of TSP
        The objectives, with the same number of cities.
    weights : array_like, shape (P, M) or (M,)
        Finite, at least 0, and not all 0 in a row; copied.
    listed : WeightedTSP, optional
        Each row uses the candidate lists of the row of `listed` whose weights are most similar. By
        default, each row has separate lists.
    scales : array_like, shape (M,), optional
        Factors by which weights are multiplied before they are compared with those of `listed`; by
        default, 1.
    objective : Objective, optional
        An objective that adds a cost to the weighted sum, such as `Tchebycheff`; by default, none.
    """

    parts: tuple[TSP, ...]
    weights: NDArray[np.float64]
    _listed: WeightedTSP | None
    _scales: ArrayLike

    def __init__(
        self,
        parts: tuple[TSP, ...],
        weights: ArrayLike,
        listed: WeightedTSP | None = None,
        scales: ArrayLike = 1.0,
        objective: Objective = LENGTH,
    ) -> None:
        checked = _checked_weights(weights, len(parts))
        self.__dict__.update(
            n=parts[0].n,
            coordinates=None,
            matrix=None,
            metric=WeightedSum(tuple(part.metric for part in parts)),
            name=" + ".join(part.name for part in parts if part.name),
            comment="",
            optimum=None,
            objective=objective,
            parts=tuple(parts),
            weights=checked,
            _listed=listed,
            _scales=scales,
        )

    @property
    def rows(self) -> int:
        """Number of tours in a batch."""
        return len(self.weights)

    @property
    def listed(self) -> WeightedTSP:
        return self if self._listed is None else self._listed

    @property
    def values(self) -> Any:
        """The data of the metric: weights, and the values of the objectives."""
        return WeightedValues(self.weights, tuple(part.values for part in self.parts))

    @cached_property
    def symmetric(self) -> bool:
        """Whether both directions of every edge are equally long in all objectives."""
        return all(part.symmetric for part in self.parts)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 (hexadecimal) of the objectives' fingerprints and the weights."""
        digest = hashlib.sha256(" ".join(part.fingerprint for part in self.parts).encode())
        digest.update(self.weights.tobytes())
        return digest.hexdigest()

    def row(self, number: int) -> WeightedTSP:
        """Return the problem of a single row."""
        return WeightedTSP(self.parts, self.weights[number], objective=self.objective)

    def lengths(self, a: Cities, b: Cities) -> Lengths:
        """Return the exact lengths from cities `a` to `b`; raise an error for several rows."""
        if self.rows > 1:
            raise UnsupportedProblemError(
                f"problem: each of its {self.rows} rows has its own lengths; use row(r), or a "
                "search or crossover that takes a batch of as many tours: LocalSearch with First() "
                "on candidate lists, IteratedLocalSearch, EdgeAssembly"
            )
        return self.metric.lengths(self.values, a, b)

    def cost(self, tours: Any) -> Lengths:
        """Return the costs (P,) of tours, each with the weights of its row."""
        total: Lengths = self.weighed([part.cost(tours) for part in self.parts])
        if not self.objective.length_alone:
            total = total + self.objective.costs(self, self.check(tours))
        return total

    def weighed(self, parts: Sequence[Any]) -> Any:
        """Return the weighted sums (P,) of costs; `parts` has those of each objective (P,)."""
        if self.rows > 1:
            self.require_rows(len(parts[0]))
        total: Any = 0.0
        for weight, costs in zip(self.weights.T, parts, strict=True):
            total = total + (_same_library(costs, weight) * costs)
        return total

    def require_rows(self, count: int) -> None:
        """Raise InvalidParameterError unless a batch has as many tours as there are rows."""
        if count != self.rows:
            raise InvalidParameterError(
                f"tours: there are {count}, but the problem has weights for {self.rows} rows; pass "
                "a row of weights for each tour"
            )

    def lists_by(self, build: Callable[[TSP], Any]) -> Any:
        """Return the lists that `build` makes for each row, stacked in the order of the rows."""
        if self.rows == 1:
            return build(self)
        made = [build(self.row(number)) for number in range(self.rows)]
        return type(made[0]).stacked(made)

    def device_arrays(self, backend: Any) -> Mapping[str, Any]:
        """Return the data of the functor: the words of each row (tours/problem/row_lists.cuh)."""
        size, objectives = self.weights.shape
        own = row_type(WeightedSum.header, "WeightedSumData", kObjectives=objectives)
        rows = np.empty(size, row_type(ROW_LISTS, "RowData").descr + own.descr)
        rows["cities"], rows["lists"] = self.n, self.list_rows()
        rows["metric_data"] = [backend.address(metric_data(backend, p)) for p in self.parts]
        rows["weights"] = self.weights
        return {"metric_data": backend.xp.asarray(rows.view(np.uint64).reshape(size, -1))}

    def under(self, objective: str | Objective) -> NoReturn:
        """Raise UnsupportedProblemError: use `MultiObjectiveTSP.tchebycheff` instead."""
        raise UnsupportedProblemError("objective: a weighted problem cannot get another objective")

    def list_rows(self) -> NDArray[Any]:
        """Return for each row the row of `listed` with the most similar weights."""
        if self._listed is None:
            return np.arange(self.rows)
        scales = np.asarray(self._scales)
        weights, listed = (
            scaled / scaled.sum(axis=1, keepdims=True)
            for scaled in (self.weights * scales, self._listed.weights * scales)
        )
        near: NDArray[Any] = ((weights[:, None] - listed) ** 2).sum(axis=2).argmin(axis=1)
        return near

    def __reduce__(self) -> tuple[Any, ...]:
        content = (self.parts, self.weights, self._listed, self._scales, self.objective)
        return type(self), content

    def __repr__(self) -> str:
        return f"<WeightedTSP {self.name or 'unnamed'}: {self.n} cities, {self.rows} rows>"


class Tchebycheff(Objective):
    """The weighted Tchebycheff distance of costs from an ideal point (Bowman 1976).

    Row r costs ``max(weights[r] * (costs - ideal))``, the maximum over the objectives. `weights`
    (P, M) are at least 0; `functors` are the C++ metrics of the objectives. Each Pareto-optimal
    tour is optimal for some weights; weighted sums reach only those on the convex hull.
    """

    name = "tchebycheff"
    header = "tours/problem/tchebycheff.cuh"

    def __init__(
        self, weights: NDArray[np.float64], ideal: NDArray[np.float64], functors: tuple[str, ...]
    ) -> None:
        self.weights, self.ideal = weights, ideal
        vars(self)["functor"] = f"gls::Tchebycheff<{', '.join(functors)}>"

    def costs(self, problem: Any, rows: NDArray[np.int32]) -> NDArray[Any]:
        """Return the distances of tours (P, n) from the ideal point."""
        apart = np.stack([part.cost(rows) for part in problem.parts], axis=1) - self.ideal
        distances: NDArray[Any] = (self.weights * apart).max(axis=1)
        return distances

    def row_words(self, backend: Any, problem: Any) -> tuple[NDArray[np.uint64], Any]:
        """Return the words of each row, and the array on the backend that they point to."""
        size, objectives = self.weights.shape
        sums = backend.xp.zeros((size, 2 * objectives))
        rows = np.empty(
            size, row_type(Tchebycheff.header, "TchebycheffData", kObjectives=objectives)
        )
        rows["metric_data"] = [backend.address(metric_data(backend, p)) for p in problem.parts]
        rows["weights"], rows["ideal"] = self.weights, self.ideal
        rows["sums"] = backend.address(sums) + sums.strides[0] * np.arange(size, dtype=np.uint64)
        return rows.view(np.uint64).reshape(size, -1), sums


def require_shared_lengths(problem: TSP, search: str) -> None:
    """Raise UnsupportedProblemError if each row has different lengths."""
    if problem.rows is not None:
        raise UnsupportedProblemError(
            f"problem: {search} needs the same lengths for all tours, but each row of this "
            "problem has its own; use First() on candidate lists and whole tours"
        )


def _checked_weights(given: ArrayLike, objectives: int) -> NDArray[np.float64]:
    weights = np.ascontiguousarray(np.atleast_2d(array_of(given, "weights")), np.float64)
    if weights.ndim != 2 or weights.shape[1] != objectives or not len(weights):
        raise InvalidParameterError(
            f"weights: shape {np.shape(given)}, but weights of {objectives} objectives are "
            f"(P, {objectives}), P >= 1"
        )
    check_finite(weights, "weights")
    wrong = (weights < 0).any(axis=1) | ~(weights > 0).any(axis=1)
    if wrong.any():
        row = int(wrong.argmax())
        raise InvalidParameterError(
            f"weights: row {row} is {weights[row].tolist()}, but weights must be at least 0, and "
            "not all of them 0"
        )
    weights.setflags(write=False)
    return weights


def _same_library(costs: Any, weights: NDArray[np.float64]) -> Any:
    """Return weights as an array of the library of `costs`: NumPy or CuPy."""
    if isinstance(costs, np.ndarray):
        return weights
    made = type(costs)(weights.shape, weights.dtype)
    made.set(np.ascontiguousarray(weights))
    return made
