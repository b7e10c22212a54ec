// The routes of a giant tour as linked lists, and a copy of them that can be restored.
//
// Nodes have the numbers of the giant tour: 1..customers are customers, 0 and larger numbers are
// copies of the depot. Each copy is the beginning and the end of one route.
#pragma once

#include "routes/kernels/route_segments.cuh"
#include "routes/problem/vehicles.cuh"
#include "tours/problem/lengths.cuh"
#include "tours/kernels/tour_memory.cuh"

namespace gls {

// Costs of violations: per unit of excess load, per unit of excess duration, and per excess route.
template <class Cost>
struct ViolationWeights {
  Cost load, duration, vehicles;
};

// Lists by node and by route, in one piece of memory. Durations up to each node are stored if
// durations are limited; durations of routes are stored if durations are limited or lengths are
// real; what routes pay for further resources is stored if there are any (`more`).
template <class City, class Time, class Cost, bool timed, bool real, bool more>
struct RouteLists {
  City *after, *before;  // next and previous node; of a depot: first and last customer of its route
  City* owners;          // route of each node
  City* places;          // place of each node in its route; depots have 0
  int* loads_to;         // load of the route up to and including each node
  Time* times_to;        // duration of the route up to and including each node, or null
  City* sizes;           // number of customers of each route
  int* loads;            // load of each route
  Time* durations;       // duration of each route, or null
  Cost* dues;            // what each route pays for the excess of further resources, or null

  GLS_DEVICE static int64 bytes(int nodes, int routes) {
    return 4 * piece_bytes<City>(nodes) + piece_bytes<int>(nodes) + piece_bytes<City>(routes) +
           piece_bytes<int>(routes) + (timed ? piece_bytes<Time>(nodes) : 0) +
           (timed || real ? piece_bytes<Time>(routes) : 0) + (more ? piece_bytes<Cost>(routes) : 0);
  }
  template <class Memory>
  GLS_DEVICE static RouteLists take(Memory& memory, int nodes, int routes) {
    RouteLists lists;
    lists.after = memory.template take<City>(nodes);
    lists.before = memory.template take<City>(nodes);
    lists.owners = memory.template take<City>(nodes);
    lists.places = memory.template take<City>(nodes);
    lists.loads_to = memory.template take<int>(nodes);
    lists.times_to = timed ? memory.template take<Time>(nodes) : nullptr;
    lists.sizes = memory.template take<City>(routes);
    lists.loads = memory.template take<int>(routes);
    lists.durations = timed || real ? memory.template take<Time>(routes) : nullptr;
    lists.dues = more ? memory.template take<Cost>(routes) : nullptr;
    return lists;
  }
};

// Totals over all routes.
template <class Cost>
struct RouteTotals {
  Cost cost, paid;  // `paid` is the part of the cost that violations cause
  int used;         // number of routes with customers
  int spare;        // an empty route that a customer may begin, or -1
};

// A load and a duration.
template <class Time>
struct Used {
  int load;
  Time time;
};

template <class MetricLengths, class Vehicles, class CityType, bool timed>
struct LinkedRoutes {
  using City = CityType;
  using Length = typename MetricLengths::Length;
  using Rough = Conditional<MetricLengths::kEstimated, float, Length>;  // what about() returns
  using Time = typename Vehicles::Time;
  using Cost = typename Vehicles::Length;
  using Resources = typename Vehicles::Resources;
  using Lists = RouteLists<City, Time, Cost, timed, MetricLengths::kReal, Resources::kAny>;
  using Segments = RouteSegments<Resources>;
  using Totals = RouteTotals<Cost>;
  using Used = gls::Used<Time>;

  static constexpr City kNone = City(-1);  // owner of removed customers
  static constexpr bool kTimed = timed, kEstimated = MetricLengths::kEstimated;
  static constexpr bool kHasDurations = timed || MetricLengths::kReal;  // whether `durations` exist
  static constexpr bool kMore = Resources::kAny;  // whether there are further resources

  const MetricLengths& length;
  const Vehicles& vehicles;
  const ViolationWeights<Cost>& weights;
  const bool soft;
  const int nodes;
  const Lists now, kept;
  Totals& totals;  // shared by the lanes of a team
  const Segments segments;

  GLS_DEVICE int customers() const { return vehicles.customers; }
  GLS_DEVICE int copies() const { return nodes - customers(); }
  GLS_DEVICE int depot(int route) const { return route == 0 ? 0 : customers() + route; }
  GLS_DEVICE bool is_depot(int node) const { return node == 0 || node > customers(); }
  GLS_DEVICE int after(int node) const { return now.after[node]; }
  GLS_DEVICE int before(int node) const { return now.before[node]; }
  GLS_DEVICE int owner(int node) const { return now.owners[node]; }
  GLS_DEVICE int place(int node) const { return now.places[node]; }

  GLS_DEVICE Length between(int a, int b) const { return length(a, b); }
  // The length from a to b; if lengths are real, an estimate that takes less work.
  GLS_DEVICE Rough about(int a, int b) const {
    if constexpr (MetricLengths::kEstimated) {
      return length.metric.estimate(length.sites[a].point(), length.sites[b].point());
    } else {
      return between(a, b);
    }
  }
  GLS_DEVICE Rough about_detour(int a, int customer, int b) const {
    return about(a, customer) + about(customer, b) - about(a, b);
  }
  // Bound on the error of a move's estimated gain, a sum of up to a dozen lengths.
  GLS_DEVICE Rough slack() const {
    return kEstimated ? Rough(8 * length.error.absolute) : Rough(0);
  }
  GLS_DEVICE Length detour(int a, int customer, int b) const {
    return between(a, customer) + between(customer, b) - between(a, b);
  }

  // Whether a route with this load and duration keeps its limits.
  GLS_DEVICE bool is_free(const Used& used) const {
    return used.load <= vehicles.capacity && (!timed || used.time <= vehicles.limit);
  }
  // The penalty of a route with this load and duration.
  GLS_DEVICE Cost price(const Used& used) const {
    return is_free(used) ? Cost(0) : violation(used, vehicles.capacity, vehicles.limit, &weights);
  }
  GLS_DEVICE Used whole(int route) const {
    return {now.loads[route], kHasDurations ? now.durations[route] : Time(0)};
  }
  // Load and duration of the route up to and including a node.
  GLS_DEVICE Used up_to(int node) const {
    return {now.loads_to[node], timed ? now.times_to[node] : Time(0)};
  }
  GLS_DEVICE Used of(int customer) const {
    return {vehicles.demands[customer], timed ? vehicles.services[customer] : Time(0)};
  }
  // The same as of(), but reads the load from `loads_to`: the route must have been measured.
  GLS_DEVICE Used alone(int customer) const {
    return {now.loads_to[customer] - now.loads_to[now.before[customer]],
            timed ? vehicles.services[customer] : Time(0)};
  }
  // Real prices up to this are rounding errors.
  GLS_DEVICE Cost negligible() const {
    return MetricLengths::kReal ? totals.cost * Cost(1e-12) : Cost(0);
  }
  // Whether a move may raise the price of violations by `more`. Under hard constraints it may not,
  // whatever length it saves.
  GLS_DEVICE bool allows(Cost more) const { return soft || more <= negligible(); }
  // The price of all excess of a route.
  GLS_DEVICE Cost dues(int route) const {
    return price(whole(route)) + (kMore ? now.dues[route] : Cost(0));
  }
  // The route up to and including a node, as the beginning of a new route.
  GLS_DEVICE RoutePath<LinkedRoutes> path(int node) const {
    return {*this, node, segments.heads[node]};
  }
  // The penalty for vehicles beyond the fleet if `used` routes have customers.
  GLS_DEVICE Cost for_vehicles(int used) const {
    return used > vehicles.most ? weights.vehicles * Cost(used - vehicles.most) : Cost(0);
  }
  // How much more a route pays for violations if it also visits a customer after node a and becomes
  // longer by `more`; -1 if the constraints are hard and the customer does not fit.
  GLS_DEVICE Cost surcharge(int route, int a, int customer, Length more) const {
    const Used its = whole(route), add = of(customer);
    const Used then{its.load + add.load, its.time + add.time + Time(more)};
    const bool free = is_free(then);
    if (!free && !soft) return Cost(-1);
    const Cost due = free ? Cost(0) : price(then) - price(its);
    if constexpr (kMore) {
      const Cost others = path(a).visit(customer).end(after(a)) - now.dues[route];
      if (!soft && others > Cost(0)) return Cost(-1);
      return due + others > Cost(0) ? due + others : Cost(0);
    }
    return due;
  }

  GLS_DEVICE void link(int a, int b) const { now.after[a] = City(b), now.before[b] = City(a); }

  // Called by one lane: detach() removes a customer from its route, attach() inserts it after node
  // a. Afterwards, the route's `places`, `loads_to` and `times_to` are out of date, and so are its
  // segments; see resume().
  GLS_DEVICE void detach(int customer) const {
    const int a = before(customer), b = after(customer), route = owner(customer);
    const Length less = detour(a, customer, b);
    link(a, b);
    now.owners[customer] = kNone;
    change(route, customer, -1, -less);
  }
  GLS_DEVICE void attach(int customer, int a) const {
    const int b = after(a), route = owner(a);
    const Length more = detour(a, customer, b);
    link(a, customer), link(customer, b);
    now.owners[customer] = City(route);
    change(route, customer, 1, more);
  }

  // Updates the segments of a route that has changed around a node, and what it pays for them.
  template <class Team>
  GLS_DEVICE void resume(const Team& team, int node) const {
    if constexpr (kMore) {
      const int route = owner(node);
      charge(
          team, [&] { return now.dues[route]; },
          [&] { team.each(2, [&](int backward) { renew(route, node, backward != 0); }); });
    }
  }
  // The same for several routes, wherever they have changed; route(k) is one of them.
  template <class Team, class Route>
  GLS_DEVICE void resume_all(const Team& team, int count, Route route) const {
    if constexpr (kMore) {
      const auto paid = [&] {
        return team.template sum<Cost>(count, [&](int k) { return now.dues[route(k)]; });
      };
      charge(team, paid, [&] { renew_all(team, count, route); });
    }
  }

  // Computes the lists of a route from the links between its nodes, but not its segments.
  GLS_DEVICE void measure(int route) const {
    int load = 0;
    Time time = 0;
    const int begin = depot(route);
    int size = 0, last = begin;
    now.owners[begin] = City(route), now.places[begin] = 0, now.loads_to[begin] = 0;
    if constexpr (timed) now.times_to[begin] = 0;
#pragma unroll 1
    for (int c = after(last); !is_depot(c); last = c, c = after(c)) {
      load += vehicles.demands[c];
      now.owners[c] = City(route), now.places[c] = City(++size), now.loads_to[c] = load;
      if constexpr (kHasDurations) time += Time(between(last, c));
      if constexpr (timed) now.times_to[c] = time += vehicles.services[c];
    }
    now.sizes[route] = City(size), now.loads[route] = load;
    if constexpr (kHasDurations)
      now.durations[route] = size > 0 ? time + Time(between(last, 0)) : Time(0);
  }

  // Measures the two routes of a move again (they may be the same) and updates the totals. `value`
  // is the change of cost, without the price of vehicles beyond the fleet; if lengths are real, the
  // measured change replaces it.
  template <class Team>
  GLS_DEVICE void settle(const Team& team, const City* ends, Cost value) const {
    const int here = ends[0], there = ends[1];
    const Cost paid = price_of(here, there), old_duration = duration_of(here, there);
    const int used = used_by(here, there);
    team.sync();
    const int count = here == there ? 1 : 2;
    team.each(count, [&](int k) { measure(ends[k]); });
    renew_all(team, count, [&](int k) { return int(ends[k]); });
    team.sync();
    const Cost now_paid = price_of(here, there);
    if (MetricLengths::kReal) value = duration_of(here, there) - old_duration + now_paid - paid;
    team.once([&] {
      const Cost fleet = for_vehicles(totals.used);
      totals.used += used_by(here, there) - used;
      const Cost fewer = for_vehicles(totals.used) - fleet;
      totals.paid += now_paid - paid + fewer;
      totals.cost += value + fewer;
    });
    team.sync();
  }

  // Finds an empty route that a customer may begin.
  template <class Team>
  GLS_DEVICE void find_spare(const Team& team) const {
    const int most = copies() < vehicles.most ? copies() : vehicles.most, none = copies();
    const int found = totals.used < most ? first_empty(team, now.sizes, none) : none;
    team.sync();
    team.once([&] { totals.spare = found < none ? found : -1; });
  }

  template <class Team>
  GLS_DEVICE void keep(const Team& team) const {
    copy(team, now, kept);
    if constexpr (kMore) team.each(copies(), [&](int route) { segments.renewed[route] = 0; });
  }
  template <class Team>
  GLS_DEVICE void restore(const Team& team, const Totals& before) const {
    copy(team, kept, now);
    if constexpr (kMore) {
      team.each(2 * copies(), [&](int k) {
        if (segments.renewed[k / 2] != 0) renew_side(k / 2, k % 2 != 0);
      });
      team.sync();
      team.each(copies(), [&](int route) { segments.renewed[route] = 0; });
    }
    team.once([&] { totals = before; });
  }

  // Reads a giant tour: sets links, measures routes, computes totals, and makes the copy.
  template <class Team>
  GLS_DEVICE void read(const Team& team, const int* tour) const {
    follow(team, tour);
    if constexpr (kMore) {
      team.each(copies(), [&](int route) {
        segments.heads[depot(route)] = segments.tails[depot(route)] = vehicles.resources.at(0);
        segments.renewed[route] = 0;
      });
    }
    team.sync();
    measure_all(team);
    find_spare(team);
    keep(team);
  }

  template <class Team>
  GLS_DEVICE Cost whole_length(const Team& team) const {
    return team.template sum<Cost>(nodes, [&](int a) { return Cost(between(a, after(a))); });
  }

  // Writes the giant tour, with routes sorted by their first customers and empty ones last. The
  // result does not depend on which copy of the depot a route has.
  template <class Team>
  GLS_DEVICE void write(const Team& team, int* tour) const {
    team.each(copies(), [&](int route) {
      if (now.sizes[route] == 0) return;
      const int first = after(depot(route));
      int place = 0, number = 0;
#pragma unroll 1
      for (int other = 0; other < copies(); ++other) {
        const bool leads = now.sizes[other] > 0 && after(depot(other)) < first;
        place += leads ? 1 + now.sizes[other] : 0, number += leads;
      }
      tour[place] = depot(number);
#pragma unroll 1
      for (int c = first; !is_depot(c); c = after(c)) tour[++place] = c;
    });
    const int used = totals.used;
    team.each(copies() - used,
              [&](int more) { tour[customers() + used + more] = depot(used + more); });
    team.sync();
  }

  // Replaces the routes with those of another tour; `next` has the successor of each node.
  template <class Team>
  GLS_DEVICE void take(const Team& team, const int* next) const {
    team.each(nodes, [&](int node) { link(node, next[node]); });
    team.sync();
    measure_all(team);
  }

 private:
  // Updates the segments of a route from a node on: the heads to its end or, if `backward`, the
  // tails to its beginning. The heads also tell what the route pays.
  GLS_DEVICE void renew(int route, int node, bool backward) const {
    using Segment = typename Resources::Segment;
    const Resources& resources = vehicles.resources;
    Segment* const list = backward ? segments.tails : segments.heads;
    int last = backward ? after(node) : before(node);
    Segment path = list[last];
    int c = node;
    Segment own = resources.at(c);
#pragma unroll 1
    while (!is_depot(c)) {
      const int next = backward ? before(c) : after(c);
      const Segment following = resources.at(next);  // read early, since memory is slow
      if (backward) {
        path = resources.join(own, path, between(c, last));
      } else {
        path = resources.join(path, own, between(last, c));
      }
      list[c] = path, last = c, c = next, own = following;
    }
    if (backward) return;
    if (segments.renewed[route] == 0) segments.renewed[route] = 1;
    const bool used = now.sizes[route] > 0;
    now.dues[route] =
        used ? resources.price(resources.join(path, resources.at(0), between(last, 0))) : Cost(0);
  }
  template <class Team, class Route>
  GLS_DEVICE void renew_all(const Team& team, int count, Route route) const {
    if constexpr (kMore) {
      team.sync();
      team.each(2 * count, [&](int k) { renew_side(route(k / 2), k % 2 != 0); });
    }
  }
  // Updates all heads of a route or, if `backward`, all tails.
  GLS_DEVICE void renew_side(int route, bool backward) const {
    const int begin = depot(route);
    renew(route, backward ? before(begin) : after(begin), backward);
  }
  // Calls renew(), and adds to the totals what paid() then returns more than before.
  template <class Team, class Paid, class Renew>
  GLS_DEVICE void charge(const Team& team, Paid paid, Renew renew) const {
    const Cost before = paid();
    team.sync();
    renew();
    team.sync();
    const Cost more = paid() - before;
    team.once([&] { totals.paid += more, totals.cost += more; });
  }

  GLS_RARE static Cost violation(Used used, int64 capacity, Time limit,
                                 const ViolationWeights<Cost>* weights) {
    Cost pays = 0;
    if (used.load > capacity) pays = weights->load * Cost(used.load - capacity);
    if (timed && used.time > limit) pays += weights->duration * Cost(used.time - limit);
    return pays;
  }
  template <class Team>
  GLS_OUT_OF_LINE static int first_empty(Team team, const City* sizes, int routes) {
    return team.least(routes, routes, [&](int r) { return sizes[r] == 0 ? r : routes; });
  }

  // Links the nodes of a giant tour. Each lane links an equal share of them.
  template <class Team>
  GLS_DEVICE void follow(const Team& team, const int* tour) const {
    const int n = nodes, own = (n + Team::kLanes - 1) / Team::kLanes, from = team.lane() * own;
    const int begin = from < n ? from : n, end = begin + own < n ? begin + own : n;
    int at = end - 1;
#pragma unroll 1
    while (at >= begin && !is_depot(tour[at])) --at;
    const int last = at >= begin ? tour[at] : -1;
    const Scanned<int> known =
        team.scan(last, -1, [](int before, int later) { return later < 0 ? before : later; });
    int depot = known.before < 0 ? known.all : known.before;
#pragma unroll 1
    for (int p = begin; p < end; ++p) {
      const int node = tour[p], next = tour[p + 1 < n ? p + 1 : 0];
      if (is_depot(node)) depot = node;
      link(node, is_depot(next) ? depot : next);
    }
  }

  // Measures all routes and computes the totals.
  template <class Team>
  GLS_DEVICE void measure_all(const Team& team) const {
    team.each(copies(), [&](int route) { measure(route); });
    renew_all(team, copies(), [](int route) { return route; });
    team.sync();
    const Cost paid = team.template sum<Cost>(copies(), [&](int route) { return dues(route); });
    const int used = team.template sum<int>(copies(), [&](int r) { return now.sizes[r] > 0; });
    const Cost length = whole_length(team);
    team.sync();
    team.once([&] {
      totals.used = used, totals.paid = paid + for_vehicles(used);
      totals.cost = length + totals.paid;
    });
  }

  // The following functions add up prices, durations and numbers of used routes over the two routes
  // of a move, which may be the same.
  GLS_DEVICE Cost price_of(int here, int there) const {
    return dues(here) + (here == there ? Cost(0) : dues(there));
  }
  GLS_DEVICE Cost duration_of(int here, int there) const {
    if (!MetricLengths::kReal) return 0;
    return Cost(now.durations[here]) + (here == there ? Cost(0) : Cost(now.durations[there]));
  }
  GLS_DEVICE int used_by(int here, int there) const {
    return (now.sizes[here] > 0) + (here != there && now.sizes[there] > 0);
  }

  // Updates the totals, and the size, load and duration of a route that a customer joins (`sign` is
  // 1) or leaves (-1) and that becomes longer by `longer`.
  GLS_DEVICE void change(int route, int customer, int sign, Length longer) const {
    const Used add = of(customer), its = whole(route);
    const Used then{its.load + sign * add.load, its.time + Time(sign) * add.time + Time(longer)};
    const int size = now.sizes[route] + sign;
    now.sizes[route] = City(size), now.loads[route] = then.load;
    if constexpr (kHasDurations) now.durations[route] = then.time;
    const Cost fleet = for_vehicles(totals.used);
    totals.used += sign > 0 ? size == 1 : -int(size == 0);
    const Cost more = price(then) - price(its) + for_vehicles(totals.used) - fleet;
    totals.paid += more, totals.cost += Cost(longer) + more;
  }

  // Source and target have the same layout, so all lists are copied together, 16 bytes at a time.
  template <class Team>
  GLS_DEVICE void copy(const Team& team, const Lists& from, const Lists& to) const {
    struct alignas(16) Words {
      uint64 word[2];
    };
    const Words* const source = reinterpret_cast<const Words*>(from.after);
    Words* const target = reinterpret_cast<Words*>(to.after);
    team.sync();
    team.each(int(Lists::bytes(nodes, copies()) / 16), [&](int w) { target[w] = source[w]; });
    team.sync();
  }
};

}  // namespace gls
