// The duration of a route: its length plus the service times of its customers.
#pragma once

#include "routes/problem/resources/resource.cuh"

namespace gls {

struct DurationData {
  const void* services;  // Amounts: the service time of each node
  int64 customers;
  uint64 limit;  // an Amount: the longest duration of a route
};

// Its direction matters if lengths are asymmetric (`directed`).
template <class AmountType, bool directed = false>
struct Duration {
  static constexpr int kWords = kWordsOf<DurationData>;
  static constexpr bool kTurns = directed, kAdds = true;
  using Amount = AmountType;
  struct Segment {
    Amount time;
  };

  const Amount* services;
  int customers;
  Amount limit;

  GLS_DEVICE explicit Duration(const uint64* words)
      : Duration(parameters_of<DurationData>(words)) {}
  GLS_DEVICE explicit Duration(const DurationData& data)
      : services(static_cast<const Amount*>(data.services)),
        customers(int(data.customers)),
        limit(number_in<Amount>(data.limit)) {}

  GLS_DEVICE Segment at(int node) const {
    return {is_depot(node, customers) ? Amount(0) : services[node]};
  }
  template <class Length>
  GLS_DEVICE Segment join(Segment a, Segment b, Length edge) const {
    return {a.time + Amount(edge) + b.time};
  }
  GLS_DEVICE Segment without(Segment whole, Segment first, Segment node) const {
    return {whole.time - first.time + node.time};
  }
  GLS_DEVICE Amount excess(Segment route) const {
    return route.time > limit ? route.time - limit : Amount(0);
  }
};

}  // namespace gls
