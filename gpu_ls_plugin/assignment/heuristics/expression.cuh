// Tables, division and a base class for the functors that `Expression` generates.
#pragma once

#include "assignment/heuristics/heuristic.cuh"

namespace gls {

// The first word of an expression's functor. A TableData for each table follows.
struct ExpressionData {
  int64 values;  // how many values each variable has
};
struct TableData {
  const int64* items;  // row by row
  int64 rows, columns;
};

// A user's table. It is 0 outside its bounds.
struct Table {
  const TableData data;

  // Table `number` of an expression.
  GLS_DEVICE Table(const uint64* words, int number)
      : data((&parameters_of<TableData>(words_behind<ExpressionData>(words)))[number]) {}

  GLS_DEVICE int64 at(int64 row) const { return at(0, row); }
  GLS_DEVICE int64 at(int64 row, int64 column) const {
    const bool inside = 0 <= row && row < data.rows && 0 <= column && column < data.columns;
    return inside ? data.items[row * data.columns + column] : 0;
  }
};

// Divides as Python does. A number divided by 0 is 0, and the remainder is the number itself.
GLS_DEVICE int64 floor_divide(int64 a, int64 b) {
  if (b == 0) return 0;
  if (b == -1) return -a;  // the only divisor for which a / b could overflow
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
GLS_DEVICE int64 floor_modulo(int64 a, int64 b) { return a - floor_divide(a, b) * b; }

// Base of the functors of expressions. It counts how many variables have each value.
struct CountsValues {
  using Rating = int64;
  using Aggregate = NoAggregate;

  int sizes;  // how many values each variable has

  GLS_DEVICE explicit CountsValues(const uint64* words)
      : sizes(int(parameters_of<ExpressionData>(words).values)) {}

  GLS_DEVICE static uint32* loads(const State& state) {
    return reinterpret_cast<uint32*>(state.kept);
  }
  template <class Team>
  GLS_DEVICE void begin(const Team& team, const State& state) const {
    team.each(sizes, [&](int value) { loads(state)[value] = 0; });
    team.sync();
    team.each(state.m, [&](int variable) {
      const int value = state.values[variable];
      if (value >= 0) fetch_add(&loads(state)[value], 1);
    });
  }
  GLS_DEVICE int64 load(const State& state, int64 value) const {
    return 0 <= value && value < sizes ? loads(state)[value] : 0;
  }
  GLS_DEVICE int values(const State&, int) const { return sizes; }
  GLS_DEVICE uint32 weight(int64 rating, NoAggregate) const {
    constexpr int64 kMost = 0xffffffff;
    return rating < 0 ? 0 : uint32(rating < kMost ? rating : kMost);
  }
  GLS_DEVICE void assign(const State& state, int, int value) const { ++loads(state)[value]; }
  GLS_DEVICE void unassigned(const State&, int) const {}
};

}  // namespace gls
