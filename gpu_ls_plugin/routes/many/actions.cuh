// Action sequences: the customers of one route after the other, with the depot, 0, between two
// routes and as often as needed at the end.
#pragma once

#include "routes/many/instances.cuh"
#include "tours/engines/search_state.cuh"

namespace gls {

constexpr double kMostReal = 4611686018427387904.0;  // 2^62: lengths must be below

// Action sequences, and what a search needs of them.
struct ReadRows {
  const int* actions;      // in rows
  int width;               // length of a row
  int64 never;             // number of kicks of rows that are not searched
  unsigned char* visited;  // (rows, given): zero at first
  int* tours;              // giant tours
  unsigned char *valid, *states;
  int64* kick_counts;
  double* given_costs;
};

// Checks an action sequence: it visits each customer once, and no route carries too much. Writes
// it as a giant tour, with its cost.
template <class Team, class Metric>
struct ReadActions {
  GLS_DEVICE static void run(const Team& team, int item, Instance instance, LinkedProblem problem,
                             const InstancesOfRows& all, const ReadRows& rows) {
    choose_instance<OwnProblem>(instance, problem, all, item);
    const VehiclesData& vehicles = parameters_of<VehiclesData>(problem.vehicles);
    int* const tour = rows.tours + int64(item) * instance.n;
    bool valid = copy(item, instance.n, vehicles, rows, all.near_rows, tour);
    const double cost = valid ? RowCosts<Team, Metric>::of(team, instance, tour) : 0;
    valid = valid && cost < kMostReal;  // false if it is no number
    rows.valid[item] = valid;
    rows.states[item] = valid ? kRunning : kOptimum;
    rows.kick_counts[item] = valid ? 0 : rows.never;
    rows.given_costs[item] = cost;
  }

 private:
  // Writes the giant tour; returns whether the row is valid.
  GLS_DEVICE static bool copy(int item, int n, const VehiclesData& vehicles, const ReadRows& rows,
                              int given, int* tour) {
    const int* const actions = rows.actions + int64(item) * rows.width;
    unsigned char* const visited = rows.visited + int64(item) * given;
    const int customers = int(vehicles.customers);
    int place = 0, routes = 0;
    int64 load = 0;
    bool within = false;  // whether the last node was a customer
#pragma unroll 1
    for (int p = 0; p < rows.width; ++p) {
      const int node = actions[p];
      if (node < 0 || node > customers) return false;
      if (node > 0) {
        if (visited[node] || (!within && customers + routes == n)) return false;
        if (!within) tour[place++] = routes == 0 ? 0 : customers + routes, ++routes, load = 0;
        visited[node] = 1;
        tour[place++] = node;
        load += vehicles.demands[node];
        if (load > vehicles.capacity) return false;
      }
      within = node > 0;
    }
    if (place != customers + routes) return false;
    for (; place < n; ++place) tour[place] = place;  // the other copies of the depot
    return true;
  }
};

// Found giant tours, and the action sequences to write.
struct WrittenRows {
  const int* actions;  // the given sequences
  int width;
  const int* tours;  // the best tours
  const unsigned char* valid;
  const double* given_costs;
  int* results;
  double* costs;
};

// Writes the giant tour of a row as an action sequence if it is cheaper than the given sequence and
// not longer than a row; otherwise, copies the given one. Rows that are not valid cost NaN.
template <class Team, class Metric>
struct WriteActions {
  GLS_DEVICE static void run(const Team& team, int item, Instance instance, LinkedProblem problem,
                             const InstancesOfRows& all, const WrittenRows& rows) {
    choose_instance<OwnProblem>(instance, problem, all, item);
    const int customers = int(parameters_of<VehiclesData>(problem.vehicles).customers);
    const int* const tour = rows.tours + int64(item) * instance.n;
    const int64 first = int64(item) * rows.width;
    int* const result = rows.results + first;
    double cost = bits_to_float(0x7fc00000);
    bool better = false;
    if (rows.valid[item]) {
      const double found = RowCosts<Team, Metric>::of(team, instance, tour);
      cost = rows.given_costs[item];
      better = found < cost && write(tour, instance.n, customers, rows.width, result);
      if (better) cost = found;
    }
    if (!better) {
      for (int p = 0; p < rows.width; ++p) result[p] = rows.actions[first + p];
    }
    rows.costs[item] = cost;
  }

 private:
  // Returns false if the row is too short.
  GLS_DEVICE static bool write(const int* tour, int n, int customers, int width, int* result) {
    int place = 0, last = 0;
    for (int p = 0; p < n; ++p) {
      const int node = tour[p] > customers ? 0 : tour[p];
      if (node != 0) {
        if (last == 0 && place > 0) ++place;  // the depot, written below
        if (place >= width) return false;
        if (last == 0 && place > 0) result[place - 1] = 0;
        result[place++] = node;
      }
      last = node;
    }
    for (; place < width; ++place) result[place] = 0;
    return true;
  }
};

}  // namespace gls
