// Sum of the times at which a traveller arrives at the cities, which begins at the first item.
#pragma once

#include "sequences/problem/objective.cuh"

namespace gls {

// The return to the first item counts as an arrival if kClosed.
template <class Length, class Cost, bool kClosed>
struct Latency {
  // The way back may be shorter from a city that is appended.
  static constexpr bool kRegular = !kClosed;

  const Length* distances;  // from the row's city to the column's
  int n;

  // A path: its cities, its length and the sum of its arrivals if it begins at time 0.
  struct State {
    int count;
    Cost duration, cost;
    int first, last;
  };

  GLS_DEVICE State begin() const { return {0, 0, 0, -1, -1}; }
  GLS_DEVICE State append(const State& state, int item) const {
    return concatenate(state, {1, 0, 0, item, item});
  }
  GLS_DEVICE State concatenate(const State& a, const State& b) const {
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    const Cost arrival = a.duration + length(a.last, b.first);
    return {a.count + b.count, arrival + b.duration, a.cost + b.count * arrival + b.cost, a.first,
            b.last};
  }
  GLS_DEVICE Cost cost(const State& state) const {
    if constexpr (kClosed) {
      if (state.count > 1) return state.cost + state.duration + length(state.last, state.first);
    }
    return state.cost;
  }

 private:
  GLS_DEVICE Cost length(int from, int to) const { return distances[int64(from) * n + to]; }
};

}  // namespace gls
