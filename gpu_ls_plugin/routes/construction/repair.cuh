// Reduces the number of routes by dissolving those with the fewest customers.
//
// Their customers are inserted elsewhere, in order of decreasing demand. Each goes to the place
// with the shortest detour in a route that can take it. If no route can, it goes where the excess
// is smallest.
#pragma once

#include "routes/problem/vehicles.cuh"

namespace gls {

// The routes of one row of RouteRows.
template <class Vehicles>
struct RoutesInARow {
  using Length = typename Vehicles::Length;
  using Time = typename Vehicles::Time;

  // A place for a customer: before order[place], or, if `behind`, at the end of the route that ends
  // before order[place].
  struct Place {
    int64 excess;
    Length detour;
    int place;
    bool behind;

    GLS_DEVICE bool operator<(const Place& other) const {
      return excess != other.excess ? excess < other.excess : detour < other.detour;
    }
  };

  const Vehicles& vehicles;
  int* order;
  unsigned char* begins;

  // The index one past the last customer of the route that begins at order[first], among the first
  // `count` customers.
  GLS_DEVICE int end_of(int first, int count) const {
    int end = first + 1;
    while (end < count && !begins[end]) ++end;
    return end;
  }

  GLS_DEVICE int routes() const {
    int count = 0;
    for (int p = 0; p < vehicles.customers; ++p) count += begins[p];
    return count;
  }

  // Among the first `count` customers, moves those of the smallest route after all others, and
  // returns the number of these others.
  GLS_DEVICE int take_out_smallest(int count) const {
    int first = 0, fewest = count + 1;
    for (int p = 0, end; p < count; p = end) {
      end = end_of(p, count);
      if (end - p < fewest) {
        fewest = end - p;
        first = p;
      }
    }
    for (int k = 0; k < fewest; ++k) {
      const int taken = order[first];
      for (int p = first; p + 1 < count; ++p) {
        order[p] = order[p + 1];
        begins[p] = begins[p + 1];
      }
      order[count - 1] = taken;
      begins[count - 1] = 0;
    }
    return count - fewest;
  }

  // The best place for a customer among the routes of the first `count` customers.
  GLS_DEVICE Place best_place(int customer, int count) const {
    Place best{endless<int64>(), endless<Length>(), 0, false};
    for (int first = 0, end; first < count; first = end) {
      end = end_of(first, count);
      int64 load = vehicles.demands[customer];
      Time duration = vehicles.services[customer];
      for (int p = first, from = 0; p < end; from = order[p++]) {
        load += vehicles.demands[order[p]];
        duration += Time(vehicles.length(from, order[p])) + vehicles.services[order[p]];
      }
      duration += Time(vehicles.length(order[end - 1], 0));
      const int64 beyond = vehicles.holds(load) ? 0 : load - vehicles.capacity;
      for (int p = first; p <= end; ++p) {
        const int from = p == first ? 0 : order[p - 1], to = p == end ? 0 : order[p];
        const Length detour = vehicles.detour(from, customer, to);
        const bool late = duration + Time(detour) > vehicles.limit ||
                          vehicles.dues_with(order + first, end - first, customer, p - first) > 0;
        const Place here{beyond + (late ? vehicles.capacity : 0), detour, p, p == end};
        if (here < best) best = here;
      }
    }
    return best;
  }

  // Inserts a customer at a place among the first `count` customers.
  GLS_DEVICE void put(int customer, const Place& at, int count) const {
    for (int p = count; p > at.place; --p) {
      order[p] = order[p - 1];
      begins[p] = begins[p - 1];
    }
    order[at.place] = customer;
    const bool first = !at.behind && at.place < count && begins[at.place];
    begins[at.place] = first;
    if (first) begins[at.place + 1] = 0;
  }
};

// Parameters.
struct RepairedRows {
  const int* rows;        // indices of the rows to repair
  unsigned char* broken;  // set to 1 for each repaired row that breaks a constraint, otherwise to 0
};

template <class Team, class Vehicles>
struct RepairRoutes {
  GLS_DEVICE static void run(const Team& team, int item, const RouteRows& rows,
                             const RepairedRows& its) {
    const Vehicles vehicles(rows.nodes_data, rows.vehicles);
    const int n = vehicles.customers, row = its.rows[item];
    const int64 at = int64(row) * n;
    const RoutesInARow<Vehicles> routes{vehicles, rows.orders + at, rows.begins + at};
    team.once([&] {
      bool breaks = false;
      int count = n;
      for (int left = routes.routes(); left > vehicles.most; --left) {
        count = routes.take_out_smallest(count);
      }
      for (; count < n; ++count) {
        const int customer = take_heaviest(vehicles, routes.order, count);
        const auto place = routes.best_place(customer, count);
        breaks |= place.excess > 0;
        routes.put(customer, place, count);
      }
      its.broken[row] = breaks;
    });
  }

 private:
  // Moves the customer with the largest demand among order[count..] to order[count], and returns
  // it.
  GLS_DEVICE static int take_heaviest(const Vehicles& vehicles, int* order, int count) {
    int heaviest = count;
    for (int p = count + 1; p < vehicles.customers; ++p) {
      if (vehicles.demands[order[p]] > vehicles.demands[order[heaviest]]) heaviest = p;
    }
    const int customer = order[heaviest];
    order[heaviest] = order[count];
    order[count] = customer;
    return customer;
  }
};

}  // namespace gls
