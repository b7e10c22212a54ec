// Graph colouring: the cost of a state is the number of edges whose ends have the same colour.
//
// The functor keeps, for each vertex and colour, how many neighbours have that colour. Evaluating
// an assignment reads two of these counts; making it changes those of the neighbours.
#pragma once

#include "assignment/problem/assignment.cuh"

namespace gls {

struct GraphColouringData {
  const int* begins;      // index of each vertex's first neighbour, and one entry for the end
  const int* neighbours;  // vertex by vertex, ascending
  int64 colours;
};

template <class Count>
struct GraphColouring : SwapsByAssigning<GraphColouring<Count>> {
  const GraphColouringData data;

  GLS_DEVICE explicit GraphColouring(const uint64* words)
      : data(parameters_of<GraphColouringData>(words)) {}

  template <class Team>
  GLS_DEVICE void begin(const Team& team, const State& state) const {
    team.each(state.m, [&](int vertex) {
      for (int colour = 0; colour < colours(); ++colour) count(state, vertex, colour) = 0;
      for (int k = data.begins[vertex]; k < data.begins[vertex + 1]; ++k) {
        const int colour = state.values[data.neighbours[k]];
        if (colour >= 0) ++count(state, vertex, colour);
      }
    });
    team.sync();
  }
  template <class Team>
  GLS_DEVICE Worth worth(const Team& team, const State& state) const {
    const auto own = [&](int vertex) { return conflicts(state, vertex, state.values[vertex]); };
    return {team.template sum<int64>(state.m, own) / 2, 0};
  }
  GLS_DEVICE Worth assigned(const State& state, int vertex, int colour) const {
    return {conflicts(state, vertex, colour) - conflicts(state, vertex, state.values[vertex]), 0};
  }
  GLS_DEVICE Worth swapped(const State& state, int first, int second) const {
    const int mine = state.values[first], its = state.values[second];
    const Worth both = assigned(state, first, its) + assigned(state, second, mine);
    // Each assignment alone counts the other vertex as a neighbour that keeps its colour.
    return adjacent(first, second) ? both - Worth{(mine >= 0) + (its >= 0), 0} : both;
  }
  template <class Team>
  GLS_DEVICE void assign(const Team& team, const State& state, int vertex, int colour) const {
    const int former = state.values[vertex], begin = data.begins[vertex];
    team.each(data.begins[vertex + 1] - begin, [&](int k) {
      const int neighbour = data.neighbours[begin + k];
      if (former >= 0) --count(state, neighbour, former);
      if (colour >= 0) ++count(state, neighbour, colour);
    });
    team.sync();
  }
  GLS_DEVICE bool promising(const State& state, int vertex) const {
    const int colour = state.values[vertex];
    return colour < 0 || conflicts(state, vertex, colour) > 0;
  }
  // Neighbours are most closely related, then vertices of the same colour.
  GLS_DEVICE int64 related(const State& state, int first, int second) const {
    return 2 * adjacent(first, second) + (state.values[first] == state.values[second]);
  }

 private:
  GLS_DEVICE int colours() const { return int(data.colours); }
  GLS_DEVICE Count& count(const State& state, int vertex, int colour) const {
    return reinterpret_cast<Count*>(state.kept)[int64(vertex) * colours() + colour];
  }
  GLS_DEVICE int64 conflicts(const State& state, int vertex, int colour) const {
    return colour < 0 ? 0 : int64(count(state, vertex, colour));
  }
  // Whether two vertices are neighbours, by binary search.
  GLS_DEVICE bool adjacent(int first, int second) const {
    int low = data.begins[first], high = data.begins[first + 1];
    while (low < high) {
      const int middle = (low + high) >> 1;
      if (data.neighbours[middle] < second) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < data.begins[first + 1] && data.neighbours[low] == second;
  }
};

}  // namespace gls
