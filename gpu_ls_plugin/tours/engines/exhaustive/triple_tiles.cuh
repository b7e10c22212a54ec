// Triples of positions i < j < k in bars of `edge` x `edge` x `depth` `edge` positions.
//
// A block takes a bar, a lane a square of pairs (i, j), past which it streams k. Layer L of bars,
// in the direction of k, has those with I <= J < depth (L + 1), numbered J (J + 1) / 2 + I after
// those of the layers before, so that numbers are decoded in integers. Only the last layer's J end
// earlier.
#pragma once

#include "backends/include/team.cuh"

namespace gls {

template <int edge, int depth>
struct TripleTiles {
  static constexpr int kDepth = depth * edge;
  static constexpr int kSquare = 4;  // pairs of a lane in either direction
  static constexpr int kLanes = (edge / kSquare) * (edge / kSquare);

  struct Tile {
    int i, j, k;  // the first positions
  };

  int n;

  GLS_DEVICE int count() const {
    return before((n - 1) / kDepth) + triangular((n + edge - 1) / edge);
  }

  GLS_DEVICE static Tile decode(int number) {
    const int layer = largest([](int x) { return before(x); }, number);
    const int pair = number - before(layer);
    const int j = largest([](int x) { return triangular(x); }, pair);
    return {(pair - triangular(j)) * edge, j * edge, layer * kDepth};
  }

  // Where the square of a lane lies in its bar: a warp is eight squares wide and four high, so
  // that its reads of consecutive rows meet all banks.
  GLS_DEVICE static int first_i(int lane) {
    return ((lane / 32 * 8) % (edge / kSquare) + lane % 8) * kSquare;
  }
  GLS_DEVICE static int first_j(int lane) {
    return (lane / 32 * 8 / (edge / kSquare) * 4 + lane % 32 / 8) * kSquare;
  }

 private:
  GLS_DEVICE static int triangular(int x) { return x * (x + 1) / 2; }

  // Bars of the layers before one: the sum of triangular(depth L) for L = 1 .. layer.
  GLS_DEVICE static int before(int layer) {
    const int squares = layer * (layer + 1) * (2 * layer + 1) / 6;
    return (depth * depth * squares + depth * triangular(layer)) / 2;
  }

  // The largest x < 128 with f(x) <= value, of an increasing f.
  template <class F>
  GLS_DEVICE static int largest(F f, int value) {
    int x = 0;
    for (int step = 64; step > 0; step /= 2) {
      if (f(x + step) <= value) x += step;
    }
    return x;
  }
};

}  // namespace gls
