// Random-k-best improvement (Delevacq, Delisle and Krajecki 2012, section 4.2): a step draws k
// random triples of edges, evaluates their reconnections and applies the best move.
//
// On a GPU, a step is two kernels. First, one or more blocks per tour each evaluate a share of the
// samples; then one block per tour applies the best move. On a CPU, a thread makes all steps of a
// tour. Moves are ranked by (delta, sample, way). float32 estimates rule out moves that cannot be
// better than the best so far; all others are evaluated exactly.
#pragma once

#include "tours/problem/metric.cuh"
#include "backends/include/philox.cuh"
#include "tours/moves/complete.cuh"
#include "tours/problem/instance.cuh"
#include "tours/engines/descent/descent_batch.cuh"

namespace gls {

// Parameters of the search.
struct RandomKRules {
  float slack;  // bound on the error of six estimates, minus the least gain
  int samples;  // number of samples per step
  int shares;   // number of blocks that share the samples of a tour; 1 on a CPU
  uint64 seed;
  int64 first_row;  // tour r uses the random numbers of row first_row + r
};

// The samples of one step of one tour; they depend only on (seed, row, step).
struct RandomTriples {
  uint64 seed;
  int64 stream;
  int n;

  GLS_DEVICE RandomTriples(uint64 seed, int64 row, int64 step, int n)
      : seed(seed), stream(int64(uint64(step) << 32 | uint32(row))), n(n) {}

  // Positions i < j < k; each of the n (n - 1) (n - 2) / 6 triples is equally likely.
  GLS_DEVICE Reconnection operator()(int sample, int way) const {
    Philox random(seed, Purpose::kRandomK, stream);
    random.seek(uint32(sample));
    const int p = int(random.below(n));
    int q = int(random.below(n - 1)), r = int(random.below(n - 2));
    q += q >= p;  // skips p
    const int low = p < q ? p : q, high = p < q ? q : p;
    r += r >= low;
    r += r >= high;
    return {r < low ? r : low, r < low ? low : r < high ? r : high, r < high ? high : r, way};
  }
};

// Points for the estimates, read through the tour.
template <class Metric>
struct PointsOfTour {
  const Metric& metric;
  Tour<const int> tour;

  template <class Team>
  GLS_DEVICE PointsOfTour(const Team&, const Metric& metric, Tour<const int> tour)
      : metric(metric), tour(tour) {}
  GLS_DEVICE Point operator()(int position) const { return metric.point(tour[position]); }
};

#ifdef __CUDACC__
// Points for the estimates, copied into shared memory in the order of the tour.
template <class Metric>
struct PointsInShared {
  const Point* points;

  template <class Team>
  GLS_DEVICE PointsInShared(const Team& team, const Metric& metric, Tour<const int> tour) {
    extern __shared__ Point shared[];
    team.sync();  // lanes may still read the points of the previous tour
    team.each(tour.n, [&](int p) { shared[p] = metric.point(tour[p]); });
    team.sync();
    points = shared;
  }
  GLS_DEVICE Point operator()(int position) const { return points[position]; }
};
#endif

// All ways to reconnect three edges, as ExchangeChange reads them.
struct Reconnections {
  using Move = Reconnection;
  static constexpr int kEdges = 3;

  GLS_DEVICE static Edge link(int way, int number) {
    const int ends = Reconnection::edges(way) >> 8 * number;
    return {ends >> 4 & 15, ends & 15};
  }
};

// For each sample, evaluates the ways from kFirstWay on. kFirstWay is 0 for 3-opt; if it is
// kPureReconnections, only the 2-opt moves of the three pairs of edges are evaluated.
template <class Metric, int kFirstWay, class Points>
struct RandomKSamples {
  using Length = typename Metric::Length;
  // Bound on the relative rounding error of float32 sums of six estimates.
  static constexpr float kRounding = 1.0f / (1 << 21);
  // Maximum number of samples in a round; a CPU can stop after each round.
  static constexpr int kLongestRound = 1 << 17;

  const Metric& metric;
  Tour<const int> tour;
  const Points& points;
  float slack;  // bound on the error of six estimates, minus the least gain

  GLS_DEVICE Length delta(const Reconnection& move) const {
    const auto length = [&](int x, int y) {
      return metric(tour[move.position(x, tour.n)], tour[move.position(y, tour.n)]);
    };
    const Length longer = TwoOpt::change(Reconnection::added<Length>(move.way, length),
                                         length(0, 1) + length(2, 3) + length(4, 5));
    if constexpr (length_alone<Metric>()) {
      return longer;
    } else {
      using Change = ExchangeChange<Reconnections, Tour<const int>>;
      return -metric.objective.gain(Change{tour, move}, -longer);
    }
  }

  // Returns a bit for each way that may change the length by less than `bar`.
  GLS_DEVICE uint32 promising(const Reconnection& triple, float bar) const {
    if constexpr (!length_alone<Metric>()) {  // lengths cannot rule out any way
      return (1u << kReconnections) - (1u << kFirstWay);
    }
    Point ends[6];
#pragma unroll
    for (int x = 0; x < 6; ++x) ends[x] = points(triple.position(x, tour.n));
    const auto estimate = [&](int x, int y) { return metric.estimate(ends[x], ends[y]); };
    const float removed = estimate(0, 1) + estimate(2, 3) + estimate(4, 5);
    const float most = fused(removed, 1 + kRounding, bar + slack);
    uint32 ways = 0;
#pragma unroll
    for (int way = kFirstWay; way < kReconnections; ++way) {
      const float added = Reconnection::added<float>(way, estimate);
      ways |= uint32(added * (1 - kRounding) <= most) << way;
    }
    return ways;
  }

  // Returns the best move of a triple if the move's change is below `reached`; otherwise any move
  // of the triple, or {0, 0}.
  GLS_DEVICE Ranked<Length> best_way(Reconnection move, int64 index, Length reached) const {
    Ranked<Length> best{0, 0};
    const uint32 ways = promising(move, float(reached));
    if (ways == 0) return best;
#pragma unroll 1
    for (; move.way < kReconnections; ++move.way) {
      if (!(ways >> move.way & 1)) continue;
      const Ranked<Length> found{delta(move), index + move.way};
      if (found < best) best = found;
    }
    return best;
  }

  // Returns the best move of the samples in [first, first + count), with index sample *
  // kReconnections + way. The first round is short, so that lanes soon have a move to compare with;
  // each later one has three times as many samples as all rounds before it, or kLongestRound.
  template <class Team>
  GLS_DEVICE Ranked<Length> best(const Team& team, const RandomTriples& triples, int first,
                                 int count) const {
    Ranked<Length> best{0, 0};
    for (int begin = 0, size; begin < count; begin += size) {
      if (team.cut()) return {0, 0};
      size = begin > kLongestRound / 3 ? kLongestRound : begin > 0 ? 3 * begin : Team::kLanes;
      if (size > count - begin) size = count - begin;
      Length reached = best.value;  // least change that this lane knows
      best = team.least(size, best, [&](int s) {
        const int sample = first + begin + s;
        const Ranked<Length> found =
            best_way(triples(sample, kFirstWay), int64(sample) * kReconnections, reached);
        if (found.value < reached) reached = found.value;
        return found;
      });
    }
    return best;
  }
};

// Applies the best move of all samples if it gains, and otherwise ends the search of the tour.
template <class Length>
struct RandomKStep {
  Ranked<Length> best;
  RandomTriples triples;

  template <class Team>
  GLS_DEVICE unsigned char take(const Team& team, Tour<int> tour, int64& passes,
                                int64& moves) const {
    const bool gains = best.value < 0;
    team.once([&] {
      ++passes;
      moves += gains;
    });
    if (!gains) return kOptimum;
    triples(int(best.index / kReconnections), int(best.index % kReconnections)).apply(team, tour);
    return kRunning;
  }
};

// Makes all steps of a tour, on a CPU.
template <class Metric, int kFirstWay>
struct RandomKSearch {
  using Points = PointsOfTour<Metric>;

  template <class Team>
  GLS_DEVICE static void run(const Team& team, int item, Instance instance, RandomKRules rules,
                             DescentBatch batch) {
    const int n = instance.n;
    const Metric metric(instance.metric_data, n);
    const Tour<int> tour{batch.tours + int64(item) * n, n};
    const Tour<const int> read{tour.order, n};
    const Points points(team, metric, read);
    const RandomKSamples<Metric, kFirstWay, Points> evaluation{metric, read, points, rules.slack};
    for (int pass = 0; pass < batch.passes && batch.states[item] == kRunning; ++pass) {
      if (batch.out_of_moves(item)) {
        batch.states[item] = kOutOfMoves;
        return;
      }
      const RandomTriples triples(rules.seed, rules.first_row + item, batch.pass_counts[item], n);
      const auto best = evaluation.best(team, triples, 0, rules.samples);
      if (team.cut()) return;  // an incomplete pass does not count
      batch.states[item] = RandomKStep<typename Metric::Length>{best, triples}.take(
          team, tour, batch.pass_counts[item], batch.move_counts[item]);
    }
  }
};

// The first kernel of a step on a GPU. An item is one share of the samples of a tour.
template <class Metric, int kFirstWay, class Points>
struct RandomKEvaluation {
  template <class Team>
  GLS_DEVICE static void run(const Team& team, int item, Instance instance, RandomKRules rules,
                             DescentBatch batch, void* best) {
    const int row = item / rules.shares, share = item % rules.shares, n = instance.n;
    if (!batch.climbs(row)) return;
    const Metric metric(instance.metric_data, n);
    const Tour<const int> tour{batch.tours + int64(row) * n, n};
    const Points points(team, metric, tour);
    const RandomKSamples<Metric, kFirstWay, Points> evaluation{metric, tour, points, rules.slack};
    const RandomTriples triples(rules.seed, rules.first_row + row, batch.pass_counts[row], n);
    const int first = int(int64(rules.samples) * share / rules.shares);
    const int end = int(int64(rules.samples) * (share + 1) / rules.shares);
    const auto found = evaluation.best(team, triples, first, end - first);
    team.once([&] { static_cast<Ranked<typename Metric::Length>*>(best)[item] = found; });
  }
};

// The second kernel: a block applies the best move of all shares of its tour.
template <class Length>
struct RandomKReplacement {
  template <class Team>
  GLS_DEVICE static void run(const Team& team, int item, Instance instance, RandomKRules rules,
                             DescentBatch batch, const void* best) {
    const int n = instance.n;
    const bool running = batch.states[item] == kRunning, may_move = !batch.out_of_moves(item);
    const RandomTriples triples(rules.seed, rules.first_row + item, batch.pass_counts[item], n);
    team.sync();  // all lanes have read the values that one of them will change
    if (!running) return;
    unsigned char state = kOutOfMoves;
    if (may_move) {
      const int shares = rules.shares;
      const auto* const found = static_cast<const Ranked<Length>*>(best) + int64(item) * shares;
      const auto least =
          team.least(shares, Ranked<Length>{0, 0}, [&](int share) { return found[share]; });
      const Tour<int> tour{batch.tours + int64(item) * n, n};
      state = RandomKStep<Length>{least, triples}.take(team, tour, batch.pass_counts[item],
                                                       batch.move_counts[item]);
    }
    team.once([&] { batch.states[item] = state; });
  }
};

}  // namespace gls
