// Weights that are given for every value of every variable, whatever the state is.
#pragma once

#include "assignment/heuristics/heuristic.cuh"

namespace gls {

template <int kBits>  // weights are below 2^kBits
struct WeightTable : KeepsNothing {
  using Rating = uint32;
  static constexpr int kWeightBits = kBits;

  const uint32* weights;  // variable by variable
  const int* sizes;       // values that a variable has
  int64 columns;

  GLS_DEVICE explicit WeightTable(const uint64* words)
      : weights(address<const uint32>(words[0])),
        sizes(address<const int>(words[1])),
        columns(int64(words[2])) {}

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
