// Edge assembly's single strategy: an offspring has the edges of one AB-cycle exchanged, those that
// one walk finds one after the other.
#pragma once

#include "recombination/ab_cycle.cuh"
#include "recombination/cycle_exchange.cuh"

namespace gls {

template <class City>
struct SingleCycles {
  AbCycles<City> cycles;

  template <class Memory>
  GLS_DEVICE SingleCycles(int n, const Neighbours<City>* b, Memory& memory)
      : cycles(n, b, memory) {}

  GLS_DEVICE static int64 bytes(int n) { return AbCycles<City>::bytes(n); }

  template <class Team>
  GLS_DEVICE void open(const Team& team, const RingTour<City>& tour, Philox&) {
    cycles.open(team, tour);
  }

  // Exchanges the edges of the next cycle in a tour, and says what that gains, 0 if the tour has
  // lost one of them. False if no cycle is left.
  template <class Team, class Length, class Cost>
  GLS_DEVICE bool next(const Team& team, Philox& random, const Length& length,
                       BrokenTour<City>& child, Cost& gain) {
    const AbCycle cycle = cycles.next(team, random);
    if (cycle.edges() == 0) return false;
    const City* const walk = cycles.walk + cycle.begin;
    child.size = 0;
    gain = 0;
    const auto at = [&](int i) { return walk[i]; };
    if (!exchange_cycle(team, length, cycle.edges(), cycle.begin, at, child, gain)) gain = 0;
    return true;
  }
};

}  // namespace gls
