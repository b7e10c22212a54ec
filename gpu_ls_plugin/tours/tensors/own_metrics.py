"""Metrics whose data are arrays of the caller: coordinates or matrices in float32 or float64."""

from __future__ import annotations

from functools import cache

from gpu_ls_plugin.tours.problem.metrics import Euclidean, ExplicitReal, Metric


class SingleEuclidean(Euclidean):
    """Euclidean lengths of float32 coordinates, computed in float64."""

    name = "EUC of float32"
    functor = "gls::EuclideanOf<float>"


class SingleExplicit(ExplicitReal):
    """Lengths from a float32 matrix."""

    name = "EXPLICIT_REAL of float32"
    functor = "gls::ExplicitSingle"


@cache
def metric_of(matrices: bool, single: bool) -> Metric:
    """Return the metric of matrices, or of coordinates, of type float32 (`single`) or float64."""
    if matrices:
        return SingleExplicit() if single else ExplicitReal()
    return SingleEuclidean() if single else Euclidean()
