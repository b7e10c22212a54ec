"""2-opt and a metric as third parties would write them, right or with planted faults."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpu_ls_plugin.tours.moves.base import Neighbourhood
from gpu_ls_plugin.tours.problem.metrics import Metric

TWO_OPT = """
struct MyTwoOpt {{
  GLS_DEVICE static int variants(int) {{ return {variants}; }}

  template <class View, class Length>
  GLS_DEVICE static Length gain(const View& view, const gls::FirstStep<Length>& first, int,
                                gls::Move& move) {{
    const auto path = view.path(first);
    const int t4 = path.at(path.step(first.t3) {side} 1);
    move.set(first, gls::Shape::{shape}, {edges}, t4, t4, t4);
    const Length gain = {judged}first.length + view.{leaving}(t4, first.t3), {added});
    return {claim};
  }}
  {more}
}};
"""
RIGHT = {
    **{"variants": "1", "side": "-", "shape": "kFlips", "edges": "2", "leaving": "leaving"},
    "added": "first.length - first.gain + view.length(t4, first.t1)",
    **{"judged": "view.gain(move, ", "claim": "gain", "more": ""},
}
METRIC = """
struct {name} : gls::EstimateByLength<{name}> {{
  using Length = gls::int64;
  const double* xy;
  GLS_DEVICE {name}(const void* data, int) : xy(static_cast<const double*>(data)) {{}}
  GLS_DEVICE Length operator()(int a, int b) const {{
    const double x = xy[2 * a] - xy[2 * b], y = xy[2 * a + 1] - xy[2 * b + 1];
    return {length};
  }}
  {more}
}};
"""
ROUNDED = "Length(sqrt(x * x + y * y) + 0.5)"


class MyTwoOpt(Neighbourhood):
    """2-opt; `faults` replace parts of its C++."""

    name = "my_two_opt"

    def __init__(self, **faults: str) -> None:
        self._text = TWO_OPT.format(**(RIGHT | faults))

    def functor(self, symmetric: bool) -> str:
        return "MyTwoOpt"

    def source(self) -> str:
        return self._text

    def variants(self, degree: int, symmetric: bool) -> int:
        return 1


class MyMetric(Metric):
    """EUC_2D; `length` and `more` are parts of its C++, and `faults` replace methods."""

    name = "MY_METRIC"
    functor = "MyMetric"

    def __init__(self, length: str = ROUNDED, more: str = "", **faults: Any) -> None:
        self._text = METRIC.format(name=self.functor, length=length, more=more)
        vars(self).update(faults)

    def source(self) -> str:
        return self._text

    def lengths(self, values: Any, a: Any, b: Any) -> Any:
        x, y = (column[a] - column[b] for column in values.T)
        return (np.sqrt(x * x + y * y) + 0.5).astype(np.int64)

    def slack(self, values: Any) -> float:
        return 1.0
