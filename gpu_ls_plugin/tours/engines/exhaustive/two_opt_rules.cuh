// Parameters of an exhaustive 2-opt climb.
#pragma once

namespace gls {

struct TwoOptRules {
  float slack;            // bound on the error of a move's estimated change
  int moves_per_pass;     // most moves after one evaluation
  const int* neighbours;  // of each city, nearest first; null on a GPU, like `lengths`
  const void* lengths;    // to these neighbours
  int degree;             // neighbours of a city
};

}  // namespace gls
