// Exact lengths at the price of float32 ones.
//
// An integer length is the rounded value of a real function. Its float32 estimate, which is within
// a known error of the real value, rounds to the same integer unless it lies next to a rounding
// point; only then is the exact float64 evaluation asked. Real metrics are always evaluated
// exactly.
#pragma once

#include "metric.cuh"

namespace gls {

// The number of float32 coordinates of a city that the estimate of a metric reads.
template <class Metric, class = void>
struct Dimensions {
  static constexpr int kCount = 3;
};
template <class Metric>
struct Dimensions<Metric, decltype(void(Metric::kDimensions))> {
  static constexpr int kCount = Metric::kDimensions;
};

// What is kept of a city: as many coordinates as the estimate reads.
template <int dimensions>
struct Site {
  float x, y, z;
  GLS_DEVICE void set(const Point& p) { x = p.x, y = p.y, z = p.z; }
  GLS_DEVICE Point point() const { return {x, y, z, 0}; }
};
template <>
struct alignas(8) Site<2> {
  float x, y;
  GLS_DEVICE void set(const Point& p) { x = p.x, y = p.y; }
  GLS_DEVICE Point point() const { return {x, y, 0, 0}; }
};
template <>
struct Site<0> {
  GLS_DEVICE void set(const Point&) {}
  GLS_DEVICE Point point() const { return {}; }
};

// |estimate - real value| <= absolute + relative * estimate.
struct EstimateError {
  float absolute, relative;
};

// Lengths of a metric as numbers of type `LengthType` (int where all sums of a move fit).
template <class MetricType, class LengthType>
struct Lengths {
  using Metric = MetricType;
  using Length = LengthType;
  static constexpr int kDimensions = Dimensions<Metric>::kCount;
  static constexpr bool kReal = Length(0.5) != Length(0);
  static constexpr bool kQuick = !kReal && kDimensions > 0;
  using City = Site<kDimensions>;

  Metric metric;
  const City* sites;
  EstimateError error;

  GLS_DEVICE Length exact(int a, int b) const { return Length(metric(a, b)); }

  GLS_DEVICE Length operator()(int a, int b) const {
    if constexpr (kQuick) {
      bool doubt = false;
      const Length length = quick(a, b, doubt);
      return doubt ? exact(a, b) : length;
    } else {
      return exact(a, b);
    }
  }

  // The nearest integer to the estimate; `doubt` becomes true where that may be another length.
  GLS_DEVICE Length quick(int a, int b, bool& doubt) const {
    float estimate, off;
    const Length length = nearest(a, b, estimate, off);
    doubt |= doubtful(estimate, off);
    return length;
  }

  // The nearest integer to the estimate, which is `off` it.
  GLS_DEVICE Length nearest(int a, int b, float& estimate, float& off) const {
    // Adding 1.5 * 2^23 leaves the nearest integer in the lowest bits.
    constexpr float kShift = 12582912.0f;
    estimate = metric.estimate(sites[a].point(), sites[b].point());
    const float shifted = estimate + kShift;
    off = fabsf(estimate - (shifted - kShift));
    return Length(float_to_bits(shifted) - float_to_bits(kShift));
  }
  GLS_DEVICE bool doubtful(float estimate, float off) const {
    return off + fused(estimate, error.relative, error.absolute) >= 0.5f;
  }

  // A real gain that may be rounding alone counts as none, or a search might never end.
  GLS_DEVICE static Length gain(Length removed, Length added) {
    const Length difference = removed - added;
    if (kReal && difference <= removed * Length(1e-12)) return 0;
    return difference;
  }
};

// Lengths by estimate alone, for a computation that is repeated exactly where one was in doubt: one
// branch for many lengths.
template <class Lengths>
struct Tentative : Lengths {
  using typename Lengths::Length;
  GLS_DEVICE explicit Tentative(const Lengths& lengths) : Lengths(lengths) {}

#ifdef __CUDACC__
  mutable bool any = false;
  GLS_DEVICE Length operator()(int a, int b) const { return this->quick(a, b, any); }
  GLS_DEVICE bool doubt() const { return any; }
#else  // two maxima take fewer instructions than a comparison for each length
  mutable float longest = 0, farthest = 0;
  GLS_DEVICE Length operator()(int a, int b) const {
    float estimate, off;
    const Length length = this->nearest(a, b, estimate, off);
    longest = estimate > longest ? estimate : longest;
    farthest = off > farthest ? off : farthest;
    return length;
  }
  GLS_DEVICE bool doubt() const { return this->doubtful(longest, farthest); }
#endif
};

}  // namespace gls
