// Edge recombination (Whitley, Starkweather and Fuquay 1989), common edges first (Mathias and
// Whitley 1992).
//
// The child begins where the first parent does and goes on, by an edge of the parents, to a city
// that is not in it yet: along a common edge if there is one, else to the city with the fewest ways
// to go on from. At a dead end, it goes on to any other city. Random numbers decide between equals.
#pragma once

#include "tours/crossovers/cross_pairs.cuh"
#include "tours/crossovers/union_graph.cuh"

namespace gls {

template <class City>
struct EdgeRecombination {
  int n;
  City* order;  // the child's first `made` cities, then the others
  City* place;  // of every city in `order`
  UnionGraph<City> graph;

  template <class Memory>
  GLS_DEVICE EdgeRecombination(int n, Memory& memory)
      : n(n),
        order(memory.template take<City>(n)),
        place(memory.template take<City>(n)),
        graph(n, memory) {}

  GLS_DEVICE static int64 bytes(int n) {
    return 2 * piece_bytes<City>(n) + UnionGraph<City>::bytes(n);
  }

  template <class Team, class Child>
  GLS_DEVICE void cross(const Team& team, const int* first, const int* second, Philox& random,
                        Child child) {
    team.each(n, [&](int p) {
      order[p] = City(first[p]);
      place[first[p]] = City(p);
    });
    graph.unite(team, n, first, second);
    int here = int(order[0]);
#pragma unroll 1
    for (int made = 1; made < n; ++made) {
      const uint32 number = random.next();
      const uint32 best = team.least(kSlots, kNone, [&](int slot) {
        return way(here, slot, made, number >> 8 * slot & 0xff);
      });
      here = best != kNone ? graph.neighbour(here, int(best % kSlots))
                           : int(order[made + int(multiply_high(number, uint32(n - made)))]);
      team.sync();  // all have read what is about to change
      team.once([&] {
        const City other = order[made];
        const int from = int(place[here]);
        order[made] = City(here);
        order[from] = other;
        place[here] = City(made);
        place[other] = City(from);
      });
    }
    team.each(n, [&](int p) { child(p, int(order[p])); });
  }

 private:
  static constexpr int kSlots = UnionGraph<City>::kSlots;
  static constexpr uint32 kNone = ~0u;

  // Leaves the city that the child has come to, in a slot; returns how it may go on there, the best
  // way being the least and its slot in the last digits.
  GLS_DEVICE uint32 way(int here, int slot, int made, uint32 drawn) {
    const int next = graph.neighbour(here, slot);
    if (next == here) return kNone;
    const int open = graph.close(next);
    if (int(place[next]) < made) return kNone;
    const uint32 cost = uint32(open) + (graph.common(here, slot) ? 0 : 8);
    return (cost << 8 | drawn) * kSlots + uint32(slot);
  }
};

}  // namespace gls
