"""What a CPU knows of loads before it asks the objective: it must not change a search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.extend import Resource
from tests.helpers.marks import slow_after
from tests.helpers.routing import giant_tours, random_cvrp

MOVES = [gls.TwoOpt(), gls.Relocate(3), gls.Exchange(2, 2), gls.TwoOptStar()]

PLAIN_LOAD = """
// Loads of which a search knows nothing but what routes use.
struct PlainLoad {
  static constexpr int kWords = 3;
  static constexpr bool kTurns = false, kAdds = true;
  using Amount = gls::int64;
  struct Segment {
    gls::int64 demand;
  };

  const gls::int64* demands;
  int customers;
  gls::int64 capacity;

  GLS_DEVICE explicit PlainLoad(const gls::uint64* words)
      : demands(gls::address<const gls::int64>(words[0])),
        customers(int(words[1])),
        capacity(gls::int64(words[2])) {}

  GLS_DEVICE Segment at(int node) const {
    return {gls::is_depot(node, customers) ? 0 : demands[node]};
  }
  template <class Edge>
  GLS_DEVICE Segment join(Segment a, Segment b, const Edge&) const {
    return {a.demand + b.demand};
  }
  GLS_DEVICE Segment turned(Segment segment) const { return segment; }
  GLS_DEVICE Segment without(Segment whole, Segment first, Segment node) const {
    return {whole.demand - first.demand + node.demand};
  }
  GLS_DEVICE Amount excess(Segment route) const {
    return route.demand > capacity ? route.demand - capacity : 0;
  }
};
"""


@dataclass(frozen=True, eq=False)
class PlainLoad(Resource):
    """What the built-in load is, without its shortcuts."""

    capacity: int

    name = "plain_load"
    segments = 1

    def functor(self, problem: Any) -> str:
        return "PlainLoad"

    def source(self) -> str:
        return PLAIN_LOAD

    def segment_bytes(self, problem: Any) -> int:
        return 8

    def words(self, backend: Any, problem: Any) -> list[Any]:
        demands = backend.xp.asarray(problem.demands.astype("int64"))
        return [demands, problem.customers, self.capacity]

    def weight(self, problem: Any) -> float:
        return 1000

    def excess(self, problem: Any, rows: Any) -> Any:
        return np.array(
            [
                sum(
                    max(0, int(problem.demands[route].sum()) - self.capacity)
                    for route in problem.routes(row)
                )
                for row in np.asarray(rows)
            ]
        )


def without_shortcuts(problem):
    """Return the same problem, whose loads are those of a resource of somebody else."""
    same = gls.CVRP(
        problem.nodes.coordinates,
        problem.demands,
        int(problem.demands.sum()),
        metric=problem.nodes.metric,
        service_times=problem.service_times,
        route_limit=problem.route_limit,
        copies=problem.copies,
    )
    return same.with_resources(PlainLoad(problem.capacity))


@pytest.mark.parametrize("kind", slow_after(1, ["capacity", "real duration", "real", "duration"]))
def test_loads_that_are_known_first_change_no_search(kind):
    problem = random_cvrp(kind, 60, 7)
    search = gls.LocalSearch(MOVES, candidates=gls.Nearest(10))
    starts = np.concatenate(
        [
            gls.savings(problem, size=20, seed=1, backend="cpu"),
            gls.one_route_each(problem, size=5, seed=2, backend="cpu"),
            giant_tours(problem, 10, 3),  # of which half break constraints
        ]
    )
    found = search(problem, starts, seed=1, backend="cpu")
    plain = search(without_shortcuts(problem), starts, seed=1, backend="cpu")
    feasible = problem.feasible(starts)
    assert feasible.sum() >= 25
    assert found.tours[feasible].tolist() == plain.tours[feasible].tolist()
    assert found.statistics.moves > 100
