// The block strategy of edge assembly: an offspring exchanges the edges of one AB-cycle and of
// smaller ones that share cities with it (after Nagata and Kobayashi 2013, who choose them by tabu
// search).
//
// All cycles are found before the first offspring. Each cycle is the centre of one block, the
// largest cycle first. The cycles that share cities with the centre are tried in the order in which
// they were found. A cycle joins the block if the tour then has fewer subtours, or if it has as
// many subtours and is shorter.
#pragma once

#include "tours/crossovers/ab_cycle.cuh"
#include "backends/include/bit_set.cuh"
#include "tours/crossovers/cycle_exchange.cuh"
#include "backends/include/in_order.cuh"

namespace gls {

template <class City>
struct CycleBlocks {
  AbCycles<City> cycles;
  uint32* begins;   // first edge of each cycle; finally the end of the last cycle
  City* before;     // per city: the cycle with the edge of A before it
  City* behind;     // per city: the cycle with the edge of A after it
  City* listed;     // cycles that may join the block
  char* gains;      // gains of the first kKept cycles
  BitSet near;      // cycles that share cities with the centre
  int64 last = -1;  // rank of the last centre

  template <class Memory>
  GLS_DEVICE CycleBlocks(int n, const AbCycles<City>& cycles, Memory& memory)
      : cycles(cycles),
        begins(memory.template take<uint32>(most(n) + 1)),
        before(memory.template take<City>(n)),
        behind(memory.template take<City>(n)),
        listed(memory.template take<City>(kMostEdges)),
        gains(memory.template take<char>(8 * kKept)),
        near(most(n), memory) {}

  // Return the memory needed in addition to the cycles, in bytes, and the number of cycles to find
  // (all).
  GLS_DEVICE static int64 bytes(int n) {
    return piece_bytes<uint32>(most(n) + 1) + 2 * piece_bytes<City>(n) +
           piece_bytes<City>(kMostEdges) + piece_bytes<char>(8 * kKept) + BitSet::bytes(most(n));
  }
  GLS_DEVICE static int cycles_for(int, int n) { return most(n); }

  // Stores the places of the cycles in parent A, and their gains.
  template <class Cost, class Team, class Length>
  GLS_DEVICE void open(const Team& team, const Length& length, const RingTour<City>& tour) {
    team.each(tour.n, [&](int city) { before[city] = behind[city] = kNone; });
    team.each(1, [&](int) { begins[0] = 0; });
    team.sync();
    int begin = 0;
#pragma unroll 1
    for (int number = 0; number < cycles.count; ++number) {
      const AbCycle<City> cycle = cycles.from(begin).from_a();
      team.each(cycle.edges / 2, [&](int i) {
        const int from = cycle.at(2 * i), to = cycle.at(2 * i + 1);
        const bool forward = tour.wrap(tour.place(from) + 1) == tour.place(to);
        behind[forward ? from : to] = City(number);
        before[forward ? to : from] = City(number);
      });
      begin += cycle.edges;
      team.each(1, [&](int) { begins[number + 1] = uint32(begin); });
      if (number >= kKept) continue;
      const Cost gain = cycle_gain<Cost>(team, length, cycle);
      team.each(1, [&](int) { reinterpret_cast<Cost*>(gains)[number] = gain; });
    }
    team.sync();
  }

  // Exchanges the edges of the next block in a tour and sets the gain, which is 0 if the tour no
  // longer has an edge of the centre. Returns false if no centre is left.
  template <class Team, class Length, class Cost>
  GLS_DEVICE bool next(const Team& team, const Length& length, BrokenTour<City>& child,
                       Cost& gain) {
    constexpr int64 kNowhere = int64(1) << 62;
    const int64 chosen = team.least(cycles.count, kNowhere, [&](int k) {
      const int64 own = rank(k);
      return own > last ? own : kNowhere;
    });
    if (chosen == kNowhere) return false;
    last = chosen;
    gain = 0;
    child.size = 0;
    grow(team, length, list(team), child, gain);
    return true;
  }

 private:
  static constexpr City kNone = City(-1);
  static constexpr int kKept = 256;  // number of gains that are stored
  static constexpr int64 kNumber = (int64(1) << 32) - 1;

  // Upper bound on the number of cycles: each has at least four of the 2 n edges.
  GLS_DEVICE static int most(int n) { return n / 2 + 1; }

  GLS_DEVICE int edges(int cycle) const { return int(begins[cycle + 1] - begins[cycle]); }
  // Larger cycles have lower ranks; among equally large cycles, the first has the lowest rank.
  GLS_DEVICE int64 rank(int cycle) const { return int64(kMostEdges - edges(cycle)) << 32 | cycle; }

  GLS_DEVICE AbCycle<City> cycle(int number) const {
    return cycles.from(int(begins[number])).from_a();
  }

  template <class Cost, class Team, class Length>
  GLS_DEVICE Cost gain_of(const Team& team, const Length& length, int number) const {
    if (number < kKept) return reinterpret_cast<const Cost*>(gains)[number];
    return cycle_gain<Cost>(team, length, cycle(number));
  }

  // Lists the smaller cycles that share cities with the centre; returns how many.
  template <class Team>
  GLS_DEVICE int list(const Team& team) {
    const int centre = int(last & kNumber), own = int(begins[centre]);
    near.fill(team, 2 * edges(centre), [&](int i) {
      const City city = cycles.cities[own + i / 2];
      const City held = i % 2 == 0 ? behind[city] : before[city];
      return held != kNone ? int(held) : centre;
    });
    return put_kept(
        team, cycles.count, [&](int k) { return near.has(k) && rank(k) > last; },
        [&](int place, int k) { listed[place] = City(k); });
  }

  // Puts the centre into an empty block, then each listed cycle that helps.
  template <class Team, class Length, class Cost>
  GLS_DEVICE void grow(const Team& team, const Length& length, int count, BrokenTour<City>& child,
                       Cost& gain) {
    int subtours = kMostCuts + 1;  // above any possible number, so that the centre is accepted
#pragma unroll 1
    for (int i = -1; i < count; ++i) {
      const int number = i < 0 ? int(last & kNumber) : int(listed[i]);
      if (child.size + edges(number) / 2 > kMostCuts) continue;
      const int before = child.size;
      const Cost more = gain_of<Cost>(team, length, number);
      if ((subtours > 1 || more > 0) &&  // a single tour can only become shorter
          exchange_cycle(team, cycle(number), child)) {
        const int found = child.connect(team);
        if (found < subtours || (found == subtours && more > 0)) {
          subtours = found;
          gain += more;
          continue;
        }
      }
      child.size = before;  // removes the cycle again
      if (i < 0) return;
    }
  }
};

}  // namespace gls
