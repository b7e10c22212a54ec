// Slack induction by string removals (Christiaens and Vanden Berghe 2020): removes strings of
// successive customers from routes near each other, then reinserts the customers greedily, each at
// its best place. Some places are skipped at random.
#pragma once

#include "backends/include/philox.cuh"
#include "routes/kernels/linked_routes.cuh"
#include "routes/kernels/near_nodes.cuh"

namespace gls {

// Maximum number of customers that a kick removes: one per lane of a warp.
constexpr int kMostRemoved = 32;

// How many customers a kick removes.
struct StringRuin {
  int removed;  // average number of customers
  int longest;  // maximum number of customers in a string
  float split;  // share of the strings in which one customer stays in the route
};

// The removed customers, the order of their insertion, and the routes that have lost them.
template <class City>
struct Waiting {
  int count, routes;
  uint32 blinks, rule;  // random numbers that decide on the places to skip and on the order
  City customers[kMostRemoved], order[kMostRemoved], left[kMostRemoved];
  uint32 keys[kMostRemoved];  // sort keys of the customers
};

template <class Routes>
struct StringRemoval {
  using City = typename Routes::City;
  using Length = typename Routes::Length;
  using Cost = typename Routes::Cost;
  using Waits = Waiting<City>;
  using Option = Rated<Length>;

  const Routes& routes;
  const NearNodes& near;
  const StringRuin& ruin;
  Waits& waits;

  // Makes a kick. Returns false if a customer has no feasible place; some customers are then in no
  // route.
  // One lane calls wake(node) for each node whose neighbours change, and changed(route) for each
  // route that changes.
  template <class Team, class Wake, class Changed>
  GLS_DEVICE bool kick(const Team& team, Philox& random, Wake wake, Changed changed) const {
    team.once([&] {
      remove_strings(random, wake);
      for (int k = 0; k < waits.routes; ++k) changed(waits.left[k]);
      waits.blinks = random.next(), waits.rule = random.below(11 + 2 * Routes::Resources::kOrders);
    });
    routes.resume_all(team, waits.routes, [&](int k) { return int(waits.left[k]); });
    if (routes.totals.spare < 0) routes.find_spare(team);
    arrange(team);
    bool placed = true;
#pragma unroll 1
    for (int k = 0; k < waits.count && placed; ++k) {
      placed = insert(team, waits.order[k], wake, changed);
    }
    return placed;
  }

 private:
  // Called by one lane: removes strings of customers.
  template <class Wake>
  GLS_DEVICE void remove_strings(Philox& random, Wake wake) const {
    const int n = routes.customers(), used = routes.totals.used;
    const int mean = n / (used > 0 ? used : 1);
    const int longest = mean < ruin.longest ? (mean > 1 ? mean : 1) : ruin.longest;
    // The number of strings is a random real number from 1 to 4 * removed / (1 + longest), rounded
    // down.
    const uint32 most = uint32(4 * ruin.removed) << 16;
    const uint32 strings = random.below(most / uint32(1 + longest) - (1u << 16)) >> 16;
    int left = 1 + int(strings);
    const int seed = 1 + int(random.below(n));
    waits.count = waits.routes = 0;
#pragma unroll 1
    for (int rank = -1; rank < near.near_each && left > 0; ++rank) {
      const int customer = rank < 0 ? seed : near(seed, rank);
      if (customer == 0) continue;
      const City route = routes.now.owners[customer];
      if (route == Routes::kNone || has_lost(route)) continue;
      take_string(customer, route, longest, random, wake);
      if (waits.count == kMostRemoved) return;
      --left;
    }
  }
  GLS_DEVICE bool has_lost(int route) const {
    bool found = false;
    for (int k = 0; k < waits.routes; ++k) found |= waits.left[k] == route;
    return found;
  }

  // Removes from a route a string of at most `longest` customers that contains `customer`. If the
  // string is split, it is one customer longer, and one of its customers stays.
  template <class Wake>
  GLS_DEVICE void take_string(int customer, int route, int longest, Philox& random,
                              Wake wake) const {
    const int size = routes.now.sizes[route];
    int length = 1 + int(random.below(size < longest ? size : longest));
    length = length < kMostRemoved - waits.count ? length : kMostRemoved - waits.count;
    const bool splits = float(random.next() >> 8) < ruin.split * 0x1p24f && length < size;
    const int span = length + splits, back = int(random.below(span));
    int first = customer, ahead = span - 1;
#pragma unroll 1
    for (int k = 0; k < back && !routes.is_depot(routes.before(first)); ++k, --ahead) {
      first = routes.before(first);
    }
#pragma unroll 1
    for (int last = customer; ahead > 0; --ahead) {
      if (!routes.is_depot(routes.after(last))) {
        last = routes.after(last);
      } else {
        first = routes.before(first);
      }
    }
    const int stays = splits ? int(random.below(span)) : -1;
    waits.left[waits.routes++] = City(route);
    wake(routes.before(first));
#pragma unroll 1
    for (int k = 0; k < span; ++k) {
      const int next = routes.after(first);
      wake(first);
      if (k != stays) {
        routes.detach(first);
        waits.customers[waits.count++] = City(first);
      }
      first = next;
    }
    wake(first);
  }

  // Sorts the removed customers: randomly, by decreasing demand, by decreasing or increasing
  // distance from the depot, or as a resource says.
  template <class Team>
  GLS_DEVICE void arrange(const Team& team) const {
    const int count = waits.count, rule = waits.rule;
    team.each(count, [&](int w) {
      const int customer = waits.customers[w];
      uint32 key = mixed(waits.blinks + uint32(customer));
      if (rule >= 4 && rule < 8) key = 0x7fffffffu - uint32(routes.vehicles.demands[customer]);
      if (rule >= 8) key = uint32(routes.length(0, customer));
      if (rule >= 11) {
        key = ordered_bits(float(routes.vehicles.resources.rank(customer, (rule - 11) / 2)));
      }
      waits.keys[w] = rule == 8 || rule == 9 ? 0x7fffffffu - key : key;
    });
    team.sync();
    team.each(count, [&](int w) {
      const uint32 key = waits.keys[w];
      int rank = 0;
      for (int v = 0; v < count; ++v) {
        rank += waits.keys[v] < key || (waits.keys[v] == key && v < w);
      }
      waits.order[rank] = waits.customers[w];
    });
    team.sync();
  }

  // Inserts a customer at the best place near it or in an empty route; if there is no such place,
  // at the best place in all routes. Returns false if no route may take the customer.
  template <class Team, class Wake, class Changed>
  GLS_DEVICE bool insert(const Team& team, int customer, Wake wake, Changed changed) const {
    const Option none{endless_length(), 0xffffffffu};
    const uint32 begin = 2 * uint32(near.near_each);  // index of the option to begin a route
    Option best = team.least(near.near_each, none, [&](int rank) {
      const int node = beside(customer, rank);
      const City route = routes.now.owners[node];
      if (route == Routes::kNone || is_skipped(customer, near(customer, rank))) return none;
      const Option before = option(customer, routes.before(node), route, 2 * rank);
      const Option after = option(customer, node, route, 2 * rank + 1);
      return after < before ? after : before;
    });
    const int spare = routes.totals.spare;
    if (spare >= 0) {
      const Option own = option(customer, routes.depot(spare), spare, begin);
      best = own < best ? own : best;
    }
    int place = -1;
    if (best.index < begin) {
      const int node = beside(customer, int(best.index / 2));
      place = best.index % 2 ? node : routes.before(node);
    } else if (best.index == begin) {
      place = routes.depot(spare);
    } else {
      best = team.least(routes.nodes, none, [&](int node) {
        const City route = routes.now.owners[node];
        if (route == Routes::kNone || routes.now.sizes[route] == 0) return none;
        // The index must not depend on which copy of the depot a route has, so the route's first
        // customer stands in for the copy.
        const int rank = routes.is_depot(node) ? routes.nodes + routes.after(node) : node;
        return option(customer, node, route, uint32(rank));
      });
      if (best.index == none.index) return false;
      const int rank = int(best.index);
      place = rank < routes.nodes ? rank : routes.before(rank - routes.nodes);
    }
    const bool begins = spare >= 0 && place == routes.depot(spare);
    team.sync();
    team.once([&] {
      wake(place), wake(routes.after(place));
      routes.attach(customer, place);
      changed(routes.owner(customer));
    });
    routes.resume(team, customer);
    if (begins) routes.find_spare(team);
    return true;
  }

  // The near node with this rank, next to which the customer may go. For the depot, returns the
  // copy of the depot in a random customer's route, where the customer may become the first or the
  // last.
  GLS_DEVICE int beside(int customer, int rank) const {
    const int node = near(customer, rank);
    if (node != 0) return node;
    const uint32 bits = mixed(waits.blinks ^ uint32(customer) * 0x9E3779B1u);
    const int other = 1 + int(uint64(bits) * uint32(routes.customers()) >> 32);
    const City route = routes.now.owners[other];
    return route == Routes::kNone ? other : routes.depot(route);
  }

  // An estimate of what a customer costs after the node `place`; the index is 0xffffffff if the
  // route may not take the customer.
  GLS_DEVICE Option option(int customer, int place, int route, uint32 index) const {
    Option found{endless_length(), 0xffffffffu};
    const Length more =
        Length(routes.about_detour(place, customer, routes.after(place)) + routes.slack());
    const Cost paid = routes.surcharge(route, place, customer, more);
    if (paid < 0) return found;
    const Cost value = Cost(more) + paid;
    if (value < Cost(endless_length())) found.value = Length(value), found.index = index;
    return found;
  }

  GLS_DEVICE static Length endless_length() {
    return sizeof(Length) == 4 ? Length(0x3fffffff) : Length(int64(1) << 60);
  }

  // A hash of 32 bits.
  GLS_DEVICE static uint32 mixed(uint32 bits) {
    bits = (bits ^ bits >> 16) * 0x7feb352du;
    bits = (bits ^ bits >> 15) * 0x846ca68bu;
    return bits ^ bits >> 16;
  }
  // True for one place in 128, at random.
  GLS_DEVICE bool is_skipped(int customer, int node) const {
    uint32 bits = waits.blinks ^ uint32(customer) * 0x9E3779B1u ^ uint32(node) * 0x85EBCA77u;
    bits = (bits ^ bits >> 15) * 0x2C1B3C6Du;
    return bits >> 25 == 0;
  }
};

}  // namespace gls
