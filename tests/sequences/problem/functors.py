"""Costs of sequences by all members that a functor has, for comparison with the referee."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.composition import TEAM, Kernel, parse_parameters

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.sequences.problem.sequence import Sequence

# Each row has n + 1 costs: one for each number of items before a cut.
PROBE = """
struct Probe {{
  template <class Team>
  static void run(const Team&, int item, const int* rows, int n, const gls::uint64* words,
                  {cost}* costs) {{
    {functor} o;
    {fields}
    for (int cut = 0; cut <= n; ++cut) {{
      costs[item * (n + 1) + cut] = of(o, rows + item * n, n, cut);
    }}
  }}
  template <class O>
  static {cost} of(const O& o, const int* row, int n, int cut) {{
    using namespace gls::sequences;
    if constexpr (kHasPairs<O>) {{
      {cost} sum = 0;
      for (int b = 0; b < n; ++b)
        for (int a = 0; a < b; ++a) sum += o.pair(row[a], row[b]);
      return sum;
    }} else {{
      auto before = o.begin();
      for (int at = 0; at < cut; ++at) before = o.append(before, row[at]);
      if constexpr (kHasJoin<O>) {{
        auto after = o.end();
        for (int at = n; at-- > cut;) after = o.prepend(after, row[at]);
        return o.join(before, after);
      }} else if constexpr (kHasConcatenate<O>) {{
        auto after = o.begin();
        for (int at = n; at-- > cut;) {{
          after = o.concatenate(o.append(o.begin(), row[at]), after);
        }}
        return o.cost(o.concatenate(before, after));
      }} else {{
        for (int at = cut; at < n; ++at) before = o.append(before, row[at]);
        return o.cost(before);
      }}
    }}
  }}
}};
"""


def permutations(size: int, n: int, seed: int = 0) -> NDArray[np.int32]:
    """Return random sequences (size, n)."""
    rng = np.random.default_rng(seed)
    return np.array([rng.permutation(n) for _ in range(size)], np.int32)


def costs_by_functor(problem: Sequence, rows: NDArray[np.int32]) -> NDArray[Any]:
    """Return the cost of each row (P, n) at each cut, shape (P, n + 1), computed in C++."""
    objective, n = problem.objective, problem.n
    data = dict(objective.data())
    words = [
        value.ctypes.data if isinstance(value, np.ndarray) else value for value in data.values()
    ]
    fields = [f"gls::sequences::set_field(o.{name}, words[{i}]);" for i, name in enumerate(data)]
    cost = "gls::int64" if problem.integer else "double"
    text = PROBE.format(functor=objective.functor(), cost=cost, fields=" ".join(fields))
    kernel = Kernel(
        name="probe",
        header=TEAM,
        body="Probe",
        parameters=parse_parameters(
            f"const int* rows, int n, const gls::uint64* words, {cost}* costs"
        ),
        team="gls::Host",
        functors=(text,),
        headers=(objective.header,),
    )
    costs = np.zeros((len(rows), n + 1), problem.cost_dtype)
    arguments = {"rows": rows, "n": n, "words": np.array(words, np.uint64), "costs": costs}
    get_backend("cpu").launch(kernel, len(rows), arguments)
    return costs
