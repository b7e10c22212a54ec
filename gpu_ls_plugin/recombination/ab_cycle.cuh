// AB-cycles (Nagata and Kobayashi 2013): closed walks whose edges come from parent A and parent B
// in turn, of edges that only one of them has.
#pragma once

#include "neighbours.cuh"
#include "philox.cuh"
#include "ring_tour.cuh"

namespace gls {

// Edges `begin` to `end` of a walk through `cities`: edge i joins cities i and i + 1, and belongs
// to parent A where i is even.
struct AbCycle {
  int begin, end;

  GLS_DEVICE int edges() const { return end - begin; }  // of both parents
};

// Walks from a city that has an edge of A alone until the walk meets itself at a vertex that it
// left in the same way. What came before is no part of the cycle. Empty where `most` edges do not
// close.
template <class Team, class City>
GLS_DEVICE AbCycle walk_ab_cycle(const Team& team, Philox& random, const RingTour<City>& a,
                                 const Neighbours<City>* b, int first, int most, City* cities) {
  constexpr uint32 kNowhere = ~0u;
  // Where the walk was at a city, of the steps below `count` of the same parity as `count`.
  const auto visited = [&](int city, int count) {
    const int parity = count & 1;
    return team.least(count / 2, kNowhere, [&](int i) {
      return int(cities[2 * i + parity]) == city ? uint32(2 * i + parity) : kNowhere;
    });
  };
  team.each(1, [&](int) { cities[0] = City(first); });
  team.sync();
  int city = first;
#pragma unroll 1
  for (int step = 0; step < most; ++step) {
    const int place = a.place(city);
    const Neighbours<City> of_a{City(a.at(place - 1)), City(a.at(place + 1))}, of_b = b[city];
    const bool from_a = step % 2 == 0;
    const Neighbours<City> next = from_a ? of_a : of_b, other = from_a ? of_b : of_a;
    // An edge of the same parent that the walk came by earlier is used up.
    const uint32 earlier = visited(city, step + 1);
    const int used = earlier == kNowhere || earlier == 0 ? -1 : int(cities[earlier - 1]);
    const auto usable = [&](int to) { return !other.has(to) && to != used; };
    const bool before = usable(int(next.before)), after = usable(int(next.after));
    if (!before && !after) break;
    const bool turn = before && after ? random.next() & 1 : after;
    city = int(turn ? next.after : next.before);
    const uint32 met = visited(city, step + 1);
    team.each(1, [&](int) { cities[step + 1] = City(city); });
    team.sync();
    if (met != kNowhere) return {int(met), step + 1};
  }
  return {0, 0};
}

}  // namespace gls
