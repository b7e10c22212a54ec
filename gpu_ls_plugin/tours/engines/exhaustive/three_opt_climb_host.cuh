// Exhaustive best-improvement 3-opt on a CPU. It computes the (min, +) products of
// three_opt_step.cuh with inner loops that the compiler can vectorise.
#pragma once

#include <algorithm>
#include <vector>

#include "tours/problem/instance.cuh"
#include "tours/engines/descent/descent_batch.cuh"
#include "tours/engines/exhaustive/three_opt_step.cuh"

namespace gls {

template <class Metric, class Value>
struct ThreeOptClimb {
  using Step = ThreeOptStep<Metric, Value>;

  const Host& team;
  const Step step;
  const int size;                     // number of cities
  const size_t pitch;                 // entries per row; position `size` is position 0 again
  std::vector<Value> lengths;         // between positions
  std::vector<Value> m, n, m_before;  // row i + 1 of M and N, and row i of M
  const Value* row(int p) const { return lengths.data() + p * pitch; }

  void measure() {
    for (int p = 0; p < size; ++p) {
      for (int q = 0; q < p; ++q) {
        lengths[p * pitch + q] = lengths[q * pitch + p] = step.length(p, q);
      }
    }
    for (int p = 1; p < size; ++p)
      lengths[p * pitch + size] = lengths[size * pitch + p] = row(p)[0];
  }

  // Computes row r of M and N, from the column s = r on.
  GLS_OUT_OF_LINE void sum(int r) {
    Value* const __restrict__ sums_m = m.data();
    Value* const __restrict__ sums_n = n.data();
    for (int s = r; s < size; ++s) sums_m[s] = sums_n[s] = Step::kNone;
    for (int k = r + 1; k < size; ++k) {
      const Value* const __restrict__ from = row(k);
      const Value* const __restrict__ to = row(k + 1);
      const Value out = from[k + 1], from_r = from[r] - out, to_r = to[r];
      for (int s = r; s < k; ++s) {
        sums_m[s] = Step::least(sums_m[s], from_r + to[s]);
        sums_n[s] = Step::least(sums_n[s], to_r + (from[s] - out));
      }
    }
  }

  // Returns the best pair, as (delta, i n + j).
  Ranked<Value> best_pair() {
    measure();
    Ranked<Value> best{0, 0};
    sum(0);
    for (int i = 0; i < size - 2 && !team.cut(); ++i) {
      m.swap(m_before);
      sum(i + 1);
      const Value *const a = row(i), *const b = row(i + 1);
      for (int j = i + 1; j < size - 1; ++j) {
        const Value change = Step::change(Step::least(m[j], n[j]), m[j + 1], m_before[j], a[j],
                                          a[j + 1], b[j + 1], b[i] + row(j)[j + 1]);
        const Ranked<Value> pair{change, int64(i) * size + j};
        if (pair < best) best = pair;
      }
    }
    return best;
  }

  unsigned char climb(int passes, int64 max_moves, int64& passes_done, int64& moves_done) {
    for (int pass = 0; pass < passes; ++pass) {
      if (moves_done >= max_moves) return kOutOfMoves;
      const Ranked<Value> pair = best_pair();
      if (team.cut()) break;  // an incomplete pass does not count
      ++passes_done;
      if (!step.take(team, pair)) return kOptimum;
      ++moves_done;
    }
    return kRunning;
  }

  static void run(const Host& team, int item, Instance instance, DescentBatch batch) {
    if (batch.states[item] != kRunning) return;
    const int n = instance.n;
    const size_t pitch = n + 1;
    ThreeOptClimb search{team,
                         {Metric(instance.metric_data, n), {batch.tours + int64(item) * n, n}},
                         n,
                         pitch,
                         std::vector<Value>(pitch * pitch),
                         std::vector<Value>(n),
                         std::vector<Value>(n),
                         std::vector<Value>(n)};
    batch.states[item] = search.climb(batch.passes, batch.max_moves, batch.pass_counts[item],
                                      batch.move_counts[item]);
  }
};

}  // namespace gls
