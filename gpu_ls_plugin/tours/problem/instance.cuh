// Parameters of kernels: an instance and its candidate lists.
#pragma once

#include "tours/problem/row_lists.cuh"

namespace gls {

struct Instance {
  const void* metric_data;  // data of the metric's functor
  int n;                    // number of cities
  const void* sites;        // array of `Lengths::City`, from which lengths are computed
  float error_absolute;     // errors of estimated lengths; see EstimateError
  float error_relative;
};

// The candidate lists, and which first steps of a move to try (FirstStep in tours/moves/move.cuh).
struct Candidates {
  const int* candidates;          // in the format of `Lengths::Lists`
  const void* candidate_lengths;  // null if they are packed with the candidates or depend on rows
  int degree;                     // number of candidates per city
  int sorted;                     // whether each list is sorted by length
  int directions;                 // 2: t2 may precede or follow t1; 1: t2 precedes t1
  int breadth;                    // number of candidates of t2 to try as t3
};

// If each row has separate metric data, makes `instance` and `lists` point to those of row `row`.
template <class Metric>
GLS_DEVICE void choose_row(Instance& instance, Candidates& lists, int row) {
  if constexpr (RowBytes<Metric>::kValue > 0) {
    instance.metric_data = row_data<Metric>(instance.metric_data, row);
    lists.candidate_lengths = instance.metric_data;
  }
}

}  // namespace gls
