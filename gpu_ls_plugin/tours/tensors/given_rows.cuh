// Rows of tours as callers give them: checked and copied before a search, and given back after it.
//
// An invalid row comes back unchanged, so that nothing has to be reported to the host in between.
#pragma once

#include "tours/engines/scopes.cuh"
#include "tours/engines/search_state.cuh"

namespace gls {

constexpr double kMostCoordinate = 1e18;  // squares of float32 differences stay finite

// Whether the lengths of an instance are usable.
struct CheckedInstances {
  unsigned char* usable;  // of each instance
};

// Checks an instance: coordinates are finite; lengths of a matrix are finite, not negative, and
// equal in both directions.
template <class Team, class Metric>
struct CheckInstance {
  GLS_DEVICE static void run(const Team& team, int item, const Instance& instance,
                             const OwnInstances& problems, const CheckedInstances& checked) {
    const Metric metric = OwnInstance::metric<Metric>(instance, problems, item);
    const int n = instance.n;
    const int faults = team.template sum<int>(n, [&](int city) { return faulty(metric, city, n); });
    team.once([&] { checked.usable[item] = faults == 0; });
  }

 private:
  GLS_DEVICE static int faulty(const Metric& metric, int city, int n) {
    if constexpr (Dimensions<Metric>::kValue == 2) {
      const double x = metric.xy[2 * city], y = metric.xy[2 * city + 1];
      return !(fabs(x) <= kMostCoordinate && fabs(y) <= kMostCoordinate);
    } else {
      for (int other = 0; other < city; ++other) {
        const double length = metric(city, other);
        if (!(length >= 0 && length <= kMostCoordinate && length == metric(other, city))) return 1;
      }
      return 0;
    }
  }
};

struct GivenRows {
  const void* rows;             // (R, n), of type Item
  const unsigned char* usable;  // of each instance
  int* tours;                   // (R, n): copies of the rows; 0, 1, ... in place of invalid ones
  unsigned char* valid;         // of each row
  unsigned char* states;        // of each row, a SearchState: invalid rows are not searched
  int64 *pass_counts, *move_counts;  // of each row, 0
  int* queue_sizes;                  // of each row; -1: a descent looks at all cities
  int64* moves_by;                   // of each neighbourhood, 0
  int neighbourhoods;
  uint32* bits;  // (R, words): memory for a bit per city
};

// Copies a row if it is a permutation of the cities, and makes it ready for a descent.
template <class Team, class Item>
struct TakeRow {
  GLS_DEVICE static void run(const Team& team, int item, const Instance& instance,
                             const OwnInstances& problems, const GivenRows& given) {
    const int n = instance.n, words = (n + 31) / 32;
    const Item* const row = static_cast<const Item*>(given.rows) + int64(item) * n;
    uint32* const bits = given.bits + int64(item) * words;
    team.each(words, [&](int word) { bits[word] = 0; });
    team.sync();
    team.each(n, [&](int place) {
      const Item city = row[place];
      if (city >= 0 && city < n) team.set_bit(bits, int(city));
    });
    team.sync();
    const int cities = team.template sum<int>(words, [&](int word) { return bits_in(bits[word]); });
    const bool valid = cities == n && given.usable[item / problems.replicas];
    int* const tour = given.tours + int64(item) * n;
    team.each(n, [&](int place) { tour[place] = valid ? int(row[place]) : place; });
    team.once([&] {
      given.valid[item] = valid;
      given.states[item] = valid ? kRunning : kOptimum;
      given.pass_counts[item] = given.move_counts[item] = 0;
      given.queue_sizes[item] = -1;
    });
    if (item == 0) team.each(given.neighbourhoods, [&](int part) { given.moves_by[part] = 0; });
  }
};

// The state of chains before their first kick; see ChainBatch.
struct BegunChains {
  const int* tours;
  int* best_tours;                                     // copies, unless it is the same array
  const unsigned char* valid;                          // of each row
  int64* kick_counts;                                  // 0; no kick follows for an invalid row
  int64 *accepted_counts, *idle_counts, *look_counts;  // 0
  double *costs, *best_costs;
  float* units;  // mean length of an edge
};

template <class Team, class Metric, class Row>
GLS_DEVICE double cost_of_row(const Team& team, const Metric& metric, int n, Row row) {
  return team.template sum<double>(n, [&](int place) {
    return metric(int(row[place]), int(row[place + 1 == n ? 0 : place + 1]));
  });
}

template <class Team, class Metric>
struct BeginChain {
  GLS_DEVICE static void run(const Team& team, int item, const Instance& instance,
                             const OwnInstances& problems, const BegunChains& chains) {
    const Metric metric = OwnInstance::metric<Metric>(instance, problems, item);
    const int n = instance.n;
    const int* const tour = chains.tours + int64(item) * n;
    int* const best = chains.best_tours + int64(item) * n;
    const double cost = cost_of_row(team, metric, n, tour);
    if (best != tour) team.each(n, [&](int place) { best[place] = tour[place]; });
    team.once([&] {
      chains.kick_counts[item] = chains.valid[item] ? 0 : int64(1) << 62;
      chains.accepted_counts[item] = chains.idle_counts[item] = chains.look_counts[item] = 0;
      chains.costs[item] = chains.best_costs[item] = cost;
      chains.units[item] = float(cost / n);
    });
  }
};

struct ReturnedRows {
  const void* rows;            // (R, n), of type Item: the rows of the caller
  const unsigned char* valid;  // of each row
  const int* tours;            // (R, n): the improved rows
  void* improved;              // (R, n), of type Item: the result
  double* costs;               // (R,): the result; NaN if a row is invalid
};

// Returns the better one of the caller's row and the improved row.
template <class Team, class Metric, class Item>
struct ReturnRow {
  GLS_DEVICE static void run(const Team& team, int item, const Instance& instance,
                             const OwnInstances& problems, const ReturnedRows& found) {
    const int n = instance.n;
    const int64 first = int64(item) * n;
    const Item* const before = static_cast<const Item*>(found.rows) + first;
    const int* const after = found.tours + first;
    Item* const improved = static_cast<Item*>(found.improved) + first;
    bool better = false;
    double cost = bits_to_float(0x7fc00000);  // not a number
    if (found.valid[item]) {
      const Metric metric = OwnInstance::metric<Metric>(instance, problems, item);
      cost = cost_of_row(team, metric, n, before);
      const double own = cost_of_row(team, metric, n, after);
      better = own < cost;
      cost = better ? own : cost;
    }
    team.each(n, [&](int place) { improved[place] = better ? Item(after[place]) : before[place]; });
    team.once([&] { found.costs[item] = cost; });
  }
};

}  // namespace gls
