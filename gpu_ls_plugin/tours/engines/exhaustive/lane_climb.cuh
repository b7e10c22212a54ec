// Exhaustive best-improvement 2-opt for short tours: a climb by `Lanes` lanes of a warp.
//
// The moves are those of TwoOptClimb: a pass estimates all n (n - 3) / 2 of them in float32, and
// evaluates exactly what may be the best. Here a lane holds `Rows` consecutive rows in registers
// and a group of lanes holds the whole tour, so that a pass needs no barrier and no ring. A warp
// has 32 / Lanes climbs in step; a group that is done takes the next of the warp's climbs.
//
//                 column c        column c + 1
//   row i         d(i, c)         d(i, c + 1)
//   row i + 1     d(i + 1, c)     d(i + 1, c + 1)      delta(i, c) = d(i, c) + d(i + 1, c + 1) -
//   ...
//
// Row i has the offsets 2 .. n/2 around the tour. The rows of a lane begin one column after the
// other and end so; the columns before all have begun and after the first has ended are unrolled,
// and no distance is computed that no move needs. An odd number of rows spreads the reads of
// neighbouring lanes over all banks of shared memory.
//
// A move whose estimate is the only one near the least one is the best move; then nothing is
// evaluated exactly.
#pragma once

#include "tours/problem/instance.cuh"
#include "tours/problem/metric.cuh"
#include "tours/moves/two_opt.cuh"
#include "tours/engines/descent/descent_batch.cuh"
#include "tours/engines/exhaustive/lane_rules.cuh"

namespace gls {

template <int Lanes, int Rows, int Unroll, class Team, class Metric>
struct LaneClimb {
  using Length = typename Metric::Length;

  static constexpr int kGroups = 32 / Lanes;  // climbs of a warp at a time
  static constexpr float kInfinity = 3.0e38f;
  static constexpr uint32 kFirstGroup = Lanes == 32 ? kAllLanes : (1u << (Lanes % 32)) - 1;
  static_assert(Rows % 2 == 1, "an even number of rows causes bank conflicts");

  // A move that a lane has found, and how many more it has found.
  struct Found {
    int row, offset, count;
  };

  const Metric metric;
  const LaneRules& rules;
  const int n, half;  // half: the largest offset
  // Points of the tour of this group, by position. Positions up to half + Rows follow again after
  // the last one. `edge` is the estimate of the edge to the next position.
  Point* const points;
  uint16* const order;  // cities by position
  const int lane;       // in the group
  const uint32 group;   // lanes of the group

  GLS_DEVICE int wrap(int position) const { return position < n ? position : position - n; }
  GLS_DEVICE bool any_of_group(bool mine) const {
    return (__ballot_sync(kAllLanes, mine) & group) != 0;
  }

  // Calls f(i) for the numbers of this lane in [from, end).
  template <class F>
  GLS_DEVICE void each(int from, int end, F f) const {
#pragma unroll 1
    for (int i = from + lane; i < end; i += Lanes) f(i);
  }

  GLS_DEVICE void load(const int* stored) const {
    each(0, n, [&](int p) {
      const int city = stored[p];
      order[p] = uint16(city);
      points[p] = metric.point(city);
    });
  }

  // Evaluates a column for the rows From .. To.
  template <int From, int To>
  GLS_DEVICE void column(const Point& point, const Point (&row)[Rows + 1], float (&before)[Rows],
                         float (&low)[Rows]) const {
#pragma unroll
    for (int q = To; q >= From; --q) {
      const float length = metric.estimate(row[q], point);
      if (q > 0)
        low[q > 0 ? q - 1 : 0] = fminf(low[q > 0 ? q - 1 : 0], before[q > 0 ? q - 1 : 0] + length);
      if (q < Rows) before[q < Rows ? q : 0] = length - point.edge;
    }
  }
  template <int Column>
  GLS_DEVICE void first_columns(const Point* own, const Point (&row)[Rows + 1],
                                float (&before)[Rows], float (&low)[Rows]) const {
    if constexpr (Column <= Rows + 1) {
      column<0, Column - 2>(own[Column], row, before, low);
      first_columns<Column + 1>(own, row, before, low);
    }
  }
  template <int From>
  GLS_DEVICE void last_columns(const Point* end, const Point (&row)[Rows + 1],
                               float (&before)[Rows], float (&low)[Rows]) const {
    if constexpr (From <= Rows) {
      column<From, Rows>(end[From], row, before, low);
      last_columns<From + 1>(end, row, before, low);
    }
  }

  // Computes the least estimates of the rows of this lane.
  GLS_DEVICE void estimate_rows(float (&low)[Rows]) const {
    Point row[Rows + 1];
    float before[Rows];
    const int first = lane * Rows < n ? lane * Rows : 0;  // lanes without rows read valid points
#pragma unroll
    for (int q = 0; q <= Rows; ++q) row[q] = points[wrap(first + q)];
    __syncwarp();
#pragma unroll
    for (int q = 0; q < Rows; ++q) {
      low[q] = before[q] = kInfinity;
      row[q].edge = metric.estimate(row[q], row[q + 1]);
      const int position = lane * Rows + q;
      if (position < n) points[position].edge = row[q].edge;
      if (position <= half + Rows) points[position + n] = row[q];
    }
    __syncwarp();
    const Point* const own = points + first;
    first_columns<2>(own, row, before, low);
#pragma unroll Unroll
    for (int c = Rows + 2; c <= half; ++c) column<0, Rows>(own[c], row, before, low);
    last_columns<1>(own + half, row, before, low);
#pragma unroll
    for (int q = 0; q < Rows; ++q) {
      const int position = lane * Rows + q;
      low[q] = position < n ? low[q] - points[position].edge : kInfinity;
    }
  }

  // Calls f(row, offset) for all moves with an estimate up to `bar` in the rows of the bits of
  // `wanted`; the lanes of a group share out the offsets.
  template <class F>
  GLS_DEVICE void each_move(uint32 wanted, float bar, F f) const {
    for (uint32 lanes; (lanes = __ballot_sync(kAllLanes, wanted != 0)) != 0;) {
      const bool active = (lanes & group) != 0;
      const int leader = active ? __ffs(lanes & group) - 1 : 0;
      const int q = __ffs(__shfl_sync(kAllLanes, wanted, leader)) - 1;
      if (active && int(threadIdx.x % 32) == leader) wanted &= wanted - 1;
      const int row = leader % Lanes * Rows + q;
      const int last = active ? TwoOpt::last_offset(row, n) : 0;
      const Point* const here = points + (active ? row : 0);
      const Point begin = here[0], next = here[1];
#pragma unroll 1
      for (int offset = 2 + lane; offset <= last; offset += Lanes) {
        const Point end = here[offset];
        const float before = metric.estimate(begin, end) - end.edge;
        const float estimate = before + metric.estimate(next, here[offset + 1]) - begin.edge;
        if (estimate <= bar) f(row, offset);
      }
      __syncwarp();
    }
  }

  // Finds the best move exactly among those with an estimate up to `bar`; `offset` 0: none
  // improves.
  GLS_DEVICE RowMove exact_move(uint32 wanted, float bar) const {
    const Tour<uint16> tour{order, n};
    Ranked<Length> best{0, 0};
    each_move(wanted, bar, [&](int row, int offset) {
      const int end = wrap(row + offset);
      const Ranked<Length> move{TwoOpt::delta(metric, tour, row, end), TwoOpt::index(row, end, n)};
      if (move < best) best = move;
    });
#pragma unroll
    for (int mask = Lanes / 2; mask > 0; mask /= 2) {
      const Ranked<Length> other = warp::shuffle_xor(best, mask);
      if (other < best) best = other;
    }
    return best.value < 0 ? TwoOpt::row_move(best.index, n) : RowMove{0, 0};
  }

  // Finds the best move of the whole neighbourhood; `offset` is 0 if none improves.
  GLS_DEVICE RowMove best_move(bool climbing) const {
    float low[Rows];
    estimate_rows(low);
    float least = low[0];
#pragma unroll
    for (int q = 1; q < Rows; ++q) least = fminf(least, low[q]);
#pragma unroll
    for (int mask = Lanes / 2; mask > 0; mask /= 2) {
      least = fminf(least, __shfl_xor_sync(kAllLanes, least, mask));
    }
    const float improving = rules.slack - (Length(0.5) == Length(0) ? 1.0f : 0.0f);
    const float bar = fminf(improving, least + 2 * rules.slack);
    uint32 wanted = 0;
#pragma unroll
    for (int q = 0; q < Rows; ++q) wanted |= uint32(low[q] <= bar) << q;
    if (!climbing) wanted = 0;
    Found found{0, 0, 0};
    each_move(wanted, bar, [&](int row, int offset) { found = {row, offset, found.count + 1}; });
    const uint32 finders = __ballot_sync(kAllLanes, found.count > 0) & group;
    const bool several = any_of_group(found.count > 1) || (finders & (finders - 1)) != 0;
    const int finder = finders != 0 ? __ffs(finders) - 1 : 0;
    RowMove move{__shfl_sync(kAllLanes, found.row, finder),
                 __shfl_sync(kAllLanes, found.offset, finder)};
    if (finders == 0) move.offset = 0;
    const bool sure = finders == 0 || (!several && least < -2 * rules.slack);
    if (__any_sync(kAllLanes, !sure)) {
      const RowMove exact = exact_move(sure ? 0 : wanted, bar);
      if (!sure) move = exact;
    }
    return move;
  }

  // Reverses the `length` positions from `first` on.
  GLS_DEVICE void reverse(int first, int length) const {
    each(0, length / 2, [&](int s) {
      const int left = wrap(first + s), right = wrap(first + length - 1 - s);
      const Point point = points[left];
      const uint16 city = order[left];
      points[left] = points[right];
      order[left] = order[right];
      points[right] = point;
      order[right] = city;
    });
  }

  // Climbs with the tours [begin, end) of a warp.
  GLS_DEVICE void climb(const DescentBatch& batch, int begin, int end) const {
    int item = -1;  // the tour of this group; -1: none
    int next = begin, passes = 0, moves = 0;
    int64 most = 0;
    // Groups without a tour estimate moves, too, and a matrix is read at the cities of points.
    const int place = int(threadIdx.x) % 32 / Lanes;
    load(batch.tours + int64(min(begin + place, end - 1)) * n);
    __syncwarp();
    for (;;) {
      const uint32 free = __ballot_sync(kAllLanes, item < 0 && lane == 0);
      if (free != 0 && next < end) {
        const int given = next + __popc(free & ((group & (0u - group)) - 1));
        next += __popc(free);
        if (item < 0 && given < end && batch.states[given] == kRunning) {
          item = given;
          passes = moves = 0;
          const int64 left = batch.max_moves - batch.move_counts[item];
          most = left;
          load(batch.tours + int64(item) * n);
        }
        __syncwarp();
        continue;
      }
      if (__popc(free) == kGroups) return;
      const bool may = item >= 0 && moves < most;
      const RowMove move = best_move(may);
      __syncwarp();
      if (move.offset > 0) reverse(wrap(move.row + 1), move.offset);
      __syncwarp();
      if (item >= 0) {
        passes += may;
        moves += move.offset > 0;
        const int state = !may ? kOutOfMoves : move.offset == 0 ? kOptimum : kRunning;
        if (state != kRunning || passes >= batch.passes) {
          end_climb(batch, item, state, passes, moves);
          item = -1;
        }
      }
    }
  }

  GLS_DEVICE void end_climb(const DescentBatch& batch, int item, int state, int passes,
                            int moves) const {
    int* const stored = batch.tours + int64(item) * n;
    each(0, n, [&](int p) { stored[p] = order[p]; });
    if (lane == 0) {
      batch.states[item] = static_cast<unsigned char>(state);
      batch.pass_counts[item] += passes;
      batch.move_counts[item] += moves;
    }
  }

  GLS_DEVICE static void run(const Team& team, int item, Instance instance, LaneRules rules,
                             DescentBatch batch) {
    extern __shared__ Point shared[];
    const int n = instance.n;
    const int place = int(threadIdx.x) / Lanes;  // of the group in the block
    constexpr int kPlaces = Team::kTeams * kGroups;
    uint16* const orders = reinterpret_cast<uint16*>(shared + kPlaces * rules.stride);
    const int first = int(threadIdx.x) % 32 / Lanes * Lanes;
    const LaneClimb search{Metric(instance.metric_data, n),
                           rules,
                           n,
                           n / 2,
                           shared + place * rules.stride,
                           orders + place * n,
                           int(threadIdx.x) % Lanes,
                           kFirstGroup << first};
    const int begin = item * rules.climbs_a_warp;
    search.climb(batch, begin, min(begin + rules.climbs_a_warp, rules.climbs));
  }
};

}  // namespace gls
