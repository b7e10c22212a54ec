// Objectives of flow shops: each job passes the machines in order, and machines keep the order.
#pragma once

#include "sequences/problem/machines.cuh"

namespace gls {

// Base of the objectives of flow shops. Set-up times count if kSetups. Times are of type `Number`:
// int, or double if costs are real. They are stored in the type `Small`.
template <class Own, int Machines, bool kSetups, class Number, class Small, class Total>
struct FlowShop : MachineStates<Own, Machines, Number, Total> {
  static constexpr bool kRegular = true;
  using Span = Small;

  const Small* times;   // of each job, on each machine
  const Small* setups;  // between two jobs, the one before first, on each machine
  int jobs;

  // The set-up overlaps with the job's time on the machine before.
  GLS_DEVICE Number head(int machine, Number before, Number left, int previous, int item) const {
    const Number free = before + setup(machine, previous, item);
    return (free > left ? free : left) + time(machine, item);
  }

 protected:
  // A GPU reads adjacent machines together, since its arrays begin at multiples of 16 bytes.
  GLS_DEVICE Number time(int machine, int item) const {
    const int place = item * Machines + machine;
    if constexpr (!kOnDevice) return times[place];
    return static_cast<const Small*>(__builtin_assume_aligned(times, 16))[place];
  }
  GLS_DEVICE Number setup(int machine, int previous, int item) const {
    if constexpr (kSetups) {
      if (previous < 0 || item < 0) return 0;
      return setups[(int64(previous) * jobs + item) * Machines + machine];
    } else {
      return 0;
    }
  }
};

// The type of sums of times.
template <class Number>
struct SumOfTimes {
  using Type = int64;
};
template <>
struct SumOfTimes<double> {
  using Type = double;
};
template <class Number>
using SumOf = typename SumOfTimes<Number>::Type;

// The time at which the last job leaves the last machine. Taillard (1990) joins heads and tails.
template <int Machines, bool kSetups = false, class Number = int, class Small = Number>
struct FlowShopMakespan : FlowShop<FlowShopMakespan<Machines, kSetups, Number, Small>, Machines,
                                   kSetups, Number, Small, Number> {
  GLS_DEVICE Number finish(Number, Number last, int) const { return last; }
  GLS_DEVICE SumOf<Number> cost_of(Number total) const { return total; }

  GLS_DEVICE Number tail(int machine, Number after, Number right, int item, int next) const {
    const Number free = after + this->setup(machine, item, next);
    return (free > right ? free : right) + this->time(machine, item);
  }
  GLS_DEVICE Number meet(Number most, int machine, Number head, Number tail, int item,
                         int next) const {
    const Number whole = head + this->setup(machine, item, next) + tail;
    return whole > most ? whole : most;
  }
};

// The sum of the times at which the jobs leave the last machine.
template <int Machines, bool kSetups = false, class Number = int, class Small = Number>
struct FlowShopFlowtime : FlowShop<FlowShopFlowtime<Machines, kSetups, Number, Small>, Machines,
                                   kSetups, Number, Small, SumOf<Number>> {
  using Sum = SumOf<Number>;
  // An item between two others may shorten a set-up.
  static constexpr bool kOnlyDelays = !kSetups;

  GLS_DEVICE Sum finish(Sum total, Number last, int) const { return total + last; }
  GLS_DEVICE Sum cost_of(Sum total) const { return total; }
};

// The sum of weights times delays beyond due dates.
template <int Machines, bool kSetups = false, class Number = int, class Small = Number>
struct FlowShopTardiness : FlowShop<FlowShopTardiness<Machines, kSetups, Number, Small>, Machines,
                                    kSetups, Number, Small, SumOf<Number>> {
  using Sum = SumOf<Number>;
  static constexpr bool kOnlyDelays = !kSetups;

  const Sum* due_dates;
  const Sum* weights;

  GLS_DEVICE Sum finish(Sum total, Number last, int item) const {
    const Sum late = last - due_dates[item];
    return late > 0 ? total + weights[item] * late : total;
  }
  GLS_DEVICE Sum cost_of(Sum total) const { return total; }
};

}  // namespace gls
