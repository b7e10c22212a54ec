// The variables of each value as arrays, so that the lanes of a team read them side by side.
#pragma once

#include "assignment/problem/assignment.cuh"

namespace gls {

struct ValueLists {
  int* counts;   // how many variables each value has
  int* members;  // a list of each value's variables, with room for m
  int m;

  GLS_DEVICE int of(int value, int number) const { return members[int64(value) * m + number]; }

  // Lists the variables of each value by number.
  template <class Team>
  GLS_DEVICE void begin(const Team& team, const int* values, int most) const {
    team.each(most, [&](int value) {
      int count = 0;
      for (int v = 0; v < m; ++v) {
        if (values[v] == value) members[int64(value) * m + count++] = v;
      }
      counts[value] = count;
    });
    team.sync();
  }
  // Moves a variable to another list. The last variable of its former list takes its place.
  template <class Team>
  GLS_DEVICE void move(const Team& team, int variable, int from, int to) const {
    const int last = counts[from] - 1, final = of(from, last);
    team.sync();
    team.each(last, [&](int number) {
      if (of(from, number) == variable) members[int64(from) * m + number] = final;
    });
    team.once([&] {
      counts[from] = last;
      members[int64(to) * m + counts[to]++] = variable;
    });
    team.sync();
  }
};

}  // namespace gls
