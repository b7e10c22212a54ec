// Exhaustive best-improvement 2-opt on a GPU, with a block per tour (O'Neil and Burtscher 2015).
//
// A pass estimates all n (n - 3) / 2 moves in float32 and keeps the least estimate of each row.
// Estimates are within `slack` of the exact change, so only the rows that may contain the best move
// have to be evaluated exactly. The applied move is the best of the whole neighbourhood.
//
// A move joins the positions i (its row) and i + k (its column), with offsets k = 2 .. n/2 around
// the tour. A lane keeps `Rows` consecutive rows in registers and goes through the columns. The
// distance (i + 1, j + 1) of a move is the distance (i, j) of a move in the next row, so a move
// takes little more than one square root. Lanes are `Rows` columns apart; one pad after every 8
// points spreads their reads over the banks of shared memory. Columns pass through a ring in shared
// memory, so only global memory limits n.
#pragma once

#include "tours/problem/instance.cuh"
#include "tours/problem/metric.cuh"
#include "tours/moves/two_opt.cuh"
#include "tours/engines/descent/descent_batch.cuh"
#include "tours/engines/exhaustive/two_opt_rules.cuh"

namespace gls {

template <int Warps, int Rows, class Metric, class City>
struct TwoOptClimb {
  using Team = Block<32 * Warps>;
  using Length = typename Metric::Length;

  static constexpr int kGroup = 8;                     // number of columns between two pads
  static constexpr int kChunk = 128;                   // number of columns between two barriers
  static constexpr int kBand = Team::kThreads * Rows;  // number of rows that a block holds at once
  static constexpr int kRing = kBand + 2 * kChunk;
  static constexpr int kRingSlots = kRing / kGroup * (kGroup + 1);
  static_assert(Rows % kGroup == 0 || kGroup % Rows == 0,
                "each lane starts at a fixed place in a group");
  static constexpr float kInfinity = 3.0e38f;

  const Team& team;
  const Metric metric;
  Tour<City> tour;
  const float slack;  // bound on the error of an estimate: twice the slack of a distance
  Point* ring;
  RowBest<Length>* rows;  // best move of each row; null if a pass makes one move

  GLS_DEVICE static constexpr int pad(int slot) { return slot + slot / kGroup; }

  // Loads the positions base + [from, from + count) of the tour into the ring.
  GLS_DEVICE void load(int base, int from, int count) const {
    team.each(count, [&](int c) {
      const int w = from + c;
      const int position = int(uint32(base + w) % uint32(tour.n));
      const int city = tour[position];
      Point point = metric.point(city);
      point.edge = float(metric(city, tour[tour.next(position)]));
      ring[pad(w % kRing)] = point;
    });
  }

  // Evaluates kGroup columns for the rows of this lane; `column` is the offset of the first.
  template <bool Masked>
  GLS_DEVICE void columns(const Point* points, int column, const Point (&row)[Rows + 1],
                          float (&before)[Rows], float (&low)[Rows]) const {
#pragma unroll
    for (int u = 0; u < kGroup; ++u) {
      const Point point = points[u];
      float length = metric.estimate(row[0], point);
#pragma unroll
      for (int q = 0; q < Rows; ++q) {
        const float below = metric.estimate(row[q + 1], point);
        const int offset = column + u - 1 - q;
        if (!Masked || (offset >= 2 && offset <= tour.n / 2)) {
          low[q] = fminf(low[q], before[q] + below);
        }
        before[q] = length - point.edge;
        length = below;
      }
    }
  }

  // Computes the least estimates of the rows base + lane * Rows + [0, Rows).
  GLS_DEVICE void estimate_rows(int base, float (&low)[Rows]) const {
    __shared__ float row_edges[Rows][Team::kThreads];
    const int last_column = tour.n / 2 + Rows;
    const int own = team.lane() * Rows;
    const int first = base + own < tour.n ? own : 0;  // lanes without rows read valid points
    const bool busy = base + (own & ~(32 * Rows - 1)) < tour.n;  // whether the warp has a row
    // Number of positions up to the last column of the last row; short tours do not fill a band.
    const int reach = min(kBand, tour.n - base) + last_column + 2 * kGroup;
    load(base, 0, min(kBand + kChunk, reach));
    team.sync();
    Point row[Rows + 1];
    float before[Rows];
#pragma unroll
    for (int q = 0; q <= Rows; ++q) row[q] = ring[pad(first + q)];
#pragma unroll
    for (int q = 0; q < Rows; ++q) {
      row_edges[q][team.lane()] = row[q].edge;  // in memory: the inner loop needs the registers
      low[q] = before[q] = kInfinity;
    }
    // A lane reads from the start of the group of its first row.
    const int shift = first % kGroup;
    int slot = pad(first - shift);
    for (int chunk = 0; chunk <= last_column + kGroup; chunk += kChunk) {
      const int from = kBand + kChunk + chunk;
      load(base, from, min(kChunk, reach - from));
      const int end = min(chunk + kChunk, last_column + shift + 1);
      for (int c = chunk; busy && c < end; c += kGroup) {
        const int column = c - shift;
        const bool inner = column > Rows + 1 && column + kGroup <= tour.n / 2 + 2;
        if (inner) {
          columns<false>(ring + slot, column, row, before, low);
        } else {
          columns<true>(ring + slot, column, row, before, low);
        }
        slot += kGroup + 1;
        if (slot >= kRingSlots) slot -= kRingSlots;
      }
      team.sync();
    }
#pragma unroll
    for (int q = 0; q < Rows; ++q) {
      low[q] = base + own + q < tour.n ? low[q] - row_edges[q][team.lane()] : kInfinity;
    }
  }

  // Finds the best move of one row exactly; all lanes of a warp take part.
  GLS_DEVICE Ranked<Length> exact_row(int row) const {
    const int last = TwoOpt::last_offset(row, tour.n);
    Ranked<Length> best{0, 0};
    for (int offset = 2 + int(threadIdx.x % 32); offset <= last; offset += 32) {
      const int end = tour.wrap(row + offset);
      const Ranked<Length> move{TwoOpt::delta(metric, tour, row, end),
                                TwoOpt::index(row, end, tour.n)};
      if (move < best) best = move;
    }
    best = least_in_warp(best);
    if (rows != nullptr && threadIdx.x % 32 == 0) {
      const RowMove move = TwoOpt::row_move(best.index, tour.n);
      rows[row] = {best.value, best.value < 0 ? move.offset : 0};
    }
    return best;
  }

  // Finds the best move of the whole neighbourhood; its value is 0 if no move improves.
  GLS_DEVICE Ranked<Length> best_move() const {
    __shared__ uint32 least_bits;
    Ranked<Length> best{0, 0};
    if (rows != nullptr) team.each(tour.n, [&](int row) { rows[row].offset = 0; });
    team.once([&] { least_bits = ordered_bits(kInfinity); });
    for (int base = 0; base < tour.n; base += kBand) {
      float low[Rows];
      estimate_rows(base, low);
      float least = low[0];
#pragma unroll
      for (int q = 1; q < Rows; ++q) least = fminf(least, low[q]);
      const uint32 warp_bits = least_in_warp(ordered_bits(least));
      if (threadIdx.x % 32 == 0) atomicMin(&least_bits, warp_bits);
      team.sync();
      const float bar = threshold(unordered(least_bits));
      uint32 wanted = 0;
#pragma unroll
      for (int q = 0; q < Rows; ++q) wanted |= uint32(low[q] <= bar) << q;
      for (uint32 lanes; (lanes = __ballot_sync(kAllLanes, wanted != 0)) != 0;) {
        const int lane = __ffs(lanes) - 1;
        const int q = __ffs(__shfl_sync(kAllLanes, wanted, lane)) - 1;
        if (int(threadIdx.x % 32) == lane) wanted &= wanted - 1;
        const int row = base + int(threadIdx.x / 32 * 32 + lane) * Rows + q;
        const Ranked<Length> move = exact_row(row);
        if (move < best) best = move;
      }
    }
    return team.least(best);
  }

  // Returns the bar for estimates; rows with a larger estimate contain no move of this pass.
  GLS_DEVICE float threshold(float least) const {
    const float improving = slack - (Length(0.5) == Length(0) ? 1.0f : 0.0f);
    const float needed = rows == nullptr
                             ? least + 2 * slack
                             : fmaxf((least + slack) / kGainShare, least + slack) + slack;
    return fminf(improving, needed);
  }

  // The float with these ordered_bits().
  GLS_DEVICE static float unordered(uint32 bits) {
    return __uint_as_float(bits & 0x80000000u ? bits & 0x7fffffffu : ~bits);
  }

  // Climbs to a local optimum, with at most `passes` evaluations in this call and `max_moves` moves
  // in all; returns the state of the tour.
  // Counts stay in global memory, because the inner loop needs the registers.
  GLS_DEVICE unsigned char climb(int passes, int64 max_moves, int moves_per_pass,
                                 int64* passes_done, int64* moves_done) const {
    __shared__ RowMove chosen[kMaxMovesPerPass];
    for (int pass = 0; pass < passes; ++pass) {
      const int64 left = max_moves - *moves_done;
      if (left <= 0) return kOutOfMoves;
      const Ranked<Length> best = best_move();
      int count = best.value < 0;
      if (count && rows != nullptr) {
        const int limit = left < moves_per_pass ? int(left) : moves_per_pass;
        count = TwoOpt::choose(team, rows, tour.n, best, limit, chosen);
      } else if (count) {
        team.once([&] { chosen[0] = TwoOpt::row_move(best.index, tour.n); });
      }
      for (int c = 0; c < count; ++c) TwoOpt::apply(team, tour, chosen[c]);
      team.once([&] {
        ++*passes_done;
        *moves_done += count;
      });
      if (count == 0) return kOptimum;
    }
    return kRunning;
  }

  GLS_DEVICE static void run(const Team& team, int item, Instance instance, TwoOptRules rules,
                             DescentBatch batch) {
    extern __shared__ Point shared[];
    if (batch.states[item] != kRunning) return;
    const int n = instance.n;
    int* stored = batch.tours + int64(item) * n;
    constexpr bool kInShared = sizeof(City) < sizeof(int);
    City* order =
        kInShared ? reinterpret_cast<City*>(shared + kRingSlots) : reinterpret_cast<City*>(stored);
    if (kInShared) team.each(n, [&](int p) { order[p] = City(stored[p]); });
    team.sync();
    RowBest<Length>* rows = nullptr;
    if (rules.moves_per_pass > 1) {
      rows = reinterpret_cast<RowBest<Length>*>(batch.scratch) + int64(item) * n;
    }
    const Metric metric(instance.metric_data, n);
    TwoOptClimb search{team, metric, {order, n}, rules.slack, shared, rows};
    const unsigned char state = search.climb(batch.passes, batch.max_moves, rules.moves_per_pass,
                                             batch.pass_counts + item, batch.move_counts + item);
    if (kInShared) team.each(n, [&](int p) { stored[p] = int(order[p]); });
    team.once([&] { batch.states[item] = state; });
  }
};

}  // namespace gls
