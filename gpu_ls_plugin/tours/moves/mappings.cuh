// Mappings from consecutive numbers to the pairs or triples of a complete neighbourhood of n
// cities. Each pair or triple has exactly one number. A float32 root only starts the search for the
// exact integer, so rounding cannot change the result.
#pragma once

#include "tours/moves/complete.cuh"
#include "tours/problem/metric.cuh"

namespace gls {

// The number of pairs x < y, and six times the number of triples x < y < z, of numbers below a
// bound. Bounds of triples are below 2^16, so that the product of two fits into 32 bits.
GLS_DEVICE uint64 pairs_below(uint64 y) { return y * (y - 1) / 2; }
GLS_DEVICE uint32 few_pairs_below(uint32 y) { return y * (y - 1) / 2; }
GLS_DEVICE uint64 triples_below_six_fold(uint32 z) { return uint64(z * (z - 1)) * (z - 2); }

// Corrects a guess of the largest x with below(x) <= number.
template <class Number, class F>
GLS_DEVICE int settle(int guess, Number number, F below) {
  while (below(guess) > number) --guess;
  while (below(guess + 1) <= number) ++guess;
  return guess;
}

GLS_DEVICE float cube_root(float value) {
#ifdef __CUDACC__
  float power;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(value));
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(power * (1.0f / 3)));
  return power;
#else
  return std::cbrt(value);
#endif
}

// Orders by the largest number, then by the second largest. Square and cube roots yield the
// positions.
struct Roots {
  GLS_DEVICE explicit Roots(int) {}

  GLS_DEVICE void pair(uint64 number, int& x, int& y) const {
    if (number >= pairs_below(1 << 16)) {  // for lower numbers, products fit into 32 bits
      y = settle(guess(number), number, pairs_below);
      x = int(number - pairs_below(uint64(y)));
    } else {
      few(uint32(number), x, y);
    }
  }

  GLS_DEVICE void triple(uint64 number, int& x, int& y, int& z) const {
    const int guess = 1 + int(cube_root(6.0f * float(number) + 1.0f));
    z = settle(guess > 2 ? guess : 2, 6 * number, triples_below_six_fold);
    // The remainder fits into 32 bits. z (z - 1) (z - 2) / 2 is divisible by 3, so multiplying by
    // the inverse of 3 modulo 2^32 divides it exactly.
    constexpr uint32 kThird = 0xAAAAAAABu;
    few(uint32(number) - uint32(triples_below_six_fold(z) / 2) * kThird, x, y);
  }

 private:
  template <class Number>
  GLS_DEVICE static int guess(Number number) {
    const int root = int(0.5f + 0.5f * fast_sqrt(8.0f * float(number) + 1.0f));
    return root > 1 ? root : 1;
  }
  GLS_DEVICE static void few(uint32 number, int& x, int& y) {
    y = settle(guess(number), number, few_pairs_below);
    x = int(number - few_pairs_below(y));
  }
};

// Orders by the smallest number, then by the second smallest: the mirror image of `Roots`.
struct Lexicographic {
  const int n;
  const Roots roots;
  GLS_DEVICE explicit Lexicographic(int n) : n(n), roots(n) {}

  // For pairs of numbers below n - 1 (see Pairs).
  GLS_DEVICE void pair(uint64 number, int& x, int& y) const {
    int low, high;
    roots.pair(uint64(Pairs::count(n)) - 1 - number, low, high);
    x = n - 2 - high;
    y = n - 2 - low;
  }
  GLS_DEVICE void triple(uint64 number, int& x, int& y, int& z) const {
    int low, middle, high;
    roots.triple(uint64(Triples::count(n)) - 1 - number, low, middle, high);
    x = n - 1 - high;
    y = n - 1 - middle;
    z = n - 1 - low;
  }
};

// Arranges the pairs in a rectangle (Schulz 2013, 6.8): puts each short row of the triangle beside
// a long one.
struct CutTriangle {
  const uint32 longest, width;  // pairs of m numbers form rows of 0 .. m - 1 pairs
  const int shift;
  GLS_DEVICE explicit CutTriangle(int n)
      : longest(uint32(n - 2)), width(longest | 1), shift(int(width - longest)) {}

  GLS_DEVICE void pair(uint64 number, int& x, int& y) const {
    const uint64 row = number >> 32 ? number / width : uint32(number) / width;
    const int column = int(number - row * width), length = int(longest - row);
    x = column < length ? column : column - length;
    y = column < length ? length : int(row) + shift;
  }
};

GLS_DEVICE Opening<Triples::Move> Triples::opening(int64 number, int way, int rotation, int n) {
  int p, q;
  Roots(n).pair(uint64(number), p, q);
  if (rotation == 0) return {{{p, q, 0}, way}, 2, 0, q + 1, n};
  if (rotation == 1) return {{{0, p, q}, way}, 0, 1, 0, p};
  return {{{p, 0, q}, way}, 1, 2, p + 1, q};
}

}  // namespace gls
