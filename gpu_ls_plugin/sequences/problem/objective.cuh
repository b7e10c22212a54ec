// The contract of objectives of sequences, and what the engine derives from it.
//
// A sequence is read from its first item to its last. An objective is a struct with fields for its
// data and, at level "prefix", these members, all const:
//
//   State            a struct that describes the first items; it can be copied as bytes
//   State begin()                             before the first item
//   State append(const State&, int item)      after one more item
//   Cost cost(const State&)                   of a complete sequence: int64 or double
//
// At level "suffix", it adds
//
//   Suffix           a struct that describes the last items; may be the same as State
//   Suffix end()                              after the last item
//   Suffix prepend(const Suffix&, int item)   with one more item in front
//   Cost join(const State&, const Suffix&)    of the sequence made of both
//
// At level "segments", it adds to level "prefix"
//
//   State concatenate(const State&, const State&)   of two parts of a sequence, one after the other
//
// Instead of a Cost, `cost` and `join` may return a `Violating<Cost>`. A struct may say
// `static constexpr bool kRegular = true`: no item that is appended lowers the cost, so that the
// engine stops at costs that are too high.
//
// Two kinds of objectives have contracts of their own: states with a number for each of several
// machines (sequences/problem/machines.cuh), and sums over pairs of items:
//
//   Cost pair(int first, int second)          for each pair of items, the one before the other
//   Cost turned(int first, int second)        optional: pair(second, first) - pair(first, second)
#pragma once

#include "backends/include/conditional.cuh"
#include "backends/include/optional_constant.cuh"
#include "backends/include/team.cuh"

namespace gls {

// A cost, and by how much the sequence breaks constraints.
template <class Cost>
struct Violating {
  Cost cost, excess;
};

namespace sequences {

template <class T>
T declared();  // a value of a type, for decltype

// kHas...<Objective>: which members an objective has.
#define GLS_DETECT(NAME, EXPRESSION)                                        \
  template <class O>                                                        \
  constexpr auto detected_##NAME(int) -> decltype(void(EXPRESSION), true) { \
    return true;                                                            \
  }                                                                         \
  template <class O>                                                        \
  constexpr bool detected_##NAME(...) {                                     \
    return false;                                                           \
  }                                                                         \
  template <class O>                                                        \
  constexpr bool kHas##NAME = detected_##NAME<O>(0);

GLS_DETECT(Pairs, declared<const O&>().pair(0, 0))
GLS_DETECT(Turned, declared<const O&>().turned(0, 0))
GLS_DETECT(Machines, O::kMachines)
GLS_DETECT(Begin, declared<const O&>().begin())
GLS_DETECT(Append, declared<const O&>().append(declared<const O&>().begin(), 0))
GLS_DETECT(Cost, declared<const O&>().cost(declared<const O&>().begin()))
GLS_DETECT(Prepend, declared<const O&>().prepend(declared<const O&>().end(), 0))
GLS_DETECT(Join,
           declared<const O&>().join(declared<const O&>().begin(), declared<const O&>().end()))
GLS_DETECT(Concatenate, declared<const O&>().concatenate(declared<const O&>().begin(),
                                                         declared<const O&>().begin()))
#undef GLS_DETECT

GLS_OPTIONAL_CONSTANT(Regular, kRegular, bool, false);
GLS_OPTIONAL_CONSTANT(OnlyDelays, kOnlyDelays, bool, false);  // see sequences/problem/machines.cuh

template <class Cost>
struct CostOf {
  using Type = Cost;
};
template <class Cost>
struct CostOf<Violating<Cost>> {
  using Type = Cost;
};

// The type of an objective's costs, without violations; void if it has neither pair() nor cost().
template <class O, bool kPairs = kHasPairs<O>, bool kCosts = kHasCost<O>>
struct ValueFor {
  using Type = void;
};
template <class O, bool kCosts>
struct ValueFor<O, true, kCosts> {
  using Type = typename CostOf<decltype(declared<const O&>().pair(0, 0))>::Type;
};
template <class O>
struct ValueFor<O, false, true> {
  using Type =
      typename CostOf<decltype(declared<const O&>().cost(declared<const O&>().begin()))>::Type;
};
template <class O>
using ValueOf = typename ValueFor<O>::Type;

// The number by which searches compare sequences: the cost plus the price of violations.
template <class Cost>
GLS_DEVICE Cost compared(Cost cost, Cost) {
  return cost;
}
template <class Cost>
GLS_DEVICE Cost compared(const Violating<Cost>& found, Cost price) {
  return found.cost + price * found.excess;
}

// Sets a field of an objective from a word.
template <class T>
GLS_DEVICE void set_field(T*& field, uint64 word) {
  field = reinterpret_cast<T*>(word);
}
GLS_DEVICE void set_field(int& field, uint64 word) { field = int(word); }
GLS_DEVICE void set_field(int64& field, uint64 word) { field = int64(word); }
GLS_DEVICE void set_field(double& field, uint64 word) {
  field = *reinterpret_cast<const double*>(&word);
}

template <class A, class B>
constexpr bool kSame = false;
template <class A>
constexpr bool kSame<A, A> = true;

}  // namespace sequences
}  // namespace gls
