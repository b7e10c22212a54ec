// Edge assembly's block strategy: an offspring has the edges of several AB-cycles exchanged, of one
// and of smaller ones that it shares cities with (after Nagata and Kobayashi 2013, who choose them
// by tabu search).
//
// All cycles are found before the first offspring. Each is the centre of a block once, the largest
// first. Its neighbours are looked at in the order in which they were found: one comes into the
// block if the tour falls into fewer subtours with it, or into as many and becomes shorter.
#pragma once

#include "recombination/ab_cycle.cuh"
#include "recombination/bit_set.cuh"
#include "recombination/cycle_exchange.cuh"
#include "recombination/in_order.cuh"

namespace gls {

template <class City>
struct CycleBlocks {
  AbCycles<City> cycles;
  City* cities;    // of all cycles, each from where an edge of A begins
  uint32* begins;  // of cycle k in `cities`; of one more
  City* holder;    // cycle that has the edge of A behind a city
  BitSet near;     // cycles beside the centre
  int count = 0;
  int64 last = -1;  // rank of the last centre

  template <class Memory>
  GLS_DEVICE CycleBlocks(int n, const Neighbours<City>* b, Memory& memory)
      : cycles(n, b, memory),
        cities(memory.template take<City>(2 * n)),
        begins(memory.template take<uint32>(most(n) + 1)),
        holder(memory.template take<City>(n)),
        near(most(n), memory) {}

  GLS_DEVICE static int64 bytes(int n) {
    return AbCycles<City>::bytes(n) + piece_bytes<City>(2 * n) + piece_bytes<uint32>(most(n) + 1) +
           piece_bytes<City>(n) + BitSet::bytes(most(n));
  }

  // Finds all cycles.
  template <class Team>
  GLS_DEVICE void open(const Team& team, const RingTour<City>& tour, Philox& random) {
    cycles.open(team, tour);
    team.each(cycles.n, [&](int city) { holder[city] = kNone; });
    team.once([&] { begins[0] = 0; });
    int end = 0;
#pragma unroll 1
    while (true) {
      const AbCycle cycle = cycles.next(team, random);
      const int edges = cycle.edges(), odd = cycle.begin % 2;
      if (edges == 0) break;
      const City* const walk = cycles.walk + cycle.begin;
      team.each(edges, [&](int i) {
        const City from = walk[(i + odd) % edges], to = walk[(i + odd) % edges + 1];
        cities[end + i] = from;
        if (i % 2 == 0) holder[cycles.a[from].after == to ? from : to] = City(count);
      });
      end += edges;
      ++count;
      team.once([&] { begins[count] = uint32(end); });
    }
  }

  // Exchanges the edges of the next block in a tour, and says what that gains, 0 if the tour has
  // lost one of the centre's. False if no centre is left.
  template <class Team, class Length, class Cost>
  GLS_DEVICE bool next(const Team& team, Philox&, const Length& length, BrokenTour<City>& child,
                       Cost& gain) {
    constexpr int64 kNowhere = int64(1) << 62;
    const int64 chosen = team.least(count, kNowhere, [&](int k) {
      const int64 own = rank(k);
      return own > last ? own : kNowhere;
    });
    if (chosen == kNowhere) return false;
    team.sync();  // all have read what the last exchange was
    last = chosen;
    gain = 0;
    child.size = 0;
    City* const block = cycles.walk;  // then what may come into it
    if (!exchange(team, length, int(chosen & kNumber), child, gain))
      gain = 0;
    else
      grow(team, length, block, list(team, block), child, gain);
    return true;
  }

 private:
  static constexpr City kNone = City(-1);
  static constexpr int64 kNumber = (int64(1) << 32) - 1;

  // A cycle has four edges at least, of 2 n that can be in one.
  GLS_DEVICE static int most(int n) { return n / 2 + 1; }

  GLS_DEVICE int edges(int cycle) const { return int(begins[cycle + 1] - begins[cycle]); }
  // The larger the cycle the less; of equals the first.
  GLS_DEVICE int64 rank(int cycle) const { return int64(kMostEdges - edges(cycle)) << 32 | cycle; }

  template <class Team, class Length, class Cost>
  GLS_DEVICE bool exchange(const Team& team, const Length& length, int cycle,
                           BrokenTour<City>& child, Cost& gain) const {
    const int count = edges(cycle);
    const City* const own = cities + begins[cycle];
    return exchange_cycle(
        team, length, count, 0, [&](int i) { return own[i < count ? i : 0]; }, child, gain);
  }

  // Lists the centre, and the smaller cycles that share cities with it; returns how many there are.
  template <class Team>
  GLS_DEVICE int list(const Team& team, City* listed) {
    const int centre = int(last & kNumber);
    const City* const own = cities + begins[centre];
    near.fill(team, 2 * edges(centre), [&](int i) {
      const City city = own[i / 2], held = holder[i % 2 == 0 ? city : cycles.a[city].before];
      return held != kNone ? int(held) : centre;
    });
    team.each(1, [&](int) { listed[0] = City(centre); });
    return 1 + put_kept(
                   team, count, [&](int k) { return near.has(k) && rank(k) > last; },
                   [&](int place, int k) { listed[1 + place] = City(k); });
  }

  // Takes into the block, which begins with the centre, those of the listed cycles that help.
  template <class Team, class Length, class Cost>
  GLS_DEVICE void grow(const Team& team, const Length& length, City* block, int listed,
                       BrokenTour<City>& child, Cost& gain) {
    int held = 1, subtours = child.connect(team).count;
#pragma unroll 1
    for (int i = 1; i < listed; ++i) {
      const int cycle = int(block[i]);
      if (child.size + edges(cycle) / 2 > kMostCuts) continue;
      Cost more = 0;
      if (exchange(team, length, cycle, child, more)) {
        const int found = child.connect(team).count;
        if (found < subtours || (found == subtours && more > 0)) {
          subtours = found;
          gain += more;
          team.each(1, [&](int) { block[held] = City(cycle); });
          ++held;
          continue;
        }
      }
      child.size = 0;  // without it
      team.sync();
#pragma unroll 1
      for (int j = 0; j < held; ++j) exchange(team, length, int(block[j]), child, more);
    }
  }
};

}  // namespace gls
