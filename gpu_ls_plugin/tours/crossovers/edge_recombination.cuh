// Edge recombination (Whitley, Starkweather and Fuquay 1989), common edges first (Mathias and
// Whitley 1992).
//
// The child begins at the first parent's first city and follows edges of the parents to cities that
// it does not contain yet: a common edge if there is one, otherwise the edge to the city with the
// fewest open edges. An edge is open if it leads to a city that the child does not contain yet. At
// a dead end, the child continues from a random city. Random numbers break ties.
#pragma once

#include "tours/crossovers/neighbours.cuh"
#include "runs/crossovers/pairs.cuh"

namespace gls {

// The union of two tours as a graph, with four neighbour slots per city. Slots 0 and 1 hold the
// neighbours in the first tour, slots 2 and 3 those in the second. A slot that would repeat an
// earlier one holds the city itself.
template <class City>
struct UnionGraph {
  static constexpr int kSlots = 4;

  City* to;
  unsigned char* notes;  // bits 0 to 2: number of open edges; bit 4 + slot: the edge is common

  template <class Memory>
  GLS_DEVICE UnionGraph(int n, Memory& memory)
      : to(memory.template take<City>(kSlots * n)), notes(memory.template take<unsigned char>(n)) {}

  GLS_DEVICE static int64 bytes(int n) {
    return piece_bytes<City>(kSlots * n) + piece_bytes<unsigned char>(n);
  }

  GLS_DEVICE int neighbour(int city, int slot) const { return int(to[kSlots * city + slot]); }
  // Whether both tours have the edge in a slot.
  GLS_DEVICE bool common(int city, int slot) const {
    return slot < 2 && notes[city] >> (4 + slot) & 1;
  }
  // Counts one edge of a city as closed; returns how many of its edges are still open.
  GLS_DEVICE int close(int city) { return --notes[city] & 7; }

  template <class Team>
  GLS_DEVICE void unite(const Team& team, int n, const int* first, const int* second) {
    const auto note = [&](const int* tour, int place, int slot) {
      const auto its = neighbours_at<City>(tour, n, place);
      City* const slots = to + kSlots * tour[place] + slot;
      slots[0] = its.before, slots[1] = its.after;
    };
    team.each(n, [&](int place) {
      note(first, place, 0);
      note(second, place, 2);
    });
    team.sync();
    team.each(n, [&](int city) {
      City* const slots = to + kSlots * city;
      int held[kSlots], open = 0, common = 0;
      GLS_UNROLL
      for (int slot = 0; slot < kSlots; ++slot) {
        held[slot] = int(slots[slot]);
        bool known = held[slot] == city;
        for (int other = 0; other < slot; ++other) {
          const bool same = held[other] == held[slot];
          known |= same;
          if (slot >= 2 && other < 2 && same) common |= 16 << other;
        }
        if (known) slots[slot] = City(held[slot] = city);
        open += !known;
      }
      notes[city] = (unsigned char)(open | common);
    });
    team.sync();
  }
};

template <class City>
struct EdgeRecombination {
  int n;
  City* order;  // the cities of the child so far, then the others
  City* place;  // place of each city in `order`
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
      team.sync();  // all lanes have read `order` and `place`
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

  // For the edge in a slot of the child's last city `here`: closes the edge at its other end and
  // returns the rank of continuing there (lower is better), with the slot in the lowest bits.
  // Returns kNone if the slot has no edge or the child already has the other city.
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
