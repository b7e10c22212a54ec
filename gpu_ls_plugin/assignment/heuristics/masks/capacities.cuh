// A mask that gives each value a capacity, which the demands of its variables must not exceed.
#pragma once

#include "assignment/heuristics/heuristic.cuh"

namespace gls {

struct CapacitiesData {
  const int64* capacities;              // of each value
  int64 sizes;                          // the largest number of values of a variable
  const int* demands;                   // shape (m,) or (m, values)
  int64 variable_stride, value_stride;  // in `demands`; value_stride is 0 for shape (m,)
};

struct Capacities {
  const CapacitiesData data;

  GLS_DEVICE explicit Capacities(const uint64* words)
      : data(parameters_of<CapacitiesData>(words)) {}

  template <class S>
  GLS_DEVICE static auto loads(const S& state) {
    return state.template array<int64>();
  }
  // Remaining capacity of each value; -1 if overloaded. At most 2^31 - 1, the largest possible
  // demand.
  template <class S>
  GLS_DEVICE auto rooms(const S& state) const {
    return state.template array<int>((data.sizes * 8 + 15) / 16 * 16);
  }
  GLS_DEVICE int demand(int variable, int value) const {
    return data.demands[variable * data.variable_stride + value * data.value_stride];
  }
  template <class Team, class States>
  GLS_DEVICE void begin(const Team& team, const States& states) const {
    team.each(sizes(),
              [&](int value) { states.each([&](const auto& state) { loads(state)[value] = 0; }); });
    team.sync();
    team.each(states.m, [&](int variable) {
      if (!states.may_have(variable)) return;
      states.each([&](const auto& state) {
        const int value = state.values[variable];
        if (value >= 0) add(team, &loads(state)[value], demand(variable, value));
      });
    });
    team.sync();
    team.each(sizes(),
              [&](int value) { states.each([&](const auto& state) { note_room(state, value); }); });
  }
  template <class S>
  GLS_DEVICE bool allows(const S& state, int variable, int value) const {
    return demand(variable, value) <= rooms(state)[value];
  }
  template <class S>
  GLS_DEVICE void assign(const S& state, int variable, int value) const {
    loads(state)[value] += demand(variable, value);
    note_room(state, value);
  }

 private:
  GLS_DEVICE int sizes() const { return int(data.sizes); }
  template <class S>
  GLS_DEVICE void note_room(const S& state, int value) const {
    constexpr int64 kMost = 0x7fffffff;
    const int64 room = data.capacities[value] - loads(state)[value];
    rooms(state)[value] = int(room < 0 ? -1 : room < kMost ? room : kMost);
  }
};

}  // namespace gls
