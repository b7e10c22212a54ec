// Objectives of flow shops: each job passes the machines in order, and machines keep the order.
#pragma once

#include "sequences/problem/machines.cuh"

namespace gls {

// Base of the objectives of flow shops. Set-up times count if kSetups.
template <class Own, int Machines, bool kSetups, class Total>
struct FlowShop : MachineStates<Own, Machines, int, Total> {
  static constexpr bool kRegular = true;

  const int* times;   // of each job, on each machine
  const int* setups;  // between two jobs, the one before first, on each machine
  int jobs;

  // The set-up overlaps with the job's time on the machine before.
  GLS_DEVICE int head(int machine, int before, int left, int previous, int item) const {
    const int free = before + setup(machine, previous, item);
    return (free > left ? free : left) + times[item * Machines + machine];
  }

 protected:
  GLS_DEVICE int setup(int machine, int previous, int item) const {
    if constexpr (kSetups) {
      if (previous < 0 || item < 0) return 0;
      return setups[(int64(previous) * jobs + item) * Machines + machine];
    } else {
      return 0;
    }
  }
};

// The time at which the last job leaves the last machine. Taillard (1990) joins heads and tails.
template <int Machines, bool kSetups = false>
struct FlowShopMakespan : FlowShop<FlowShopMakespan<Machines, kSetups>, Machines, kSetups, int> {
  GLS_DEVICE int finish(int, int last, int) const { return last; }
  GLS_DEVICE int64 cost_of(int total) const { return total; }

  GLS_DEVICE int tail(int machine, int after, int right, int item, int next) const {
    const int free = after + this->setup(machine, item, next);
    return (free > right ? free : right) + this->times[item * Machines + machine];
  }
  GLS_DEVICE int meet(int most, int machine, int head, int tail, int item, int next) const {
    const int whole = head + this->setup(machine, item, next) + tail;
    return whole > most ? whole : most;
  }
};

// The sum of the times at which the jobs leave the last machine.
template <int Machines, bool kSetups = false>
struct FlowShopFlowtime : FlowShop<FlowShopFlowtime<Machines, kSetups>, Machines, kSetups, int64> {
  GLS_DEVICE int64 finish(int64 total, int last, int) const { return total + last; }
  GLS_DEVICE int64 cost_of(int64 total) const { return total; }
};

// The sum of weights times delays beyond due dates.
template <int Machines, bool kSetups = false>
struct FlowShopTardiness
    : FlowShop<FlowShopTardiness<Machines, kSetups>, Machines, kSetups, int64> {
  const int64* due_dates;
  const int64* weights;

  GLS_DEVICE int64 finish(int64 total, int last, int item) const {
    const int64 late = last - due_dates[item];
    return late > 0 ? total + weights[item] * late : total;
  }
  GLS_DEVICE int64 cost_of(int64 total) const { return total; }
};

}  // namespace gls
