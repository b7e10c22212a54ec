// Many vehicle routing problems in common arrays: their data, and the costs of rows.
#pragma once

#include "routes/kernels/linked_row.cuh"
#include "tours/kernels/make_sites.cuh"

namespace gls {

constexpr int64 kMostDemand = 0x7fffffff;  // largest total demand: loads have 32 bits

// Instances as they are given, in rows of `given` nodes: the depot and the customers.
struct GivenInstances {
  const double* places;     // two coordinates of each node, or a matrix of lengths
  const int64* demands;     // of each node
  const int64* capacities;  // of each instance
  const int64* fleets;      // maximum number of routes of each instance; null: as copies allow
  int given;                // number of nodes of an instance
  int at_corner;            // whether sites are relative to the lower left corner
  // Bounds of float32 lengths: error of a real length, relative to the longest one; smallest error;
  // largest integer length that is estimated.
  double error_share, error_least, longest_estimated;
};

// Data of the instances, one after the other; see InstancesOfRows for the sizes in bytes.
struct MadeInstances {
  int n;  // number of nodes of each instance, with all copies of the depot
  int64 metric_bytes, site_bytes;
  double* metric_data;
  char* sites;
  int* node_demands;  // (instances, given)
  void* vehicles;     // VehiclesData of each instance
  float* errors;      // absolute error of the estimated lengths of each instance
};

// Makes the data of an instance. If its demands are negative or too large, no row is feasible.
template <class Team, class Metric>
struct MakeInstances {
  static constexpr bool kPlanar = Dimensions<Metric>::kValue > 0;

  GLS_DEVICE static void run(const Team& team, int item, const GivenInstances& its,
                             const MadeInstances& made) {
    const int customers = its.given - 1;
    double* const data = made.metric_data + item * (made.metric_bytes / int64(sizeof(double)));
    if constexpr (kPlanar) {
      const double* const places = its.places + 2 * int64(item) * its.given;
      team.each(2 * made.n, [&](int k) { data[k] = places[k / 2 > customers ? k % 2 : k]; });
      team.sync();
      make_sites(team, item, its, made, data);
    } else {
      const double* const lengths = its.places + int64(item) * its.given * its.given;
      team.each(made.n * made.n, [&](int k) {
        const int a = k / made.n, b = k % made.n;
        const int from = a > customers ? 0 : a, to = b > customers ? 0 : b;
        data[k] = from == to ? 0 : lengths[int64(from) * its.given + to];
      });
      team.once([&] { made.errors[item] = 0; });
    }
    make_vehicles(team, item, its, made);
  }

 private:
  GLS_DEVICE static void make_sites(const Team& team, int item, const GivenInstances& its,
                                    const MadeInstances& made, const double* xy) {
    const auto least = [&](auto value) {
      return team.template least<double>(made.n, 1e300, [&](int a) { return value(a); });
    };
    const double left = least([&](int a) { return xy[2 * a]; });
    const double low = least([&](int a) { return xy[2 * a + 1]; });
    const double wide = -least([&](int a) { return -xy[2 * a]; }) - left;
    const double high = -least([&](int a) { return -xy[2 * a + 1]; }) - low;
    const auto lost = [&](double value) { return fabs(double(float(value)) - value); };
    const double most_lost =
        -least([&](int a) { return -fmax(lost(xy[2 * a] - xy[0]), lost(xy[2 * a + 1] - xy[1])); });
    const double longest = sqrt(wide * wide + high * high);
    double error = longest * its.error_share + its.error_least;
    if constexpr (typename Metric::Length(0.5) == typename Metric::Length(0)) {
      error = longest + 1 < its.longest_estimated ? 4 * most_lost + its.error_least : 1.0;
    }
    team.once([&] { made.errors[item] = above(float(error)); });
    const bool corner = its.at_corner != 0;
    MakeSites<Team, Metric>::run(team, item, xy, made.n, corner ? float(left - xy[0]) : 0.0f,
                                 corner ? float(low - xy[1]) : 0.0f,
                                 made.sites + item * made.site_bytes);
  }

  // The next larger float.
  GLS_DEVICE static float above(float value) { return bits_to_float(float_to_bits(value) + 1); }

  GLS_DEVICE static void make_vehicles(const Team& team, int item, const GivenInstances& its,
                                       const MadeInstances& made) {
    const int customers = its.given - 1;
    const int64 first = int64(item) * its.given;
    int* const demands = made.node_demands + first;
    const auto fits = [&](int64 demand) { return demand >= 0 && demand <= kMostDemand; };
    const int wrong = team.template sum<int>(its.given, [&](int node) {
      const int64 demand = its.demands[first + node];
      return node == 0 ? demand != 0 : !fits(demand);
    });
    const int64 total = team.template sum<int64>(its.given, [&](int node) {
      const int64 demand = its.demands[first + node];
      return fits(demand) ? demand : 0;
    });
    team.each(its.given, [&](int node) {
      const int64 demand = its.demands[first + node];
      demands[node] = fits(demand) ? int(demand) : 0;
    });
    team.once([&] {
      VehiclesData data{};
      data.customers = customers, data.demands = demands;
      data.most = its.fleets == nullptr ? made.n - customers : its.fleets[item];
      data.capacity = wrong > 0 || total > kMostDemand ? -1 : its.capacities[item];
      static_cast<VehiclesData*>(made.vehicles)[item] = data;
    });
  }
};

// Rows and their costs.
struct CostedRows {
  const int* tours;  // giant tours, in rows
  void* costs;       // of the metric's type
  float* units;      // mean length of an edge of each row
};

// Computes the cost of a giant tour from scratch, with the same bits as TourCost.
template <class Team, class Metric>
struct RowCosts {
  using Cost = typename Metric::Length;

  GLS_DEVICE static void run(const Team& team, int item, Instance instance, LinkedProblem problem,
                             const InstancesOfRows& all, const CostedRows& rows) {
    choose_instance<OwnProblem>(instance, problem, all, item);
    const int* const tour = rows.tours + int64(item) * instance.n;
    const Cost cost = of(team, instance, tour);
    const int customers = int(parameters_of<VehiclesData>(problem.vehicles).customers);
    const auto is_depot = [&](int p) { return tour[p] == 0 || tour[p] > customers; };
    const int edges = customers + team.template sum<int>(instance.n, [&](int p) {
      return !is_depot(p) && is_depot(p + 1 < instance.n ? p + 1 : 0);
    });
    team.once([&] {
      static_cast<Cost*>(rows.costs)[item] = cost;
      rows.units[item] = float(double(cost) / edges);
    });
  }

  GLS_DEVICE static Cost of(const Team& team, const Instance& instance, const int* tour) {
    const Metric metric(instance.metric_data, instance.n);
    const int n = instance.n;
    return team.template sum<Cost>(
        n, [&](int p) { return metric(tour[p], tour[p + 1 < n ? p + 1 : 0]); });
  }
};

}  // namespace gls
