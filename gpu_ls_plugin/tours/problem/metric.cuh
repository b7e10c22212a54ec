// Metrics: distance functors, compiled from the same source code for both backends.
//
// A metric has
//   using Length            int64 if the definition rounds to integers, else double;
//   Metric(data, n)         `data` is what `Metric.data` of the Python class returns;
//   metric(a, b)            the exact length, with the same bits as in Python;
//   metric.point(c)         the data of a city for the float32 estimate;
//   metric.estimate(p, q)   differs from the exact length by at most `Metric.slack`;
//   kDimensions             how many of a point's x, y, z the estimate reads (0: it reads the
//                           city's number); by default, 3.
// A metric without a fast estimate derives from EstimateByLength.
//
// Exact lengths are evaluated in IEEE float64, without fused multiply-adds.
#pragma once

#include "backends/include/bits.cuh"

namespace gls {

// A city in float32: up to three coordinates. If the point is a position of a tour, `edge` is the
// exact length of the edge to the next city.
struct alignas(16) Point {
  float x, y, z, edge;
};
constexpr int kPointBytes = 16;
static_assert(sizeof(Point) == kPointBytes, "kPointBytes must be the size of a Point");

#ifdef __CUDACC__
GLS_DEVICE float fast_sqrt(float v) {
  float root;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(v));
  return root;
}
GLS_DEVICE float fused(float a, float b, float c) { return __fmaf_rn(a, b, c); }
#else
GLS_DEVICE float fast_sqrt(float v) { return std::sqrt(v); }
GLS_DEVICE float fused(float a, float b, float c) { return a * b + c; }
using std::acos;
using std::fabs;
using std::fmax;
using std::fmin;
using std::sqrt;
#endif

// TSPLIB's nint; lengths are never negative.
GLS_DEVICE int64 nint(double v) { return int64(v + 0.5); }

// Uses the exact length, as float32, as the estimate: slow, but valid for every metric.
template <class Metric>
struct EstimateByLength {
  static constexpr int kDimensions = 0;
  GLS_DEVICE Point point(int city) const { return {bits_to_float(city), 0, 0, 0}; }
  GLS_DEVICE float estimate(const Point& p, const Point& q) const {
    return float(static_cast<const Metric&>(*this)(float_to_bits(p.x), float_to_bits(q.x)));
  }
};

// Cities in the plane. Points are relative to the first city, so a distant origin costs no
// precision.
template <class Coordinate>
struct PlanarOf {
  static constexpr int kDimensions = 2;
  const Coordinate* xy;

  GLS_DEVICE PlanarOf(const void* data, int) : xy(static_cast<const Coordinate*>(data)) {}

  GLS_DEVICE double dx(int a, int b) const { return double(xy[2 * a]) - double(xy[2 * b]); }
  GLS_DEVICE double dy(int a, int b) const { return double(xy[2 * a + 1]) - double(xy[2 * b + 1]); }
  GLS_DEVICE double squared(int a, int b) const {
    const double x = dx(a, b), y = dy(a, b);
    return x * x + y * y;
  }
  GLS_DEVICE Point point(int city) const { return {float(dx(city, 0)), float(dy(city, 0)), 0, 0}; }
  GLS_DEVICE float estimate(const Point& p, const Point& q) const {
    const float x = p.x - q.x, y = p.y - q.y;
    return fast_sqrt(fused(x, x, y * y));
  }
};

using Planar = PlanarOf<double>;

template <class Coordinate>
struct EuclideanOf : PlanarOf<Coordinate> {
  using Length = double;
  using PlanarOf<Coordinate>::PlanarOf;
  GLS_DEVICE Length operator()(int a, int b) const { return sqrt(this->squared(a, b)); }
};
using Euclidean = EuclideanOf<double>;

// `rounded` rounds a number between 0 and 2^22 to the nearest integer; `rounded_down` rounds down.
constexpr float kShift = 12582912.0f;  // 1.5 * 2^23: adding it leaves an integer in the low bits
GLS_DEVICE int rounded(float v) { return float_to_bits(v + kShift) - float_to_bits(kShift); }
GLS_DEVICE int rounded_down(float v) {
#ifdef __CUDACC__
  return float_to_bits(__fadd_rd(v, kShift)) - float_to_bits(kShift);
#else
  return int(v);
#endif
}

struct Euc2D : Planar {
  using Length = int64;
  using Planar::Planar;
  GLS_DEVICE Length operator()(int a, int b) const { return nint(sqrt(squared(a, b))); }

  // Computes a length from the squared distance, an integer, and an estimate of its root with an
  // error below 1/2. The roots of k^2, ..., k^2 + k are below k + 1/2, so they round to k.
  template <class Square>
  GLS_DEVICE static int root(Square squared, float estimate) {
    const int k = rounded_down(estimate);
    return k + (squared > Square(k) * k + k);
  }
};

struct Ceil2D : Planar {
  using Length = int64;
  using Planar::Planar;
  GLS_DEVICE Length operator()(int a, int b) const { return int64(ceil(sqrt(squared(a, b)))); }
  template <class Square>
  GLS_DEVICE static int root(Square squared, float estimate) {
    const int k = rounded(estimate);
    return k + (squared > Square(k) * k);
  }
  GLS_DEVICE float estimate(const Point& p, const Point& q) const {
    return Planar::estimate(p, q) + 0.5f;
  }
};

struct Floor2D : Planar {
  using Length = int64;
  using Planar::Planar;
  GLS_DEVICE Length operator()(int a, int b) const { return int64(sqrt(squared(a, b))); }
  template <class Square>
  GLS_DEVICE static int root(Square squared, float estimate) {
    const int k = rounded(estimate);
    return k - (squared < Square(k) * k);
  }
  GLS_DEVICE float estimate(const Point& p, const Point& q) const {
    return Planar::estimate(p, q) - 0.5f;
  }
};

// Pseudo-Euclidean: the root of a tenth of the squared distance, rounded up.
struct Att : Planar {
  using Length = int64;
  using Planar::Planar;
  GLS_DEVICE Length operator()(int a, int b) const {
    const double r = sqrt(squared(a, b) / 10.0);
    const int64 t = nint(r);
    return double(t) < r ? t + 1 : t;
  }
  GLS_DEVICE float estimate(const Point& p, const Point& q) const {
    return fused(Planar::estimate(p, q), 0.31622776601683794f, 0.5f);
  }
};

struct Man2D : Planar {
  using Length = int64;
  using Planar::Planar;
  GLS_DEVICE Length operator()(int a, int b) const { return nint(fabs(dx(a, b)) + fabs(dy(a, b))); }
  GLS_DEVICE float estimate(const Point& p, const Point& q) const {
    return fabs(p.x - q.x) + fabs(p.y - q.y);
  }
};

struct Max2D : Planar {
  using Length = int64;
  using Planar::Planar;
  GLS_DEVICE Length operator()(int a, int b) const {
    return nint(fmax(fabs(dx(a, b)), fabs(dy(a, b))));
  }
  GLS_DEVICE float estimate(const Point& p, const Point& q) const {
    return fmax(fabs(p.x - q.x), fabs(p.y - q.y));
  }
};

// Cities on a sphere, as unit vectors; other data of the metric follow them.
struct Globe {
  const double *unit, *more;

  GLS_DEVICE Globe(const void* data, int n)
      : unit(static_cast<const double*>(data)), more(unit + 3 * int64(n)) {}

  GLS_DEVICE Point point(int city) const {
    const double* u = unit + 3 * city;
    return {float(u[0]), float(u[1]), float(u[2]), 0};
  }
  // Half the angle between two unit vectors.
  GLS_DEVICE static float half_angle(const Point& p, const Point& q) {
    const float x = p.x - q.x, y = p.y - q.y, z = p.z - q.z;
    const float half_chord = 0.5f * fast_sqrt(fused(x, x, fused(y, y, z * z)));
    return asinf(half_chord < 1.0f ? half_chord : 1.0f);
  }
};

// Radii in km: TSPLIB's, and the mean radius (2 a + b) / 3 of the WGS 84 ellipsoid.
constexpr double kEarthRadius = 6378.388, kEarthMeanRadius = 6371.0088;

// TSPLIB's geographical distance in km, from unit vectors. Arc cosines of different libraries
// differ in their last digits, so a table of cosines decides distances close to a whole number of
// km.
struct Geo : Globe {
  using Length = int64;
  using Globe::Globe;

  GLS_DEVICE Length operator()(int a, int b) const {
    const double *u = unit + 3 * a, *v = unit + 3 * b, *reaches = more;
    const double cosine = u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
    int near = int(kEarthRadius * acos(fmin(1.0, fmax(-1.0, cosine))));
    near += cosine <= reaches[near + 1];
    near -= cosine > reaches[near];
    return near + 1;
  }
  GLS_DEVICE float estimate(const Point& p, const Point& q) const {
    return fused(float(2 * kEarthRadius), half_angle(p, q), 0.5f);
  }
};

// Great-circle distances in km. The arc sine is a polynomial with coefficients from the Python
// class, so C++ and Python agree to the last bit. Distances above a quarter of the circumference
// are computed from the distance to the antipode.
struct Haversine : Globe {
  using Length = double;
  static constexpr double kQuarter = 1.57079632679489661923;
  static constexpr int kTerms = 19;
  using Globe::Globe;

  GLS_DEVICE Length operator()(int a, int b) const {
    const double *u = unit + 3 * a, *v = unit + 3 * b;
    const double x = u[0] - v[0], y = u[1] - v[1], z = u[2] - v[2];
    double square = x * x + y * y + z * z;
    const bool far = square > 2.0;
    if (far) {
      const double x = u[0] + v[0], y = u[1] + v[1], z = u[2] + v[2];
      square = x * x + y * y + z * z;
    }
    square *= 0.25;
    double series = more[kTerms - 1];
    for (int k = kTerms - 2; k >= 0; --k) series = series * square + more[k];
    const double half = sqrt(square) * series;
    return 2 * kEarthMeanRadius * (far ? kQuarter - half : half);
  }
  GLS_DEVICE float estimate(const Point& p, const Point& q) const {
    return float(2 * kEarthMeanRadius) * half_angle(p, q);
  }
};

template <class Entry, class LengthType>
struct Explicit : EstimateByLength<Explicit<Entry, LengthType>> {
  using Length = LengthType;
  const Entry* matrix;
  int n;

  GLS_DEVICE Explicit(const void* data, int n) : matrix(static_cast<const Entry*>(data)), n(n) {}
  GLS_DEVICE Length operator()(int a, int b) const { return Length(matrix[int64(a) * n + b]); }
};

using ExplicitInteger = Explicit<int, int64>;
using ExplicitReal = Explicit<double, double>;
using ExplicitSingle = Explicit<float, double>;

}  // namespace gls
