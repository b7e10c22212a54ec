// The single strategy of edge assembly: each offspring exchanges the edges of one AB-cycle, in the
// order in which the cycles were found.
#pragma once

#include "tours/crossovers/ab_cycle.cuh"
#include "tours/crossovers/cycle_exchange.cuh"

namespace gls {

template <class City>
struct SingleCycles {
  AbCycles<City> cycles;
  int next_edge = 0;

  template <class Memory>
  GLS_DEVICE SingleCycles(int, const AbCycles<City>& cycles, Memory&) : cycles(cycles) {}

  // Return the memory needed in addition to the cycles, in bytes, and the number of cycles to find
  // (one per offspring).
  GLS_DEVICE static int64 bytes(int) { return 0; }
  GLS_DEVICE static int cycles_for(int offspring, int) { return offspring; }

  template <class Cost, class Team, class Length>
  GLS_DEVICE void open(const Team&, const Length&, const RingTour<City>&) {}

  // Exchanges the edges of the next cycle in a tour and sets the gain, which is 0 if the tour no
  // longer has one of the cycle's edges. Returns false if no cycle is left.
  template <class Team, class Length, class Cost>
  GLS_DEVICE bool next(const Team& team, const Length& length, BrokenTour<City>& child,
                       Cost& gain) {
    if (next_edge == cycles.edges) return false;
    const AbCycle<City> cycle = cycles.from(next_edge);
    next_edge += cycle.edges;
    child.size = 0;
    gain = cycle_gain<Cost>(team, length, cycle);
    if (gain > 0 && !exchange_cycle(team, cycle, child)) gain = 0;
    return true;
  }
};

}  // namespace gls
