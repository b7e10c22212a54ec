// The order in which the active variables of a state are assigned.
#pragma once

#include "backends/include/philox.cuh"

namespace gls {

// Data that an order needs for one successor.
struct Turns {
  int* variables;     // for `ShuffledOrder`: scratch, shape (m,)
  const int* listed;  // for `KeyOrder`: all variables in the successor's order
  Philox random;
  int64 step;  // index of the order's first random number
};

// Variables in the order of their numbers.
struct GivenOrder {
  static constexpr bool kKeys = false;

  template <class Team, class Active, class Use>
  GLS_DEVICE static void each(const Team&, int m, Active active, Turns&, Use use) {
#pragma unroll 1
    for (int variable = 0; variable < m; ++variable) {
      if (active(variable)) use(variable);
    }
  }
};

// Variables in the order of `Turns::listed`, which comes from random keys.
struct KeyOrder {
  static constexpr bool kKeys = true;

  template <class Team, class Active, class Use>
  GLS_DEVICE static void each(const Team&, int m, Active active, Turns& turns, Use use) {
#pragma unroll 1
    for (int turn = 0; turn < m; ++turn) {
      const int variable = turns.listed[turn];
      if (active(variable)) use(variable);
    }
  }
};

// A random order; all orders are equally likely (Fisher and Yates).
struct ShuffledOrder {
  static constexpr bool kKeys = false;

  template <class Team, class Active, class Use>
  GLS_DEVICE static void each(const Team& team, int m, Active active, Turns& turns, Use use) {
    int* const variables = turns.variables;
    const int count = collect(team, m, active, variables);
#pragma unroll 1
    for (int turn = 0; turn < count; ++turn) {
      team.once([&] {
        turns.random.seek(turns.step + turn);
        const int chosen = turn + int(turns.random.below(uint32(count - turn)));
        const int variable = variables[chosen];
        variables[chosen] = variables[turn];
        variables[turn] = variable;
      });
      use(variables[turn]);
    }
  }

 private:
  // Writes the active variables in ascending order; returns their number.
  template <class Team, class Active>
  GLS_DEVICE static int collect(const Team& team, int m, Active active, int* variables) {
    int count = 0;
#pragma unroll 1
    for (int base = 0; base < m; base += Team::kLanes) {
      const int variable = base + team.lane();
      const bool is_active = variable < m && active(variable);
      const Scanned<int> found = team.scan(int(is_active), 0, [](int a, int b) { return a + b; });
      if (is_active) variables[count + found.before] = variable;
      count += found.all;
    }
    team.sync();
    return count;
  }
};

}  // namespace gls
