"""The heuristic that FANG is measured with: points on a grid that walk to their goals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.extend import Heuristic

if TYPE_CHECKING:
    from numpy.typing import NDArray

FUNCTOR = """
GLS_DEVICE int magnitude(int number) {
#ifdef __CUDACC__
  int found;
  asm("abs.s32 %0, %1;" : "=r"(found) : "r"(number));
  return found;
#else
  return number < 0 ? -number : number;
#endif
}
GLS_DEVICE int larger(int a, int b) {
#ifdef __CUDACC__
  int found;
  asm("max.s32 %0, %1, %2;" : "=r"(found) : "r"(a), "r"(b));
  return found;
#else
  return a < b ? b : a;
#endif
}

struct Farthest {
  int beyond = 0;  // one more than the greatest distance
  Farthest() = default;
  GLS_DEVICE explicit Farthest(int distance) : beyond(distance + 1) {}
  GLS_DEVICE Farthest join(const Farthest& other) const {
    Farthest both;
    both.beyond = larger(beyond, other.beyond);
    return both;
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
  // Rows of cells are found by a product of 64 bits, from which the first goal's is already taken:
  // its upper half is by how many rows a cell is below the goal.
  struct Rater {
    static constexpr int kShare = int(((1ull << 32) + kSide - 1) / kSide);
    static_assert(kSide > 2 && kSide < 1625, "a row is the upper half of place * kShare");

    int goal;            // the place of the first goal, as if the square had no end
    gls::int64 to_goal;  // of the products
    Point others[kLoad]; // as they lie to the first one

    GLS_DEVICE int operator()(int value) const {
      const unsigned behind = unsigned(kSide * kSide / 2 - 1 - value) >> 31;
      const int place = value - goal + int(behind);
      const int y = int((gls::int64(place) * kShare + to_goal) >> 32), x = place - y * kSide;
      int sum = magnitude(x) + magnitude(y);
      GLS_UNROLL
      for (int k = 1; k < kLoad; ++k) {
        const int right = x - others[k].x, down = y - others[k].y;
        sum += magnitude(right) + magnitude(down);
      }
      return sum;
    }
  };
  GLS_DEVICE Rater rater(const gls::State& state, int variable) const {
    const Point from = corner(state, variable), *const own = goals + variable * kLoad;
    const int x = own[0].x - from.x, y = own[0].y - from.y;
    Rater rater;
    rater.goal = x + y * kSide;
    rater.to_goal = gls::int64(rater.goal) * Rater::kShare - gls::int64(y) * (1ll << 32);
    GLS_UNROLL
    for (int k = 0; k < kLoad; ++k) rater.others[k] = {own[k].x - own[0].x, own[k].y - own[0].y};
    return rater;
  }
  GLS_DEVICE gls::uint32 weight(int distance, const Farthest& farthest) const {
    return gls::uint32(farthest.beyond - distance);
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
