// What vehicles hold and how long they may be away: all that constructions of routes ask.
#pragma once

#include "tours/problem/metric.cuh"
#include "backends/include/words.cuh"

namespace gls {

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
      : customers(int(words[0])),
        capacity(int64(words[1])),
        most(int(words[2])),
        demands(address<const int>(words[3])),
        services(address<const Time>(words[4])),
        limit(*reinterpret_cast<const Time*>(words + 5)),
        load_price(*reinterpret_cast<const Length*>(words + 6)),
        time_price(*reinterpret_cast<const Length*>(words + 7)),
        length(metric_data, int(words[0]) + 1) {}

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
