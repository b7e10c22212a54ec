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

// A path from the depot, which grows to a new route. Its functions do not change any list.
template <class Routes>
struct RoutePath {
  using Cost = typename Routes::Cost;
  using Segment = typename Routes::Resources::Segment;

  const Routes& routes;
  int last;
  Segment segment;

  GLS_DEVICE RoutePath& visit(int node) { return add(node, routes.vehicles.resources.at(node)); }
  // Visits the nodes of a route from one to another, which is not before it.
  GLS_DEVICE RoutePath& walk(int from, int to) {
    for (int node = from; visit(node), node != to;) node = routes.after(node);
    return *this;
  }
  // The same in the opposite direction.
  GLS_DEVICE RoutePath& walk_back(int from, int to) {
    for (int node = from; visit(node), node != to;) node = routes.before(node);
    return *this;
  }
  // The price of the path if it goes on like a route from a node on, which may be a depot.
  GLS_DEVICE Cost end(int node) { return end(node, routes.segments.tails[node]); }
  // The same if it goes back like a route from a node; directions must not matter.
  GLS_DEVICE Cost go_back(int node) { return end(node, routes.segments.heads[node]); }

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
