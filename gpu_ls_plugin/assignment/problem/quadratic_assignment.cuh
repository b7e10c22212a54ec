// Quadratic assignment: facilities are placed at locations; the cost is the sum of flows times
// distances.
//
// The functor keeps what each facility would cost at each location if all others stayed where they
// are (Burkard and Rendl 1984). Evaluating a swap reads four of these numbers and computes one
// product. Making the swap adds to each kept number the product of a number for its facility and a
// number for its location.
//
// Together, facility l at location k and facility i at location p cost a sum of terms flow(i, l) *
// distance(p, k): one term if flows or distances are symmetric, otherwise one for each direction.
// Location -1 has distance 0 to all locations, and facility -1 has no flows. Both are in the
// tables, so that a variable without a value needs no special case.
#pragma once

#include "assignment/problem/assignment.cuh"

namespace gls {

struct QuadraticAssignmentData {
  int64 n;                                // number of facilities
  int64 stride;                           // how many Numbers the kept costs of a facility take up
  const void *own_flows, *own_distances;  // Numbers: diagonals of flows and distances
  const void* tables;                     // Entries, one table after the other
  const int* kinds;  // for each facility, the first one that has the same flows
};

template <class Number, class Entry, int kTerms>
struct QuadraticAssignment : AnyVariable {
  int n, stride;
  const Number *own_flows, *own_distances;  // diagonals of flows and distances
  const Entry* tables;  // rows and columns begin at -1: detours, pairs, distances, flows, ...
  const int* kinds;

  GLS_DEVICE explicit QuadraticAssignment(const uint64* words)
      : QuadraticAssignment(parameters_of<QuadraticAssignmentData>(words)) {}
  GLS_DEVICE explicit QuadraticAssignment(const QuadraticAssignmentData& data)
      : n(int(data.n)),
        stride(int(data.stride)),
        own_flows(static_cast<const Number*>(data.own_flows)),
        own_distances(static_cast<const Number*>(data.own_distances)),
        tables(static_cast<const Entry*>(data.tables)),
        kinds(data.kinds) {}

  GLS_DEVICE int kind(int facility) const { return kinds[facility]; }

  template <class Team>
  GLS_DEVICE void begin(const Team& team, const State& state) const {
    team.each(n, [&](int i) {
      Number* const row = costs(state, i);
      row[-1] = 0;
      for (int k = 0; k < n; ++k) row[k] = own_flows[i] * own_distances[k];
    });
    team.sync();
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
      if (state.values[i] >= 0) change(team, state, i, -1, -1, state.values[i]);
    }
  }
  template <class Team>
  GLS_DEVICE Worth worth(const Team& team, const State& state) const {
    const auto twice = [&](int i) {
      const int k = state.values[i];
      return k < 0 ? 0 : int64(costs(state, i)[k]) + int64(own_flows[i]) * own_distances[k];
    };
    return {team.template sum<int64>(n, twice) / 2, 0};
  }
  GLS_DEVICE Worth assigned(const State& state, int i, int location) const {
    const Number* const mine = costs(state, i);
    return {mine[location] - mine[state.values[i]], 0};
  }
  GLS_DEVICE Worth swapped(const State& state, int i, int j) const {
    const Number *const mine = costs(state, i), *const its = costs(state, j);
    const int a = state.values[i], b = state.values[j];
    return {
        mine[b] - mine[a] + its[a] - its[b] + Number(table(kPairs, i)[j]) * table(kDetours, a)[b],
        0};
  }
  template <class Team>
  GLS_DEVICE void assign(const Team& team, const State& state, int i, int location) const {
    change(team, state, i, -1, state.values[i], location);
  }
  template <class Team>
  GLS_DEVICE void swap(const Team& team, const State& state, int i, int j) const {
    change(team, state, i, j, state.values[i], state.values[j]);
  }
  // The larger the flow between two facilities, the more related they are.
  GLS_DEVICE int64 related(const State&, int first, int second) const {
    return table(kPairs, first)[second];
  }

 private:
  static constexpr int kDetours = 0;  // for a and b: d(a, b) + d(b, a) - d(a, a) - d(b, b)
  static constexpr int kPairs = 1;    // sums of the flows in both directions
  static constexpr int kAhead = 4;    // number of rows that a lane reads before it writes
  GLS_DEVICE static constexpr int distances(int term) { return 2 + 2 * term; }
  GLS_DEVICE static constexpr int flows(int term) { return kTerms == 1 ? kPairs : 3 + 2 * term; }

  GLS_DEVICE const Entry* table(int number, int row) const {
    return tables + (number * (n + 1) + row + 1) * (n + 1) + 1;
  }
  GLS_DEVICE Number* costs(const State& state, int facility) const {
    return reinterpret_cast<Number*>(state.kept) + facility * stride + 1;
  }

  // Updates the kept data: facility i moves from `from` to `to`, and j the other way.
  // `j`, `from` and `to` may be -1.
  template <class Team>
  GLS_DEVICE void change(const Team& team, const State& state, int i, int j, int from,
                         int to) const {
    Number* const flow = costs(state, n) - 1;  // scratch after the kept numbers
    Number* const distance = flow + kTerms * n;
    team.each(n, [&](int k) {
      for (int t = 0; t < kTerms; ++t) {
        flow[t * n + k] = Number(table(flows(t), i)[k]) - table(flows(t), j)[k];
        distance[t * n + k] = Number(table(distances(t), to)[k]) - table(distances(t), from)[k];
      }
    });
    team.sync();
    if constexpr (Team::kLanes == 1) {
      for (int l = 0; l < n; ++l) {
        for (int k = 0; k < n; ++k) raise<1>(state, l, k, flow, distance + k, n);
      }
    } else {  // a lane updates a column, or part of one if there are more lanes than columns
      const int parts = Team::kLanes < n ? 1 : Team::kLanes / n, rows = (n + parts - 1) / parts;
      team.each(n * parts, [&](int item) {
        const int k = item % n, begin = item / n * rows;
        const int end = begin + rows < n ? begin + rows : n;
        Number own[kTerms];
        for (int t = 0; t < kTerms; ++t) own[t] = distance[t * n + k];
        int l = begin;
        for (; l + kAhead <= end; l += kAhead) raise<kAhead>(state, l, k, flow, own, 1);
        for (; l < end; ++l) raise<1>(state, l, k, flow, own, 1);
      });
    }
    team.sync();
  }

  // Updates kRows rows of a column. Reads them all before it writes the first.
  template <int kRows>
  GLS_DEVICE void raise(const State& state, int row, int column, const Number* flow,
                        const Number* distance, int step) const {
    Number sums[kRows];
    GLS_UNROLL
    for (int r = 0; r < kRows; ++r) {
      sums[r] = costs(state, row + r)[column] + flow[row + r] * distance[0];
      if constexpr (kTerms == 2) sums[r] += flow[n + row + r] * distance[step];
    }
    GLS_UNROLL
    for (int r = 0; r < kRows; ++r) costs(state, row + r)[column] = sums[r];
  }
};

}  // namespace gls
