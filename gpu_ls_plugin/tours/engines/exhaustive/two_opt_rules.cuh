// Parameters of an exhaustive 2-opt climb.
#pragma once

namespace gls {

struct TwoOptRules {
  float slack;            // bound on the error of a move's estimated change
  int moves_per_pass;     // maximum number of moves after one evaluation
  const int* neighbours;  // of each city, nearest first; null on a GPU
  const void* lengths;    // from each city to its neighbours; null on a GPU
  int degree;             // number of neighbours per city
};

}  // namespace gls
