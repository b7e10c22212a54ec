"""The heuristic that FANG is measured with: points on a grid that walk to their goals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.extend import Heuristic

if TYPE_CHECKING:
    from numpy.typing import NDArray

FUNCTOR = """
struct Farthest {
  int distance = 0;
  Farthest() = default;
  GLS_DEVICE explicit Farthest(int distance) : distance(distance) {}
  GLS_DEVICE Farthest join(const Farthest& other) const {
    return distance < other.distance ? other : *this;
  }
};

// Values are the cells of a square of kSide x kSide around a point, without its middle; a rating is
// the sum of the Manhattan distances of a cell to kLoad goals of the point.
template <int kSide, int kLoad>
struct GridWalk {
  using Rating = int;
  using Aggregate = Farthest;

  struct Point {
    int x, y;
  };
  const Point *begins, *goals;

  GLS_DEVICE explicit GridWalk(const gls::uint64* words)
      : begins(gls::address<const Point>(words[0])), goals(gls::address<const Point>(words[1])) {}

  GLS_DEVICE static Point* points(const gls::State& state) {
    return reinterpret_cast<Point*>(state.kept);
  }
  GLS_DEVICE static Point cell(int value) {  // as it lies in the square
    const unsigned behind = unsigned(kSide * kSide / 2 - 1 - value) >> 31;  // the middle: its sign
    const unsigned place = value + behind, row = place / kSide;
    return {int(place - row * kSide), int(row)};
  }
  GLS_DEVICE static Point corner(const gls::State& state, int variable) {
    const Point point = points(state)[variable];
    return {point.x - kSide / 2, point.y - kSide / 2};
  }
  template <class Team>
  GLS_DEVICE void begin(const Team& team, const gls::State& state) const {
    team.each(state.m, [&](int variable) { points(state)[variable] = begins[variable]; });
  }
  GLS_DEVICE int values(const gls::State&, int) const { return kSide * kSide - 1; }
  struct Rater {
    Point goals[kLoad];  // as they lie to the square

    GLS_DEVICE int operator()(int value) const {
      const Point at = cell(value);
      int sum = 0;
      GLS_UNROLL
      for (const Point& goal : goals) {
        const int x = at.x - goal.x, y = at.y - goal.y;
        sum += (x < 0 ? -x : x) + (y < 0 ? -y : y);
      }
      return sum;
    }
  };
  GLS_DEVICE Rater rater(const gls::State& state, int variable) const {
    const Point from = corner(state, variable);
    Rater rater;
    GLS_UNROLL
    for (int k = 0; k < kLoad; ++k) {
      const Point goal = goals[variable * kLoad + k];
      rater.goals[k] = {goal.x - from.x, goal.y - from.y};
    }
    return rater;
  }
  GLS_DEVICE gls::uint32 weight(int distance, const Farthest& farthest) const {
    return gls::uint32(1 + farthest.distance - distance);
  }
  GLS_DEVICE void assign(const gls::State& state, int variable, int value) const {
    const Point from = corner(state, variable), at = cell(value);
    points(state)[variable] = {from.x + at.x, from.y + at.y};
  }
  GLS_DEVICE void unassigned(const gls::State&, int) const {}
};
"""
SIDE = 1000  # of the grid


class GridWalk(Heuristic):
    """Cells next to a point are likelier the nearer they are to its goals (section 4).

    The paper does not say how a distance becomes a weight: here by what it is less than that of
    the farthest cell, which takes its aggregate.
    """

    name = "grid_walk"
    rating_bytes = 4

    def __init__(self, variables: int, side: int, load: int = 1) -> None:
        rng = np.random.default_rng(variables)
        self.variables, self.side, self.load = variables, side, load
        self.begins = rng.integers(0, SIDE, (variables, 2)).astype(np.int32)
        self.goals = rng.integers(0, SIDE, (variables, load, 2)).astype(np.int32)

    def sizes(self, problem: object) -> NDArray[Any]:
        """Return the cells around each point."""
        return np.full(self.variables, self.side**2 - 1)

    def functor(self) -> str:
        """Return the C++ type."""
        return f"GridWalk<{self.side}, {self.load}>"

    def source(self) -> str:
        """Return its text."""
        return FUNCTOR

    def words(self, backend: object, problem: object) -> list[Any]:
        """Return where points begin, and their goals."""
        return [self.begins, self.goals]

    def kept_bytes(self, problem: object) -> int:
        """Return the bytes of all points."""
        return 8 * self.variables
