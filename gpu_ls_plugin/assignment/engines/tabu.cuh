// Tabu search on the states of an assignment problem (Taillard 1991; Hertz and de Werra 1987). A
// step makes the best move that is not tabu; a move changes the value of one variable or swaps the
// values of two. For a number of steps, a variable, and others of its kind, must not return to a
// value that it has left, unless the move leads to a new best state. Variables of the same kind do
// not swap their values: that changes nothing, so it would be the best move of a local optimum.
#pragma once

#include "assignment/engines/moved_state.cuh"

namespace gls {

// Arguments of `TabuSearch`, in addition to `RoundBatch`.
struct TabuSteps {
  int64 sample;        // maximum number of moves that a step evaluates
  int64 tenure;        // minimum number of steps for which a value is tabu
  int64 spread;        // a random number of steps below this is added to `tenure`
  int64 per_variable;  // steps added per variable that may be moved, in units of 2^-kTenureBits
  int* tabu;           // shape (P, m, most): step until which a variable must not take a value
  int* listed;         // scratch, shape (P, m): variables that may be moved
  int* used;           // scratch, shape (P, most): which values are used
};

constexpr int kTenureBits = 8;  // number of fractional bits of `per_variable`, a fixed-point number

// A move and its rank. A lower rank is better; `lot`, a hash, breaks ties.
struct RankedMove {
  int64 rank;
  uint32 lot;
  int variable;
  int other;  // the new value, or the other variable of a swap
  int swaps;  // whether the move is a swap

  GLS_DEVICE bool operator<(const RankedMove& o) const {
    if (rank != o.rank) return rank < o.rank;
    if (lot != o.lot) return lot < o.lot;
    if (variable != o.variable) return variable < o.variable;
    return other != o.other ? other < o.other : swaps < o.swaps;
  }
};

#ifdef __CUDACC__
// Finds the least move field by field: only lanes whose moves are least in all earlier fields
// compare the next one. From sm_80 on, each field takes one instruction; comparing whole moves
// would take thirty shuffles and five comparisons of all fields.
GLS_DEVICE RankedMove least_in_warp(const RankedMove& mine) {
#if __CUDA_ARCH__ >= 800
  bool is_least = true;
  const auto keep_least = [&](uint32 field) {
    is_least &= field == __reduce_min_sync(kAllLanes, is_least ? field : ~0u);
  };
  keep_least(uint32(mine.rank >> 32) ^ 0x80000000u);  // negative ranks first
  keep_least(uint32(mine.rank));
  keep_least(mine.lot);
  unsigned best = __ballot_sync(kAllLanes, is_least);
  if (__popc(best) > 1) {
    keep_least(uint32(mine.variable));
    keep_least(uint32(mine.other));
    keep_least(uint32(mine.swaps));
    best = __ballot_sync(kAllLanes, is_least);
  }
  return warp::shuffle(mine, lowest_bit(best));
#else
  return least_in_warp<RankedMove>(mine);
#endif
}
#endif

// Calls use(row, column) for `count` consecutive places of a table with fewer than 2^31 places; the
// lanes share the calls. If the table has more than `count` places, the random number `random`
// chooses the first one, and place 0 follows the last place of the table.
template <class Team, class Use>
GLS_DEVICE void each_place(const Team& team, int rows, int columns, int count, uint32 random,
                           Use use) {
  const int all = rows * columns;
  if (all == 0) return;
  uint32 place = team.lane() + (count < all ? multiply_high(random, uint32(all)) : 0);
  if (place >= uint32(all)) place -= all;
  int row = int(place / columns), column = int(place % columns);
  const int down = Team::kLanes / columns, right = Team::kLanes % columns;
#pragma unroll 1
  for (int turn = team.lane(); turn < count; turn += Team::kLanes) {
    use(row, column);
    row += down, column += right;
    if (column >= columns) column -= columns, ++row;
    if (row >= rows) row -= rows;
  }
}

template <class Problem, class Memory, bool kDistinct, bool kAssigns, bool kSwaps>
struct TabuSearch : MovedState<Problem, Memory, kDistinct, kAssigns, kSwaps> {
  using Base = MovedState<Problem, Memory, kDistinct, kAssigns, kSwaps>;
  using Base::all, Base::problem, Base::state;

  template <class Team>
  GLS_DEVICE static void run(const Team& team, int item, RoundBatch all, TabuSteps steps,
                             const uint64* words) {
    TabuSearch search(all, item, steps, words);
    search.begin(team);
    Philox random(all.seed, Purpose::kTabu, all.first_row + item);
#pragma unroll 1
    for (int64 step = all.step; step < all.step + all.steps; ++step) {
      if (search.ends(team)) break;
      team.sync();
      const int count = search.list_promising(team);
      if (count == 0) break;
      uint32 drawn[4];
      random.four(all.round << 32 | step, drawn);
      const RankedMove move = team.least(search.best_move(team, step, count, drawn));
      if (move.rank == kNothing) continue;
      search.make(team, move, step + 1 + search.drawn_tenure(count, drawn[3]));
      // If the step ends in a feasible state, the penalty is halved; otherwise it rises slowly. So
      // most states break constraints a little, and good states are close to these.
      search.adapt_penalty(search.penalty / 2);
    }
    search.write(team);
  }

 private:
  static constexpr int64 kTabu = int64(1) << 61;     // added to the rank of a tabu move
  static constexpr int64 kNothing = int64(1) << 62;  // rank if there is no move

  const TabuSteps& steps;
  int* const tabu;

  GLS_DEVICE TabuSearch(const RoundBatch& all, int item, const TabuSteps& steps,
                        const uint64* words)
      : Base(all, item, steps.used, steps.listed, words),
        steps(steps),
        tabu(steps.tabu + int64(item) * all.m * all.most) {}

  template <class Team>
  GLS_DEVICE void begin(const Team& team) {
    Base::begin(team);
    if (all.step > 0) return;
    for (int64 i = team.lane(); i < int64(all.m) * all.most; i += Team::kLanes) tabu[i] = 0;
  }

  GLS_DEVICE int& tabu_until(int variable, int value) const {
    return tabu[int64(this->kind(variable)) * all.most + value];
  }
  GLS_DEVICE int64 drawn_tenure(int count, uint32 random) const {
    return steps.tenure + multiply_high(random, uint32(steps.spread)) +
           (count * steps.per_variable >> kTenureBits);
  }

  template <class Team>
  GLS_DEVICE void make(const Team& team, const RankedMove& move, int64 until) {
    Base::make(team, {move.variable, move.other, move.swaps},
               [&](int variable) { tabu_until(variable, state.values[variable]) = int(until); });
  }

  // Ranks moves. The fields are local copies, which a compiler keeps in registers.
  struct Ranking {
    Worth now, best;
    int64 penalty;
    uint32 salt;  // breaks ties differently in each step

    // Replaces `so_far` with the given move if this is better. Calls `is_tabu` only for a move that
    // would be the best, since `is_tabu` takes longer than computing the rank.
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

  // Returns the best move in this lane's part of the sample. `count` variables may be moved;
  // `drawn` contains the step's random numbers.
  template <class Team>
  GLS_DEVICE RankedMove best_move(const Team& team, int64 step, int count, const uint32* drawn) {
    const Ranking ranking{this->now, this->best, this->penalty, drawn[0]};
    RankedMove best{kNothing, 0, 0, 0, 0};
    const Pairs pairs(state.m, count);
    const int64 assignments = kAssigns ? int64(count) * all.most : 0;
    const int64 swaps = kSwaps ? pairs.count() : 0, both = assignments + swaps;
    const auto share = [&](int64 own) {
      return int(both <= steps.sample ? own : (own * steps.sample + both - 1) / both);
    };
    this->looks += share(assignments) + share(swaps);
    if constexpr (kAssigns) {
      each_place(team, count, all.most, share(assignments), drawn[1], [&](int row, int value) {
        const int variable = Base::kAll ? row : this->listed[row];
        if (value >= all.sizes[variable] || value == state.values[variable]) return;
        if constexpr (kDistinct) {
          if (this->used[value]) return;
        }
        ranking.consider(best, problem.assigned(state, variable, value), variable, value, false,
                         [&] { return tabu_until(variable, value) > step; });
      });
    }
    if constexpr (kSwaps) {
      each_place(team, pairs.rows, pairs.columns, share(swaps), drawn[2], [&](int row, int column) {
        int first = row, second = column;
        if constexpr (Base::kAll) {
          pairs.unfold(first, second);
          if (second >= state.m) return;
        } else {
          first = this->listed[row];
        }
        const int mine = state.values[first], its = state.values[second];
        if constexpr (!kDistinct) {
          if (mine == its || its >= all.sizes[first] || mine >= all.sizes[second]) return;
        }
        if (this->kind(first) == this->kind(second)) return;
        ranking.consider(best, problem.swapped(state, first, second), first, second, true, [&] {
          return tabu_until(first, its) > step && tabu_until(second, mine) > step;
        });
      });
    }
    return best;
  }

  // The table of variable pairs that a step may swap. If all variables may be moved, it has each
  // pair once: row v of the triangle of pairs holds the pairs of v with later variables, and row r
  // of the table consists of rows r and `columns` - r of the triangle. Otherwise, row r holds the
  // pairs of the r-th variable that may be moved with all variables.
  struct Pairs {
    int rows, columns;

    GLS_DEVICE Pairs(int m, int count)
        : rows(Base::kAll ? (m + 1) / 2 : count), columns(Base::kAll ? (m + 1) / 2 * 2 - 1 : m) {}
    GLS_DEVICE int64 count() const { return int64(rows) * columns; }
    // Turns a row and a column of the table into two variables. If the second is m, the
    // place holds no pair.
    GLS_DEVICE void unfold(int& row, int& column) const {
      const bool folded = column >= columns - row;
      column = folded ? column + 1 : row + 1 + column;
      if (folded) row = columns - row;
    }
  };
};

}  // namespace gls
