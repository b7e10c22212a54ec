// Cycle crossover (Oliver, Smith and Holland 1987): each city of the child is in a place that it
// has in one of the parents. The places form cycles: the city that the second parent has in a place
// leads to the place in which the first parent has it. The child takes cycles from the parents in
// turn, in the order of their first places.
#pragma once

#include "backends/include/in_order.cuh"
#include "runs/crossovers/pairs.cuh"

namespace gls {

template <class City>
struct Cycle {
  // The lowest place in a stretch of a cycle, and the place that follows the stretch.
  struct alignas(2 * sizeof(City)) Stretch {
    City least, next;
  };

  int n;
  Stretch *from, *to;

  template <class Memory>
  GLS_DEVICE Cycle(int n, Memory& memory)
      : n(n), from(memory.template take<Stretch>(n)), to(memory.template take<Stretch>(n)) {}

  GLS_DEVICE static int64 bytes(int n) { return 2 * piece_bytes<Stretch>(n); }

  template <class Team, class Child>
  GLS_DEVICE void cross(const Team& team, const int* first, const int* second, Philox&,
                        Child child) {
    find(team, first, second);
    // Numbers the cycles in the order of their first places, and stores the numbers there.
    put_kept(
        team, n, [&](int p) { return int(from[p].least) == p; },
        [&](int rank, int p) { to[p].next = City(rank); });
    team.each(n, [&](int p) {
      const bool odd = int(to[from[p].least].next) % 2 != 0;
      child(p, odd ? second[p] : first[p]);
    });
  }

 private:
  // Finds, for each place, the first place of its cycle: the stretch that begins at a place doubles
  // in length until it spans n places.
  template <class Team>
  GLS_DEVICE void find(const Team& team, const int* first, const int* second) {
    team.each(n, [&](int p) { to[first[p]].next = City(p); });
    team.sync();
    team.each(n, [&](int p) { from[p] = {City(p), to[second[p]].next}; });
    team.sync();
#pragma unroll 1
    for (int64 reach = 1; reach < n; reach *= 2) {
      team.each(n, [&](int p) {
        const Stretch own = from[p], behind = from[own.next];
        to[p] = {own.least < behind.least ? own.least : behind.least, behind.next};
      });
      team.sync();
      Stretch* const old = from;
      from = to;
      to = old;
    }
  }
};

}  // namespace gls
