// Edge assembly for many instances: both tours of a pair belong to the same instance.
#pragma once

#include "tours/crossovers/edge_assembly.cuh"

namespace gls {

// The instances of the pairs; the cities of an instance have consecutive numbers.
struct PairedInstances {
  int stride;        // distance between the rows of tours and names, in elements
  int replicas;      // tours per instance
  const int* sizes;  // number of cities of each instance
  const int* names;  // one row per instance: its cities' numbers in the whole problem
};

// A metric on the cities of one instance, which are numbered from 0.
template <class Metric>
struct OwnCities : Renamed<Metric> {
  struct Data {
    const void* whole;
    int n;
    const int* names;
  };

  GLS_DEVICE OwnCities(const void* data, int) : OwnCities(*static_cast<const Data*>(data)) {}

 private:
  GLS_DEVICE explicit OwnCities(const Data& data)
      : Renamed<Metric>(Metric(data.whole, data.n), data.names) {}
};

// The metric of one instance, and what it is made from.
template <class Metric>
struct MetricOfInstance {
  using Type = OwnCities<Metric>;
  GLS_DEVICE static const void* data(const typename Type::Data& own) { return &own; }
};
template <class Metric, bool wide>
struct MetricOfInstance<OnGrid<Metric, wide>> {  // sites alone give the lengths
  using Type = OnGrid<Metric, wide>;
  GLS_DEVICE static const void* data(const typename OwnCities<Type>::Data& own) {
    return own.whole;
  }
};

// Crosses pair `item`: restricts all arguments to the instance of the pair, then runs EdgeAssembly.
template <class Team, class Metric, class Length, class Memory, template <class> class Strategy>
struct InstanceAssembly {
  using Own = typename MetricOfInstance<Metric>::Type;
  using Assembly = EdgeAssembly<Team, Own, Length, Memory, Strategy>;
  using Site = typename Lengths<Own, Length>::City;

  GLS_DEVICE static void run(const Team& team, int item, Instance whole, Candidates lists,
                             TourPairs pairs, AssemblyData assembly, PairedInstances instances) {
    const int part = item / instances.replicas, stride = instances.stride;
    const int* const names = instances.names + int64(part) * stride;
    const typename OwnCities<Metric>::Data of_whole{whole.metric_data, whole.n, names};
    whole.metric_data = MetricOfInstance<Metric>::data(of_whole);
    whole.n = instances.sizes[part];
    whole.sites = static_cast<const Site*>(whole.sites) + names[0];
    const int64 entries = int64(part) * stride * lists.degree, row = int64(item) * stride;
    lists.candidates += entries;
    lists.candidate_lengths = static_cast<const Length*>(lists.candidate_lengths) + entries;
    const int itself = 0;
    pairs.first_row += item;
    pairs.first += row;
    pairs.second += int64(pairs.partners[item]) * stride;
    pairs.partners = &itself;
    pairs.children += row;
    const int64 own = Assembly::team_bytes(stride);  // the same for all teams of a block
    if (pairs.scratch) pairs.scratch += int64(item) * own;
    assembly.costs = static_cast<typename Metric::Length*>(assembly.costs) + item;
    Assembly::cross(team, 0, whole, lists, pairs, assembly, own);
  }
};

}  // namespace gls
