// Moves of sequences. A move looks at one item and makes the best change of its kind that has to do
// with the item, if that lowers the value.
//
//   template <class Team, class Search>
//   static bool improve(const Team&, Search&, int item)     returns whether it has made a change
//
// `Search` is a `WorkingSequence` (sequences/kernels/working_sequence.cuh).
#pragma once

#include "sequences/kernels/working_sequence.cuh"

namespace gls {

// Moves a block of up to kLongest items, beginning with the item, to its best place.
template <int kLongest>
struct InsertionMove {
  static constexpr bool kMovesOneItem = kLongest == 1;

  template <class Team, class Search>
  GLS_DEVICE static bool improve(const Team& team, Search& search, int item) {
#pragma unroll 1
    for (int count = 1; count <= kLongest; ++count) {
      const int place = search.place_of[item];
      if (place + count > search.length) return false;
      if (search.reinsert(team, place, count)) return true;
    }
    return false;
  }
};

// Swaps the item with another one.
struct SwapMove {
  template <class Team, class Search>
  GLS_DEVICE static bool improve(const Team& team, Search& search, int item) {
    const int here = search.place_of[item];
    const auto swapped = [&](int other, int k) {
      return search.order[k == here ? other : k == other ? here : k];
    };
    return search.rewrite(team, here, swapped);
  }
};

// Reverses a part of the sequence that begins or ends with the item.
struct ReversalMove {
  template <class Team, class Search>
  GLS_DEVICE static bool improve(const Team& team, Search& search, int item) {
    const int here = search.place_of[item];
    const auto turned = [&](int other, int k) { return search.order[here + other - k]; };
    return search.rewrite(team, here, turned);
  }
};

}  // namespace gls
