// What a 2-opt climb is given besides the problem and its tours.
#pragma once

namespace gls {

struct TwoOptRules {
  float slack;            // bound on the error of a move's estimated change
  int moves_per_pass;     // applied after one evaluation, at most
  const int* neighbours;  // of every city, nearest first; GPUs need none
  const void* lengths;    // of the neighbours
  int degree;             // neighbours of a city
};

}  // namespace gls
