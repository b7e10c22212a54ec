// Values with a capacity each, of which variables demand something.
#pragma once

#include "assignment/heuristics/heuristic.cuh"

namespace gls {

struct CapacitiesData {
  const int64* capacities;              // of the values
  int64 sizes;                          // values of a variable, at most
  const int* demands;                   // of each variable, or of each for each value
  int64 variable_stride, value_stride;  // how far demands are apart
};

struct Capacities {
  const int64* capacities;
  int sizes;                            // values of a variable, at most
  const int* demands;                   // of each variable, or of each for each value
  int64 variable_stride, value_stride;  // how far demands are apart

  GLS_DEVICE explicit Capacities(const uint64* words)
      : Capacities(parameters_of<CapacitiesData>(words)) {}
  GLS_DEVICE explicit Capacities(const CapacitiesData& data)
      : capacities(data.capacities),
        sizes(int(data.sizes)),
        demands(data.demands),
        variable_stride(data.variable_stride),
        value_stride(data.value_stride) {}

  template <class S>
  GLS_DEVICE static auto loads(const S& state) {
    return state.template array<int64>();
  }
  // What is left of each, if not more than any demand: -1 where it is less than nothing.
  template <class S>
  GLS_DEVICE auto rooms(const S& state) const {
    return state.template array<int>((int64(sizes) * 8 + 15) / 16 * 16);
  }
  GLS_DEVICE int demand(int variable, int value) const {
    return demands[variable * variable_stride + value * value_stride];
  }
  template <class Team, class States>
  GLS_DEVICE void begin(const Team& team, const States& states) const {
    team.each(sizes,
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
    team.each(sizes,
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
  template <class S>
  GLS_DEVICE void note_room(const S& state, int value) const {
    constexpr int64 kMost = 0x7fffffff;
    const int64 room = capacities[value] - loads(state)[value];
    rooms(state)[value] = int(room < 0 ? -1 : room < kMost ? room : kMost);
  }
};

}  // namespace gls
