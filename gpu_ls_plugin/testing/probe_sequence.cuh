// Records the costs that the members of an objective of sequences give for the same sequence.
#pragma once

#include "sequences/problem/objective.cuh"

namespace gls {

struct SequenceProbes {
  const int* rows;     // shape (P, n)
  const int* lengths;  // shape (P,): how many items of each row make the sequence
  const int* cuts;     // shape (C, 2): places that divide a sequence, the first one not behind
  int n;
  int count;    // C
  void* heads;  // shape (P, n + 1, 2): cost and violation of the first items
  void* ways;   // shape (P, C, kWays, 2): of the sequence, put together in several ways
  int* levels;  // shape (5,): see kLevels
};

// Ways to put a sequence together from its parts a, b and c, which the cuts divide.
enum SequenceWay { kJoined, kInTwo, kLeftFirst, kRightFirst, kFolded, kWays };

template <class Objective>
struct ProbeSequence {
  using Value = sequences::ValueOf<Objective>;
  static constexpr bool kPairs = sequences::kHasPairs<Objective>;
  static constexpr bool kJoins = !kPairs && sequences::kHasJoin<Objective>;
  static constexpr bool kConcatenates = !kPairs && sequences::kHasConcatenate<Objective>;

  template <class Team>
  GLS_DEVICE static void run(const Team& team, int item, SequenceProbes all, const uint64* words) {
    const Objective objective(words);
    const int* const row = all.rows + int64(item) * all.n;
    const int length = all.lengths[item];
    Value* const heads = static_cast<Value*>(all.heads) + int64(item) * (all.n + 1) * 2;
    team.once([&] {
      all.levels[0] = kPairs, all.levels[1] = sequences::kHasMachines<Objective>;
      all.levels[2] = kJoins, all.levels[3] = kConcatenates;
      all.levels[4] = sequences::Regular<Objective>::kValue;
      record_heads(objective, row, length, heads);
    });
    if constexpr (kJoins || kConcatenates) {
      team.each(all.count, [&](int cut) {
        const int64 own = int64(item) * all.count + cut;
        const int first = all.cuts[2 * cut] < length ? all.cuts[2 * cut] : length;
        const int second = all.cuts[2 * cut + 1] < length ? all.cuts[2 * cut + 1] : length;
        record_ways(objective, row, length, first, second,
                    static_cast<Value*>(all.ways) + own * kWays * 2);
      });
    }
  }

 private:
  GLS_DEVICE static void write(Value* to, Value cost) { to[0] = cost, to[1] = 0; }
  GLS_DEVICE static void write(Value* to, const Violating<Value>& found) {
    to[0] = found.cost, to[1] = found.excess;
  }

  GLS_DEVICE static void record_heads(const Objective& objective, const int* row, int length,
                                      Value* heads) {
    if constexpr (kPairs) {
      Value sum = 0;
      for (int k = 0; k < length; ++k) {
        for (int before = 0; before < k; ++before) sum += objective.pair(row[before], row[k]);
        write(heads + 2 * (k + 1), sum);
      }
    } else {
      auto state = objective.begin();
      write(heads, objective.cost(state));
      for (int k = 0; k < length; ++k) {
        state = objective.append(state, row[k]);
        write(heads + 2 * (k + 1), objective.cost(state));
      }
    }
  }

  // The state of some items alone.
  GLS_DEVICE static auto part(const Objective& objective, const int* row, int begin, int end) {
    auto state = objective.begin();
    for (int k = begin; k < end; ++k) state = objective.append(state, row[k]);
    return state;
  }

  GLS_DEVICE static void record_ways(const Objective& objective, const int* row, int length,
                                     int first, int second, Value* ways) {
    if constexpr (kJoins) {
      auto suffix = objective.end();
      for (int k = length - 1; k >= first; --k) suffix = objective.prepend(suffix, row[k]);
      write(ways + 2 * kJoined, objective.join(part(objective, row, 0, first), suffix));
    }
    if constexpr (kConcatenates) {
      const auto a = part(objective, row, 0, first), b = part(objective, row, first, second);
      const auto c = part(objective, row, second, length);
      const auto two = objective.concatenate(a, part(objective, row, first, length));
      const auto left = objective.concatenate(objective.concatenate(a, b), c);
      const auto right = objective.concatenate(a, objective.concatenate(b, c));
      auto folded = objective.begin();
      for (int k = length - 1; k >= first; --k) {
        folded = objective.concatenate(part(objective, row, k, k + 1), folded);
      }
      write(ways + 2 * kInTwo, objective.cost(two));
      write(ways + 2 * kLeftFirst, objective.cost(left));
      write(ways + 2 * kRightFirst, objective.cost(right));
      write(ways + 2 * kFolded, objective.cost(objective.concatenate(a, folded)));
    }
  }
};

}  // namespace gls
