// Exact lengths that cost little more than float32 arithmetic.
//
// An integer length is a rounded real value. A float32 estimate of that value has a bounded error,
// and rounds to the same integer unless it is close to halfway between two integers; only then is
// the length evaluated in float64. Real metrics are evaluated in float64, or estimated in float32
// if Length is float.
#pragma once

#include "tours/problem/candidate_lists.cuh"
#include "backends/include/conditional.cuh"
#include "tours/problem/metric.cuh"
#include "tours/problem/row_lists.cuh"

namespace gls {

// Number of float32 coordinates of a city that the estimate of a metric reads.
GLS_OPTIONAL_CONSTANT(Dimensions, kDimensions, int, 3);

// The float32 coordinates of a city that the estimate reads.
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

constexpr int kSiteBytes = 12, kPlanarSiteBytes = 8;  // size of a site in 3D and in the plane
static_assert(sizeof(Site<3>) == kSiteBytes && sizeof(Site<2>) == kPlanarSiteBytes,
              "kSiteBytes and kPlanarSiteBytes must be the sizes of sites");

// |estimate - real value| <= absolute + relative * estimate; relative is 0 for real metrics.
struct EstimateError {
  float absolute, relative;
};

// The exact length, out of line: it is rarely needed and must not slow down the common case.
template <class Metric>
GLS_RARE typename Metric::Length rare_length(Metric metric, int a, int b) {
  return metric(a, b);
}

// The type of candidate lists for a metric.
template <class Metric, class Length, bool of_rows = (RowBytes<Metric>::kValue > 0)>
struct ListsOf {
  using Type = CandidateLists<Length>;
};
template <class Metric, class Length>
struct ListsOf<Metric, Length, true> {
  using Type = RowLists<Metric>;
};

// Lengths of a metric as numbers of type `LengthType`: int if it can hold the sums in any move.
template <class MetricType, class LengthType>
struct Lengths {
  using Metric = MetricType;
  using Length = LengthType;
  using Sum = Length;  // type of a sum of a few lengths
  static constexpr int kDimensions = Dimensions<Metric>::kValue;
  static constexpr bool kReal = Length(0.5) != Length(0);
  static constexpr bool kQuick = !kReal && kDimensions > 0;
  static constexpr bool kEstimated = kReal && kDimensions > 0;  // estimates are faster than lengths
  static constexpr bool kSingle = kEstimated && sizeof(Length) == 4;  // estimates are the lengths
  // The length of a fixed edge, so low that no move gains by removing it.
  static constexpr Length kFixed = -Length(int64(1) << (sizeof(Length) == 4 ? 27 : 59));
  using City = Site<kDimensions>;
  using Lists = typename ListsOf<Metric, Length>::Type;

  Metric metric;
  const City* sites;
  EstimateError error;

  // A city from which many lengths are computed.
  struct Known {
    int city;
  };
  GLS_DEVICE Known known(int a) const { return {a}; }
  GLS_DEVICE Length operator()(const Known& a, int b) const { return (*this)(a.city, b); }

  GLS_DEVICE Length exact(int a, int b) const { return Length(metric(a, b)); }

  // The same length as from sites.
  GLS_DEVICE static Length between(const Metric& metric, int a, int b) {
    if constexpr (kSingle) {
      return metric.estimate(metric.point(a), metric.point(b));
    } else {
      return Length(metric(a, b));
    }
  }

  GLS_DEVICE Length operator()(int a, int b) const {
    if constexpr (kQuick) {
      bool doubt = false;
      const Length length = quick(a, b, doubt);
      return doubt ? Length(rare_length(metric, a, b)) : length;
    } else if constexpr (kSingle) {
      return metric.estimate(sites[a].point(), sites[b].point());
    } else {
      return exact(a, b);
    }
  }

  // The nearest integer to the estimate; sets `doubt` if that may not be the exact length.
  GLS_DEVICE Length quick(int a, int b, bool& doubt) const {
    float estimate, off;
    const Length length = nearest(a, b, estimate, off);
    doubt |= doubtful(estimate, off);
    return length;
  }

  // The nearest integer to the estimate, and its distance `off` from the estimate.
  GLS_DEVICE Length nearest(int a, int b, float& estimate, float& off) const {
    estimate = metric.estimate(sites[a].point(), sites[b].point());
    const float shifted = estimate + kShift;
    off = fabsf(estimate - (shifted - kShift));
    return Length(float_to_bits(shifted) - float_to_bits(kShift));
  }
  GLS_DEVICE bool doubtful(float estimate, float off) const {
    return off + fused(estimate, error.relative, error.absolute) >= 0.5f;
  }

  // A real gain that may be a rounding error counts as 0; otherwise, a search might never end.
  GLS_DEVICE static Length gain(Length removed, Length added) {
    const Length difference = removed - added;
    if (kReal && difference <= removed * Length(sizeof(Length) == 4 ? 1e-6 : 1e-12)) return 0;
    return difference;
  }
};

// A planar metric on a grid: coordinates are integers, so integer arithmetic gives the exact length
// directly. If the grid is `wide`, squared distances are below 2^42. Otherwise they are below 2^31,
// and coordinates and city numbers have 16 bits and are packed into words.
template <class Metric, bool wide>
struct OnGrid : Metric {
  using Metric::Metric;
  GLS_DEVICE OnGrid(const Metric& metric) : Metric(metric) {}
};

template <bool wide>
struct GridSite {
  int x, y;

  GLS_DEVICE void set(const Point& p) { x = int(p.x), y = int(p.y); }
  template <class Metric>
  GLS_DEVICE static int length(const GridSite& p, const GridSite& q) {
    const int dx = p.x - q.x, dy = p.y - q.y;
    const float x = float(dx), y = float(dy);
    const int64 squared = int64(dx) * dx + int64(dy) * dy;
    return Metric::root(squared, fast_sqrt(fused(x, x, y * y)));
  }
};
template <>
struct GridSite<false> {
  // y in the upper half, x in the lower one: both are below 2^15, so the difference of two
  // words holds both differences.
  uint32 word;

  GLS_DEVICE void set(const Point& p) { word = uint32(p.y) << 16 | uint32(p.x); }
  template <class Metric>
  GLS_DEVICE static int length(const GridSite& p, const GridSite& q) {
    const int both = int(p.word - q.word), dx = short(both), dy = (both - dx) >> 16;
    const int squared = dx * dx + dy * dy;
    return Metric::root(squared, fast_sqrt(float(squared)));
  }
};

template <class MetricType, bool wide, class LengthType>
struct Lengths<OnGrid<MetricType, wide>, LengthType> {
  using Metric = OnGrid<MetricType, wide>;
  using Length = LengthType;
  using Sum = int;  // type of a sum of a few lengths, each below 2^22
  using City = GridSite<wide>;
  using Lists = Conditional<wide, CandidateLists<Length>, PackedLists<Length>>;
  static constexpr bool kReal = false, kQuick = false, kEstimated = false;
  static constexpr Length kFixed = Lengths<MetricType, LengthType>::kFixed;

  Metric metric;
  const City* sites;
  EstimateError error;

  struct Known {  // the site of a city, loaded once
    City site;
  };
  GLS_DEVICE Known known(int a) const { return {sites[a]}; }
  GLS_DEVICE Length operator()(const Known& a, int b) const {
    return Length(City::template length<Metric>(a.site, sites[b]));
  }
  GLS_DEVICE Length operator()(int a, int b) const { return (*this)(known(a), b); }
  GLS_DEVICE static Length gain(Length removed, Length added) { return removed - added; }
};

// A metric with a table of the lengths between all pairs of cities (fewer than 2^32 pairs) instead
// of sites. A CPU reads a length from the table faster than it computes the length.
template <class Metric, class EntryType>
struct Tabled : Metric {
  using Entry = EntryType;

  int n;
  GLS_DEVICE Tabled(const void* data, int n) : Metric(data, n), n(n) {}
};

template <class MetricType, class Entry, class LengthType>
struct Lengths<Tabled<MetricType, Entry>, LengthType> {
  using Metric = Tabled<MetricType, Entry>;
  using Length = LengthType;
  using Sum = Length;  // type of a sum of a few lengths
  using City = Entry;
  using Lists = CandidateLists<Length>;
  using OfMetric = Lengths<MetricType, LengthType>;
  static constexpr bool kReal = OfMetric::kReal, kQuick = false, kEstimated = false;
  static constexpr Length kFixed = OfMetric::kFixed;

  Metric metric;
  const City* sites;
  EstimateError error;

  struct Known {  // the row of a city in the table
    const City* row;
  };
  GLS_DEVICE Known known(int a) const { return {sites + uint32(a) * uint32(metric.n)}; }
  GLS_DEVICE Length operator()(const Known& a, int b) const { return Length(a.row[b]); }
  GLS_DEVICE Length operator()(int a, int b) const { return (*this)(known(a), b); }
  GLS_DEVICE static Length gain(Length removed, Length added) {
    return OfMetric::gain(removed, added);
  }
};

// A metric for renumbered cities: city c is the metric's city names[c].
template <class Metric>
struct Renamed : Metric {
  const int* names;
  GLS_DEVICE Renamed(const Metric& metric, const int* names) : Metric(metric), names(names) {}
  GLS_DEVICE typename Metric::Length operator()(int a, int b) const {
    return static_cast<const Metric&>(*this)(names[a], names[b]);
  }
};

// The metric to use if sites are stored for renumbered cities.
template <class Metric>
struct NamedMetric {
  using Type = Renamed<Metric>;
};
template <class Metric, bool wide>
struct NamedMetric<OnGrid<Metric, wide>> {  // sites alone give the lengths
  using Type = OnGrid<Metric, wide>;
};
template <class Metric>
GLS_DEVICE Renamed<Metric> named(const Renamed<Metric>*, const Metric& metric, const int* names) {
  return {metric, names};
}
template <class Metric>
GLS_DEVICE Metric named(const Metric*, const Metric& metric, const int*) {
  return metric;
}

// Computes lengths from estimates alone. After a computation, `doubt()` says whether any length was
// in doubt; if so, the caller repeats the computation with exact lengths. Many lengths thus share
// one branch.
template <class Lengths>
struct Tentative : Lengths {
  using typename Lengths::Length;
  GLS_DEVICE explicit Tentative(const Lengths& lengths) : Lengths(lengths) {}

#ifdef __CUDACC__
  mutable bool any = false;
  GLS_DEVICE Length operator()(int a, int b) const { return this->quick(a, b, any); }
  GLS_DEVICE bool doubt() const { return any; }
#else  // two maxima take fewer instructions than a comparison per length
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
