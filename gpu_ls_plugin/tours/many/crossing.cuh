// Edge assembly of pairs of tours of instances, each pair's of one of them.
#pragma once

#include "tours/crossovers/edge_assembly.cuh"

namespace gls {

// The instances that pairs are of, as `PartsOfTours`; cities of an instance follow each other.
struct PairedInstances {
  int stride;        // from the tour of a row to that of the next
  int replicas;      // rows of an instance
  const int* sizes;  // cities of every instance
  const int* names;  // the cities' numbers in the whole problem
};

// A metric among the cities of an instance, in their own numbers.
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

template <class Team, class Metric, class Length, class Memory, template <class> class Strategy>
struct InstanceAssembly {
  using Own = OwnCities<Metric>;
  using Site = typename Lengths<Own, Length>::City;

  GLS_DEVICE static void run(const Team& team, int item, Instance whole, Candidates lists,
                             Pairs pairs, PairedInstances instances) {
    const int part = item / instances.replicas, stride = instances.stride;
    const int* const names = instances.names + int64(part) * stride;
    const typename Own::Data data{whole.metric_data, whole.n, names};
    whole.metric_data = &data;
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
    pairs.costs = static_cast<typename Metric::Length*>(pairs.costs) + item;
    EdgeAssembly<Team, Own, Length, Memory, Strategy>::run(team, 0, whole, lists, pairs);
  }
};

}  // namespace gls
