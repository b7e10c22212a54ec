// Scopes: the problem of each row of a batch. It is the whole problem, a part of it, or an instance
// of its own.
//
// A scope has
//   Problems                          the kernel parameter that describes the problems;
//   Named<Metric>, Fixed<City>        the metric and the fixed edges that moves see;
//   stride(instance, problems)        number of cities in a row of tours;
//   own_bytes<Site, City>(stride)     bytes of a row's memory, besides the tour;
//   view<View, Metric>(team, row, memory, instance, lists, problems)
//                                     the view of a row; takes memory for its tour.
#pragma once

#include "tours/kernels/tour_memory.cuh"
#include "tours/moves/move.cuh"

namespace gls {

struct OneProblem {};

// Takes memory for a tour of n cities.
template <class City, class Memory>
GLS_DEVICE RingTour<City> ring_tour(Memory& memory, int n) {
  City* const order = memory.template take<City>(n);
  City* const position = memory.template take<City>(n);
  return {order, position, n};
}

// All rows share the data of the cities.
struct WholeTour {
  static constexpr bool kWhole = true;
  using Problems = OneProblem;
  template <class Metric>
  using Named = Metric;
  template <class City>
  using Fixed = NoFixedEdges;

  GLS_DEVICE static int stride(const Instance& instance, OneProblem) { return instance.n; }
  template <class Site, class City>
  GLS_DEVICE static int64 own_bytes(int) {
    return 0;
  }
  template <class View, class Metric, class Team, class Memory>
  GLS_DEVICE static View view(const Team&, int row, Memory& memory, const Instance& instance,
                              const Candidates& lists, OneProblem) {
    using Site = typename View::Lengths::City;
    const auto tour = ring_tour<typename View::City>(memory, instance.n);
    return view_of<typename View::Lengths, typename View::City>(
        tour, instance, memory.sites(static_cast<const Site*>(instance.sites)), lists, row);
  }
};

// The parts that chains search, in rows of `stride` cities.
struct PartsOfTours {
  int stride;        // number of cities of the largest part
  int replicas;      // number of chains on each part
  const int* sizes;  // number of cities of each part
  const int* names;  // number of each city in the whole problem
  const int* mates;  // the other end of a city's fixed edge, or the city itself
};

// A part of a tour, which `replicas` chains search. The cities of a part have their own numbers,
// candidates and fixed edges; their names are their numbers in the problem.
struct TourPart {
  static constexpr bool kWhole = false;
  using Problems = PartsOfTours;
  template <class Metric>
  using Named = typename NamedMetric<Metric>::Type;
  template <class City>
  using Fixed = FixedEdges<City>;

  GLS_DEVICE static int stride(const Instance&, const PartsOfTours& parts) { return parts.stride; }
  template <class Site, class City>
  GLS_DEVICE static int64 own_bytes(int stride) {
    return piece_bytes<Site>(stride) + piece_bytes<City>(stride);
  }
  // Copies the sites and mates of the part.
  template <class View, class Metric, class Team, class Memory>
  GLS_DEVICE static View view(const Team& team, int row, Memory& memory, const Instance& instance,
                              const Candidates& lists, const PartsOfTours& parts) {
    using City = typename View::City;
    using Site = typename View::Lengths::City;
    const int part = row / parts.replicas, n = parts.sizes[part];
    const int64 first = int64(part) * parts.stride;
    const int* const names = parts.names + first;
    auto tour = ring_tour<City>(memory, parts.stride);
    tour.n = n;
    Site* sites = memory.template take<Site>(parts.stride);
    City* mates = memory.template take<City>(parts.stride);
    team.each(n, [&](int c) {
      sites[c] = static_cast<const Site*>(instance.sites)[names[c]];
      mates[c] = City(parts.mates[first + c]);
    });
    return {tour,
            {named(static_cast<const typename View::Lengths::Metric*>(nullptr),
                   metric_of<Metric>(instance.metric_data, instance.n, row), names),
             sites,
             {instance.error_absolute, instance.error_relative}},
            {lists.candidates, lists.candidate_lengths, lists.degree, lists.sorted != 0,
             first * lists.degree},
            {mates}};
  }
};

// Instances with equal numbers of cities, one after the other.
struct OwnInstances {
  int replicas;      // number of rows of each instance
  int64 data_bytes;  // bytes of the metric data of an instance
};

// Each row belongs to one of many instances, which have separate metric data and candidates.
struct OwnInstance {
  static constexpr bool kWhole = false;
  using Problems = OwnInstances;
  template <class Metric>
  using Named = Metric;
  template <class City>
  using Fixed = NoFixedEdges;

  GLS_DEVICE static int stride(const Instance& instance, const OwnInstances&) { return instance.n; }
  template <class Site, class City>
  GLS_DEVICE static int64 own_bytes(int stride) {
    return piece_bytes<Site>(stride);
  }
  template <class Metric>
  GLS_DEVICE static Metric metric(const Instance& instance, const OwnInstances& problems, int row) {
    const int64 before = row / problems.replicas * problems.data_bytes;
    return {static_cast<const char*>(instance.metric_data) + before, instance.n};
  }
  // Makes the sites of the instance.
  template <class View, class Metric, class Team, class Memory>
  GLS_DEVICE static View view(const Team& team, int row, Memory& memory, const Instance& instance,
                              const Candidates& lists, const OwnInstances& problems) {
    using Site = typename View::Lengths::City;
    const int n = instance.n;
    const Metric own = metric<Metric>(instance, problems, row);
    const auto tour = ring_tour<typename View::City>(memory, n);
    Site* sites = memory.template take<Site>(n);
    if constexpr (Dimensions<Metric>::kValue > 0) {
      team.each(n, [&](int c) { sites[c].set(own.point(c)); });
    }
    return {tour,
            {own, sites, {instance.error_absolute, instance.error_relative}},
            {lists.candidates, lists.candidate_lengths, lists.degree, lists.sorted != 0,
             int64(row / problems.replicas) * n * lists.degree},
            {}};
  }
};

}  // namespace gls
