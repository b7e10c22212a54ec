// Partition crossover (Whitley, Hains and Howe 2009), generalised (Tinos, Whitley and Ochoa 2014):
// in each component of the parents' union without common edges, the child has the edges of the
// parent that is shorter there. Mixed components depend on each other, so all of them are taken
// from the same parent.
#pragma once

#include "tours/problem/row_lists.cuh"
#include "tours/crossovers/components.cuh"
#include "runs/crossovers/pairs.cuh"

namespace gls {

template <class City, class Cost>
struct PartitionCrossover {
  Components<City> components;
  Cost* gains;  // per component: by how much the second parent's edges are shorter

  template <class Memory>
  GLS_DEVICE PartitionCrossover(int n, const int* first, const int* second, Memory& memory)
      : components(n, first, second, memory),
        gains(memory.template take<Cost>(Components<City>::most(n))) {}

  GLS_DEVICE static int64 bytes(int n) {
    return Components<City>::bytes(n) + piece_bytes<Cost>(Components<City>::most(n));
  }

  // Calls child(p, city) for the cities of the child, unless the child equals the first parent.
  // Returns by how much the child is shorter than the first parent.
  template <class Team, class Metric, class Child>
  GLS_DEVICE Cost cross(const Team& team, const Metric& metric, Child child) {
    components.find(team);
    const Cost gain = choose(team, metric);
    if (gain > 0) follow(team, child);
    return gain;
  }

 private:
  // Computes the gains so that exactly the components taken from the second parent have gains above
  // 0; returns the total gain.
  template <class Team, class Metric>
  GLS_DEVICE Cost choose(const Team& team, const Metric& metric) {
    const int count = components.count;
    const auto& first = components.first;
    const auto& second = components.second;
    team.each(count, [&](int k) { gains[k] = 0; });
    team.sync();
    components.each_length(team, first, second, metric,
                           [&](int k, Cost length) { gains[k] += length; });
    components.each_length(team, second, first, metric,
                           [&](int k, Cost length) { gains[k] -= length; });
    const Cost mixed = team.template sum<Cost>(
        count, [&](int k) { return components.is_mixed(k) ? gains[k] : Cost(0); });
    const Cost others = team.template sum<Cost>(
        count, [&](int k) { return components.is_mixed(k) || gains[k] < 0 ? Cost(0) : gains[k]; });
    team.sync();  // all lanes have read the gains
    team.each(count, [&](int k) {
      if (components.is_mixed(k)) gains[k] = mixed;
    });
    team.sync();
    return others + (mixed > 0 ? mixed : Cost(0));
  }

  // Follows the chosen edges from city to city, starting at the first parent's first city.
  template <class Team, class Child>
  GLS_DEVICE void follow(const Team& team, Child child) {
    auto* const of = components.first.of;
    team.each(components.n, [&](int city) {
      if (gains[components.number[city]] > 0) of[city] = components.second.of[city];
    });
    team.sync();
    team.once([&] {
      int city = components.first.tour[0], before = int(of[city].before);
#pragma unroll 1
      for (int p = 0; p < components.n; ++p) {
        child(p, city);
        const Neighbours<City> next = of[city];
        const int onward = int(next.before) == before ? int(next.after) : int(next.before);
        before = city;
        city = onward;
      }
    });
  }
};

template <class Team, class Metric, class Memory>
struct CrossPartitions {
  GLS_DEVICE static void run(const Team& team, int item, const void* metric_data, int n,
                             TourPairs pairs) {
    using Crossover = PartitionCrossover<typename Memory::City, typename Metric::Length>;
    Memory memory(team, item, Crossover::bytes(n), 0, pairs.scratch);
    Crossover crossover(n, pairs.first_of(item, n), pairs.second_of(item, n), memory);
    int* const child = pairs.child_of(item, n);
    crossover.cross(team, Metric(row_data<Metric>(metric_data, item), n),
                    [&](int p, int city) { child[p] = city; });
  }
};

}  // namespace gls
