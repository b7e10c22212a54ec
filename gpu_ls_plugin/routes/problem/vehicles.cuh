// What vehicles hold and how long they may be away: all that constructions of routes ask.
#pragma once

#include "tours/problem/metric.cuh"
#include "backends/include/words.cuh"

namespace gls {

struct VehiclesData {
  int64 customers, capacity, most;  // as of Vehicles
  const int* demands;               // of the nodes
  const void* services;             // Times of the nodes
  uint64 limit;                     // a Time
  uint64 load_price, time_price;    // Lengths
};

// Time is int64 where lengths and service times are integers, else double.
template <class Metric, class TimeType>
struct Vehicles {
  using Length = typename Metric::Length;
  using Time = TimeType;

  int customers;   // nodes 1..customers; 0 is the depot
  int64 capacity;  // of a vehicle
  int most;        // routes that there should be at most
  const int* demands;
  const Time* services;
  Time limit;  // of a route's duration
  // What a unit beyond capacity and limit costs, where somebody pays for it.
  Length load_price, time_price;
  Metric length;

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
        length(metric_data, int(data.customers) + 1) {}

  // What it adds to a route to go from a to c to b and not straight on.
  GLS_DEVICE Length detour(int a, int c, int b) const {
    return length(a, c) + length(c, b) - length(a, b);
  }
  GLS_DEVICE Length there_and_back(int c) const { return length(0, c) + length(c, 0); }
  // The duration of a route to a customer alone.
  GLS_DEVICE Time alone(int c) const { return Time(there_and_back(c)) + services[c]; }
  GLS_DEVICE bool holds(int64 load) const { return load <= capacity; }
};

// A length that no route has.
template <class Length>
GLS_DEVICE Length endless() {
  return Length(int64(1) << 62);
}

}  // namespace gls
