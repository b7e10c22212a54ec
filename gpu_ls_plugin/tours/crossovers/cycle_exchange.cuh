// Exchanges the edges of an AB-cycle in a tour.
#pragma once

#include "tours/crossovers/broken_tour.cuh"

namespace gls {

// Returns the gain of exchanging a cycle: its edges of A are removed, those of B are added.
template <class Cost, class Team, class Length, class Cycle>
GLS_DEVICE Cost cycle_gain(const Team& team, const Length& length, const Cycle& cycle) {
  return team.template sum<Cost>(cycle.edges, [&](int i) {
    const Cost edge = Cost(length(cycle.at(i), cycle.at(i + 1)));
    return (cycle.first + i) % 2 != 0 ? -edge : edge;
  });
}

// Exchanges the edges of a cycle, in addition to earlier exchanges. Returns false if the tour no
// longer has one of the cycle's edges of A.
template <class Team, class Cycle, class Broken>
GLS_DEVICE bool exchange_cycle(const Team& team, const Cycle& cycle, Broken& child) {
  using City = typename Broken::City;
  const auto& tour = child.tour;
  const int base = child.size;
  child.size += cycle.edges / 2;
  bool lost = false;
  team.sync();  // all lanes have finished the last exchange
  team.each(cycle.edges / 2, [&](int k) {
    const int own = base + k, middle = cycle.at(2 * k + 1);
    const int before = cycle.at(2 * k), behind = cycle.at(2 * k + 2);
    const int from = cycle.first == 0 ? before : middle, to = cycle.first == 0 ? middle : behind;
    child.ends[2 * own] = City(cycle.first == 0 ? middle : before);
    child.ends[2 * own + 1] = City(cycle.first == 0 ? behind : middle);
    const int place = tour.place(from), next = tour.place(to);
    const bool forward = tour.wrap(place + 1) == next;
    lost |= !forward && tour.wrap(next + 1) != place;
    child.out[own] = City(forward ? place : next);
  });
  return !team.any(lost);
}

}  // namespace gls
