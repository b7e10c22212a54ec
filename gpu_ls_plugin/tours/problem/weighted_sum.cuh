// A weighted sum of the lengths of several metrics. Each row of a batch has separate weights; all
// rows share the coordinates or matrices.
#pragma once

#include "tours/problem/row_lists.cuh"

namespace gls {

// Follows RowData in the data of a row.
template <int kObjectives>
struct WeightedSumData {
  const void* metric_data[kObjectives];
  double weights[kObjectives];
};

// The terms of the sum for the objectives `at`, `at` + 1, ...
template <int at, class First, class... Rest>
struct Terms {
  First first;
  double weight;
  Terms<at + 1, Rest...> rest;

  GLS_DEVICE Terms(const void* const* data, const double* weights, int n)
      : first(data[at], n), weight(weights[at]), rest(data, weights, n) {}
  GLS_DEVICE double add(double before, int a, int b) const {
    return rest.add(before + weight * double(first(a, b)), a, b);
  }
  // Writes the length of an edge in each objective.
  GLS_DEVICE void each(int a, int b, double* lengths) const {
    lengths[at] = double(first(a, b));
    rest.each(a, b, lengths);
  }
};
template <int at, class Last>
struct Terms<at, Last> {
  Last last;
  double weight;

  GLS_DEVICE Terms(const void* const* data, const double* weights, int n)
      : last(data[at], n), weight(weights[at]) {}
  GLS_DEVICE double add(double before, int a, int b) const {
    return before + weight * double(last(a, b));
  }
  GLS_DEVICE void each(int a, int b, double* lengths) const { lengths[at] = double(last(a, b)); }
};

template <class... Metrics>
struct WeightedSum : EstimateByLength<WeightedSum<Metrics...>> {
  using Length = double;
  static constexpr int kObjectives = sizeof...(Metrics);
  using Data = WeightedSumData<kObjectives>;
  static constexpr int kRowBytes = sizeof(RowData) + sizeof(Data);

  Terms<0, Metrics...> terms;

  GLS_DEVICE WeightedSum(const void* data, int n)
      : WeightedSum(parameters_of<Data>(words_behind<RowData>(static_cast<const uint64*>(data))),
                    n) {}
  GLS_DEVICE WeightedSum(const Data& data, int n) : terms(data.metric_data, data.weights, n) {}
  GLS_DEVICE Length operator()(int a, int b) const { return terms.add(0.0, a, b); }
};

}  // namespace gls
