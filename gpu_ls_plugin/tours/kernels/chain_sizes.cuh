// Sizes of the memory of a chain besides its tour. tour_layouts.py adds them up.
#pragma once

namespace gls {

// Capacities of journal and queue. They are short, so that more tours fit into shared memory; a
// repair that fills one of them ends early.
constexpr int kJournal = 96, kChainQueue = 128;
constexpr int kMoveBytes = 80;
constexpr int kDrawnBytes = 132;  // random numbers of a warp
constexpr int kStateBytes = 56;   // state without counts of moves, and sums

}  // namespace gls
