// Objectives in which each item passes the same machines in the same order, as in flow shops.
//
// A struct derives from `MachineStates<Own, kMachines, Time, Total>` and has these members, const:
//
//   Time head(int machine, Time before, Time left, int previous, int item)
//       when `item` leaves a machine; `before`: when the previous item left it (0 if there is none,
//       and `previous` is -1), `left`: when `item` left the machine before (0 on the first one)
//   Total finish(Total total, Time last, int item)
//       the total after `item`, which leaves the last machine at `last`; it begins with 0
//   Cost cost_of(Total total)
//
// At level "suffix", also
//
//   Time tail(int machine, Time after, Time right, int item, int next)
//       time from when `item` can begin on a machine to the end; `after`: that of the next item
//       (0 if there is none, and `next` is -1), `right`: that of `item` on the next machine
//   Total meet(Total most, int machine, Time head, Time tail, int item, int next)
//       joins the prefix that ends with `item` to the suffix that begins with `next`, machine by
//       machine; either may be -1; begins with 0
//
// The struct may name a small unsigned type `Span` that holds the difference between the times of
// an item on any machine and on the first one, and between its times to the end on any machine and
// on the last one. A GPU then has room for more times.
//
// The struct may say `static constexpr bool kOnlyDelays = true`: an item that is inserted lowers by
// no item what `finish` adds for the items behind, and totals can be added and subtracted. The
// engine then stops earlier at insertions that are no improvements.
//
// The base class makes the members of the general contract of them; the engine computes the states
// of many items at a time, with the machines as lanes.
#pragma once

#include "sequences/problem/objective.cuh"

// Before loops over machines: a GPU then keeps their times in registers. On the CPU, it would only
// take long to compile.
#ifdef __CUDACC__
#define GLS_UNROLL_MACHINES _Pragma("unroll")
#else
#define GLS_UNROLL_MACHINES
#endif

namespace gls {

template <class Own, int Machines, class GivenTime, class GivenTotal>
struct MachineStates {
  static constexpr int kMachines = Machines;
  using Time = GivenTime;
  using Span = GivenTime;
  using Total = GivenTotal;

  struct State {
    Time at[kMachines];
    Total total;
    int last;  // item, or -1
  };
  struct Suffix {
    Time at[kMachines];
    int first;  // item, or -1
  };

  template <class O>
  static auto met()
      -> decltype(sequences::declared<const O&>().meet(Total(), 0, Time(), Time(), 0, 0));

  GLS_DEVICE State begin() const {
    State state;
    GLS_UNROLL_MACHINES
    for (int machine = 0; machine < kMachines; ++machine) state.at[machine] = 0;
    state.total = 0, state.last = -1;
    return state;
  }
  GLS_DEVICE State append(State state, int item) const {
    Time left = 0;
    GLS_UNROLL_MACHINES
    for (int machine = 0; machine < kMachines; ++machine) {
      left = own().head(machine, state.at[machine], left, state.last, item);
      state.at[machine] = left;
    }
    state.total = own().finish(state.total, left, item), state.last = item;
    return state;
  }
  GLS_DEVICE auto cost(const State& state) const {
    return static_cast<const Own*>(this)->cost_of(state.total);
  }

  // `end` and `join` exist only if the struct has `meet`.
  template <class O = Own>
  GLS_DEVICE auto end() const -> decltype(met<O>(), Suffix()) {
    Suffix suffix;
    GLS_UNROLL_MACHINES
    for (int machine = 0; machine < kMachines; ++machine) suffix.at[machine] = 0;
    suffix.first = -1;
    return suffix;
  }
  GLS_DEVICE Suffix prepend(Suffix suffix, int item) const {
    Time right = 0;
    GLS_UNROLL_MACHINES
    for (int machine = kMachines - 1; machine >= 0; --machine) {
      right = own().tail(machine, suffix.at[machine], right, item, suffix.first);
      suffix.at[machine] = right;
    }
    suffix.first = item;
    return suffix;
  }
  template <class O = Own>
  GLS_DEVICE auto join(const State& state, const Suffix& suffix) const
      -> decltype(sequences::declared<const O&>().cost_of(met<O>())) {
    Total most = 0;
    GLS_UNROLL_MACHINES
    for (int machine = 0; machine < kMachines; ++machine) {
      most = own().meet(most, machine, state.at[machine], suffix.at[machine], state.last,
                        suffix.first);
    }
    return own().cost_of(most);
  }

 private:
  GLS_DEVICE const Own& own() const { return *static_cast<const Own*>(this); }
};

}  // namespace gls
