// States that a search changes with moves. A move changes the value of one variable or swaps the
// values of two. A move may break constraints at a penalty, which adapts during the search.
#pragma once

#include "assignment/engines/round_state.cuh"
#include "backends/include/philox.cuh"

namespace gls {

struct StateMove {
  int variable;
  int other;  // the new value, or the other variable of a swap
  int swaps;  // whether the move is a swap
};

template <class Problem, class Memory, bool kDistinct, bool kAssigns, bool kSwaps>
struct MovedState : RoundState<Problem, Memory> {
  using Base = RoundState<Problem, Memory>;
  using Base::all, Base::item, Base::now, Base::problem, Base::state;

  static constexpr bool kAll = __is_base_of(AnyVariable, Problem);  // every variable may be moved
  // Whether the search tracks free values, which no variable has.
  static constexpr bool kTracksFree = kDistinct && kAssigns;
  // The penalty of excess grows by 1/kGrowth of itself in each step that ends with excess.
  // See docs/lab/kernels-states-and-sequences.md, "Tenures".
  static constexpr int kGrowth = 256;

  int* const used;    // if kTracksFree: for each value, whether a variable has it
  int* const listed;  // unless kAll: the variables that may be moved
  int64 penalty;

  GLS_DEVICE MovedState(const RoundBatch& all, int item, int* used, int* listed,
                        const uint64* words)
      : Base(all, item, all.states + int64(item) * all.m, words),
        used(this->row_of_values(used)),
        listed(this->row(listed)),
        penalty(all.penalties[item]) {}

  template <class Team>
  GLS_DEVICE void begin(const Team& team) {
    if (all.step == 0) {
      complete(team,
               Philox(all.seed ^ uint64(all.round), Purpose::kCompletion, all.first_row + item));
    }
    this->evaluate(team);
    if (all.step == 0) this->keep_best(team, now);
    if constexpr (kTracksFree) mark_used(team);
  }

  // Lists the variables that may be moved, unless all may; returns their number.
  template <class Team>
  GLS_DEVICE int list_promising(const Team& team) const {
    if constexpr (kAll) {
      return state.m;
    } else {
      int count = 0;
#pragma unroll 1
      for (int base = 0; base < state.m; base += Team::kLanes) {
        const int variable = base + team.lane();
        const bool may_move = variable < state.m && problem.promising(state, variable);
        const Compacted found = team.compact(may_move);
        if (may_move) listed[count + found.place] = variable;
        count += found.total;
        team.sync();
      }
      return count;
    }
  }

  // Returns the number of a variable's kind: variables of a kind could swap their values at no
  // cost. Without the functor's member `kind`, each variable is of its own kind.
  GLS_DEVICE int kind(int variable) const { return kind_by(problem, variable, 0); }

  // Makes a move. One lane calls leaves(variable) before a variable leaves its value.
  template <class Team, class Leaves>
  GLS_DEVICE void make(const Team& team, const StateMove& move, Leaves leaves) {
    int* const values = state.values;
    const int variable = move.variable, other = move.other;
    if (kSwaps && move.swaps) {
      const int mine = values[variable], its = values[other];
      now = now + problem.swapped(state, variable, other);
      team.sync();
      problem.swap(team, state, variable, other);
      team.sync();
      team.once([&] {
        leaves(variable);
        leaves(other);
        values[variable] = its, values[other] = mine;
      });
    } else if (kAssigns) {
      now = now + problem.assigned(state, variable, other);
      team.sync();
      problem.assign(team, state, variable, other);
      team.sync();
      team.once([&] {
        leaves(variable);
        if constexpr (kDistinct) used[values[variable]] = 0, used[other] = 1;
        values[variable] = other;
      });
    }
    ++this->made;
    if (now < this->best) this->keep_best(team, now);
  }

  // Adapts the penalty to the state: it becomes `lowered` if the state is feasible; otherwise it
  // grows.
  GLS_DEVICE void adapt_penalty(int64 lowered) {
    penalty = now.excess <= 0              ? lowered
              : penalty < all.most_penalty ? penalty + penalty / kGrowth + 1
                                           : penalty;
  }

  template <class Team>
  GLS_DEVICE void write(const Team& team) const {
    Base::write(team);
    team.once([&] { all.penalties[item] = penalty; });
  }

 private:
  template <class Functor>
  GLS_DEVICE static auto kind_by(const Functor& problem, int variable, int)
      -> decltype(problem.kind(variable)) {
    return problem.kind(variable);
  }
  template <class Functor>
  GLS_DEVICE static int kind_by(const Functor&, int variable, long) {
    return variable;
  }

  template <class Team>
  GLS_DEVICE void mark_used(const Team& team) const {
    team.each(all.most, [&](int value) { used[value] = 0; });
    team.sync();
    team.each(state.m, [&](int v) {
      if (state.values[v] >= 0) used[state.values[v]] = 1;
    });
    team.sync();
  }

  // Gives each variable without a value a random value: a free one if values must be distinct.
  template <class Team>
  GLS_DEVICE void complete(const Team& team, Philox random) const {
    int* const values = state.values;
    bool mine = false;
    for (int v = team.lane(); v < state.m; v += Team::kLanes) mine |= values[v] < 0;
    if (!team.any(mine)) return;
    if constexpr (!kDistinct) {
      team.each(state.m, [&](int v) {
        random.seek(v);
        if (values[v] < 0) values[v] = int(random.below(uint32(all.sizes[v])));
      });
    } else {
      mark_used(team);
      team.once([&] {
        int free = 0;
        for (int value = 0; value < all.most; ++value) {
          if (!used[value]) used[free++] = value;  // overwrites only marks that have been read
        }
        for (int v = 0; v < state.m; ++v) {
          if (values[v] >= 0) continue;
          const int chosen = int(random.below(uint32(free)));
          values[v] = used[chosen];
          used[chosen] = used[--free];
        }
      });
    }
    team.sync();
  }
};

}  // namespace gls
