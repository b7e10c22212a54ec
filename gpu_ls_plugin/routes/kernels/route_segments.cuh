// Segments of the resources of linked routes, by which a new route is evaluated from a few joins.
#pragma once

#include "routes/problem/resources/resource_list.cuh"

namespace gls {

// Segments for each node, in device memory, and marks of routes.
template <class Resources>
struct RouteSegments {
  using Segment = typename Resources::Segment;

  Segment* heads;          // the route up to and including a node
  Segment* tails;          // the route from a node on
  unsigned char* renewed;  // 1 for each route whose segments have changed since lists were kept

  GLS_DEVICE static int64 bytes(int nodes) { return 2 * int64(nodes) * sizeof(Segment); }
};

// Successive nodes of a route, in its direction or backwards; none if `from` is negative.
struct Stretch {
  int from = -1, to = -1;
  bool back = false;

  Stretch() = default;
  GLS_DEVICE explicit Stretch(int node) : from(node), to(node) {}
  GLS_DEVICE Stretch(int from, int to, bool back = false) : from(from), to(to), back(back) {}
};

// A new route: an old one up to the node `head`, then up to three stretches, then an old one from
// the node `tail` on. Each of these parts may be a depot only. Where directions do not matter, the
// old routes may be turned.
struct NewRoute {
  int head = 0, tail = 0;
  bool head_turned = false, tail_turned = false;
  Stretch stretches[3];
};

// A path from the depot, which grows to a new route. Its functions do not change any list.
template <class Routes>
struct RoutePath {
  using Cost = typename Routes::Cost;
  using Segment = typename Routes::Resources::Segment;

  const Routes& routes;
  int last;
  Segment segment;

  // The price of a new route. One place in the code joins segments, so that the code is short.
  GLS_DEVICE static Cost price(const Routes& routes, const NewRoute& its) {
    const auto& old = routes.segments;
    RoutePath path{routes, its.head, (its.head_turned ? old.tails : old.heads)[its.head]};
    Stretch now = its.stretches[0], next = its.stretches[1], last = its.stretches[2];
    int node = now.from;
#pragma unroll 1
    while (node >= 0) {
      path.visit(node);
      if (node != now.to) {
        node = now.back ? routes.before(node) : routes.after(node);
      } else {
        now = next, next = last, last = Stretch();
        node = now.from;
      }
    }
    return path.end(its.tail, (its.tail_turned ? old.heads : old.tails)[its.tail]);
  }

  GLS_DEVICE RoutePath& visit(int node) { return add(node, routes.vehicles.resources.at(node)); }
  // The price of the path if it goes on like a route from a node on, which may be a depot.
  GLS_DEVICE Cost end(int node) { return end(node, routes.segments.tails[node]); }

 private:
  GLS_DEVICE RoutePath& add(int node, const Segment& further) {
    segment = routes.vehicles.resources.join(segment, further, routes.between(last, node));
    last = node;
    return *this;
  }
  GLS_DEVICE Cost end(int node, const Segment& further) {
    if (routes.is_depot(last) && routes.is_depot(node)) return 0;  // an empty route
    return routes.vehicles.resources.price(add(node, further).segment);
  }
};

}  // namespace gls
