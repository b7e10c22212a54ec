// States of assignment problems, and what the functor of such a problem is asked by searches.
//
// clang-format off
//   struct MyProblem : gls::FromScratch<MyProblem> {  // has all that follows, made of `worth_of`
//     explicit MyProblem(const uint64* words);        // what `words` of the Python face returns
//     template <class Values>
//     Worth worth_of(int m, const Values& values) const;  // of the state with values[variable]
//   };
//
// or, with differences, which are so much faster as they are easier to tell than a cost:
//
//   struct MyProblem {
//     explicit MyProblem(const uint64* words);
//     void begin(team, const State&) const;         // by the team: what the state keeps
//     Worth worth(team, const State&) const;        // by the team, after `begin`
//     Worth assigned(const State&, int variable, int value) const;  // what it would change
//     Worth swapped(const State&, int first, int second) const;     // two values that differ
//     void assign(team, const State&, int variable, int value) const;  // by the team: what is kept
//     void swap(team, const State&, int first, int second) const;
//     bool promising(const State&, int variable) const;  // whether moves of it are looked at
//   };
// clang-format on
//
// `assign` and `swap` are called while the values are still the former ones, and write what is kept
// alone; the team is in step before and after. A variable without a value, -1, costs nothing. Words
// are read one by one or through a struct (backends/include/words.cuh).
#pragma once

#include "backends/include/words.cuh"

namespace gls {

// A state of m variables: those that are not assigned, or not yet, have the value -1.
struct State {
  int m;
  const int* before;  // their values in the state that it is a successor of
  int* values;
  char* kept;  // bytes of the functor's own, aligned to 16, not cleared

  // What is kept from a byte on, a multiple of 16, as an array.
  template <class T>
  GLS_DEVICE T* array(int64 begin = 0) const {
    return reinterpret_cast<T*>(kept + begin);
  }
  // The same state for a functor that keeps what it keeps behind so many bytes of another one.
  GLS_DEVICE State behind(int64 bytes) const { return {m, before, values, kept + bytes}; }

  // As of several states side by side (assignment/successors/side_by_side.cuh).
  template <class F>
  GLS_DEVICE void each(F f) const {
    f(*this);
  }
  GLS_DEVICE bool may_have(int) const { return true; }
  // Sets the byte of a variable's value, or of -1, of those that begin there.
  GLS_DEVICE void mark(int64 begin, int variable) const {
    array<unsigned char>(begin)[values[variable]] = 1;
  }
};

// What a state costs, and by how much it breaks constraints; or what changes of them.
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

// Of a problem in which a move of any variable may be good: to derive from.
struct AnyVariable {
  GLS_DEVICE bool promising(const State&, int) const { return true; }
};

// Of a problem whose swaps are two assignments also where what is kept is concerned.
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

// Of a problem that only says what a state costs: to derive from.
template <class Problem>
struct FromScratch : AnyVariable {
  // Values of a state of which two are others.
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
    const Worth more = assigned(state, variable, value);
    team.sync();  // all lanes have read what is kept
    team.once([&] { kept(state) = kept(state) + more; });
  }
  template <class Team>
  GLS_DEVICE void swap(const Team& team, const State& state, int first, int second) const {
    const Worth more = swapped(state, first, second);
    team.sync();
    team.once([&] { kept(state) = kept(state) + more; });
  }

 private:
  GLS_DEVICE const Problem& own() const { return static_cast<const Problem&>(*this); }
  GLS_DEVICE static Worth& kept(const State& state) {
    return *reinterpret_cast<Worth*>(state.kept);
  }
  GLS_DEVICE Worth changed(const State& state, const Changed& values) const {
    return own().worth_of(state.m, values) - kept(state);
  }
};

}  // namespace gls
