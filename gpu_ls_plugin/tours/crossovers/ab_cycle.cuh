// AB-cycles (Nagata and Kobayashi 2013): closed walks in which edges of parent A and parent B
// alternate. Each edge belongs to only one parent, and the cycles of a pair of tours share no edge.
#pragma once

#include "backends/include/team.cuh"
#include "tours/kernels/tour_memory.cuh"

namespace gls {

constexpr int kMostEdges = 512;  // maximum number of edges of a walk, and so of a cycle

// Edge i joins the cities at(i) and at(i + 1); it belongs to parent B if i + first is odd.
template <class City>
struct AbCycle {
  const City* cities;
  int edges;     // number of edges, of both parents together
  int first;     // 0 if edge 0 belongs to parent A, 1 if it belongs to parent B
  int turn = 0;  // number of the stored edge that is read first

  // Returns city i; i must be less than edges + 2.
  GLS_DEVICE int at(int i) const {
    const int k = i + turn;
    return int(cities[k < edges ? k : k - edges]);
  }
  // Returns the same cycle, beginning with an edge of A.
  GLS_DEVICE AbCycle from_a() const { return {cities, edges, 0, first}; }
};

// All cycles of a pair of tours, one after another in memory.
template <class City>
struct AbCycles {
  City* cities;   // the first city of each edge
  uint32* marks;  // bits: set for the last edge of each cycle, and for first edges that belong to B
  int edges = 0;  // number of edges of all cycles
  int count = 0;  // number of cycles

  template <class Memory>
  GLS_DEVICE AbCycles(int n, Memory& memory)
      : cities(memory.template take<City>(2 * n)), marks(memory.template take<uint32>(words(n))) {}

  GLS_DEVICE static int64 bytes(int n) {
    return piece_bytes<City>(2 * n) + piece_bytes<uint32>(words(n));
  }

  template <class Team>
  GLS_DEVICE void clear(const Team& team, int n) {
    team.each(words(n), [&](int word) { marks[word] = 0; });
    team.sync();
  }

  // Appends a cycle of `more` edges; edge i begins at city(i).
  template <class Team, class Begin>
  GLS_DEVICE void append(const Team& team, int more, int first, Begin city) {
    team.each(more, [&](int i) {
      cities[edges + i] = city(i);
      if (i == more - 1 || (i == 0 && first != 0)) team.set_bit(marks, edges + i);
    });
    edges += more;
    ++count;
  }

  // Returns the cycle whose first edge is number `begin`.
  GLS_DEVICE AbCycle<City> from(int begin) const {
    int word = (begin + 1) / 32;
    uint32 bits = marks[word] & ~0u << (begin + 1) % 32;
    while (bits == 0) bits = marks[++word];
    const int end = 32 * word + lowest_bit(bits) + 1;
    return {cities + begin, end - begin, int(marks[begin / 32] >> begin % 32 & 1)};
  }

 private:
  GLS_DEVICE static int words(int n) { return (2 * n + 31) / 32; }
};

}  // namespace gls
