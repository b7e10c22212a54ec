// The functor of an assignment problem, and the states that it evaluates.
//
// The shortest functor evaluates whole states; `FromScratch` adds everything else:
//
// clang-format off
//   struct MyProblem : gls::FromScratch<MyProblem> {
//     explicit MyProblem(const uint64* words);  // from `words()` of the Python class
//     template <class Values>
//     Worth worth_of(int m, const Values& values) const;  // values[variable]: -1 if it has none
//   };
//
// A functor that computes only the change that a move makes is faster. It may keep data
// beside each state, such as loads, and has all these members:
//
//   struct MyProblem {
//     explicit MyProblem(const uint64* words);
//     void begin(team, const State&) const;                            // fills the kept data
//     Worth worth(team, const State&) const;                           // the same on every lane
//     Worth assigned(const State&, int variable, int value) const;     // change by an assignment
//     Worth swapped(const State&, int first, int second) const;        // change by a swap
//     void assign(team, const State&, int variable, int value) const;  // updates the kept data
//     void swap(team, const State&, int first, int second) const;      // updates the kept data
//     bool promising(const State&, int variable) const;  // whether searches may change it
//   };
// clang-format on
//
// All lanes of the team call a function that takes the team; the caller synchronises the team
// before and after the call. Any lane may call the other functions, which only read.
//
// `assign` and `swap` are called before the values change, and must not change them. The two values
// of a swap differ. A variable without a value, -1, costs nothing; `value` may also be -1.
//
// An optional member `int64 related(const State&, int a, int b) const` measures how closely two
// variables are related, for searches with release="related".
//
// An optional member `int kind(int variable) const` returns the same number for variables that
// could swap their values in any state at no cost, such as facilities with the same flows. Searches
// then leave these swaps out. The numbers are those of `kinds` of the Python class.
//
// backends/include/words.cuh says how to read `words`. `testing.check_assignment` compares a
// functor with its Python class.
#pragma once

#include "backends/include/words.cuh"

namespace gls {

// A unit of cost in the fixed-point numbers that kernels use for penalties and ranks of moves.
constexpr int64 kUnit = 4096;

// A state of m variables. The value of a variable that has none is -1.
struct State {
  int m;
  const int* before;  // values of the state from which this one was made
  int* values;
  char* kept;  // data that the functor keeps: aligned to 16 bytes, not initialised

  // The kept data from byte `begin` on, as an array; `begin` is a multiple of 16.
  template <class T>
  GLS_DEVICE T* array(int64 begin = 0) const {
    return reinterpret_cast<T*>(kept + begin);
  }
  // The same state for a second functor, whose data begin after the first one's `bytes` bytes.
  GLS_DEVICE State behind(int64 bytes) const { return {m, before, values, kept + bytes}; }

  // Masks and heuristics that a CPU can run on several states at once use these functions
  // (assignment/heuristics/heuristic.cuh).
  template <class F>
  GLS_DEVICE void each(F f) const {
    f(*this);
  }
  GLS_DEVICE bool may_have(int) const { return true; }
  // Sets the byte of the variable's value, in the array that begins at byte `begin` of the kept
  // data.
  GLS_DEVICE void mark(int64 begin, int variable) const {
    array<unsigned char>(begin)[values[variable]] = 1;
  }
};

// The cost of a state and its excess, which is the amount by which the state breaks constraints; or
// a change of both. Less excess is better, whatever the cost.
struct Worth {
  int64 cost, excess;

  GLS_DEVICE Worth operator+(const Worth& other) const {
    return {cost + other.cost, excess + other.excess};
  }
  GLS_DEVICE Worth operator-(const Worth& other) const {
    return {cost - other.cost, excess - other.excess};
  }
  GLS_DEVICE bool operator<(const Worth& other) const {
    return excess < other.excess || (excess == other.excess && cost < other.cost);
  }
};

// Base of a functor that lets searches move every variable.
struct AnyVariable {
  GLS_DEVICE bool promising(const State&, int) const { return true; }
};

// Base of a functor that updates the kept data for a swap with two calls of `assign`.
template <class Problem>
struct SwapsByAssigning {
  template <class Team>
  GLS_DEVICE void swap(const Team& team, const State& state, int first, int second) const {
    const Problem& own = static_cast<const Problem&>(*this);
    const int mine = state.values[first], other = state.values[second];
    own.assign(team, state, first, other);
    team.sync();
    own.assign(team, state, second, mine);
  }
};

// Base of a functor that evaluates whole states with `worth_of`. It keeps the state's worth.
template <class Problem>
struct FromScratch : AnyVariable {
  // The values of a state, except that variable `first` has the value `its`, and that variable
  // `second`, if it is not -1, has the value `other`.
  struct Changed {
    const int* values;
    int first, its, second, other;

    GLS_DEVICE int operator[](int variable) const {
      return variable == first ? its : variable == second ? other : values[variable];
    }
  };

  template <class Team>
  GLS_DEVICE void begin(const Team& team, const State& state) const {
    team.once(
        [&] { kept(state) = own().worth_of(state.m, static_cast<const int*>(state.values)); });
  }
  template <class Team>
  GLS_DEVICE Worth worth(const Team&, const State& state) const {
    return kept(state);
  }
  GLS_DEVICE Worth assigned(const State& state, int variable, int value) const {
    return changed(state, {state.values, variable, value, -1, 0});
  }
  GLS_DEVICE Worth swapped(const State& state, int first, int second) const {
    return changed(state, {state.values, first, state.values[second], second, state.values[first]});
  }
  template <class Team>
  GLS_DEVICE void assign(const Team& team, const State& state, int variable, int value) const {
    change_kept(team, state, assigned(state, variable, value));
  }
  template <class Team>
  GLS_DEVICE void swap(const Team& team, const State& state, int first, int second) const {
    change_kept(team, state, swapped(state, first, second));
  }

 private:
  GLS_DEVICE const Problem& own() const { return static_cast<const Problem&>(*this); }
  GLS_DEVICE static Worth& kept(const State& state) {
    return *reinterpret_cast<Worth*>(state.kept);
  }
  GLS_DEVICE Worth changed(const State& state, const Changed& values) const {
    return own().worth_of(state.m, values) - kept(state);
  }
  template <class Team>
  GLS_DEVICE static void change_kept(const Team& team, const State& state, const Worth& change) {
    team.sync();  // every lane has read the kept worth
    team.once([&] { kept(state) = kept(state) + change; });
  }
};

}  // namespace gls
