// The state of a tour's search: it is running, or the reason why it has ended.
#pragma once

namespace gls {

enum SearchState : unsigned char {
  kRunning = 0,
  kOptimum = 1,
  kOutOfMoves = 2,
  kNothingKept = 3,  // the filter kept no move of the tour
};

}  // namespace gls
