// Masks that keep values distinct: those of variables in conflict, or those of all variables.
#pragma once

#include "assignment/heuristics/masks/value_set.cuh"

namespace gls {

struct ConflictsData {
  const int* begins;      // index of each variable's first neighbour, and one entry for the end
  const int* neighbours;  // variable by variable
  int64 sizes;            // the largest number of values of a variable
};

// The values of variables in conflict must differ.
//
// Before a variable's values are rated, `prepare` collects the values of its neighbours in a set.
// So a rating reads one byte, whatever the degree, and an assignment updates nothing.
struct Conflicts {
  static constexpr bool kPrepares = true;

  const ConflictsData data;

  GLS_DEVICE explicit Conflicts(const uint64* words) : data(parameters_of<ConflictsData>(words)) {}

  template <class Team, class States>
  GLS_DEVICE void begin(const Team&, const States&) const {}
  template <class Team, class States>
  GLS_DEVICE void prepare(const Team& team, const States& states, int variable) const {
    const int begin = data.begins[variable], count = data.begins[variable + 1] - begin;
    const int* const its = data.neighbours + begin;
    hold_values(team, int(data.sizes), states, count, [its](int k) { return its[k]; });
  }
  template <class S>
  GLS_DEVICE bool allows(const S& state, int, int value) const {
    return !held_values(state)[value];
  }
  template <class S>
  GLS_DEVICE void assign(const S&, int, int) const {}
};

struct DistinctData {
  int64 sizes;  // the largest number of values of a variable
};

// No two variables may have the same value.
struct Distinct {
  int sizes;  // the largest number of values of a variable

  GLS_DEVICE explicit Distinct(const uint64* words)
      : sizes(int(parameters_of<DistinctData>(words).sizes)) {}

  template <class Team, class States>
  GLS_DEVICE void begin(const Team& team, const States& states) const {
    hold_values(team, sizes, states, states.m, [](int variable) { return variable; });
  }
  template <class S>
  GLS_DEVICE bool allows(const S& state, int, int value) const {
    return !held_values(state)[value];
  }
  template <class S>
  GLS_DEVICE void assign(const S& state, int, int value) const {
    held_values(state)[value] = 1;
  }
};

}  // namespace gls
