// The state of a tour's search: running, or the reason why it ended.
#pragma once

namespace gls {

enum SearchState : unsigned char {
  kRunning = 0,
  kOptimum = 1,
  kOutOfMoves = 2,
  kNothingKept = 3,  // the filter kept no move of the tour
};

}  // namespace gls
