// Crossover that keeps common blocks (after Ruiz, Maroto and Alcaraz 2006): places that hold the
// same item in both parents, two or more in a row, keep it. A section of the first parent stays in
// place, too; the other places get the other items in the order of the second parent.
#pragma once

#include "backends/include/bit_set.cuh"
#include "backends/include/in_order.cuh"
#include "backends/include/section.cuh"
#include "runs/crossovers/pairs.cuh"

namespace gls {

template <class City>
struct CommonBlocks {
  int n;
  BitSet kept;
  City* open;  // the places that get items of the second parent

  template <class Memory>
  GLS_DEVICE CommonBlocks(int n, Memory& memory)
      : n(n), kept(n, memory), open(memory.template take<City>(n)) {}

  GLS_DEVICE static int64 bytes(int n) { return BitSet::bytes(n) + piece_bytes<City>(n); }

  template <class Team, class Child>
  GLS_DEVICE void cross(const Team& team, const int* first, const int* second, Philox& random,
                        Child child) {
    const Section section = Section::drawn(random, n);
    const auto same = [&](int p) { return p >= 0 && p < n && first[p] == second[p]; };
    const auto stays = [&](int p) {
      return section.holds(p) || (same(p) && (same(p - 1) || same(p + 1)));
    };
    kept.fill(team, 0, [](int) { return 0; });
    put_kept(team, n, stays, [&](int, int p) {
      team.set_bit(kept.bits, first[p]);
      child(p, first[p]);
    });
    put_kept(
        team, n, [&](int p) { return !stays(p); }, [&](int rank, int p) { open[rank] = City(p); });
    put_kept(
        team, n, [&](int p) { return !kept.has(second[p]); },
        [&](int rank, int p) { child(int(open[rank]), second[p]); });
  }
};

// The memory of a pair, in device memory.
struct PairScratch : Pieces {
  using City = int;

  template <class Team>
  GLS_DEVICE PairScratch(const Team&, int item, int64 own, int64, char* scratch)
      : Pieces{scratch + item * own} {}
};

}  // namespace gls
