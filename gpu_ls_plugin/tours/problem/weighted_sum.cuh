// Several lengths of an edge, added up with weights: of each row of a batch its own.
//
// The data of a row are kRowBytes: the number of cities, which of the candidate lists the row has,
// the address of each objective's data, and the weights. So all rows share coordinates or matrices.
#pragma once

#include "tours/problem/metric.cuh"
#include "backends/include/words.cuh"

namespace gls {

// Objective `at` and those behind it.
template <int at, class First, class... Rest>
struct Terms {
  First first;
  double weight;
  Terms<at + 1, Rest...> rest;

  GLS_DEVICE Terms(const uint64* addresses, const double* weights, int n)
      : first(address<const void>(addresses[at]), n),
        weight(weights[at]),
        rest(addresses, weights, n) {}
  GLS_DEVICE double add(double before, int a, int b) const {
    return rest.add(before + weight * double(first(a, b)), a, b);
  }
  // The lengths themselves.
  GLS_DEVICE void each(int a, int b, double* lengths) const {
    lengths[at] = double(first(a, b));
    rest.each(a, b, lengths);
  }
};
template <int at, class Last>
struct Terms<at, Last> {
  Last last;
  double weight;

  GLS_DEVICE Terms(const uint64* addresses, const double* weights, int n)
      : last(address<const void>(addresses[at]), n), weight(weights[at]) {}
  GLS_DEVICE double add(double before, int a, int b) const {
    return before + weight * double(last(a, b));
  }
  GLS_DEVICE void each(int a, int b, double* lengths) const { lengths[at] = double(last(a, b)); }
};

template <class... Metrics>
struct WeightedSum : EstimateByLength<WeightedSum<Metrics...>> {
  using Length = double;
  static constexpr int kObjectives = sizeof...(Metrics);
  static constexpr int kRowBytes = 8 * (2 + 2 * kObjectives);

  Terms<0, Metrics...> terms;

  GLS_DEVICE WeightedSum(const void* data, int n)
      : terms(static_cast<const uint64*>(data) + 2,
              static_cast<const double*>(data) + 2 + kObjectives, n) {}
  GLS_DEVICE Length operator()(int a, int b) const { return terms.add(0.0, a, b); }
};

}  // namespace gls
