"""The check of metrics passes those that are right and finds planted faults."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gpu_ls_plugin.extend import InvalidProblemError
from gpu_ls_plugin.testing import check_metric
from gpu_ls_plugin.tours.problem.metrics import BUILT_IN_METRICS
from tests.helpers.marks import ON_BOTH, slow_after
from tests.helpers.third_party import ROUNDED, MyMetric
from tests.testing.faults import found_out


def by_pairs(values: Any, a: Any, b: Any) -> Any:
    """Return lengths; accepts only vectors."""
    return np.array([int(MyMetric().lengths(values, i, j)) for i, j in zip(a, b, strict=True)])


def rows_forgotten(values: Any, a: Any, b: Any) -> Any:
    """Return lengths that are right for vectors and wrong for tables."""
    found = MyMetric().lengths(values, a, b)
    return found if found.ndim < 2 else found * 0 + found[0]


def refusing(values: Any) -> None:
    raise InvalidProblemError("coordinates: no")


ESTIMATE = "GLS_DEVICE float estimate(gls::Point, gls::Point) const { return 1; }"
FAULTS = {
    "truncates": (
        MyMetric("Length(sqrt(x * x + y * y))"),
        "MyMetric says .* from city .* must compute",
    ),
    "one way only": (MyMetric(f"{ROUNDED} + (a < b)"), "MyMetric says"),
    "real lengths": (MyMetric(lengths=lambda p, a, b: 1.0 + 0 * (a + b)), "returns float64"),
    "negative": (MyMetric(lengths=lambda p, a, b: 0 * (a + b) - 1), "a number of at least 0"),
    "not elementwise": (MyMetric(lengths=by_pairs), r"lengths\(\) raised .*broadcast"),
    "of vectors alone": (MyMetric(lengths=rows_forgotten), "same cities in arrays of other shapes"),
    "no slack": (MyMetric("0 * Length(x) + 1", slack=lambda p: 0.0), "MyMetric says"),
    "longest too short": (MyMetric(longest=lambda p: 10.0), r"longest\(\) returns 10.0"),
    "slack of nothing": (MyMetric(slack=lambda p: float("nan")), "finite bounds"),
    "wrong tree": (MyMetric(tree_points=lambda p: -p[:, :1]), r"by tree_points\(\), but farther"),
    "estimates beyond the slack": (MyMetric(more=ESTIMATE), r"beyond slack\(\)"),
    "no points": (MyMetric(check=refusing), "refuses all points"),
    "no C++": (MyMetric("undefined"), "CompilationError"),
}


@ON_BOTH
@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_metric_is_found_out(fault, backend):
    found_out(check_metric, *FAULTS[fault], backend=backend)


@pytest.mark.slow
@ON_BOTH
def test_a_metric_that_is_right_passes(backend):
    check_metric(MyMetric(), backend=backend)


@pytest.mark.parametrize("name", ["EUC_2D", "EUC", *slow_after(0, ["FLOOR_2D", "HAVERSINE"])])
def test_built_in_metrics_pass(name):
    check_metric(BUILT_IN_METRICS[name](), backend="cpu")


def test_a_metric_of_matrices_needs_problems():
    with pytest.raises(AssertionError, match="problems"):
        check_metric(BUILT_IN_METRICS["EXPLICIT"]())
