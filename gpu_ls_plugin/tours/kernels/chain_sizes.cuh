// What a chain has beside its tour, as tour_layouts.py adds it up: its bytes on a device.
#pragma once

namespace gls {

// A chain's journal and queue are short, or tours would not fit beside each other; a repair that
// fills one of them ends early.
constexpr int kJournal = 96, kChainQueue = 128;
constexpr int kMoveBytes = 80;
constexpr int kDrawnBytes = 132;  // numbers that a warp has drawn
constexpr int kStateBytes = 56;   // its state, less counts of moves, and its sums

}  // namespace gls
