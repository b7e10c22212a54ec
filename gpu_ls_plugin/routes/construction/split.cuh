// Split (Beasley 1983): the cheapest way to cut an order of customers into routes, which are
// feasible or pay for their excess.
//
// costs[j] is the least cost of routes for the first j customers. The last of these routes serves
// order[i..j-1] for some i < j, and its length is the sum of a term that depends on i and a term
// that depends on j. If only the load is limited, a queue of the values of i that can still become
// best is therefore enough (Vidal 2016). If durations are also limited, Split tries each i that the
// load allows. The smallest i wins a tie.
#pragma once

#include "routes/problem/vehicles.cuh"

namespace gls {

// An order of customers, with sums of lengths, demands and service times along it.
template <class Vehicles>
struct OrderSums {
  using Length = typename Vehicles::Length;
  using Time = typename Vehicles::Time;

  const Vehicles& vehicles;
  const int* order;
  Length* ahead;   // length from order[0] to order[p]
  int64* carried;  // sum of the demands of order[0..p-1]
  Time* served;    // sum of the service times of order[0..p-1]

  template <class Team>
  GLS_DEVICE void fill(const Team& team) const {
    team.once([&] {
      carried[0] = 0;
      served[0] = 0;
      for (int p = 0; p < vehicles.customers; ++p) {
        ahead[p] = p == 0 ? Length(0) : ahead[p - 1] + vehicles.length(order[p - 1], order[p]);
        carried[p + 1] = carried[p] + vehicles.demands[order[p]];
        served[p + 1] = served[p] + vehicles.services[order[p]];
      }
    });
  }

  // The two terms of the length of the route order[i..j-1].
  GLS_DEVICE Length leaving(int i) const { return vehicles.length(0, order[i]) - ahead[i]; }
  GLS_DEVICE Length returning(int j) const {
    return ahead[j - 1] + vehicles.length(order[j - 1], 0);
  }
  GLS_DEVICE bool holds(int i, int j) const { return vehicles.holds(carried[j] - carried[i]); }
  GLS_DEVICE Time duration(int i, int j) const {
    return Time(leaving(i) + returning(j)) + served[j] - served[i];
  }
  GLS_DEVICE bool in_time(int i, int j) const { return duration(i, j) <= vehicles.limit; }

  // The price of the route's excess load, and of its excess duration.
  GLS_DEVICE Length overload(int i, int j) const {
    if (holds(i, j)) return 0;
    return vehicles.load_price * Length(carried[j] - carried[i] - vehicles.capacity);
  }
  GLS_DEVICE Length overtime(int i, int j) const {
    if (in_time(i, j)) return 0;
    return vehicles.time_price * Length(duration(i, j) - vehicles.limit);
  }
};

// add_route() computes the costs `to`, whose solutions have one more route than those of `from`.
// last[j] is the beginning of the last route for the first j customers (-1: impossible). If `to`
// and `from` are the same array, the number of routes is not limited.
template <class Vehicles>
struct ByLoad {
  using Length = typename Vehicles::Length;

  template <class Team>
  GLS_DEVICE static void add_route(const Team& team, const OrderSums<Vehicles>& sums,
                                   const Length* from, Length* to, int* last, int* queue) {
    team.once([&] {
      const auto share = [&](int i) { return from[i] + sums.leaving(i); };
      int front = 0, back = 0;
      for (int j = 1; j <= sums.vehicles.customers; ++j) {
        if (from[j - 1] < endless<Length>()) {
          while (back > front && share(queue[back - 1]) > share(j - 1)) --back;
          queue[back++] = j - 1;
        }
        while (front < back && !sums.holds(queue[front], j)) ++front;
        const bool found = front < back;
        to[j] = found ? share(queue[front]) + sums.returning(j) : endless<Length>();
        last[j] = found ? queue[front] : -1;
      }
    });
  }
};

// As `ByLoad`, but routes pay for excess load. A route that begins later than another one pays
// less, but saves at most the price of the load between the two beginnings. So a beginning that
// costs at least that much more than an earlier one can be dropped.
template <class Vehicles>
struct PaidByLoad {
  using Length = typename Vehicles::Length;

  template <class Team>
  GLS_DEVICE static void add_route(const Team& team, const OrderSums<Vehicles>& sums,
                                   const Length* from, Length* to, int* last, int* queue) {
    team.once([&] {
      const auto share = [&](int i) { return from[i] + sums.leaving(i); };
      const auto paid = [&](int i, int j) { return share(i) + sums.overload(i, j); };
      const auto between = [&](int i, int k) {
        return sums.vehicles.load_price * Length(sums.carried[k] - sums.carried[i]);
      };
      int front = 0, back = 0;
      for (int j = 1; j <= sums.vehicles.customers; ++j) {
        const int i = j - 1;
        if (from[i] < endless<Length>() &&
            (front == back || share(i) < share(queue[back - 1]) + between(queue[back - 1], i))) {
          while (back > front && share(queue[back - 1]) > share(i)) --back;
          queue[back++] = i;
        }
        while (front + 1 < back && paid(queue[front + 1], j) < paid(queue[front], j)) ++front;
        const bool found = front < back;
        to[j] = found ? paid(queue[front], j) + sums.returning(j) : endless<Length>();
        last[j] = found ? queue[front] : -1;
      }
    });
  }
};

// As `ByLoad`, but durations are also limited. Rule::loads tells whether the load of a route is
// allowed, and Rule::due returns the price of the route's excess (`endless`: not allowed).
template <class Vehicles, template <class> class Rule>
struct ByLoadAndTime {
  using Length = typename Vehicles::Length;
  using Choice = Ranked<Length>;

  template <class Team>
  GLS_DEVICE static void add_route(const Team& team, const OrderSums<Vehicles>& sums,
                                   const Length* from, Length* to, int* last, int*) {
    const Choice nothing{endless<Length>(), -1};
    for (int j = 1, first = 0; j <= sums.vehicles.customers; ++j) {
      while (!Rule<Vehicles>::loads(sums, first, j)) ++first;
      const Choice best = team.least(j - first, nothing, [&](int k) {
        const int i = first + k;
        const Length due = Rule<Vehicles>::due(sums, i, j);
        if (!(from[i] < endless<Length>()) || !(due < endless<Length>())) return nothing;
        return Choice{from[i] + sums.leaving(i) + due, i};
      });
      team.once([&] {
        to[j] = best.index < 0 ? endless<Length>() : best.value + sums.returning(j);
        last[j] = int(best.index);
      });
    }
  }
};

// The rule of hard constraints. A customer whose own route takes too long may have it all the same,
// so that there is always a cut.
template <class Vehicles>
struct Kept {
  GLS_DEVICE static bool loads(const OrderSums<Vehicles>& sums, int i, int j) {
    return sums.holds(i, j);
  }
  GLS_DEVICE static auto due(const OrderSums<Vehicles>& sums, int i, int j) {
    using Length = typename Vehicles::Length;
    return j == i + 1 || sums.in_time(i, j) ? Length(0) : endless<Length>();
  }
};

// The rule of soft constraints: routes pay for excess, but carry at most twice the capacity.
template <class Vehicles>
struct Paid {
  GLS_DEVICE static bool loads(const OrderSums<Vehicles>& sums, int i, int j) {
    return sums.carried[j] - sums.carried[i] <= 2 * sums.vehicles.capacity;
  }
  GLS_DEVICE static auto due(const OrderSums<Vehicles>& sums, int i, int j) {
    return sums.overload(i, j) + sums.overtime(i, j);
  }
};

// Parameters, and memory for each row to cut: arrays with one number per node, except `costs` with
// two per node, and `last` with one per node and layer (a layer for each number of routes).
struct SplitRows {
  int layers;       // maximum number of routes of any row; 0: no limit
  const int* most;  // maximum number of routes of each row of the batch, up to `layers`
  const int* rows;  // indices of the rows to cut
  void* costs;
  void* ahead;
  int64* carried;
  void* served;
  int* last;
  int* queues;
};

template <class Team, class Vehicles, class Limits>
struct Split {
  GLS_DEVICE static void run(const Team& team, int item, const RouteRows& rows,
                             const SplitRows& its) {
    const Vehicles vehicles(rows.nodes_data, rows.vehicles);
    const int n = vehicles.customers, wide = n + 1;
    const int64 row = its.rows[item], at = int64(item) * wide;
    const Sums sums{vehicles, rows.orders + row * n, static_cast<Length*>(its.ahead) + at,
                    its.carried + at, static_cast<typename Vehicles::Time*>(its.served) + at};
    sums.fill(team);
    Length* const costs = static_cast<Length*>(its.costs) + 2 * at;
    int* const last = its.last + int64(item) * (its.layers == 0 ? 1 : its.layers) * wide;
    int* const queue = its.queues + at;
    team.each(2 * wide, [&](int j) { costs[j] = j == 0 ? Length(0) : endless<Length>(); });
    team.sync();
    if (its.layers == 0) {
      Limits::add_route(team, sums, costs, costs, last, queue);
      team.once([&] { mark(last, 0, n, rows.begins + row * n); });
      return;
    }
    const int layer = best_layer(team, sums, its.most[row], costs, last, queue);
    if (layer < 0) return;  // impossible: keep the previous cut
    team.once([&] { mark(last + int64(layer) * wide, -wide, n, rows.begins + row * n); });
  }

 private:
  using Length = typename Vehicles::Length;
  using Sums = OrderSums<Vehicles>;

  // Adds up to `most` routes, each in its layer of `last`. Returns the layer whose routes serve all
  // customers at the least cost, or -1.
  GLS_DEVICE static int best_layer(const Team& team, const Sums& sums, int most, Length* costs,
                                   int* last, int* queue) {
    const int n = sums.vehicles.customers, wide = n + 1;
    int best_layer = -1;
    Length best = endless<Length>();
    for (int layer = 0; layer < most; ++layer) {
      const Length* from = costs + (layer % 2) * wide;
      Length* to = costs + (1 - layer % 2) * wide;
      team.once([&] { to[0] = endless<Length>(); });
      Limits::add_route(team, sums, from, to, last + int64(layer) * wide, queue);
      if (to[n] < best) {
        best = to[n];
        best_layer = layer;
      }
      team.sync();
    }
    return best_layer;
  }

  // Marks the beginnings of routes, from the last route to the first. `last` advances by `step`
  // from each route to the one before it.
  GLS_DEVICE static void mark(const int* last, int step, int n, unsigned char* begins) {
    for (int p = 0; p < n; ++p) begins[p] = 0;
    for (int j = n; j > 0; last += step) {
      j = last[j];
      begins[j] = 1;
    }
  }
};

}  // namespace gls
