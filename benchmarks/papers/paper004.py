"""The heuristic with which FANG is measured: points on a grid that walk to their goals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.extend import Heuristic

if TYPE_CHECKING:
    from numpy.typing import NDArray

FUNCTOR = """
// Numbers are whole or, in squares of an even side, halves, and far below 2^22: floats add them
// exactly. A GPU adds twice as many floats as integers, and takes absolute values on the way.
constexpr float kWhole = 8388608;  // 2^23: what is above it is whole

GLS_DEVICE float above(int number) {  // kWhole + number
#ifdef __CUDACC__
  return __int_as_float(0x4B000000 + number);
#else
  return kWhole + float(number);
#endif
}
GLS_DEVICE float product_and(float a, float b, float more) {
#ifdef __CUDACC__
  return __fmaf_rn(a, b, more);
#else
  return a * b + more;
#endif
}
GLS_DEVICE float difference_from_0_to_1(float a, float b) {
#ifdef __CUDACC__
  float found;
  asm("sub.ftz.sat.f32 %0, %1, %2;" : "=f"(found) : "f"(a), "f"(b));
  return found;
#else
  return a > b ? 1.0f : 0.0f;  // they are whole
#endif
}
// A whole number from zero on as an integer in the same order: itself, or a float's bits.
GLS_DEVICE int coded(float number) {
#ifdef __CUDACC__
  return __float_as_int(number);
#else
  return int(number);
#endif
}
GLS_DEVICE int difference_and_1(int coded, int other) {
#ifdef __CUDACC__
  const float difference = (__int_as_float(coded) + (1 + kWhole)) - __int_as_float(other);
  return __float_as_int(difference) - 0x4B000000;
#else
  return coded - other + 1;
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
  int distance = -1;  // coded
  Farthest() = default;
  GLS_DEVICE explicit Farthest(int distance) : distance(distance) {}
  GLS_DEVICE Farthest join(const Farthest& other) const {
    return Farthest(larger(distance, other.distance));
  }
};

// Values are the cells of a square of kSide x kSide around a point, without its middle; a rating is
// the sum of the Manhattan distances of a cell to kLoad goals of the point.
template <int kSide, int kLoad>
struct GridWalk {
  using Rating = int;  // coded
  using Aggregate = Farthest;
  static constexpr int kWeightBits = 23;
  static_assert(kSide > 2 && kSide < 1000, "the nearest row is a product's");

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
    const unsigned place = value + (value >= kSide * kSide / 2), row = place / kSide;
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

  // Cells are numbered from the middle of the first goal's row on, so that the nearest whole number
  // of rows is by how many a cell is below the goal.
  struct Rater {
    static constexpr float kSkipped = kWhole + (kSide * kSide / 2 - 1);  // above the one before

    float first;  // cell 0, less kWhole
    float goal;   // from the middle of its row
    struct {
      float x, y;
    } others[kLoad];  // as they lie to the first one

    GLS_DEVICE int operator()(int value) const {
      const float number = above(value);
      float cell = (number - first) + difference_from_0_to_1(number, kSkipped);
      if constexpr (kSide % 2 == 0) cell += 0.5f;
      const float y = product_and(cell, 1.0f / kSide, 1.5f * kWhole) - 1.5f * kWhole;
      const float x = product_and(y, -kSide, cell) - goal;
      float sum = fabsf(x) + fabsf(y);
      GLS_UNROLL
      for (int k = 1; k < kLoad; ++k) {
        const float right = x - others[k].x, down = y - others[k].y;
        sum += fabsf(right);
        sum += fabsf(down);
      }
      return coded(sum);
    }
  };
  GLS_DEVICE Rater rater(const gls::State& state, int variable) const {
    const Point from = corner(state, variable), *const own = goals + variable * kLoad;
    const int x = own[0].x - from.x, y = own[0].y - from.y;
    Rater rater;
    rater.first = kWhole + float(y * kSide + kSide / 2);
    rater.goal = float(x) - 0.5f * (kSide - 1);
    GLS_UNROLL
    for (int k = 0; k < kLoad; ++k) {
      rater.others[k] = {float(own[k].x - own[0].x), float(own[k].y - own[0].y)};
    }
    return rater;
  }
  GLS_DEVICE gls::uint32 weight(int distance, const Farthest& farthest) const {
    return gls::uint32(difference_and_1(farthest.distance, distance));
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
    """Prefers cells next to a point that are near to its goals (section 4).

    The paper does not say how a distance becomes a weight. Here the weight is the difference to the
    distance of the farthest cell, which is the aggregate.
    """

    name = "grid_walk"
    rating_bytes = 4

    def __init__(self, variables: int, side: int, load: int = 1) -> None:
        rng = np.random.default_rng(variables)
        self.variables, self.side, self.load = variables, side, load
        self.begins = rng.integers(0, SIDE, (variables, 2)).astype(np.int32)
        self.goals = rng.integers(0, SIDE, (variables, load, 2)).astype(np.int32)

    def sizes(self, problem: object) -> NDArray[Any]:
        """Return the number of cells around each point."""
        return np.full(self.variables, self.side**2 - 1)

    def functor(self) -> str:
        """Return the C++ type."""
        return f"GridWalk<{self.side}, {self.load}>"

    def source(self) -> str:
        """Return the C++ text of the functor."""
        return FUNCTOR

    def words(self, backend: object, problem: object) -> list[Any]:
        """Return the first cells of the points, and their goals."""
        return [self.begins, self.goals]

    def kept_bytes(self, problem: object) -> int:
        """Return the bytes of all points."""
        return 8 * self.variables
