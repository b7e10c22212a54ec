// Successor generation for assignment problems (Köster, Groß and Krüger: FANG): one successor per
// team, whose active variables are assigned one after the other.
#pragma once

#include "assignment/successors/orders.cuh"
#include "assignment/successors/sampler_memory.cuh"
#include "assignment/successors/samplers.cuh"

namespace gls {

// Arguments of the kernels that generate successors.
struct Successors {
  uint64 seed;
  int64 first_row;              // number of the first state
  int64 first;                  // number of the launch's first successor
  int64 count;                  // number of successors of each state, one after the other
  const int* sources;           // the states
  const unsigned char* active;  // whether a variable is active; null: all are
  int64 active_stride;          // step to the next state's mask; 0: one mask for all states
  const uint64* draws;          // for `KeyOrder`: the bits that choose each value
  const int* listed;            // for `KeyOrder`: all variables in each successor's order
  int* states;                  // written: the successors
  char* scratch;
  int64 scratch_bytes;  // number of bytes of scratch per item of the launch
  int64 draws_begin;    // offset of the random bits, after the heuristic's data
  int64 order_begin;    // offset of the order's data
  int64 sampler_begin;  // offset of the sampler's data
  int m;                // number of variables
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
      prepare(team, heuristic, state, variable);
      const int count = heuristic.values(state, variable);
      int value = -1;
      if (count > 0) {
        value = sampler.choose(team, heuristic, state, variable, count, Draw{draws[variable]});
      }
      team.sync();  // every lane has read the state before it changes
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
  // The bits that choose the values of all active variables: given ones, or random ones, which each
  // lane draws for its variables. A single thread also draws for inactive variables, so that the
  // compiler can vectorise the loop.
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
