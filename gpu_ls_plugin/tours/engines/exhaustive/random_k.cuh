// Random-k-best improvement (Delevacq, Delisle and Krajecki 2012, section 4.2): a step draws k
// random triples of edges, evaluates their reconnections and applies the best move.
//
// A team makes all steps of a tour within one kernel: a CPU thread, a block, or the blocks of a
// cluster. Each block of a cluster has a copy of the tour, evaluates a share of the samples, and
// applies the best move of all shares to its copy. Moves are ranked by (delta, sample, way).
// float32 estimates rule out moves that cannot be better than the best so far; all others are
// evaluated exactly.
#pragma once

#include "tours/problem/lengths.cuh"
#include "backends/include/philox.cuh"
#include "tours/moves/complete.cuh"
#include "tours/problem/instance.cuh"
#include "tours/engines/descent/descent_batch.cuh"
#include "tours/kernels/tour_memory.cuh"

namespace gls {

// Parameters of the search.
struct RandomKRules {
  float slack;  // bound on the error of six estimates, minus the least gain
  int samples;  // number of samples per step
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

// A tour with the data of the estimates in its order, in the memory of a team.
template <class Metric, class CityType>
struct SampledTour {
  using City = CityType;
  using Site = gls::Site<Dimensions<Metric>::kValue>;
  static constexpr bool kSited = Dimensions<Metric>::kValue > 0;

  const Metric& metric;
  City* order;
  Site* sites;  // by position; not used unless kSited
  int n;

  GLS_DEVICE int operator[](int position) const { return int(order[position]); }
  GLS_DEVICE int city(int position) const { return int(order[position]); }
  GLS_DEVICE int wrap(int position) const { return position < n ? position : position - n; }
  GLS_DEVICE int next(int position) const { return position + 1 < n ? position + 1 : 0; }

  GLS_DEVICE void put(int position, int city) const {
    order[position] = City(city);
    if constexpr (kSited) sites[position].set(metric.point(city));
  }
  GLS_DEVICE Point point(int position) const {
    if constexpr (kSited) {
      return sites[position].point();
    } else {
      return metric.point((*this)[position]);
    }
  }

  // Reverses the `length` positions from `first` on, which may wrap around the end of the array.
  template <class Team>
  GLS_DEVICE void reverse(const Team& team, int first, int length) const {
    team.each(length / 2, [&](int s) {
      const int left = wrap(first + s), right = wrap(first + length - 1 - s);
      exchange(order[left], order[right]);
      if constexpr (kSited) exchange(sites[left], sites[right]);
    });
    team.sync();
  }

 private:
  template <class T>
  GLS_DEVICE static void exchange(T& a, T& b) {
    const T kept = a;
    a = b;
    b = kept;
  }
};

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
template <class Metric, int kFirstWay, class City>
struct RandomKSamples {
  using Length = typename Metric::Length;
  // Bound on the relative rounding error of float32 sums of six estimates.
  static constexpr float kRounding = 1.0f / (1 << 21);
  // Maximum number of samples in a round; a CPU can stop after each round.
  static constexpr int kLongestRound = 1 << 17;
  static constexpr int kOfFirstRound = 4;  // number of samples of a lane in the first round

  const Metric& metric;
  const SampledTour<Metric, City>& tour;
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
      using Change = ExchangeChange<Reconnections, SampledTour<Metric, City>>;
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
    for (int x = 0; x < 6; ++x) ends[x] = tour.point(triple.position(x, tour.n));
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

  // Returns the best move that this lane finds among the samples in [first, first + count), with
  // index sample * kReconnections + way. After a round, all lanes know the best move so far. The
  // first round is short; each later one has three times as many samples as all rounds before it,
  // or kLongestRound.
  template <class Team>
  GLS_DEVICE Ranked<Length> best(const Team& team, const RandomTriples& triples, int first,
                                 int count) const {
    Ranked<Length> best{0, 0};
    for (int begin = 0, size; begin < count; begin += size) {
      if (team.cut()) return {0, 0};
      if (begin > 0) best = team.least(best);
      size = begin > kLongestRound / 3 ? kLongestRound
             : begin > 0               ? 3 * begin
                                       : kOfFirstRound * Team::kLanes;
      if (size > count - begin) size = count - begin;
      for (int s = team.lane(); s < size; s += Team::kLanes) {
        const int sample = first + begin + s;
        const Ranked<Length> found =
            best_way(triples(sample, kFirstWay), int64(sample) * kReconnections, best.value);
        if (found < best) best = found;
      }
    }
    return best;
  }
};

// The steps of a tour in the memory of a team.
template <class Metric, int kFirstWay, class City>
struct RandomKSteps {
  using Length = typename Metric::Length;

  const Metric& metric;
  const SampledTour<Metric, City>& tour;
  const RandomKRules& rules;
  int turn = 0;  // number of the last step, modulo 2

  // Makes a step, and sets the change of the length, which is 0 if no sample gains. Returns false
  // if the team is cut off before the end of the evaluation; the tour is then unchanged.
  template <class Team>
  GLS_DEVICE bool step(const Team& team, const RandomTriples& triples, Length& change) {
    const RandomKSamples<Metric, kFirstWay, City> samples{metric, tour, rules.slack};
    const auto begin_of = [&](int block) {
      return int(int64(rules.samples) * block / Team::kBlocks);
    };
    const int first = begin_of(team.block()), end = begin_of(team.block() + 1);
    turn ^= 1;
    const auto best = team.least_of_blocks(samples.best(team, triples, first, end - first), turn);
    if (team.cut()) return false;
    change = best.value;
    if (change < 0) {
      const int sample = int(best.index / kReconnections), way = int(best.index % kReconnections);
      triples(sample, way).apply(team, tour);
    }
    return true;
  }
};

// Returns how many bytes a tour and a copy of its order need.
template <class Metric, class City>
GLS_DEVICE int64 sampled_bytes(int n) {
  using Site = typename SampledTour<Metric, City>::Site;
  return 2 * piece_bytes<City>(n) + (SampledTour<Metric, City>::kSited ? piece_bytes<Site>(n) : 0);
}

// Takes a tour from the memory of a team; `kept` becomes the room for a copy of its order.
template <class Metric, class Memory>
GLS_DEVICE SampledTour<Metric, typename Memory::City> take_sampled(const Metric& metric, int n,
                                                                   Memory& memory,
                                                                   typename Memory::City*& kept) {
  using Taken = SampledTour<Metric, typename Memory::City>;
  auto* const order = memory.template take<typename Memory::City>(n);
  kept = memory.template take<typename Memory::City>(n);
  typename Taken::Site* sites = nullptr;
  if constexpr (Taken::kSited) sites = memory.template take<typename Taken::Site>(n);
  return {metric, order, sites, n};
}

// Makes steps until a tour is a local optimum of its samples.
template <class Team, class Metric, int kFirstWay, class Memory>
struct RandomKDescent {
  using City = typename Memory::City;

  GLS_DEVICE static void run(const Team& team, int item, Instance instance, RandomKRules rules,
                             DescentBatch batch) {
    if (batch.states[item] != kRunning) return;
    const int n = instance.n;
    int64 passes = batch.pass_counts[item], moves = batch.move_counts[item];
    int* const row = batch.tours + int64(item) * n;
    const Metric metric(instance.metric_data, n);
    Memory memory(team, item * Team::kBlocks + team.block(), sampled_bytes<Metric, City>(n), 0,
                  batch.scratch);
    City* unused;
    const auto tour = take_sampled(metric, n, memory, unused);
    team.each(n, [&](int p) { tour.put(p, row[p]); });
    team.sync_blocks();
    RandomKSteps<Metric, kFirstWay, City> steps{metric, tour, rules};
    unsigned char state = kRunning;
#pragma unroll 1
    for (int pass = 0; pass < batch.passes && state == kRunning; ++pass) {
      if (moves >= batch.max_moves) {
        state = kOutOfMoves;
        break;
      }
      const RandomTriples triples(rules.seed, rules.first_row + item, passes, n);
      typename Metric::Length change;
      if (!steps.step(team, triples, change)) break;  // an incomplete pass does not count
      ++passes;
      moves += change < 0;
      if (!(change < 0)) state = kOptimum;
    }
    team.sync_blocks();  // all blocks have read the values that the first one changes
    if (team.block() > 0) return;
    team.each(n, [&](int p) { row[p] = tour[p]; });
    team.once([&] {
      batch.states[item] = state;
      batch.pass_counts[item] = passes;
      batch.move_counts[item] = moves;
    });
  }
};

}  // namespace gls
