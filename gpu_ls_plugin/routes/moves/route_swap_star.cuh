// SWAP* on linked lists of routes (Vidal 2022): exchanges two customers between two routes; each
// goes to the best place in the other route.
//
// A customer is exchanged for a near customer, or for one of the two neighbours of the near
// customer in its route. All places of both routes are tried; the places of the customer in the
// other route are evaluated only once for these three trades. A trade is dropped after the two
// removals, or after the first insertion, if it can no longer gain. Real lengths are estimated to
// choose the best trade; its gain is then computed exactly.
#pragma once

#include "routes/moves/best_route_move.cuh"

namespace gls {

template <class Routes, bool symmetric>
struct RouteSwapStar {
  using City = typename Routes::City;
  using Cost = typename Routes::Cost;
  using Time = typename Routes::Time;
  using Used = typename Routes::Used;
  using Rough = typename Routes::Rough;
  using Option = Rated<Rough>;

  // Number of indices reserved for the three trades of a near customer.
  static constexpr uint32 kEach = 4;

  const Routes& routes;
  const NearNodes& near;

  // The best improving trade of a customer; its index is 0xffffffff if there is no such trade.
  template <class Team>
  GLS_DEVICE Option best(const Team& team, int c) const {
    const Leaving its(routes, c);
    const Option none = no_move(its.removed, routes.slack());
    return team.least(near.near_each, none, [&](int rank) {
      const int v = near(c, rank);
      const bool elsewhere = v != 0 && routes.owner(v) != its.route;
      return elsewhere ? best_beside(its, v, uint32(rank) * kEach, none) : none;
    });
  }

  // Called by one lane: makes a trade, calls wake(node) for nodes whose neighbours change, and
  // returns the other route.
  template <class Wake>
  GLS_DEVICE int make(int c, uint32 trade, Wake wake) const {
    const int w = one_of(near(c, int(trade / kEach)), trade % kEach);
    const int here = routes.owner(c), there = routes.owner(w);
    const int to = cheapest(c, there, w), its_to = cheapest(w, here, c);
    wake(c), wake(w);
    link(routes.before(c), routes.after(c), wake);
    link(routes.before(w), routes.after(w), wake);
    insert(to, c, wake);
    insert(its_to, w, wake);
    return there;
  }

 private:
  static constexpr Rough kMost = sizeof(Rough) == 4 ? Rough(1 << 30) : Rough(int64(1) << 60);

  // A customer that is removed from its route.
  struct Leaving {
    int city, route, before, after;
    Rough straight, removed;  // lengths between the neighbours: directly, and via the customer
    Used own;

    GLS_DEVICE Leaving(const Routes& routes, int c)
        : city(c), route(routes.owner(c)), before(routes.before(c)), after(routes.after(c)) {
      straight = routes.about(before, after);
      removed = routes.about(before, c) + routes.about(c, after);
      own = routes.alone(c);
    }
    GLS_DEVICE Rough longer() const { return straight - removed; }
  };

  // The three places of a route where a customer adds the least length, as the nodes after which it
  // goes. Another customer that leaves the route removes only two places, so at least one of the
  // three remains.
  struct Places {
    Rough more[3] = {kMost, kMost, kMost};
    int behind[3] = {-1, -1, -1};

    GLS_DEVICE void offer(Rough longer, int node) {
      if (longer >= more[2]) return;
      const bool second = longer < more[1], first = longer < more[0];
      more[2] = second ? more[1] : longer, behind[2] = second ? behind[1] : node;
      if (second) more[1] = first ? more[0] : longer, behind[1] = first ? behind[0] : node;
      if (first) more[0] = longer, behind[0] = node;
    }
    GLS_DEVICE Rough least_without(int before, int city) const {
      const auto gone = [&](int k) { return behind[k] == before || behind[k] == city; };
      return !gone(0) ? more[0] : !gone(1) ? more[1] : more[2];
    }
  };

  GLS_DEVICE int one_of(int v, uint32 which) const {
    return which == 0 ? v : which == 1 ? routes.before(v) : routes.after(v);
  }

  GLS_DEVICE Option best_beside(const Leaving& its, int v, uint32 first, Option none) const {
    const auto& r = routes;
    const int c = its.city, there = r.owner(v);
    const Used here_now = r.whole(its.route), there_now = r.whole(there);
    const Cost pays = r.dues(its.route) + r.dues(there);
    const auto hopeless = [&](Rough longer, Cost paid) {
      return Cost(longer) + paid - pays >= Cost(none.value);
    };
    Option best = none;
    Places places;
    bool known = false;
#pragma unroll 1
    for (uint32 which = 0; which < 3; ++which) {
      const int w = one_of(v, which);
      if (r.is_depot(w)) continue;
      const Leaving other(r, w);
      const int change = other.own.load - its.own.load;
      Used one{here_now.load + change, 0}, two{there_now.load - change, 0};
      // A lower bound: the prices of durations and other resources are left out.
      const Cost least = r.price(one) + r.price(two);
      const Rough out = its.longer() + other.longer();
      if (hopeless(out, least)) continue;
      if (!known) walk(c, there, -1, [&](Rough more, int node) { places.offer(more, node); });
      known = true;
      const Rough instead = r.about(other.before, c) + r.about(c, other.after) - other.straight;
      const Rough elsewhere = places.least_without(other.before, w);
      const Rough in = instead < elsewhere ? instead : elsewhere;
      if (hopeless(out + in, least)) continue;
      Rough its_in = kMost;
      walk(w, its.route, c, [&](Rough more, int) { its_in = more < its_in ? more : its_in; });
      const Time time = other.own.time - its.own.time;
      one.time = here_now.time + time + Time(its.longer() + its_in + r.slack());
      two.time = there_now.time - time + Time(other.longer() + in + r.slack());
      Cost paid = r.price(one) + r.price(two);
      if constexpr (Routes::kMore) {
        if (hopeless(out + in + its_in, paid)) continue;
        paid += traded(c, w, cheapest(w, its.route, c)) + traded(w, c, cheapest(c, there, w));
      }
      const Cost more = Cost(out + in + its_in) + paid - pays;
      if (more < Cost(best.value) && r.allows(paid - pays)) {
        best = rated<Rough>(more, first + which);
      }
    }
    return best;
  }

  // For each node of a route, calls tell(length that the customer adds after this node, node).
  // Skips the customer `without`, as if it had left the route.
  template <class Tell>
  GLS_DEVICE void walk(int customer, int route, int without, Tell tell) const {
    const auto& r = routes;
    int a = r.depot(route), b;
    Rough from_a = r.about(a, customer);
#pragma unroll 1
    do {
      b = r.after(a);
      if (b == without) b = r.after(b);
      const Rough to_b = r.about(customer, b);
      tell(from_a + to_b - r.about(a, b), a);
      a = b, from_a = symmetric ? to_b : r.about(b, customer);
    } while (!r.is_depot(b));
  }
  GLS_DEVICE int cheapest(int customer, int route, int without) const {
    Option least{kMost, 0xffffffffu};
    walk(customer, route, without, [&](Rough more, int node) {
      if (more < least.value) least = {more, uint32(node)};
    });
    return int(least.index);
  }

  // The price of other resources of the route of a customer that leaves it, if another customer
  // comes in after node a.
  GLS_DEVICE Cost traded(int leaves, int comes, int a) const {
    const auto& r = routes;
    const int front = r.before(leaves), end = r.after(leaves);
    NewRoute its;
    if (a == front) {
      its.head = a, its.stretches[0] = Stretch(comes), its.tail = end;
    } else if (r.place(a) < r.place(leaves)) {
      its.head = a, its.stretches[0] = Stretch(comes);
      its.stretches[1] = Stretch(r.after(a), front), its.tail = end;
    } else {
      its.head = front, its.stretches[0] = Stretch(end, a);
      its.stretches[1] = Stretch(comes), its.tail = r.after(a);
    }
    return RoutePath<Routes>::price(r, its);
  }

  template <class Wake>
  GLS_DEVICE void link(int a, int b, Wake wake) const {
    wake(a), wake(b);
    routes.link(a, b);
  }
  template <class Wake>
  GLS_DEVICE void insert(int a, int customer, Wake wake) const {
    const int b = routes.after(a);
    link(a, customer, wake), link(customer, b, wake);
  }
};

}  // namespace gls
