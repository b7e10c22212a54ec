// Sizes of the parts of a chain's memory, without its tour. tour_layouts.py adds them up.
#pragma once

namespace gls {

// Numbers of entries of the journal and of the queue. Both are short, so that more tours fit into
// shared memory; a repair that fills one of them ends early.
constexpr int kJournal = 96, kChainQueue = 128;
constexpr int kMoveBytes = 80;    // size of gls::Move
constexpr int kDrawnBytes = 132;  // size of the random numbers of a warp
constexpr int kStateBytes = 56;   // size of sums and state, without counts of moves

}  // namespace gls
