// Sizes of the memory of a chain, without its tour. tour_layouts.py adds them up.
#pragma once

namespace gls {

// Entries of the journal and of the queue. Both are short, so that more tours fit into shared
// memory; a repair that fills one of them ends early.
constexpr int kJournal = 96, kChainQueue = 128;
constexpr int kMoveBytes = 80;    // of gls::Move
constexpr int kDrawnBytes = 132;  // random numbers of a warp
constexpr int kStateBytes = 56;   // sums and state, without counts of moves

}  // namespace gls
