// What kernels are told of an instance and of its candidates.
#pragma once

#include "tours/problem/row_lists.cuh"

namespace gls {

struct Instance {
  const void* metric_data;  // what the metric's functor reads
  int n;                    // cities
  const void* sites;        // of every city, what lengths are computed from
  float error_absolute;     // of estimates of lengths: EstimateError
  float error_relative;
};

// Candidates of every city, and which first steps of a move there are.
struct Candidates {
  const int* candidates;          // in the form that the lengths' `Lists` have
  const void* candidate_lengths;  // null where these lie with the candidates, or with a row
  int degree;                     // candidates of a city
  int sorted;                     // whether their lengths never fall
  int directions;                 // 2: first steps backward and forward; 1: backward alone
  int breadth;                    // candidates that a first step may go to
};

// Lets a metric whose data each row has for itself, and candidates with it, be those of one row.
template <class Metric>
GLS_DEVICE void choose_row(Instance& instance, Candidates& lists, int row) {
  if constexpr (RowBytes<Metric>::kCount > 0) {
    instance.metric_data = row_data<Metric>(instance.metric_data, row);
    lists.candidate_lengths = instance.metric_data;
  }
}

}  // namespace gls
