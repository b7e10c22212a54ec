// AB-cycles (Nagata and Kobayashi 2013): closed walks whose edges come from parent A and parent B
// in turn, of edges that only one of them has. Walks take edges away, so that a pair of parents
// falls into cycles that have no edge in common.
#pragma once

#include "recombination/neighbours.cuh"
#include "include/philox.cuh"
#include "tours/tour_memory.cuh"

namespace gls {

constexpr int kMostEdges = 512;  // of a walk, and of both parents in a cycle

// Edges `begin` to `end` of a walk: edge i joins its cities i and i + 1, and belongs to parent A
// where i is even. Empty where no cycle is left.
struct AbCycle {
  int begin, end;

  GLS_DEVICE int edges() const { return end - begin; }  // of both parents
};

template <class City>
struct AbCycles {
  int n;
  Neighbours<City>* a;
  const Neighbours<City>* b;
  uint32* open_a;  // bit c: the edge of A behind city c is in no walk yet
  uint32* open_b;
  City* walk;
  int length = 0;  // edges of the walk

  template <class Memory>
  GLS_DEVICE AbCycles(int n, const Neighbours<City>* b, Memory& memory)
      : n(n),
        a(memory.template take<Neighbours<City>>(n)),
        b(b),
        open_a(memory.template take<uint32>(words())),
        open_b(memory.template take<uint32>(words())),
        walk(memory.template take<City>(kMostEdges + 1)) {}

  GLS_DEVICE static int64 bytes(int n) {
    return piece_bytes<Neighbours<City>>(n) + 2 * piece_bytes<uint32>((n + 31) / 32) +
           piece_bytes<City>(kMostEdges + 1);
  }

  // Notes parent A and opens all edges that only one parent has.
  template <class Team>
  GLS_DEVICE void open(const Team& team, const RingTour<City>& tour) {
    team.each(words(), [&](int word) { open_a[word] = open_b[word] = 0; });
    team.sync();
    each_ahead(
        team, n, [&](int city) { return b[city]; },
        [&](int city, const Neighbours<City>& of_b) {
          const int place = tour.place(city);
          const Neighbours<City> of_a{City(tour.at(place - 1)), City(tour.at(place + 1))};
          a[city] = of_a;
          if (!of_b.has(of_a.after)) team.set_bit(open_a, city);
          if (!of_a.has(of_b.after)) team.set_bit(open_b, city);
        });
    team.sync();
  }

  // The next cycle: its edges are the last ones of the walk, which goes on from where it began. A
  // walk that becomes too long is left, its edges lost.
  template <class Team>
  GLS_DEVICE AbCycle next(const Team& team, Philox& random) {
#pragma unroll 1
    while (true) {
      if (length == 0) {
        const uint32 first = first_open(team, random.below(n));
        if (first == kNowhere) return {0, 0};
        team.each(1, [&](int) { walk[0] = City(first); });
        team.sync();
      }
      int city = int(walk[length]), met = kNone;
      Neighbours<City> of_b = b[city];
#pragma unroll 1
      while (met == kNone && length < kMostEdges) {
        const bool of_a = length % 2 == 0;
        const Neighbours<City> next = of_a ? a[city] : of_b;
        uint32* const open = of_a ? open_a : open_b;
        const bool after = is_set(open, city), before = is_set(open, next.before);
        if (!before && !after) break;  // what was lost is missing
        const bool turn = before && after ? random.next() & 1 : after;
        const int taken = turn ? city : int(next.before);
        city = int(turn ? next.after : next.before);
        if (of_a) of_b = b[city];  // is on its way while the walk is searched
        ++length;
        met = visited(team, city);
        team.sync();  // all have read the bits
        team.each(1, [&](int) {
          team.clear_bit(open, taken);
          walk[length] = City(city);
        });
        team.sync();
      }
      const AbCycle cycle{met, length};
      length = met == kNone ? 0 : met;
      if (met != kNone) return cycle;
    }
  }

 private:
  static constexpr uint32 kNowhere = ~0u;
  static constexpr int kNone = -1;

  GLS_DEVICE int words() const { return (n + 31) / 32; }
  GLS_DEVICE static bool is_set(const uint32* words, int bit) {
    return words[bit / 32] >> bit % 32 & 1;
  }

  // Where the walk was at a city in the same way, on its side of an edge of A.
  template <class Team>
  GLS_DEVICE int visited(const Team& team, int city) const {
    const int parity = length % 2;
    return int(team.least(length / 2, kNowhere, [&](int i) {
      return int(walk[2 * i + parity]) == city ? uint32(2 * i + parity) : kNowhere;
    }));
  }

  // The first city from a given one on, in the order of their numbers, with an open edge of A
  // behind it.
  template <class Team>
  GLS_DEVICE uint32 first_open(const Team& team, int from) const {
    const int count = words(), skipped = from / 32;
#pragma unroll 1
    for (int base = 0; base <= count; base += Team::kLanes) {
      const int turn = base + team.lane();
      uint32 found = kNowhere;
      if (turn <= count) {
        const int word = (skipped + turn) % count;
        uint32 bits = open_a[word];
        if (turn == 0) bits &= ~0u << from % 32;
        if (bits != 0) found = uint32(turn * 32 + lowest_bit(bits));
      }
      found = team.least(found);
      if (found != kNowhere) return (skipped + found / 32) % count * 32 + found % 32;
    }
    return kNowhere;
  }
};

}  // namespace gls
