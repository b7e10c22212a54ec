// The duration of a route: its length plus the service times of its customers.
#pragma once

#include "routes/problem/resources/resource.cuh"

namespace gls {

struct DurationData {
  const void* services;  // Amounts: the service time of each node
  int64 customers;
  uint64 limit;  // an Amount: the longest duration of a route
};

template <class AmountType>
struct Duration {
  static constexpr int kWords = kWordsOf<DurationData>;
  static constexpr bool kTurns = false, kAdds = true;
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
  template <class Edge>
  GLS_DEVICE Segment join(Segment a, Segment b, const Edge& edge) const {
    return {a.time + Amount(edge.there) + b.time};
  }
  GLS_DEVICE Segment turned(Segment segment) const { return segment; }
  GLS_DEVICE Segment without(Segment whole, Segment first, Segment node) const {
    return {whole.time - first.time + node.time};
  }
  GLS_DEVICE Amount excess(Segment route) const {
    return route.time > limit ? route.time - limit : Amount(0);
  }
};

// The duration under asymmetric lengths: a segment has the durations of both directions.
template <class AmountType>
struct DirectedDuration : Duration<AmountType> {
  static constexpr bool kTurns = true;
  using Base = Duration<AmountType>;
  using Amount = AmountType;
  using Base::Base;
  struct Segment {
    Amount there, back;
  };

  GLS_DEVICE Segment at(int node) const {
    const Amount service = Base::at(node).time;
    return {service, service};
  }
  template <class Edge>
  GLS_DEVICE Segment join(Segment a, Segment b, const Edge& edge) const {
    return {a.there + Amount(edge.there) + b.there, b.back + Amount(edge.back) + a.back};
  }
  GLS_DEVICE Segment turned(Segment segment) const { return {segment.back, segment.there}; }
  GLS_DEVICE Segment without(Segment whole, Segment first, Segment node) const {
    return {whole.there - first.there + node.there, whole.back - first.back + node.back};
  }
  GLS_DEVICE Amount excess(Segment route) const { return Base::excess({route.there}); }
};

}  // namespace gls
