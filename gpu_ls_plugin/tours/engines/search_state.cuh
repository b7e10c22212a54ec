// Whether a tour is still searched, and if not, why.
#pragma once

namespace gls {

enum SearchState : unsigned char {
  kRunning = 0,
  kOptimum = 1,
  kOutOfMoves = 2,
  kNothingKept = 3,  // no filter has kept a move of the tour
};

}  // namespace gls
