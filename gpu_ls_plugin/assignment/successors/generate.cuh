// Successor generation for assignment problems (Köster, Groß and Krüger: FANG): one successor per
// team, whose active variables are assigned one after the other.
#pragma once

#include "assignment/successors/draw.cuh"
#include "assignment/successors/orders.cuh"
#include "assignment/successors/sampler_memory.cuh"

namespace gls {

// What kernels that generate successors are told.
struct Successors {
  uint64 seed;
  int64 first_row;              // number of the first state
  int64 first;                  // successor of the launch
  int64 count;                  // successors of a state, which follow each other
  const int* sources;           // the states
  const unsigned char* active;  // null: all are
  int64 active_stride;          // 0: the same variables of each state
  const uint64* draws;          // of `KeyOrder`: what chooses the values, in place of random bits
  const int* listed;            // of `KeyOrder`: variables in their order, of each successor
  int* states;                  // successors
  char* scratch;
  int64 scratch_bytes;  // of a successor of the launch
  int64 draws_begin;    // in it: behind what is kept of the state
  int64 order_begin;
  int64 sampler_begin;
  int m;  // variables
};

template <class Heuristic, template <class> class Sampler, class Order, class Memory>
struct GenerateSuccessors {
  template <class Team>
  GLS_DEVICE static void run(const Team& team, int item, Successors all, const uint64* words) {
    const int64 successor = all.first + item, source = successor / all.count, m = all.m;
    const int64 row = all.first_row + source, step = successor % all.count * m;
    char* const own = all.scratch + item * all.scratch_bytes;
    const State state{all.m, all.sources + source * m, all.states + successor * m, own};
    const auto active = [&](int variable) {
      return all.active == nullptr || all.active[source * all.active_stride + variable];
    };
    const uint64* const draws = drawn(team, active, all, successor, row, step,
                                      reinterpret_cast<uint64*>(own + all.draws_begin));
    team.each(all.m, [&](int variable) {
      state.values[variable] = active(variable) ? -1 : state.before[variable];
    });
    team.sync();
    const Heuristic heuristic(words);
    heuristic.begin(team, state);
    team.sync();

    const Sampler<Heuristic> sampler(Memory::of(own + all.sampler_begin));
    Turns turns{reinterpret_cast<int*>(own + all.order_begin), nullptr,
                Philox(all.seed, Purpose::kVariableOrder, row), step};
    if constexpr (Order::kKeys) turns.listed = all.listed + successor * m;
    Order::each(team, all.m, active, turns, [&](int variable) {
      if (team.cut()) return;
      const Draw draw{row, draws[variable]};
      prepare(team, heuristic, state, variable);
      const int count = heuristic.values(state, variable);
      int value = -1;
      if (count > 0) value = sampler.choose(team, heuristic, state, variable, count, draw);
      team.sync();  // all lanes have looked at the state before it changes
      if (value >= 0) assign_by_team(team, heuristic, state, variable, value);
      team.once([&] {
        state.values[variable] = value;
        if (value < 0) {
          heuristic.unassigned(state, variable);
        } else {
          heuristic.assign(state, variable, value);
        }
      });
    });
  }

 private:
  // What chooses the values of all active variables: numbers that are given, or random ones, which
  // a lane draws for a variable. One thread draws for all variables, many at a time.
  template <class Team, class Active>
  GLS_DEVICE static const uint64* drawn(const Team& team, const Active& active,
                                        const Successors& all, int64 successor, int64 row,
                                        int64 step, uint64* room) {
    if constexpr (Order::kKeys) {
      return all.draws + successor * all.m;
    } else {
      Philox numbers(all.seed, Purpose::kSuccessor, row);
      team.each(all.m, [&](int variable) {
        if (Team::kLanes > 1 && !active(variable)) return;
        uint32 random[4];
        numbers.four<Philox::kRounds>(step + variable, random);
        room[variable] = random[0] | uint64(random[1]) << 32;
      });
      return room;
    }
  }
};

}  // namespace gls
