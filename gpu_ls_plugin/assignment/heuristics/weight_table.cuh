// A heuristic with a fixed weight for each value of each variable, whatever the state.
#pragma once

#include "assignment/heuristics/heuristic.cuh"

namespace gls {

struct WeightTableData {
  const uint32* weights;  // variable by variable
  const int* sizes;       // how many values each variable has
  int64 columns;          // number of columns of the table
};

template <int kBits>  // weights are below 2^kBits
struct WeightTable : KeepsNothing {
  using Rating = uint32;
  static constexpr int kWeightBits = kBits;

  const WeightTableData data;

  GLS_DEVICE explicit WeightTable(const uint64* words)
      : data(parameters_of<WeightTableData>(words)) {}

  template <class S>
  GLS_DEVICE int values(const S&, int variable) const {
    return data.sizes[variable];
  }
  template <class S>
  GLS_DEVICE uint32 rate(const S&, int variable, int value) const {
    return data.weights[variable * data.columns + value];
  }
  GLS_DEVICE uint32 weight(uint32 rating, NoAggregate) const { return rating; }
};

}  // namespace gls
