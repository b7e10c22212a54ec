// Exhaustive best-improvement 3-opt on a GPU. A pass consists of two launches for all tours.
//
// ThreeOptTiles evaluates the four pure reconnections of all n (n - 1) (n - 2) / 6 triples of
// edges, with one block for each bar of positions (triple_tiles.cuh). It computes the two (min, +)
// products of three_opt_step.cuh like a product of matrices. The rows of a bar are its positions i
// and j; its columns are its positions k. Shared memory contains the lengths from rows to columns,
// so each length is computed once for `edge` triples. A lane keeps the sums of a square of 4 x 4
// pairs in registers: 24 sums of M (5 x 5 without a corner) and 16 of N. The four moves of a triple
// then take two and a half additions and as many minima; from sm_90 on, an addition and a minimum
// are one instruction.
//
// ThreeOptTiles keeps the least change of a pair, but not the third edge. ThreeOptMoves finds the
// third edge by computing the changes of the best pair again, and applies the move. Both kernels
// compute the same change, because lengths are exact.
#pragma once

#include "tours/problem/instance.cuh"
#include "tours/problem/lengths.cuh"
#include "tours/engines/descent/descent_batch.cuh"
#include "tours/engines/exhaustive/three_opt_step.cuh"
#include "tours/engines/exhaustive/triple_tiles.cuh"

namespace gls {

template <int edge, int depth, class Metric, class Value>
struct ThreeOptTiles {
  using Tiles = TripleTiles<edge, depth>;
  using Tile = typename Tiles::Tile;
  using Team = Block<Tiles::kLanes>;
  using Step = ThreeOptStep<Metric, Value>;
  using Exact = Lengths<Metric, Value>;

  static constexpr int kSquare = Tiles::kSquare;
  static constexpr int kRows = edge + 1;   // number of positions on a side of a bar, plus one
  static constexpr int kPitch = edge + 4;  // entries per column of a table, a multiple of 16 bytes
  static constexpr int kColumns = 32;      // number of columns k between two barriers
  static_assert(2 * (kColumns + 1) >= kRows, "the tables have room for the lengths of pairs");

  struct alignas(16) Four {
    Value value[4];
  };

  // Lengths from the rows of a lane's square, and from the row after them, to one column.
  struct Column {
    Value value[kSquare + 1];
    GLS_DEVICE void read(const Value* table) {
      const Four four = *reinterpret_cast<const Four*>(table);
#pragma unroll
      for (int r = 0; r < kSquare; ++r) value[r] = four.value[r];
      value[kSquare] = table[kSquare];
    }
  };

  // A slot is an index of a city in Storage. The cities at the positions from tile.i, tile.j and
  // tile.k on have the slots from kI, kJ and kK on; kSlots is the number of slots.
  static constexpr int kI = 0, kJ = kRows, kK = 2 * kRows, kSlots = kK + Tiles::kDepth + 1;

  struct Storage {
    typename Exact::City sites[kSlots];
    int cities[kSlots];
    Value edges[kSlots - 1];  // from a slot to the next
    alignas(16) Value tables[2][kColumns + 1][kPitch];
  };

  const Team& team;
  const Tour<const int> tour;
  const Tile tile;
  Storage& shared;
  const Exact lengths;  // by slots, not by cities

  GLS_DEVICE Value length(int p, int q) const {
    if constexpr (Exact::kQuick) {
      bool doubt = false;
      const Value length = lengths.quick(p, q, doubt);
      if (!doubt) return length;
    }
    return lengths.exact(shared.cities[p], shared.cities[q]);
  }

  GLS_DEVICE void load() const {
    team.each(kSlots, [&](int slot) {
      const int position = slot < kJ   ? tile.i + slot
                           : slot < kK ? tile.j + slot - kJ
                                       : tile.k + slot - kK;
      const int city = tour[position < tour.n ? position : 0];  // slots beyond n are not used
      shared.cities[slot] = city;
      shared.sites[slot].set(lengths.metric.point(city));
    });
    team.sync();
    team.each(kSlots - 1, [&](int slot) { shared.edges[slot] = length(slot, slot + 1); });
  }

  // Fills a table with the lengths from all rows of a side to `count` slots from `column` on.
  GLS_DEVICE void fill(Value (*table)[kPitch], int side, int column, int count) const {
    const int r = team.lane() % edge;
#pragma unroll 1
    for (int c = team.lane() / edge; c < count; c += Tiles::kLanes / edge) {
      table[c][r] = length(side + r, column + c);
    }
#pragma unroll 1
    for (int c = team.lane(); c < count; c += Tiles::kLanes) {
      table[c][edge] = length(side + edge, column + c);
    }
  }

  // Least sums of M and N for the pairs of a lane. If (i, j) is the lane's first pair, m[p][q] is
  // M(i + p, j + q), and n[p][q] is N(i + p + 1, j + q).
  struct Sums {
    Value m[kSquare + 1][kSquare + 1], n[kSquare][kSquare];
  };

  // Updates the sums with `count` columns, from column `begin` of the bar on. If `masked`, it skips
  // columns with k <= j.
  template <bool masked>
  GLS_DEVICE void stream(int begin, int count, Sums& sums) const {
    const int row_i = Tiles::first_i(team.lane()), row_j = Tiles::first_j(team.lane());
    const int ahead = tile.k + begin - tile.j - row_j;
    Column from_i, from_j;
    from_i.read(&shared.tables[0][0][row_i]);
    from_j.read(&shared.tables[1][0][row_j]);
#pragma unroll 4
    for (int c = 0; c < count; ++c) {
      Column to_i, to_j;  // of k + 1
      to_i.read(&shared.tables[0][c + 1][row_i]);
      to_j.read(&shared.tables[1][c + 1][row_j]);
      const Value out = shared.edges[kK + begin + c];
#pragma unroll
      for (int r = 0; r <= kSquare; ++r) from_i.value[r] -= out, from_j.value[r] -= out;
#pragma unroll
      for (int q = 0; q <= kSquare; ++q) {
        if (masked && ahead + c <= q) continue;
#pragma unroll
        for (int p = 0; p <= kSquare; ++p) {
          if (p == 0 && q == kSquare) continue;  // no pair needs this sum
          sums.m[p][q] = Step::least(sums.m[p][q], from_i.value[p] + to_j.value[q]);
        }
#pragma unroll
        for (int p = 0; q < kSquare && p < kSquare; ++p) {
          sums.n[p][q] = Step::least(sums.n[p][q], to_i.value[p + 1] + from_j.value[q]);
        }
      }
      from_i = to_i;
      from_j = to_j;
    }
  }

  // Returns the best pair of the bar, as (delta, i n + j).
  GLS_DEVICE Ranked<Value> best_pair() const {
    load();
    Sums sums;
#pragma unroll
    for (int p = 0; p <= kSquare; ++p) {
#pragma unroll
      for (int q = 0; q <= kSquare; ++q) {
        sums.m[p][q] = Step::kNone;
        if (p < kSquare && q < kSquare) sums.n[p][q] = Step::kNone;
      }
    }
    const int skipped = tile.j > tile.k ? tile.j - tile.k : 0;  // columns before the first j
    const int end = tour.n - tile.k < Tiles::kDepth ? tour.n - tile.k : Tiles::kDepth;
    for (int begin = skipped; begin < end; begin += kColumns) {
      fill(shared.tables[0], kI, kK + begin, kColumns + 1);
      fill(shared.tables[1], kJ, kK + begin, kColumns + 1);
      team.sync();
      const int count = end - begin < kColumns ? end - begin : kColumns;
      if (tile.k + begin <= tile.j + edge) {
        stream<true>(begin, count, sums);
      } else {
        stream<false>(begin, count, sums);
      }
      team.sync();
    }
    return with_pairs(sums);
  }

  // Adds the lengths that do not depend on k, and returns the best pair.
  GLS_DEVICE Ranked<Value> with_pairs(const Sums& sums) const {
    Value(*const pairs)[kPitch] = shared.tables[0];
    fill(pairs, kI, kJ, kRows);
    team.sync();
    const int row_i = Tiles::first_i(team.lane()), row_j = Tiles::first_j(team.lane());
    Ranked<Value> best{0, 0};
#pragma unroll
    for (int p = 0; p < kSquare; ++p) {
#pragma unroll
      for (int q = 0; q < kSquare; ++q) {
        const int i = tile.i + row_i + p, j = tile.j + row_j + q;
        const Value* ac = &pairs[row_j + q][row_i + p];
        const Value removed = shared.edges[kI + row_i + p] + shared.edges[kJ + row_j + q];
        const Value change =
            Step::change(Step::least(sums.m[p + 1][q], sums.n[p][q]), sums.m[p + 1][q + 1],
                         sums.m[p][q], ac[0], ac[kPitch], ac[kPitch + 1], removed);
        const Ranked<Value> pair{change, int64(i) * tour.n + j};
        if (i < j && j < tour.n - 1 && pair < best) best = pair;
      }
    }
    return team.least(best);
  }

  GLS_DEVICE static void run(const Team& team, int item, Instance instance, DescentBatch batch,
                             void* best) {
    __shared__ Storage shared;
    const int n = instance.n, tiles = Tiles{n}.count(), tour = item / tiles;
    if (!batch.climbs(tour)) return;
    const ThreeOptTiles search{team,
                               {batch.tours + int64(tour) * n, n},
                               Tiles::decode(item % tiles),
                               shared,
                               {Metric(instance.metric_data, n),
                                shared.sites,
                                {instance.error_absolute, instance.error_relative}}};
    const Ranked<Value> pair = search.best_pair();
    team.once([&] { static_cast<Ranked<Value>*>(best)[item] = pair; });
  }
};

// Applies the best move of all bars of a tour.
template <int edge, int depth, class Team, class Metric, class Value>
struct ThreeOptMoves {
  GLS_DEVICE static void run(const Team& team, int item, Instance instance, DescentBatch batch,
                             const void* best) {
    const int n = instance.n;
    const bool running = batch.states[item] == kRunning, climbing = batch.climbs(item);
    team.sync();  // all lanes have read the state
    if (!running) return;
    bool moved = false;
    if (climbing) {
      const int tiles = TripleTiles<edge, depth>{n}.count();
      const Ranked<Value>* found = static_cast<const Ranked<Value>*>(best) + int64(item) * tiles;
      const Ranked<Value> pair =
          team.least(tiles, Ranked<Value>{0, 0}, [&](int tile) { return found[tile]; });
      const ThreeOptStep<Metric, Value> step{Metric(instance.metric_data, n),
                                             {batch.tours + int64(item) * n, n}};
      moved = step.take(team, pair);
    }
    team.once([&] {
      batch.pass_counts[item] += climbing;
      batch.move_counts[item] += moved;
      if (!moved) batch.states[item] = climbing ? kOptimum : kOutOfMoves;
    });
  }
};

}  // namespace gls
