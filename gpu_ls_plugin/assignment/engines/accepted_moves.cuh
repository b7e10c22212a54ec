// Local search with an acceptance rule, such as threshold accepting or annealing. A step draws
// moves until the rule accepts one, as a sequential search does; lanes evaluate several moves at
// once, but moves after the accepted one do not count.
#pragma once

#include "assignment/engines/moved_state.cuh"

namespace gls {

// Arguments of `AcceptedMoves`, in addition to `RoundBatch`.
struct AcceptedSteps {
  int64 round_steps;    // number of steps in a round, which passes through all levels
  int64 sample;         // maximum number of moves that a step draws
  const float* levels;  // the rule's kLevels levels, in units of a row's scale
  float* scales;  // shape (P,), written in the first round: the mean cost of a variable in the
                  // row's initial state; if that is 0, the penalty of a unit of excess
  int* used;      // scratch, shape (P, most): which values are used
  int* listed;    // scratch, shape (P, m): variables that may be moved
};

template <class Problem, class Memory, class Rule, bool kDistinct, bool kAssigns, bool kSwaps>
struct AcceptedMoves : MovedState<Problem, Memory, kDistinct, kAssigns, kSwaps> {
  using Base = MovedState<Problem, Memory, kDistinct, kAssigns, kSwaps>;
  using Base::all, Base::item, Base::problem, Base::state;

  static constexpr int kLevels = 64;      // number of levels of a rule in a round
  static constexpr int kNumberBits = 24;  // bits of a move's number within its step

  template <class Team>
  GLS_DEVICE static void run(const Team& team, int item, RoundBatch all, AcceptedSteps steps,
                             const uint64* words) {
    AcceptedMoves search(all, item, steps, words);
    search.begin(team);
    if (all.round == 0 && all.step == 0) search.write_scale(team);
    const float scale = steps.scales[item] * float(kUnit);
#pragma unroll 1
    for (int64 step = all.step; step < all.step + all.steps; ++step) {
      if (search.ends(team)) break;
      team.sync();
      search.count = search.list_promising(team);
      if (search.count == 0) break;
      const float level = scale * steps.levels[step * kLevels / steps.round_steps];
      const int taken = search.first_taken(team, step, level);
      search.looks += taken == kNone ? steps.sample : taken + 1;
      if (taken == kNone) continue;
      StateMove move{};
      search.draw(step, taken, move);
      search.make(team, move, [](int) {});
      search.adapt_penalty(search.penalty - search.penalty / Base::kGrowth);
    }
    search.write(team);
  }

 private:
  static constexpr int kNone = 0x7fffffff;  // the rule accepts no move of a step

  const AcceptedSteps& steps;
  Philox random;  // draws moves
  int count = 0;  // number of variables that may be moved

  GLS_DEVICE AcceptedMoves(const RoundBatch& all, int item, const AcceptedSteps& steps,
                           const uint64* words)
      : Base(all, item, steps.used, steps.listed, words),
        steps(steps),
        random(all.seed ^ uint64(all.round), Purpose::kProposal, all.first_row + item) {}

  template <class Team>
  GLS_DEVICE void write_scale(const Team& team) const {
    team.once([&] {
      const int64 cost = this->now.cost;
      const float mean = float(cost < 0 ? -cost : cost) / float(state.m);
      steps.scales[item] = mean > 0 ? mean : float(this->penalty) / float(kUnit);
    });
    team.sync();
  }

  // Draws move `number` of a step. Returns whether the move is possible and would change the state.
  GLS_DEVICE bool draw(int64 step, int number, StateMove& move) {
    random.seek(step << kNumberBits | number);
    const int chosen = int(random.below(uint32(count)));
    move.variable = Base::kAll ? chosen : this->listed[chosen];
    const uint32 other = random.next();
    move.swaps = kSwaps && (!kAssigns || random.next() >> 31);
    const int mine = state.values[move.variable];
    if (!move.swaps) {
      move.other = int(multiply_high(other, uint32(all.sizes[move.variable])));
      if constexpr (Base::kTracksFree) {
        if (this->used[move.other]) return false;
      }
      return kAssigns && move.other != mine;
    }
    move.other = int(multiply_high(other, uint32(state.m)));
    const int its = state.values[move.other];
    if (this->kind(move.variable) == this->kind(move.other)) return false;
    return mine != its && its < all.sizes[move.variable] && mine < all.sizes[move.other];
  }

  // Returns the number of the first move of a step that the rule accepts, or kNone.
  template <class Team>
  GLS_DEVICE int first_taken(const Team& team, int64 step, float level) {
    const int sample = int(steps.sample);
#pragma unroll 1
    for (int base = 0; base < sample; base += Team::kLanes) {
      const int number = base + team.lane();
      StateMove move{};
      Ranked<int> mine{kNone, 0};
      if (number < sample && draw(step, number, move)) {
        const Worth change = kSwaps && move.swaps
                                 ? problem.swapped(state, move.variable, move.other)
                                 : problem.assigned(state, move.variable, move.other);
        const int64 rise = change.cost * kUnit + change.excess * this->penalty;
        if (Rule::takes(rise, level, random)) mine.value = number;
      }
      const int first = team.least(mine).value;
      if (first != kNone) return first;
    }
    return kNone;
  }
};

}  // namespace gls
