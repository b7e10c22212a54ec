// The vehicles of a problem, with their limits and prices, and the rows of routes that
// constructions fill in.
#pragma once

#include "tours/problem/metric.cuh"
#include "backends/include/words.cuh"
#include "routes/problem/resources/load.cuh"
#include "routes/problem/resources/resource_list.cuh"
#include "routes/problem/resources/time_windows.cuh"

namespace gls {

// The data of Vehicles, which explains the members of the same names.
struct VehiclesData {
  int64 customers, capacity, most;
  const int* demands;
  const void* services;           // an array of Time
  uint64 limit;                   // a Time
  uint64 load_price, time_price;  // two numbers of type Length
  const uint64* resources;        // words of further resources
};

// Rows of routes, filled in by constructions.
struct RouteRows {
  const void* nodes_data;  // metric data of the depot and the customers
  const uint64* vehicles;  // VehiclesData
  int* orders;             // the customers of each row, route after route
  unsigned char* begins;   // 1 at the first customer of each route, otherwise 0
};

// Time is int64 if lengths and service times are integers, otherwise double. `Resources` is the
// ResourceList of what routes consume besides load and duration.
template <class Metric, class TimeType, class ResourcesType = ResourceList<typename Metric::Length>>
struct Vehicles {
  using Length = typename Metric::Length;
  using Time = TimeType;
  using Resources = ResourcesType;

  int customers;         // nodes 1..customers; 0 is the depot
  int64 capacity;        // of each vehicle
  int most;              // maximum number of routes per row
  const int* demands;    // of each node
  const Time* services;  // service time of each node
  Time limit;            // longest duration of a route
  // Prices of a unit of load and of duration beyond the limits; read only if constraints are soft.
  Length load_price, time_price;
  Metric length;
  Resources resources;

  GLS_DEVICE Vehicles(const void* metric_data, const uint64* words)
      : Vehicles(metric_data, parameters_of<VehiclesData>(words)) {}
  GLS_DEVICE Vehicles(const void* metric_data, const VehiclesData& data)
      : customers(int(data.customers)),
        capacity(data.capacity),
        most(int(data.most)),
        demands(data.demands),
        services(static_cast<const Time*>(data.services)),
        limit(number_in<Time>(data.limit)),
        load_price(number_in<Length>(data.load_price)),
        time_price(number_in<Length>(data.time_price)),
        length(metric_data, int(data.customers) + 1),
        resources(data.resources) {}

  // The additional length of a route that visits c between a and b.
  GLS_DEVICE Length detour(int a, int c, int b) const {
    return length(a, c) + length(c, b) - length(a, b);
  }
  GLS_DEVICE Length there_and_back(int c) const { return length(0, c) + length(c, 0); }
  // The duration of a route to one customer.
  GLS_DEVICE Time alone(int c) const { return Time(there_and_back(c)) + services[c]; }
  GLS_DEVICE bool holds(int64 load) const { return load <= capacity; }
  // The price of further resources of a route. next() returns one customer after another, then 0.
  template <class Next>
  GLS_DEVICE Length dues(Next next) const {
    if constexpr (!Resources::kAny) return 0;
    auto path = resources.at(0);
    int last = 0;
#pragma unroll 1
    for (int c = next(); c != 0; last = c, c = next()) {
      path = resources.join(path, resources.at(c), length(last, c));
    }
    return resources.price(resources.join(path, resources.at(0), length(last, 0)));
  }
  // The same for the route order[0], ... order[size - 1] if a customer is inserted at a place.
  GLS_DEVICE Length dues_with(const int* order, int size, int customer, int place) const {
    int next = 0;
    return dues([&] {
      const int at = next++;
      return at > size ? 0 : at == place ? customer : order[at - (at > place)];
    });
  }
};

// A length greater than that of any route.
template <class Length>
GLS_DEVICE Length endless() {
  return Length(int64(1) << 62);
}

}  // namespace gls
