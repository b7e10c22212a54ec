// The variables of each value, listed side by side so that the lanes of a team look at them at
// once.
#pragma once

#include "assignment/problem/assignment.cuh"

namespace gls {

struct ValueLists {
  int* counts;   // of each value
  int* members;  // room for all variables for each value
  int m;

  GLS_DEVICE int of(int value, int number) const { return members[int64(value) * m + number]; }

  // Lists them by their numbers.
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
  // The last one of its list takes the place of a variable that goes to another value.
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
