// Tabu search on the states of an assignment problem: a step takes the best move of the whole
// neighbourhood that is not tabu, one variable's value or the values of two (Taillard 1991; Hertz
// and de Werra 1987). What a variable leaves is tabu to it for some steps, unless it leads to a
// state better than all before. Constraints are priced; the price follows the states.
#pragma once

#include "backends/include/philox.cuh"
#include "assignment/engines/complete.cuh"
#include "assignment/engines/moves.cuh"
#include "assignment/problem/ranks.cuh"
#include "assignment/successors/sampler_memory.cuh"

namespace gls {

// What kernels that search states are told.
struct TabuBatch {
  uint64 seed;
  int64 first_row;
  int64 round;         // number of the round, which begins with new states
  int64 step;          // of the round, the first one of the launch
  int64 steps;         // of the launch
  int64 target;        // cost at which a feasible state is good enough
  int64 sample;        // moves that are looked at in a step, at most
  int64 tenure;        // steps that what was left is tabu, at least
  int64 spread;        // and up to so many more, at random
  int64 per_variable;  // and so many 256ths (kTenureBits) for each variable that may be moved
  const int* sizes;    // values of each variable
  int* states;
  int* bests;         // the best state of the round
  int64* best_costs;  // what it costs
  int64* best_excesses;
  int64* penalties;    // of a unit of excess, in kUnit-ths of a unit of cost
  int64 most_penalty;  // so that nothing overflows
  int64* move_counts;
  int64* look_counts;
  int* tabu;    // the step until which a variable must not have a value
  int* listed;  // room for variables
  int* used;    // and for values: which ones variables have, where all must differ
  char* kept;   // where it does not lie in shared memory
  int64 kept_bytes;
  int m;     // variables
  int most;  // values of a variable
};

constexpr int kTenureBits = 8;  // behind the point, of a tenure's part for each variable

// A move, ranked: what it changes, then by lot.
struct RankedMove {
  int64 rank;
  uint32 lot;
  int variable;
  int other;  // the value, or the other variable
  int swaps;

  GLS_DEVICE bool operator<(const RankedMove& o) const {
    if (rank != o.rank) return rank < o.rank;
    if (lot != o.lot) return lot < o.lot;
    if (variable != o.variable) return variable < o.variable;
    return other != o.other ? other < o.other : swaps < o.swaps;
  }
};

#ifdef __CUDACC__
// The fields one after the other, each of those that have the least so far: one instruction each
// from sm_80 on, while whole moves take thirty shuffles and five comparisons of all fields.
GLS_DEVICE RankedMove least_in_warp(const RankedMove& mine) {
#if __CUDA_ARCH__ >= 800
  bool is = true;
  const auto keep_least = [&](uint32 field) {
    is &= field == __reduce_min_sync(kAllLanes, is ? field : ~0u);
  };
  keep_least(uint32(mine.rank >> 32) ^ 0x80000000u);  // negative ones first
  keep_least(uint32(mine.rank));
  keep_least(mine.lot);
  unsigned best = __ballot_sync(kAllLanes, is);
  if (__popc(best) > 1) {
    keep_least(uint32(mine.variable));
    keep_least(uint32(mine.other));
    keep_least(uint32(mine.swaps));
    best = __ballot_sync(kAllLanes, is);
  }
  return warp::shuffle(mine, lowest_bit(best));
#else
  return least_in_warp<RankedMove>(mine);
#endif
}
#endif

// Some of rows x columns places, fewer than 2^31: `some` of them from a place on, round the end; a
// lane's own.
template <class Team, class Use>
GLS_DEVICE void each_place(const Team& team, int rows, int columns, int some, uint32 from,
                           Use use) {
  const int all = rows * columns;
  if (all == 0) return;
  uint32 place = team.lane() + (some < all ? multiply_high(from, uint32(all)) : 0);
  if (place >= uint32(all)) place -= all;
  int row = int(place / columns), column = int(place % columns);
  const int down = Team::kLanes / columns, right = Team::kLanes % columns;
#pragma unroll 1
  for (int turn = team.lane(); turn < some; turn += Team::kLanes) {
    use(row, column);
    row += down, column += right;
    if (column >= columns) column -= columns, ++row;
    if (row >= rows) row -= rows;
  }
}

template <class Problem, class Memory, bool kDistinct, bool kAssigns, bool kSwaps>
struct TabuSearch {
  static constexpr int64 kTabu = int64(1) << 61, kNothing = int64(1) << 62;
  // The price of excess grows slowly and falls at once, so that states break constraints by a
  // little most of the time: those on the border are where the good ones are.
  static constexpr int kGrowth = 256;

  template <class Team>
  GLS_DEVICE static void run(const Team& team, int item, TabuBatch all, const uint64* words) {
    const int m = all.m;
    int* const values = all.states + int64(item) * m;
    const State state{m, values, values, Memory::of(all.kept + item * all.kept_bytes)};
    int* const tabu = all.tabu + int64(item) * m * all.most;
    Philox random(all.seed, Purpose::kTabu, all.first_row + item);
    if (all.step == 0) {
      complete<kDistinct>(
          team, values, m, all.sizes, all.most,
          Philox(all.seed ^ uint64(all.round), Purpose::kCompletion, all.first_row + item), tabu);
    }
    const Problem problem(words);
    problem.begin(team, state);
    team.sync();
    Worth now = problem.worth(team, state);
    int* const best_values = all.bests + int64(item) * m;
    Worth best{all.best_costs[item], all.best_excesses[item]};
    const auto keep_best = [&] {
      best = now;
      team.each(m, [&](int v) { best_values[v] = values[v]; });
    };
    if (all.step == 0) {
      keep_best();
      for (int64 i = team.lane(); i < int64(m) * all.most; i += Team::kLanes) tabu[i] = 0;
    }
    int64 penalty = all.penalties[item], made = 0, looks = 0;
    int* const listed = all.listed + int64(item) * m;
    int* const used = all.used + int64(item) * all.most;
    if constexpr (kDistinct && kAssigns) mark_used(team, values, m, all.most, used);
#pragma unroll 1
    for (int64 step = all.step; step < all.step + all.steps; ++step) {
      if (team.cut() || (best.excess == 0 && best.cost <= all.target)) break;
      team.sync();
      const int count = list_promising(team, problem, state, listed);
      if (count == 0) break;
      uint32 drawn[4];
      random.four(all.round << 32 | step, drawn);
      const auto is_tabu = [&](int variable, int value) {
        return tabu[int64(variable) * all.most + value] > step;
      };
      const Ranking ranking{now, best, penalty, drawn[0]};
      const RankedMove move = team.least(best_move(team, problem, state, all, listed, used, count,
                                                   drawn, ranking, is_tabu, looks));
      if (move.rank == kNothing) continue;
      const int64 until = step + 1 + all.tenure + multiply_high(drawn[3], uint32(all.spread)) +
                          (count * all.per_variable >> kTenureBits);
      const auto leaves = [&](int variable) {
        tabu[int64(variable) * all.most + values[variable]] = int(until);
        if constexpr (kDistinct && kAssigns) {
          if (!move.swaps) used[values[variable]] = 0, used[move.other] = 1;
        }
      };
      ++made;
      now = now + made_move<kAssigns, kSwaps>(team, problem, state,
                                              {move.variable, move.other, move.swaps}, leaves);
      if (now < best) keep_best();
      penalty = now.excess <= 0              ? penalty / 2
                : penalty < all.most_penalty ? penalty + penalty / kGrowth + 1
                                             : penalty;
    }
    team.sync();
    team.once([&] {
      all.best_costs[item] = best.cost, all.best_excesses[item] = best.excess;
      all.penalties[item] = penalty;
      all.move_counts[item] += made;
      all.look_counts[item] += looks;
    });
  }

 private:
  // How good a move is.
  struct Ranking {
    Worth now, best;
    int64 penalty;
    uint32 salt;  // of the lots by which equal moves are told apart

    // Whether a move is tabu is asked where it would be the best: that takes longer than its rank.
    template <class IsTabu>
    GLS_DEVICE void consider(RankedMove& so_far, const Worth& change, int variable, int other,
                             int swaps, IsTabu is_tabu) const {
      int64 rank = change.cost * kUnit + change.excess * penalty;
      if (rank > so_far.rank) return;
      if (is_tabu() && !(now + change < best)) rank += kTabu;
      const uint32 lot =
          (uint32(variable) * 0x9E3779B1u ^ uint32(other) * 0x85EBCA77u ^ salt) * 0xC2B2AE3Du;
      const RankedMove move{rank, lot, variable, other, swaps};
      if (move < so_far) so_far = move;
    }
  };

  // The best move that a lane looks at.
  template <class Team, class IsTabu>
  GLS_DEVICE static RankedMove best_move(const Team& team, const Problem& problem,
                                         const State& state, const TabuBatch& all,
                                         const int* listed, const int* used, int count,
                                         const uint32* drawn, const Ranking& ranking,
                                         IsTabu is_tabu, int64& looks) {
    constexpr bool kAll = __is_base_of(AnyVariable, Problem);
    RankedMove best{kNothing, 0, 0, 0, 0};
    const int even = state.m + state.m % 2;
    const int rows = kAll ? even / 2 : count, columns = kAll ? even - 1 : state.m;
    const int64 assignments = kAssigns ? int64(count) * all.most : 0;
    const int64 pairs = kSwaps ? int64(rows) * columns : 0, both = assignments + pairs;
    const auto share = [&](int64 own) {
      return int(both <= all.sample ? own : (own * all.sample + both - 1) / both);
    };
    looks += share(assignments) + share(pairs);
    if constexpr (kAssigns) {
      each_place(team, count, all.most, share(assignments), drawn[1], [&](int row, int value) {
        const int variable = kAll ? row : listed[row];
        if (value >= all.sizes[variable] || value == state.values[variable]) return;
        if constexpr (kDistinct) {
          if (used[value]) return;
        }
        ranking.consider(best, problem.assigned(state, variable, value), variable, value, false,
                         [&] { return is_tabu(variable, value); });
      });
    }
    if constexpr (kSwaps) {
      each_place(team, rows, columns, share(pairs), drawn[2], [&](int row, int column) {
        int first = row, second = column;
        if constexpr (kAll) {  // a row of pairs and one from the end are as long as any other two
          const bool folded = column >= even - 1 - row;
          first = folded ? even - 1 - row : row;
          second = folded ? column + 1 : row + 1 + column;
          if (second >= state.m) return;
        } else {
          first = listed[row];
        }
        const int mine = state.values[first], its = state.values[second];
        if constexpr (!kDistinct) {
          if (mine == its || its >= all.sizes[first] || mine >= all.sizes[second]) return;
        }
        ranking.consider(best, problem.swapped(state, first, second), first, second, true,
                         [&] { return is_tabu(first, its) && is_tabu(second, mine); });
      });
    }
    return best;
  }
};

}  // namespace gls
