// Resources of routes: quantities that a vehicle consumes from depot to depot, up to a limit
// (classical resource extension functions: Irnich 2008; Schulz 2013, section 4.3).
//
// A segment summarises how a path consumes the resource. Only the ends of a path may be depots. A
// resource is a struct with
//
//   static constexpr int kWords              number of its parameter words; kWordsOf<Data> if they
//                                            are declared as a struct
//   AResource(const uint64* words)           constructor (backends/include/words.cuh)
//   struct Segment                           the summary of a path
//   Amount                                   the type of an excess, int64 or double
//   Segment at(int node)                     the path of one node, which may be a depot
//   Segment join(a, b, Length edge)          path a, the edge between the two, and path b
//   Amount excess(segment)                   the excess of a route from depot to depot over the
//                                            limit; 0 if the route respects it
//   static constexpr bool kTurns             whether the segment of a path, or the excess of a
//                                            route, depends on the direction; if so, searches also
//                                            keep the segments of the opposite direction
//   static constexpr bool kAdds              whether segments are sums. If so, the struct has
//   Segment without(Segment whole, Segment first, Segment node)
//                                            the rest of the path `whole` from the last node of
//                                            its beginning `first` on; `node` is the segment of
//                                            that node
//   static constexpr bool kByNodes           true if `join` does not read the edge; false if left
//                                            out
//   static constexpr int kOrders             number of orders in which removed customers may be
//                                            inserted again, 0 if left out. If positive, it has
//   double rank(int node, int order)         customers of lower rank are inserted earlier
//   static constexpr bool kTimed             whether it is time; false if left out. If so, it has
//   Amount end(Segment path)                 the earliest end of a path from the depot
//   Amount deadline(int node)                the latest time at which a node may be served
#pragma once

#include "backends/include/optional_constant.cuh"
#include "backends/include/words.cuh"

namespace gls {

// The lengths of an edge in both directions.
template <class Length>
struct TwoWay {
  Length there, back;
};

GLS_OPTIONAL_CONSTANT(ByNodes, kByNodes, bool, false);
GLS_OPTIONAL_CONSTANT(Orders, kOrders, int, 0);
GLS_OPTIONAL_CONSTANT(Timed, kTimed, bool, false);

// A resource with segments that can be turned.
template <class Resource, bool kTurns = Resource::kTurns>
struct BothWays : Resource {
  using Resource::Resource;
  using Segment = typename Resource::Segment;

  template <class Length>
  GLS_DEVICE Segment join(const Segment& a, const Segment& b, const TwoWay<Length>& edge) const {
    return Resource::join(a, b, edge.there);
  }
  GLS_DEVICE Segment turned(const Segment& segment) const { return segment; }
};

template <class Resource>
struct BothWays<Resource, true> : Resource {
  using Resource::Resource;
  using OneWay = typename Resource::Segment;
  struct Segment {
    OneWay there, back;
  };

  GLS_DEVICE Segment at(int node) const {
    const OneWay own = Resource::at(node);
    return {own, own};
  }
  template <class Length>
  GLS_DEVICE Segment join(const Segment& a, const Segment& b, const TwoWay<Length>& edge) const {
    return {Resource::join(a.there, b.there, edge.there),
            Resource::join(b.back, a.back, edge.back)};
  }
  GLS_DEVICE Segment turned(const Segment& segment) const { return {segment.back, segment.there}; }
  GLS_DEVICE Segment without(const Segment& whole, const Segment& first,
                             const Segment& node) const {
    return {Resource::without(whole.there, first.there, node.there),
            Resource::without(whole.back, first.back, node.back)};
  }
  GLS_DEVICE auto excess(const Segment& route) const { return Resource::excess(route.there); }
};

// Whether a node is a copy of the depot: 0, or a number beyond the customers.
GLS_DEVICE bool is_depot(int node, int customers) { return node == 0 || node > customers; }

}  // namespace gls
