"""A resource of a third party: time windows; a late vehicle goes back in time (time warp)."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpu_ls_plugin.extend import Resource, UnsupportedProblemError

TIME_WINDOWS = """
// A vehicle waits if it is early, and pays for time warp if it is late (Vidal et al. 2013).
struct OtherWindows {
  static constexpr int kWords = 4;
  static constexpr bool kTurns = true, kAdds = false;
  using Amount = gls::int64;
  struct Segment {
    gls::int64 duration, early, late, warp;
  };

  const gls::int64 *early, *late, *services;
  int customers;

  GLS_DEVICE explicit OtherWindows(const gls::uint64* words)
      : early(gls::address<const gls::int64>(words[0])),
        late(gls::address<const gls::int64>(words[1])),
        services(gls::address<const gls::int64>(words[2])),
        customers(int(words[3])) {}

  GLS_DEVICE Segment at(int node) const {
    const int own = gls::is_depot(node, customers) ? 0 : node;
    return {services[own], early[own], late[own], 0};
  }
  GLS_DEVICE Segment join(const Segment& a, const Segment& b, gls::int64 travel) const {
    const gls::int64 on = a.duration - a.warp + travel;
    const gls::int64 wait = most(b.early - on - a.late, 0), warp = most(a.early + on - b.late, 0);
    return {a.duration + b.duration + travel + wait, most(b.early - on, a.early) - wait,
            -most(on - b.late, -a.late) + warp, a.warp + b.warp + warp};
  }
  GLS_DEVICE Amount excess(const Segment& route) const { return route.warp; }

 private:
  GLS_DEVICE static gls::int64 most(gls::int64 a, gls::int64 b) { return a > b ? a : b; }
};
"""


@dataclass(frozen=True, eq=False)
class TimeWindows(Resource):
    """Service begins within windows, rows of (early, late); that of the depot is the first."""

    windows: Any

    name = "time_windows"

    def check(self, problem: Any) -> None:
        if not problem.integer or len(self.windows) != problem.customers + 1:
            raise UnsupportedProblemError("problem: these are the windows of another problem")

    def functor(self, problem: Any) -> str:
        return "OtherWindows"

    def source(self) -> str:
        return TIME_WINDOWS

    def segment_bytes(self, problem: Any) -> int:
        return 32

    def words(self, backend: Any, problem: Any) -> list[Any]:
        early, late = (backend.xp.asarray(column.astype("int64")) for column in self.windows.T)
        return [early, late, backend.xp.asarray(problem.service_times), problem.customers]

    def weight(self, problem: Any) -> float:
        return 64

    def excess(self, problem: Any, rows: Any) -> Any:
        """Return the time warp of walks along the tours."""
        return np.array([self._warp(problem, row) for row in np.asarray(rows)])

    def _warp(self, problem: Any, row: Any) -> int:
        nodes = np.where(row > problem.customers, 0, row)
        nodes = [*np.roll(nodes, -int((nodes == 0).argmax())), 0]
        warp, time = 0, int(self.windows[0, 0])
        for a, b in itertools.pairwise(nodes):
            if a == 0:
                time = int(self.windows[0, 0])
            if a == 0 and b == 0:
                continue
            time += int(problem.service_times[a] + problem.nodes.distance(a, b))
            time = max(time, int(self.windows[b, 0]))
            warp += max(0, time - int(self.windows[b, 1]))
            time = min(time, int(self.windows[b, 1]))
        return warp


def some_windows(problem: Any, seed: int = 0) -> TimeWindows:
    """Return random windows; random tours miss some of them."""
    random = np.random.default_rng(seed)
    early = random.integers(0, 300, problem.customers + 1)
    early[0] = 0
    late = early + random.integers(30, 200, problem.customers + 1)
    late[0] = 700
    return TimeWindows(np.stack([early, late], axis=1))
