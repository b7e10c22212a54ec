// The load of a route: the sum of its customers' demands.
#pragma once

#include "routes/problem/resources/resource.cuh"

namespace gls {

struct LoadData {
  const int* demands;  // of each node
  int64 customers;
  int64 capacity;  // of a vehicle
};

struct Load {
  static constexpr int kWords = kWordsOf<LoadData>;
  static constexpr bool kTurns = false, kAdds = true, kByNodes = true;
  using Amount = int64;
  struct Segment {
    int demand;
  };

  const int* demands;
  int customers, capacity;

  GLS_DEVICE explicit Load(const uint64* words) : Load(parameters_of<LoadData>(words)) {}
  GLS_DEVICE explicit Load(const LoadData& data)
      : demands(data.demands), customers(int(data.customers)), capacity(int(data.capacity)) {}

  GLS_DEVICE Segment at(int node) const { return {is_depot(node, customers) ? 0 : demands[node]}; }
  template <class Length>
  GLS_DEVICE Segment join(Segment a, Segment b, Length) const {
    return {a.demand + b.demand};
  }
  GLS_DEVICE Segment without(Segment whole, Segment first, Segment node) const {
    return {whole.demand - first.demand + node.demand};
  }
  GLS_DEVICE Amount excess(Segment route) const {
    return route.demand > capacity ? route.demand - capacity : 0;
  }
};

}  // namespace gls
