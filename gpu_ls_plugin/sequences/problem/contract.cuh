// Assertions that an objective keeps its contract, as far as a compiler can tell.
#pragma once

#include "sequences/problem/machines.cuh"

namespace gls {
namespace sequences {

// kNames...<Objective>: whether it has a member of this name, of whatever type.
#define GLS_NAMES(NAME, MEMBER)                                      \
  template <class O>                                                 \
  constexpr auto names_##NAME(int) -> decltype(void(MEMBER), true) { \
    return true;                                                     \
  }                                                                  \
  template <class O>                                                 \
  constexpr bool names_##NAME(...) {                                 \
    return false;                                                    \
  }                                                                  \
  template <class O>                                                 \
  constexpr bool kNames##NAME = names_##NAME<O>(0);

GLS_NAMES(Pair, &O::pair)
GLS_NAMES(End, &O::end)
GLS_NAMES(Prepend, &O::prepend)
GLS_NAMES(Join, &O::join)
GLS_NAMES(Concatenate, &O::concatenate)
GLS_NAMES(Tail, &O::tail)
GLS_NAMES(Meet, &O::meet)
GLS_NAMES(Total, declared<typename O::Total>())
#undef GLS_NAMES

// Whether the members of level "suffix" are all there or all missing.
template <class O>
constexpr bool has_whole_suffix() {
  if constexpr (kHasMachines<O>) {
    return kNamesTail<O> == kNamesMeet<O>;
  } else if constexpr (kHasJoin<O>) {
    return kHasPrepend<O>;
  } else {
    return !(kNamesEnd<O> || kNamesPrepend<O> || kNamesJoin<O>);
  }
}

template <class O, class Cost, bool kPairs = kHasPairs<O>>
struct Contract {
  static_assert(!kNamesPair<O>, "pair(int first, int second) is not public and const");
  static_assert(!kHasMachines<O> || kNamesTotal<O>,
                "kMachines belongs to gls::MachineStates; derive from it, or choose another name");
  static_assert(kHasBegin<O>, "begin() is missing, or not public and const");
  static_assert(kHasAppend<O>,
                "append(const State&, int item) is missing, or not public and const");
  static_assert(kHasCost<O>, "cost(const State&) is missing, or not public and const");
  static_assert(kHasConcatenate<O> || !kNamesConcatenate<O>,
                "concatenate(const State&, const State&) is not public and const");
  static_assert(has_whole_suffix<O>(),
                "one of end(), prepend(const Suffix&, int item) and join(const State&, const "
                "Suffix&), or of tail() and meet(), is missing, or not public and const");
  static_assert(kSame<ValueOf<O>, Cost>,
                "cost() and join() return gls::int64 if `integer` is True, double if it is False, "
                "or Violating<...> of these");
  static_assert(__is_trivially_copyable(decltype(declared<const O&>().begin())),
                "State is copied as bytes; give it numbers and arrays of a fixed size");
};

template <class O, class Cost>
struct Contract<O, Cost, true> {
  static_assert(kSame<ValueOf<O>, Cost>,
                "pair() returns gls::int64 if `integer` is True, double if it is False");
};

}  // namespace sequences
}  // namespace gls
