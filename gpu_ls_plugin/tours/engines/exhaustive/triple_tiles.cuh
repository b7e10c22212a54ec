// Triples of positions i < j < k, cut into bars of `edge` positions i, `edge` positions j and
// `depth` x `edge` positions k.
//
// A block evaluates a bar. Each lane has a square of pairs (i, j) and goes through all k of the
// bar. Bars are numbered layer by layer in the direction of k. The bar (I, J) of a layer begins at
// i = I `edge` and j = J `edge`. Layer L has the bars with I <= J < depth (L + 1), in the order
// J (J + 1) / 2 + I; in the last layer, J ends earlier. Integer arithmetic suffices to decode the
// number of a bar.
#pragma once

#include "backends/include/team.cuh"

namespace gls {

template <int edge, int depth>
struct TripleTiles {
  static constexpr int kDepth = depth * edge;
  static constexpr int kSquare = 4;  // positions on a side of a lane's square of pairs
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

  // The first pair of a lane's square. A warp has eight squares in the direction of i and four in
  // that of j, so that its reads of consecutive rows use all banks of shared memory.
  GLS_DEVICE static int first_i(int lane) {
    return ((lane / 32 * 8) % (edge / kSquare) + lane % 8) * kSquare;
  }
  GLS_DEVICE static int first_j(int lane) {
    return (lane / 32 * 8 / (edge / kSquare) * 4 + lane % 32 / 8) * kSquare;
  }

 private:
  GLS_DEVICE static int triangular(int x) { return x * (x + 1) / 2; }

  // The number of bars before a layer: the sum of triangular(depth L) for L = 1 .. layer.
  GLS_DEVICE static int before(int layer) {
    const int squares = layer * (layer + 1) * (2 * layer + 1) / 6;
    return (depth * depth * squares + depth * triangular(layer)) / 2;
  }

  // Returns the largest x < 128 with f(x) <= value, for an increasing f.
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
