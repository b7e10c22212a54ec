"""The check of metrics passes those that are right and finds planted faults."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gpu_ls_plugin.extend import InvalidProblemError, Metric
from gpu_ls_plugin.testing import check_metric
from gpu_ls_plugin.tours.problem.metrics import BUILT_IN_METRICS
from tests.helpers.marks import slow_after
from tests.testing.faults import ON_BOTH, found_out

FUNCTOR = """
struct Mine : gls::EstimateByLength<Mine> {{
  using Length = gls::int64;
  const double* xy;
  GLS_DEVICE Mine(const void* data, int) : xy(static_cast<const double*>(data)) {{}}
  GLS_DEVICE Length operator()(int a, int b) const {{
    const double x = xy[2 * a] - xy[2 * b], y = xy[2 * a + 1] - xy[2 * b + 1];
    return {length};
  }}
}};
"""
ROUNDED = "Length(sqrt(x * x + y * y) + 0.5)"


class Mine(Metric):
    """EUC_2D as a third party would write it; methods can be replaced by faulty ones."""

    name = "MINE"
    functor = "Mine"

    def __init__(self, length: str = ROUNDED, **faults: Any) -> None:
        self._length = length
        vars(self).update(faults)

    def source(self) -> str:
        return FUNCTOR.format(length=self._length)

    def lengths(self, values: Any, a: Any, b: Any) -> Any:
        x, y = (column[a] - column[b] for column in values.T)
        return (np.sqrt(x * x + y * y) + 0.5).astype(np.int64)

    def slack(self, values: Any) -> float:
        return 1.0


def by_pairs(values: Any, a: Any, b: Any) -> Any:
    """Return lengths; accepts only vectors."""
    return np.array([int(Mine().lengths(values, i, j)) for i, j in zip(a, b, strict=True)])


def rows_forgotten(values: Any, a: Any, b: Any) -> Any:
    """Return lengths that are right for vectors and wrong for tables."""
    found = Mine().lengths(values, a, b)
    return found if found.ndim < 2 else found * 0 + found[0]


def refusing(values: Any) -> None:
    raise InvalidProblemError("coordinates: no")


FAULTS = {
    "truncates": (Mine("Length(sqrt(x * x + y * y))"), "Mine says .* from city .* must compute"),
    "one way only": (Mine(f"{ROUNDED} + (a < b)"), "Mine says"),
    "real lengths": (Mine(lengths=lambda p, a, b: 1.0 + 0 * (a + b)), "returns float64"),
    "negative": (Mine(lengths=lambda p, a, b: 0 * (a + b) - 1), "a number from 0 on"),
    "not elementwise": (Mine(lengths=by_pairs), r"lengths\(\) raised .*broadcast"),
    "of vectors alone": (Mine(lengths=rows_forgotten), "same cities in arrays of other shapes"),
    "no slack": (Mine("0 * Length(x) + 1", slack=lambda p: 0.0), "Mine says"),
    "longest too short": (Mine(longest=lambda p: 10.0), r"longest\(\) returns 10.0"),
    "slack of nothing": (Mine(slack=lambda p: float("nan")), "finite bounds"),
    "wrong tree": (Mine(tree_points=lambda p: -p[:, :1]), r"by tree_points\(\), but farther"),
    "no points": (Mine(check=refusing), "refuses all points"),
    "no C++": (Mine("undefined"), "CompilationError"),
}


@ON_BOTH
@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_metric_is_found_out(fault, backend):
    found_out(check_metric, *FAULTS[fault], backend=backend)


class Careless(Mine):
    """A metric whose estimates are far from its lengths."""

    functor = "Careless"

    def source(self) -> str:
        text = FUNCTOR.replace("Mine", "Careless").format(length=ROUNDED)
        estimate = "  GLS_DEVICE float estimate(gls::Point, gls::Point) const { return 1; }\n};"
        return text.rstrip().removesuffix("};") + estimate


def test_estimates_beyond_the_slack_are_found_out():
    found_out(check_metric, Careless(), r"beyond slack\(\)", backend="cpu")


@ON_BOTH
def test_a_metric_that_is_right_passes(backend):
    check_metric(Mine(), backend=backend)


@pytest.mark.parametrize("name", ["EUC_2D", "EUC", *slow_after(0, ["FLOOR_2D", "HAVERSINE"])])
def test_built_in_metrics_pass(name):
    check_metric(BUILT_IN_METRICS[name](), backend="cpu")


def test_a_metric_of_matrices_needs_problems():
    with pytest.raises(AssertionError, match="problems"):
        check_metric(BUILT_IN_METRICS["EXPLICIT"]())
