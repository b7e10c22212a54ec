"""Checks a plugin's metric: compares its functor with its Python class on sampled pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gpu_ls_plugin.backends.structs import struct_of
from gpu_ls_plugin.core.exceptions import FaultyPartError
from gpu_ls_plugin.tours.problem.metric_kernel import metric_kernel
from gpu_ls_plugin.tours.problem.metrics import INTEGER_LIMIT, REAL_LIMIT

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.tours.problem.metrics import Metric
    from gpu_ls_plugin.tours.problem.tsp import TSP

Pairs = tuple[NDArray[np.int32], NDArray[np.int32]]

HEADER = "tours/problem/pair_lengths.cuh"
PAIRS = 4096  # maximum number of pairs to compare
ROUNDING = 1e-12  # allowed relative difference of real lengths


def pair_lengths_kernel(metric: Metric, team: str) -> Kernel:
    """Return the kernel that computes lengths and estimates of pairs of cities."""
    body = "gls::PairLengths<{team}, {metric}>"
    parameters = (struct_of(HEADER, "CityPairs"),)
    return metric_kernel("pair_lengths", metric, HEADER, body, parameters, team)


def check_metric(backend: Backend, problem: TSP, data: Any) -> None:
    """Raise FaultyPartError if a metric's functor, which reads `data`, disagrees with `lengths`."""
    if problem.n < 2:
        return
    a, b = pairs = sampled_pairs(problem.n)
    metric, exact = problem.metric, _python_lengths(problem, a, b)
    lengths, estimates = _functor_lengths(backend, problem, data, a, b)
    tolerance = 0 if metric.integer else ROUNDING * exact
    functor = metric.functor
    wrong = np.abs(lengths - exact) > tolerance
    _raise_for_first(metric, pairs, wrong, f"{functor} says", lengths, exact)
    wrong = np.abs(estimates - exact) > metric.slack(problem.values)
    _raise_for_first(
        metric, pairs, wrong, f"{functor} is beyond slack(): it estimates", estimates, exact
    )


def sampled_pairs(n: int) -> Pairs:
    """Return pairs of distinct cities, each in both directions: all, or a sample of `PAIRS`."""
    if n * (n - 1) <= PAIRS:
        a, b = np.divmod(np.arange(n * n), n)
        a, b = a[a != b], b[a != b]
    else:
        random = np.random.default_rng(0)
        a, step = random.integers(n, size=PAIRS // 2), random.integers(1, n, size=PAIRS // 2)
        step[::8] = 1  # consecutive cities are often near each other
        b = (a + step) % n
        a, b = np.concatenate([a, b]), np.concatenate([b, a])
    return a.astype(np.int32), b.astype(np.int32)


def _python_lengths(problem: TSP, a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """Return the lengths from the metric's Python class; check their type, range and symmetry."""
    metric = problem.metric
    exact = np.asarray(problem.lengths(a, b))
    kinds = "iu" if metric.integer else "f"
    if exact.shape != a.shape or exact.dtype.kind not in kinds:
        raise FaultyPartError(
            f"metric: lengths() of {metric.name!r} returns {exact.dtype} of shape {exact.shape} "
            f"for {len(a)} pairs, but should return {problem.cost_dtype} of shape {a.shape}"
        )
    limit = INTEGER_LIMIT if metric.integer else REAL_LIMIT
    unusable = ~np.isfinite(exact) | (exact < 0) | (exact >= limit)
    _raise_for_first(metric, (a, b), unusable, "lengths() says", exact, "a number of at least 0")
    if problem.symmetric:
        reverse = np.asarray(problem.lengths(b, a))
        _raise_for_first(metric, (b, a), reverse != exact, "lengths() says", reverse, exact)
    return exact


def _functor_lengths(
    backend: Backend, problem: TSP, data: Any, a: NDArray[Any], b: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    xp, count = backend.xp, len(a)
    arguments = {
        "metric_data": data,
        "n": problem.n,
        "pairs": count,
        "from": xp.asarray(a),
        "to": xp.asarray(b),
        "lengths": xp.empty(count, problem.cost_dtype),
        "estimates": xp.empty(count, "float32"),
    }
    backend.launch(pair_lengths_kernel(problem.metric, backend.block(256)), 1, arguments)
    return backend.to_numpy(arguments["lengths"]), backend.to_numpy(arguments["estimates"])


def _raise_for_first(
    metric: Metric, pairs: Pairs, wrong: NDArray[Any], source: str, given: Any, wanted: Any
) -> None:
    """Raise FaultyPartError for the first pair with a wrong length, if there is one."""
    if wrong.any():
        pair = int(wrong.argmax())
        a, b = (int(cities[pair]) for cities in pairs)
        raise FaultyPartError(
            f"metric: {metric.name!r}: {source} {given[pair]} from city {a} to city {b} instead of "
            f"{np.broadcast_to(wanted, wrong.shape)[pair]}; the functor and lengths() must compute "
            "the same numbers in both directions"
        )
