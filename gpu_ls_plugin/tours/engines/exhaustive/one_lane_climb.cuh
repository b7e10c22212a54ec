// Exhaustive best-improvement 2-opt for tours of a few cities: a climb by each lane of a warp.
//
// The moves are those of TwoOptClimb. A lane reads the points of its tour from shared memory into
// registers and evaluates all moves of a pass without a loop; `Cities` is known to the compiler. It
// keeps the least estimate, its move, and the second least estimate. If only one estimate is near
// the least one, its move is the best; otherwise the lane evaluates exactly.
//
// Lanes that are done wait until there are several; these take the next of the warp's climbs
// together.
#pragma once

#include "tours/problem/instance.cuh"
#include "tours/problem/metric.cuh"
#include "tours/moves/two_opt.cuh"
#include "tours/engines/descent/descent_batch.cuh"
#include "tours/engines/exhaustive/lane_rules.cuh"

namespace gls {

template <int Cities, class Team, class Metric>
struct OneLaneClimb {
  using Length = typename Metric::Length;
  using Order = unsigned char;

  static constexpr float kInfinity = 3.0e38f;
  static constexpr int kWaiting = 8;  // lanes that are done before they take other climbs
  static_assert(Cities >= 4 && Cities <= 256, "no move, or a city does not fit into Order");

  // The least two estimates of a pass.
  struct Least {
    float first, second;
    int row, offset;  // of the first
  };
  // A tour as TwoOpt reads it.
  struct Lane {
    const Order* order;
    int n = Cities;
    GLS_DEVICE int operator[](int position) const { return order[32 * position]; }
    GLS_DEVICE int next(int position) const { return position + 1 < n ? position + 1 : 0; }
  };

  const Metric metric;
  const LaneRules& rules;
  const Point* const table;  // by city
  Point* const points;       // of the tour of this lane, 32 points apart
  Order* const order;        // cities, 32 places apart

  GLS_DEVICE static constexpr int wrap(int position) {
    return position < Cities ? position : position - Cities;
  }

  GLS_DEVICE void load(const int* stored) const {
#pragma unroll 1
    for (int p = 0; p < Cities; ++p) {
      const int city = stored[p];
      order[32 * p] = Order(city);
      points[32 * p] = table[city];
    }
  }

  // Estimates all moves.
  GLS_DEVICE Least estimate() const {
    Point at[Cities];
    float edge[Cities];
#pragma unroll
    for (int p = 0; p < Cities; ++p) at[p] = points[32 * p];
#pragma unroll
    for (int p = 0; p < Cities; ++p) edge[p] = metric.estimate(at[p], at[wrap(p + 1)]);
    Least least{kInfinity, kInfinity, 0, 0};
#pragma unroll
    for (int offset = 2; offset <= Cities / 2; ++offset) {
      // Opposite positions are the same move from both sides.
      const int rows = 2 * offset == Cities ? Cities / 2 : Cities;
      const float start = metric.estimate(at[0], at[offset]);
      float length = start;
#pragma unroll
      for (int row = 0; row < rows; ++row) {
        const int end = wrap(row + offset);
        const float next =
            row + 1 == rows ? start : metric.estimate(at[wrap(row + 1)], at[wrap(end + 1)]);
        const float change = length - edge[end] + next - edge[row];
        least.second = fminf(least.second, fmaxf(least.first, change));
        const bool less = change < least.first;
        least.first = less ? change : least.first;
        least.row = less ? row : least.row;
        least.offset = less ? offset : least.offset;
        length = next;
      }
    }
    return least;
  }

  // Finds the best move exactly among those with an estimate up to `bar`; `offset` 0: none
  // improves.
  GLS_DEVICE RowMove exact_move(float bar) const {
    const Lane tour{order};
    Ranked<Length> best{0, 0};
#pragma unroll 1
    for (int row = 0; row < Cities; ++row) {
      const Point begin = points[32 * row], next = points[32 * wrap(row + 1)];
      const float edge = metric.estimate(begin, next);
#pragma unroll 1
      for (int offset = TwoOpt::last_offset(row, Cities); offset >= 2; --offset) {
        const int end = wrap(row + offset);
        const Point there = points[32 * end], after = points[32 * wrap(end + 1)];
        const float before = metric.estimate(begin, there) - metric.estimate(there, after);
        if (before + metric.estimate(next, after) - edge > bar) continue;
        const Ranked<Length> move{TwoOpt::delta(metric, tour, row, end),
                                  TwoOpt::index(row, end, Cities)};
        if (move < best) best = move;
      }
    }
    return best.value < 0 ? TwoOpt::row_move(best.index, Cities) : RowMove{0, 0};
  }

  // Finds the best move of the whole neighbourhood; `offset` is 0 if none improves.
  GLS_DEVICE RowMove best_move() const {
    const Least least = estimate();
    const float improving = rules.slack - (Length(0.5) == Length(0) ? 1.0f : 0.0f);
    const float bar = fminf(improving, least.first + 2 * rules.slack);
    if (least.first > bar) return {0, 0};
    if (least.second > bar && least.first < -2 * rules.slack) return {least.row, least.offset};
    return exact_move(bar);
  }

  // Reverses the `length` positions from `first` on.
  GLS_DEVICE void reverse(int first, int length) const {
#pragma unroll 1
    for (int s = 0; s < length / 2; ++s) {
      const int left = 32 * wrap(first + s), right = 32 * wrap(first + length - 1 - s);
      const Point point = points[left];
      const Order city = order[left];
      points[left] = points[right];
      order[left] = order[right];
      points[right] = point;
      order[right] = city;
    }
  }

  // Climbs with the tours [begin, end) of a warp.
  GLS_DEVICE void climb(const DescentBatch& batch, int begin, int end) const {
    int item = -1;  // the tour of this lane; -1: none
    int next = begin, passes = 0, moves = 0, state = kOptimum;
    int64 most = 0;
    for (;;) {
      const uint32 free = ~__ballot_sync(kAllLanes, item >= 0 && state == kRunning);
      const int many = __popc(free);
      if (many == 32 || (many >= kWaiting && next < end)) {
        if (state != kRunning || item < 0) {
          if (item >= 0) end_climb(batch, item, state, passes, moves);
          const int given = next + warp::rank_in(free);
          item = given < end ? given : -1;
          passes = moves = 0;
          state = item >= 0 ? int(batch.states[item]) : kOptimum;
          if (item >= 0 && state != kRunning) item = -1;
          if (item >= 0) {
            most = batch.max_moves - batch.move_counts[item];
            load(batch.tours + int64(item) * Cities);
          }
        }
        next += many;
        if (__ballot_sync(kAllLanes, item >= 0) == 0 && next >= end) return;
        continue;
      }
      if (item >= 0 && state == kRunning) {
        if (moves >= most) {
          state = kOutOfMoves;
        } else {
          const RowMove move = best_move();
          if (move.offset > 0) reverse(wrap(move.row + 1), move.offset);
          ++passes;
          moves += move.offset > 0;
          if (move.offset == 0) state = kOptimum;
        }
        if (passes >= batch.passes && state == kRunning) state = kPaused;
      }
      __syncwarp();
    }
  }

  static constexpr int kPaused = -1;  // the launch has no passes left

  GLS_DEVICE void end_climb(const DescentBatch& batch, int item, int state, int passes,
                            int moves) const {
    int* const stored = batch.tours + int64(item) * Cities;
#pragma unroll 1
    for (int p = 0; p < Cities; ++p) stored[p] = order[32 * p];
    batch.states[item] = static_cast<unsigned char>(state == kPaused ? int(kRunning) : state);
    batch.pass_counts[item] += passes;
    batch.move_counts[item] += moves;
  }

  GLS_DEVICE static void run(const Team& team, int item, Instance instance, LaneRules rules,
                             DescentBatch batch) {
    extern __shared__ Point shared[];
    constexpr int kPoints = Cities * 33;  // of a warp: those of its tours, and a table
    Point* const own = shared + team.in_block() * kPoints;
    Point* const table = own + 32 * Cities;
    Order* const orders =
        reinterpret_cast<Order*>(shared + Team::kTeams * kPoints) + team.in_block() * 32 * Cities;
    const Metric metric(instance.metric_data, Cities);
    team.each(Cities, [&](int city) { table[city] = metric.point(city); });
    team.sync();
    const OneLaneClimb search{metric, rules, table, own + team.lane(), orders + team.lane()};
    const int begin = item * rules.climbs_a_warp;
    search.climb(batch, begin, min(begin + rules.climbs_a_warp, rules.climbs));
  }
};

}  // namespace gls
