// A level of a beam search, which builds sequences from the first item to the last: each team makes
// a node and evaluates its children, which are longer by an item.
//
// Nodes are compared by a guide: the cost so far plus a penalty of idle times, since machines that
// wait delay all later items. A machine is idle while it is free and its next item is not there.
#pragma once

#include "sequences/problem/machines.cuh"

namespace gls {

// Arguments of a level. A node is the child number `chosen` of its parent level, where children are
// counted node by node; `rows` has the items of a node first, then those that are still open.
struct BeamLevel {
  int n;                           // items
  int placed;                      // items of a node; 0 for the root, which has no parent
  const int64* chosen;             // shape (P,)
  const int* parent_rows;          // shape (Q, n)
  const void* parent_ends;         // shape (Q, machines)
  const void* parent_totals;       // shape (Q,)
  const double* parent_penalties;  // shape (Q,)
  int* rows;                       // shape (P, n)
  void* ends;                      // shape (P, machines): when the last item leaves each machine
  void* totals;                    // shape (P,)
  double* penalties;               // shape (P,)
  double* guides;                  // shape (P, n - placed): of the children, by place of their item
  // shape (n, machines): penalty of a unit of idle time before the item at each place.
  const double* weights;
};

template <class Objective>
struct ExpandBeam {
  using Time = typename Objective::Time;
  using Total = typename Objective::Total;
  static constexpr int kMachines = Objective::kMachines;

  template <class Team>
  GLS_DEVICE static void run(const Team& team, int item, BeamLevel all, const uint64* words) {
    const Objective objective(words);
    const int n = all.n, placed = all.placed, open = n - placed;
    int* const row = all.rows + int64(item) * n;
    Time* const ends = static_cast<Time*>(all.ends) + int64(item) * kMachines;
    Total& total = static_cast<Total*>(all.totals)[item];
    double& penalty = all.penalties[item];
    if (placed == 0) {
      team.each(n, [&](int k) { row[k] = k; });
      team.each(kMachines, [&](int machine) { ends[machine] = 0; });
      team.once([&] { total = 0, penalty = 0; });
    } else {
      const int64 parent = all.chosen[item] / (open + 1);
      const int last = placed - 1, place = last + int(all.chosen[item] % (open + 1));
      const int* const before = all.parent_rows + parent * n;
      team.each(n, [&](int k) { row[k] = before[k == last ? place : k == place ? last : k]; });
      team.once([&] {
        total = static_cast<const Total*>(all.parent_totals)[parent];
        penalty = all.parent_penalties[parent];
        append(objective, static_cast<const Time*>(all.parent_ends) + parent * kMachines,
               all.weights + int64(last) * kMachines, last > 0 ? before[last - 1] : -1,
               before[place], total, penalty, [&](int machine, Time end) { ends[machine] = end; });
      });
    }
    team.sync();
    const int previous = placed > 0 ? row[placed - 1] : -1;
    double* const guides = all.guides + int64(item) * open;
    team.each(open, [&](int k) {
      Total whole = total;
      double idle = penalty;
      append(objective, ends, all.weights + int64(placed) * kMachines, previous, row[placed + k],
             whole, idle, [](int, Time) {});
      guides[k] = double(objective.cost_of(whole)) + idle;
    });
  }

 private:
  // Appends an item to a node; calls keep(machine, end) for each machine.
  template <class Keep>
  GLS_DEVICE static void append(const Objective& objective, const Time* ends, const double* weights,
                                int previous, int item, Total& total, double& penalty, Keep keep) {
    Time left = 0;
#pragma unroll 4
    for (int machine = 0; machine < kMachines; ++machine) {
      const Time before = ends[machine];
      const Time at_once = objective.head(machine, before, 0, previous, item);
      left = objective.head(machine, before, left, previous, item);
      penalty += weights[machine] * double(left - at_once);
      keep(machine, left);
    }
    total = objective.finish(total, left, item);
  }
};

}  // namespace gls
