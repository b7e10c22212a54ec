// One row of a kernel on linked lists of routes: the lists of a giant tour and the data of the
// problem.
#pragma once

#include "tours/problem/instance.cuh"
#include "routes/kernels/linked_routes.cuh"
#include "routes/kernels/near_nodes.cuh"

namespace gls {

// Data of the problem for kernels on linked lists, in addition to the instance.
struct LinkedProblem {
  const void* nodes_data;  // data of the metric for the depot and the customers
  const uint64* vehicles;  // VehiclesData
  const void* weights;     // ViolationWeights
  int soft;                // whether violations are allowed, at a price
  const int* near;         // NearNodes
  int near_each;           // number of near nodes per customer
  char* segments;          // memory for segments of further resources
};

// Scope of rows: all of them are solutions of the same problem.
struct SharedProblem {
  static constexpr bool kOwn = false;
};

// Scope of rows: each is a solution of an instance of its own, or shares it with a few other rows.
// The data of all instances are in common arrays, one instance after the other.
struct OwnProblem {
  static constexpr bool kOwn = true;
};

// The instances of rows; all have equally many customers and copies of the depot.
struct InstancesOfRows {
  int replicas;         // number of rows of each instance
  int64 metric_bytes;   // size of the metric's data of an instance, in bytes
  int64 site_bytes;     // size of the sites of an instance, in bytes
  int near_rows;        // number of lists of near nodes of an instance
  int weight_bytes;     // size of the weights of a row, in bytes; 0 if all rows share them
  const float* errors;  // absolute error of the estimated lengths of each instance
};

// Makes `instance` and `problem` those of a row, if rows have instances of their own. Given the
// first instance, its number of nodes stays.
template <class Scope>
GLS_DEVICE void choose_instance(Instance& instance, LinkedProblem& problem,
                                const InstancesOfRows& all, int row) {
  if constexpr (Scope::kOwn) {
    const int64 own = row / all.replicas;
    const auto behind = [](const void* first, int64 bytes) {
      return static_cast<const void*>(static_cast<const char*>(first) + bytes);
    };
    instance.metric_data = behind(instance.metric_data, own * all.metric_bytes);
    instance.sites = behind(instance.sites, own * all.site_bytes);
    instance.error_absolute = all.errors[own];
    problem.nodes_data = instance.metric_data;
    problem.weights = behind(problem.weights, int64(row) * all.weight_bytes);
    problem.vehicles += own * kWordsOf<VehiclesData>;
    problem.near += own * all.near_rows * problem.near_each;
  }
}

template <class Metric, class Length, class Memory, class Vehicles, bool timed>
struct LinkedRow {
  using City = typename Memory::City;
  using TourLengths = Lengths<Metric, Length>;
  using Site = typename TourLengths::City;
  using Routes = LinkedRoutes<TourLengths, Vehicles, City, timed>;
  using Cost = typename Routes::Cost;
  using Lists = typename Routes::Lists;
  using Totals = typename Routes::Totals;
  using Resources = typename Vehicles::Resources;
  using Segments = typename Routes::Segments;

  // Runs once per block: copies sites and demands, which all its rows read, to shared memory.
  GLS_DEVICE static void load(const Instance& instance, const LinkedProblem& problem) {
    Memory::template load_sites<Site>(static_cast<const Site*>(instance.sites), instance.n);
    const Vehicles vehicles(problem.nodes_data, problem.vehicles);
    Memory::load_beside(piece_bytes<Site>(instance.n), vehicles.demands, vehicles.customers + 1);
  }

  const int n;
  Vehicles vehicles;
  Memory memory;  // the rest of the row's memory, after the lists
  const TourLengths length;
  const NearNodes near;
  const ViolationWeights<Cost>& weights;
  const bool soft;
  const Lists lists;
  const Segments segments;

  // Reserves memory for the lists and for `words` words of 32 bits.
  template <class Team>
  GLS_DEVICE LinkedRow(const Team& team, int item, const Instance& instance,
                       const LinkedProblem& problem, int words, char* scratch)
      : n(instance.n),
        vehicles(problem.nodes_data, problem.vehicles),
        memory(team, item, list_bytes() + piece_bytes<uint32>(words) + mark_bytes(),
               piece_bytes<Site>(n) + piece_bytes<int>(vehicles.customers + 1), scratch),
        length{Metric(instance.metric_data, n),
               memory.sites(static_cast<const Site*>(instance.sites)),
               {instance.error_absolute, instance.error_relative}},
        near{problem.near, problem.near_each},
        weights(*static_cast<const ViolationWeights<Cost>*>(problem.weights)),
        soft(problem.soft != 0),
        lists(Lists::take(memory, n, n - vehicles.customers)),
        segments(segments_in(problem.segments + item * Segments::bytes(n))) {
    memory.fetch(team, 0, static_cast<const Site*>(instance.sites), n);
    memory.fetch(team, piece_bytes<Site>(n), vehicles.demands, vehicles.customers + 1);
    vehicles.demands = memory.beside(piece_bytes<Site>(n), vehicles.demands);
  }

  GLS_DEVICE int64 list_bytes() const { return Lists::bytes(n, n - vehicles.customers); }

  // The routes, with `kept` as the copy to restore. The lanes of a team share `totals`.
  GLS_DEVICE Routes routes(const Lists& kept, Totals& totals) const {
    return {length, vehicles, weights, soft, n, lists, kept, totals, segments};
  }

 private:
  // The size of Segments::renewed.
  GLS_DEVICE int64 mark_bytes() const {
    return Resources::kAny ? piece_bytes<unsigned char>(n - vehicles.customers) : 0;
  }
  GLS_DEVICE Segments segments_in(char* at) {
    if constexpr (!Resources::kAny) return {};
    auto* const heads = reinterpret_cast<typename Segments::Segment*>(at);
    return {heads, heads + n, memory.template take<unsigned char>(n - vehicles.customers)};
  }
};

}  // namespace gls
