// An AB-cycle's edges exchanged in a tour.
#pragma once

#include "recombination/broken_tour.cuh"

namespace gls {

// Edges i of a cycle join its cities at(i) and at(i + 1), of both parents in turn; that is of B
// where i + first is odd. Those of A go out of a tour and those of B come in, beside what is out
// and in already. Adds to `gain` what that makes it shorter; false if it has lost one of them.
template <class Cost, class Team, class Length, class Broken, class At>
GLS_DEVICE bool exchange_cycle(const Team& team, const Length& length, int edges, int first, At at,
                               Broken& child, Cost& gain) {
  using City = typename Broken::City;
  const auto& tour = child.tour;
  const int base = child.size;
  child.size += edges / 2;
  bool lost = false;
  team.sync();  // all have read and written what the last exchange left
  gain += team.template sum<Cost>(edges, [&](int i) {
    const int from = int(at(i)), to = int(at(i + 1)), own = base + i / 2;
    const Cost edge = Cost(length(from, to));
    if ((first + i) % 2 != 0) {
      child.ends[2 * own] = City(from);
      child.ends[2 * own + 1] = City(to);
      return -edge;
    }
    const int place = tour.place(from), next = tour.place(to);
    const bool forward = tour.wrap(place + 1) == next;
    lost |= !forward && tour.wrap(next + 1) != place;
    child.out[own] = City(forward ? place : next);
    return edge;
  });
  return !team.any(lost);
}

}  // namespace gls
