// The union of two tours as a graph: the neighbours of every city, in slots. Slots 0 and 1 hold
// those before and after it in the first tour, slots 2 and 3 in the second. What an earlier slot
// holds is not held again: the slot holds the city itself.
#pragma once

#include "tours/kernels/tour_memory.cuh"

namespace gls {

template <class City>
struct UnionGraph {
  static constexpr int kSlots = 4;

  City* to;
  unsigned char* notes;  // bits 0 to 2: ways that are open; bit 4 + slot: `common`

  template <class Memory>
  GLS_DEVICE UnionGraph(int n, Memory& memory)
      : to(memory.template take<City>(kSlots * n)), notes(memory.template take<unsigned char>(n)) {}

  GLS_DEVICE static int64 bytes(int n) {
    return piece_bytes<City>(kSlots * n) + piece_bytes<unsigned char>(n);
  }

  GLS_DEVICE int neighbour(int city, int slot) const { return int(to[kSlots * city + slot]); }
  // Whether the edge in a slot is one of both tours.
  GLS_DEVICE bool common(int city, int slot) const {
    return slot < 2 && notes[city] >> (4 + slot) & 1;
  }
  // Closes the way from a city to one of its neighbours; returns how many ways are open.
  GLS_DEVICE int close(int city) { return --notes[city] & 7; }

  template <class Team>
  GLS_DEVICE void unite(const Team& team, int n, const int* first, const int* second) {
    const auto note = [&](const int* tour, int place, int slot) {
      City* const slots = to + kSlots * tour[place] + slot;
      slots[0] = City(tour[place > 0 ? place - 1 : n - 1]);
      slots[1] = City(tour[place + 1 < n ? place + 1 : 0]);
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

}  // namespace gls
