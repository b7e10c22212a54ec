// Pairs of variables with different values.
//
// What neighbours have is looked up once for each variable that is assigned: rating a value then
// takes a byte, whatever the degree, and what is assigned need not be told to neighbours.
#pragma once

#include "assignment/heuristics/masks/value_set.cuh"

namespace gls {

struct ConflictsData {
  const int *begins, *neighbours;  // of a variable, and where those of the next one begin
  int64 sizes;                     // values of a variable, at most
};

struct Conflicts {
  static constexpr bool kPrepares = true;

  const int *begins, *neighbours;  // of a variable, and where those of the next one begin
  int sizes;                       // values of a variable, at most

  GLS_DEVICE explicit Conflicts(const uint64* words)
      : Conflicts(parameters_of<ConflictsData>(words)) {}
  GLS_DEVICE explicit Conflicts(const ConflictsData& data)
      : begins(data.begins), neighbours(data.neighbours), sizes(int(data.sizes)) {}

  template <class Team, class States>
  GLS_DEVICE void begin(const Team&, const States&) const {}
  template <class Team, class States>
  GLS_DEVICE void prepare(const Team& team, const States& states, int variable) const {
    const int* const its = neighbours + begins[variable];
    hold_values(team, sizes, states, begins[variable + 1] - begins[variable],
                [its](int k) { return its[k]; });
  }
  template <class S>
  GLS_DEVICE bool allows(const S& state, int, int value) const {
    return !held_values(state)[value];
  }
  template <class S>
  GLS_DEVICE void assign(const S&, int, int) const {}
};

}  // namespace gls
