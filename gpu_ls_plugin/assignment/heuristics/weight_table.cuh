// Weights that are given for every value of every variable, whatever the state is.
#pragma once

#include "assignment/heuristics/heuristic.cuh"

namespace gls {

struct WeightTableData {
  const uint32* weights;  // variable by variable
  const int* sizes;       // values of each variable
  int64 columns;          // from a variable's weights to the next one's
};

template <int kBits>  // weights are below 2^kBits
struct WeightTable : KeepsNothing {
  using Rating = uint32;
  static constexpr int kWeightBits = kBits;

  const uint32* weights;  // variable by variable
  const int* sizes;       // values that a variable has
  int64 columns;

  GLS_DEVICE explicit WeightTable(const uint64* words)
      : WeightTable(parameters_of<WeightTableData>(words)) {}
  GLS_DEVICE explicit WeightTable(const WeightTableData& data)
      : weights(data.weights), sizes(data.sizes), columns(data.columns) {}

  template <class S>
  GLS_DEVICE int values(const S&, int variable) const {
    return sizes[variable];
  }
  template <class S>
  GLS_DEVICE uint32 rate(const S&, int variable, int value) const {
    return weights[variable * columns + value];
  }
  GLS_DEVICE uint32 weight(uint32 rating, NoAggregate) const { return rating; }
};

}  // namespace gls
