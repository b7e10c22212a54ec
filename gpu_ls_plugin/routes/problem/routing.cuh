// The constraints of vehicle routing as an objective: giant tours pay for routes that exceed a
// resource's limit, and for routes beyond the fleet.
//
// A change cuts a tour into segments. The head of a segment is its part up to its first depot; the
// tail is its part from its last depot on. Each link joins a tail and a head into a new route.
// For each place of the tour, the kernels store summaries (Resource::Segment) of the parts of its
// route before and after that place (Schulz 2013, section 4.3; Irnich 2008). Evaluating a change
// then takes a few joins of summaries, however long the segments of the tour are.
#pragma once

#include "routes/problem/route_pieces.cuh"
#include "tours/problem/tour_segments.cuh"
#include "routes/problem/resources/duration.cuh"
#include "routes/problem/resources/load.cuh"
#include "routes/problem/resources/resource_list.cuh"
#include "routes/problem/resources/time_windows.cuh"

namespace gls {

// The routes of a tour of n places, in memory at `at`. A route has the number, 0 to copies - 1, of
// the copy of the depot at which it begins.
struct KeptRoutes {
  char* at;
  int n, copies;

  GLS_DEVICE int* route() const { return reinterpret_cast<int*>(at); }  // route of each place
  GLS_DEVICE int* start() const { return route() + n; }                 // first place of each route
  GLS_DEVICE int* customers() const { return start() + copies; }        // size of each route
  GLS_DEVICE static int64 bytes(int n, int copies) { return 4 * int64(n + 2 * copies); }

  // Whether there is a copy of the depot among the `length` places from `first` to `last`.
  GLS_DEVICE bool holds_depot(int first, int last, int length) const {
    const int its_route = route()[first], begin = start()[its_route];
    if (its_route != route()[last] || first == begin) return true;
    const int to = last - begin, from = first - begin;
    return (to < 0 ? to + n : to) - (from < 0 ? from + n : from) + 1 != length;
  }
};

// A resource and its summaries of routes, in memory at `at`. If summaries are sums, those of the
// parts after a place are not stored; they are computed from the summary of the whole route.
template <class ResourceType>
struct KeptResource {
  using Resource = ResourceType;
  using Segment = typename Resource::Segment;
  using Amount = typename Resource::Amount;
  static constexpr bool kAdds = Resource::kAdds, kTurns = Resource::kTurns;
  static constexpr int kSegments = kAdds ? 1 : 2;

  const Resource& resource;
  const KeptRoutes routes;
  char* at;

  GLS_DEVICE Segment* before() const { return reinterpret_cast<Segment*>(at); }  // up to each place
  GLS_DEVICE Segment* behind() const { return before() + routes.n; }  // from each place on
  GLS_DEVICE Segment* whole() const { return before() + kSegments * routes.n; }  // of each route
  GLS_DEVICE static int64 bytes(int n, int copies) {
    return (int64(kSegments * n + copies) * sizeof(Segment) + 15) / 16 * 16;
  }

  GLS_DEVICE Amount excess(int route) const {
    return routes.customers()[route] > 0 ? resource.excess(whole()[route]) : 0;
  }
  // The segment from a customer to the end of its route.
  GLS_DEVICE Segment behind_customer(int place, int customer) const {
    if constexpr (kAdds) {
      return resource.without(whole()[routes.route()[place]], before()[place],
                              resource.at(customer));
    } else {
      return behind()[place];
    }
  }
};

template <class Resource>
GLS_DEVICE KeptResource<Resource> kept_as(const Resource& resource, const KeptRoutes& routes,
                                          char* at) {
  return {resource, routes, at};
}

// The excess of the routes that a change touches, before and after it.
template <class Amount>
struct Excess {
  Amount before, after;
};

// The parameters of Routing. In the words of the objective, they come between KeptTours and the
// parameters of the resources.
struct RoutingData {
  const void* metric_data;
  int64 customers;
  int64 fleet;            // maximum number of routes
  uint64 vehicle_weight;  // a Weight: the price of a route beyond the fleet
};

// The objective. If `hard`, a change that increases the violation of a constraint is forbidden.
// It has no `feasible`, which only chains call: those of routes work on linked lists.
template <class Metric, class Weight, bool hard, class... Resources>
struct Routing {
  static constexpr bool kKeeps = true;
  using List = ResourceList<Weight, BothWays<Resources>...>;
  static constexpr bool kDirected = List::kTurns;

  const Metric metric;
  const int customers, copies, fleet;
  const Weight vehicle_weight;
  const List resources;
  char* memory;  // data of the current tour
  const int64 stride;

  GLS_DEVICE Routing(const uint64* words, int n)
      : Routing(parameters_of<RoutingData>(words_behind<KeptTours>(words)),
                parameters_of<KeptTours>(words), resource_words(words), n) {}
  GLS_DEVICE Routing(const RoutingData& data, const KeptTours& tours, const uint64* resource_words,
                     int n)
      : metric(data.metric_data, n),
        customers(int(data.customers)),
        copies(n - customers),
        fleet(int(data.fleet)),
        vehicle_weight(number_in<Weight>(data.vehicle_weight)),
        resources(resource_words),
        memory(tours.first),
        stride(tours.stride) {}
  GLS_DEVICE static const uint64* resource_words(const uint64* words) {
    return words_behind<RoutingData>(words_behind<KeptTours>(words));
  }

  // Makes the tour of a row the current one.
  GLS_DEVICE void choose(int row) { memory += row * stride; }

  // Computes the routes and segments of the tour city(0), ..., city(n - 1). All lanes call it.
  template <class Team, class City>
  GLS_DEVICE void keep(const Team& team, int n, City city) const {
    const KeptRoutes routes = kept_routes(n);
    keep_routes(team, routes, city);
    Weight due = 0;
    each(routes, [&](const auto& kept, Weight weight) {
      keep_segments(team, kept, city);
      due += paid(team, kept, weight);
    });
    keep_totals(team, routes, due);
  }

  // The price of all violations, an upper bound on what a change can save besides length.
  template <class Gain>
  GLS_DEVICE Gain relief() const {
    return Gain(*relief_place());
  }

  // For a depot, the copy at which an empty route begins, or 0 if no route is empty; for a
  // customer, the customer itself.
  GLS_DEVICE int chosen_depot(int node) const {
    return is_depot(node, customers) ? *spare_place() : node;
  }

  template <class Change, class Gain>
  GLS_DEVICE Gain gain(const Change& change, Gain shorter) const {
    if constexpr (kTurns) {
      return gain_by_segments(change, shorter);
    } else if constexpr (Change::kMostEdges <= kMostPieces) {
      return gain_by_pieces(change, shorter);
    } else {
      return change.edges() <= kMostPieces ? gain_by_pieces(change, shorter)
                                           : gain_by_segments(change, shorter);
    }
  }

  // Whether two changes can be applied together: the tour does not have too many routes, the
  // changes have no route in common and, if the fleet is limited, at most one of them uses an empty
  // route.
  template <class Cuts>
  GLS_DEVICE bool add_up(int n, const Cuts& a, const Cuts& b) const {
    if (*used_place() > fleet) return false;
    const KeptRoutes routes = kept_routes(n);
    bool apart = true, opens = false, other_opens = false;
#pragma unroll 1
    for (int e = 0; e < a.count; ++e) {
      const int route = routes.route()[a.place(e)];
      opens |= routes.customers()[route] == 0;
      for (int f = 0; f < b.count; ++f) apart &= routes.route()[b.place(f)] != route;
    }
    if (fleet >= copies) return apart;
#pragma unroll 1
    for (int f = 0; f < b.count; ++f) {
      other_opens |= routes.customers()[routes.route()[b.place(f)]] == 0;
    }
    return apart && !(opens && other_opens);
  }

 private:
  static constexpr bool kTurns = List::kTurns;

  // The price of the excess of a resource, over all routes.
  template <class Team, class Kept>
  GLS_DEVICE Weight paid(const Team& team, const Kept& kept, Weight weight) const {
    return weight *
           team.template sum<Weight>(copies, [&](int route) { return Weight(kept.excess(route)); });
  }
  // Stores the price of all violations, the number of non-empty routes, and an empty route.
  template <class Team>
  GLS_DEVICE void keep_totals(const Team& team, const KeptRoutes& routes, Weight due) const {
    const int used = team.template sum<int>(
        copies, [&](int route) { return int(routes.customers()[route] > 0); });
    due += vehicle_weight * (used > fleet ? used - fleet : 0);
    const int spare = team.least(
        copies, copies, [&](int route) { return routes.customers()[route] ? copies : route; });
    team.once([&] {
      *relief_place() = due;
      *used_place() = used;
      *spare_place() = spare == 0 || spare == copies ? 0 : customers + spare;
    });
  }

  // The gain of a change of at most kMostPieces edges, whose links join pieces of routes into new
  // routes. The direction of routes must not matter.
  template <class Change, class Gain>
  GLS_DEVICE Gain gain_by_pieces(const Change& change, Gain shorter) const {
    const int n = change.cities();
    const KeptRoutes routes = kept_routes(n);
    const RoutePieces pieces(
        change, [&](int place) { return routes.route()[place]; },
        [&](int place, int route) {
          const int offset = place - routes.start()[route];
          return offset < 0 ? offset + n : offset;
        });
    bool worse = false;
    Weight saved = 0;
    each(routes, [&](const auto& kept, Weight weight) {
      decltype(kept.excess(0)) before = 0, after = 0;
#pragma unroll 1
      for (int c = 0; c < change.edges(); ++c) {
        if (pieces.fresh >> c & 1) before += kept.excess(cut_route(routes, change, c));
      }
#pragma unroll 1
      for (int end = 0; end < 2 * change.edges(); ++end) {
        if (pieces.leads_to_depot(end)) after += excess_of_chain(kept, change, pieces, end);
      }
      worse |= after > before;
      saved += weight * Weight(before - after);
    });
    if (fleet < copies) {
      int more = 0;
#pragma unroll 1
      for (int c = 0; c < change.edges(); ++c) {
        more -= (pieces.fresh >> c & 1) && routes.customers()[cut_route(routes, change, c)] > 0;
      }
#pragma unroll 1
      for (int end = 0; end < 2 * change.edges(); ++end) {
        if (!pieces.leads_to_depot(end)) continue;
        bool visits = !is_depot(change.city(change.place(end)), customers);
        const int last = end_of_chain(pieces, end, [&](int, int) { visits = true; });
        visits |= !is_depot(change.city(change.place(last)), customers);
        more += visits && end < last;
      }
      charge_vehicles(more, worse, saved);
    }
    return hard && worse ? forbidden<Gain>() : shorter + Gain(saved);
  }

  // Follows a new route from one end to the other and returns the other end; the pieces of both
  // ends lead to a depot. Calls pass(end, mate) for each piece between the two ends.
  template <class Pass>
  GLS_DEVICE static int end_of_chain(const RoutePieces& pieces, int end, Pass pass) {
    int at = pieces.link(end);
    for (int mate = pieces.mate(at); mate != RoutePieces::kNone; mate = pieces.mate(at)) {
      pass(at, mate);
      at = pieces.link(mate);
    }
    return at;
  }

  // The excess of the new route that begins at an end; 0 if the other end of the route has a
  // smaller number, so that each new route counts once.
  template <class Kept, class Change>
  GLS_DEVICE typename Kept::Amount excess_of_chain(const Kept& kept, const Change& change,
                                                   const RoutePieces& pieces, int end) const {
    const auto outer = [&](int end) {
      const int place = change.place(end);
      return pieces.in_front(end) ? kept.before()[place] : onward(kept, place, change.city(place));
    };
    const auto length = [&](int a, int b) {
      return edge(change.city(change.place(a)), change.city(change.place(b)));
    };
    auto path = outer(end);
    int left = end;
    const int last = end_of_chain(pieces, end, [&](int to, int mate) {
      const int first = change.place(pieces.in_front(to) ? mate : to);
      const int last = change.place(pieces.in_front(to) ? to : mate);
      const auto part = kept.resource.without(kept.before()[last], kept.before()[first],
                                              kept.resource.at(change.city(first)));
      path = kept.resource.join(path, part, length(left, to));
      left = mate;
    });
    if (last < end) return 0;
    if (left == end && is_depot(change.city(change.place(end)), customers) &&
        is_depot(change.city(change.place(last)), customers)) {
      return 0;  // an empty route
    }
    return kept.resource.excess(kept.resource.join(path, outer(last), length(left, last)));
  }

  GLS_DEVICE void charge_vehicles(int more, bool& worse, Weight& saved) const {
    const int used = *used_place();
    const int before = used > fleet ? used - fleet : 0;
    const int after = used + more > fleet ? used + more - fleet : 0;
    worse |= after > before;
    saved += vehicle_weight * (before - after);
  }

  // The gain of any change, computed from the segments into which it cuts the tour.
  template <class Change, class Gain>
  GLS_DEVICE Gain gain_by_segments(const Change& change, Gain shorter) const {
    const int n = change.cities();
    const KeptRoutes routes = kept_routes(n);
    const TourSegments tour(change, kTurns ? change.place(0) : -1);
    int first = 0;  // index of a segment with a depot; its tail begins the first new route
    while (!holds_depot(routes, tour.segments[first], n)) ++first;
    const auto segment_at = [&](int x) {
      const int at = first + x;
      return tour.segments[at < tour.size ? at : at - tour.size];
    };
    bool worse = false;
    Weight saved = 0;
    each(routes, [&](const auto& kept, Weight weight) {
      const auto excess = excess_of(kept, change, tour, segment_at, n);
      worse |= excess.after > excess.before;
      saved += weight * Weight(excess.before - excess.after);
    });
    if (fleet < copies) {
      charge_vehicles(more_routes(routes, change, segment_at, n), worse, saved);
    }
    return hard && worse ? forbidden<Gain>() : shorter + Gain(saved);
  }

  // The contiguous range of places that a lane works on.
  template <class Team>
  struct Share {
    int begin, end;
    GLS_DEVICE Share(const Team& team, int n) {
      const int count = (n + Team::kLanes - 1) / Team::kLanes, first = team.lane() * count;
      begin = first < n ? first : n;
      end = begin + count < n ? begin + count : n;
    }
  };

  // Stores the route of each place, and the start and the number of customers of each route.
  template <class Team, class City>
  GLS_DEVICE void keep_routes(const Team& team, const KeptRoutes& routes, City city) const {
    const int n = routes.n;
    const Share<Team> share(team, n);
    int last = -1;  // place of the last copy of the depot in the lane's range
#pragma unroll 1
    for (int place = share.end - 1; place >= share.begin && last < 0; --place) {
      if (is_depot(city(place), customers)) last = place;
    }
    const auto later = [](int a, int b) { return b >= 0 ? b : a; };
    const Scanned<int> known = team.scan(last, -1, later);
    int begin = known.before >= 0 ? known.before : known.all;
    int route = number_of(city(begin));
#pragma unroll 1
    for (int place = share.begin; place < share.end; ++place) {
      const int node = city(place);
      if (is_depot(node, customers)) {
        const int length = place - begin;
        routes.customers()[route] = (length > 0 ? length : length + n) - 1;
        begin = place, route = number_of(node);
        routes.start()[route] = place;
      }
      routes.route()[place] = route;
    }
    team.sync();
  }

  // Stores the segments of a resource from the depot to each place and of each whole route, and, if
  // segments are not sums, from each place to the next depot.
  template <class Team, class Kept, class City>
  GLS_DEVICE void keep_segments(const Team& team, const Kept& kept, City city) const {
    const int n = kept.routes.n;
    const Share<Team> share(team, n);
    walk<false>(team, kept.resource, share.begin, share.end, n, city,
                [&](int place, const auto& since) {
                  kept.before()[place] = since;
                  const int next = city(wrapped(place + 1, n)), node = city(place);
                  if (!is_depot(next, customers)) return;
                  kept.whole()[kept.routes.route()[place]] =
                      kept.resource.join(since, kept.resource.at(next), edge(node, next));
                });
    if constexpr (!Kept::kAdds) {
      walk<true>(team, kept.resource, share.begin, share.end, n, city,
                 [&](int place, const auto& since) { kept.behind()[place] = since; });
    }
    team.sync();
  }

  // Calls use(place, segment since the last copy of the depot) for each place of a lane. If `back`,
  // the walk runs from the end of the tour to its beginning, and so do the ranges of the lanes.
  template <bool back, class Team, class Resource, class City, class Use>
  GLS_DEVICE void walk(const Team& team, const Resource& resource, int begin, int end, int n,
                       City city, Use use) const {
    using Segment = typename Resource::Segment;
    struct Part {
      Segment since;
      TwoWay<typename Metric::Length> entry;  // the edge to the first place
      int depot;                              // whether the part contains a depot
      int count;                              // number of places
    };
    const auto join = [&](const Part& a, const Part& b) {
      if (a.count == 0) return b;
      if (b.count == 0) return a;
      Part both = b;
      both.count += a.count;
      if (b.depot) {
        both.entry = a.entry;
        return both;
      }
      both.since = back ? resource.join(b.since, a.since, b.entry)
                        : resource.join(a.since, b.since, b.entry);
      both.entry = a.entry, both.depot = a.depot;
      return both;
    };
    const auto at = [&](int place) {
      const int before = back ? wrapped(place + 1, n) : (place > 0 ? place : n) - 1;
      const int a = city(before), b = city(place);
      TwoWay<typename Metric::Length> entry{0, 0};
      if constexpr (!ByNodes<Resource>::kValue) entry = back ? edge(b, a) : edge(a, b);
      return Part{resource.at(b), entry, is_depot(b, customers), 1};
    };
    const Part none{resource.at(0), {0, 0}, 0, 0};
    const auto place_of = [&](int step) { return back ? n - 1 - step : step; };
    int last = end - 1;  // step of the last copy of the depot
#pragma unroll 1
    while (last > begin && !is_depot(city(place_of(last)), customers)) --last;
    Part mine = none;
#pragma unroll 1
    for (int step = last < begin ? begin : last; step < end; ++step)
      mine = join(mine, at(place_of(step)));
    const Scanned<Part> known = team.scan(mine, none, join);
    Part since = known.before.depot ? known.before : join(known.all, known.before);
#pragma unroll 1
    for (int step = begin; step < end; ++step) {
      const int place = place_of(step);
      since = join(since, at(place));
      use(place, since.since);
    }
  }

  GLS_DEVICE int number_of(int depot) const { return depot == 0 ? 0 : depot - customers; }
  // The segment from the node at a place to the end of its route.
  template <class Kept>
  GLS_DEVICE typename Kept::Segment onward(const Kept& kept, int place, int node) const {
    return is_depot(node, customers) ? kept.resource.at(node) : kept.behind_customer(place, node);
  }

  GLS_DEVICE TwoWay<typename Metric::Length> edge(int a, int b) const {
    return {metric(a, b), metric(b, a)};
  }
  GLS_DEVICE Weight* relief_place() const { return reinterpret_cast<Weight*>(memory); }
  GLS_DEVICE int* used_place() const { return reinterpret_cast<int*>(memory + 8); }
  GLS_DEVICE int* spare_place() const { return reinterpret_cast<int*>(memory + 12); }
  GLS_DEVICE KeptRoutes kept_routes(int n) const { return {memory + 16, n, copies}; }
  GLS_DEVICE char* kept_resources(int n) const {
    return memory + 16 + (KeptRoutes::bytes(n, copies) + 15) / 16 * 16;
  }
  // Calls use(a KeptResource, its weight) for each resource.
  template <class Use>
  GLS_DEVICE void each(const KeptRoutes& routes, Use use) const {
    char* at = kept_resources(routes.n);
    resources.each([&](const auto& resource, Weight weight) {
      const auto kept = kept_as(resource, routes, at);
      use(kept, weight);
      at += kept.bytes(routes.n, routes.copies);
    });
  }

  GLS_DEVICE static int wrapped(int place, int n) { return place < n ? place : place - n; }
  GLS_DEVICE static bool holds_depot(const KeptRoutes& routes, const Segment& segment, int n) {
    return routes.holds_depot(wrapped(segment.first, n), wrapped(segment.last, n),
                              segment.length());
  }

  // The first and the last place of a segment in its direction.
  GLS_DEVICE static int from(const Segment& segment, int n) { return segment.place(0, n); }
  GLS_DEVICE static int to(const Segment& segment, int n) {
    return segment.place(segment.length() - 1, n);
  }

  // The current excess of the routes that a change cuts.
  template <class Kept, class Change>
  GLS_DEVICE static typename Kept::Amount excess_of_cut(const Kept& kept, const Change& change) {
    typename Kept::Amount excess = 0;
    each_cut_route(kept.routes, change, [&](int route) { excess += kept.excess(route); });
    return excess;
  }

  // The excess of the routes that a change touches, before and after it.
  template <class Kept, class Change, class SegmentAt>
  GLS_DEVICE auto excess_of(const Kept& kept, const Change& change, const TourSegments& tour,
                            SegmentAt segment_at, int n) const {
    Excess<typename Kept::Amount> excess{excess_of_cut(kept, change), 0};
    // The head or the tail of a segment.
    const auto part = [&](const Segment& segment, bool head) {
      const int first = wrapped(segment.first, n), last = wrapped(segment.last, n);
      const auto forward =
          head == segment.forward ? onward(kept, first, change.city(first)) : kept.before()[last];
      return segment.forward ? forward : kept.resource.turned(forward);
    };
    Segment at = segment_at(0);
    auto path = part(at, false);
    for (int x = 1; x <= tour.size; ++x) {
      const Segment next = segment_at(x < tour.size ? x : 0);
      const int a = change.city(to(at, n)), b = change.city(from(next, n));
      const auto link = edge(a, b);
      at = next;
      if (!holds_depot(kept.routes, next, n)) {
        path = kept.resource.join(path, inner(kept, change, next, n), link);
        continue;
      }
      if (!(is_depot(a, customers) && is_depot(b, customers))) {
        excess.after += kept.resource.excess(kept.resource.join(path, part(next, true), link));
      }
      path = part(next, false);
      if constexpr (Kept::kTurns) {
        if (!next.forward) excess.after += turned_routes(kept, change, next, n);
      }
    }
    return excess;
  }

  // The route of a cut edge.
  template <class Change>
  GLS_DEVICE static int cut_route(const KeptRoutes& routes, const Change& change, int edge) {
    const Edge cut = change.cut(edge);
    const bool forward = cut.to == (cut.from + 1 < change.cities() ? cut.from + 1 : 0);
    return routes.route()[forward ? cut.from : cut.to];
  }

  // Calls use(route) once for each route that a change cuts.
  template <class Change, class Use>
  GLS_DEVICE static void each_cut_route(const KeptRoutes& routes, const Change& change, Use use) {
    for (int e = 0; e < change.edges(); ++e) {
      const int route = cut_route(routes, change, e);
      bool first = true;
      for (int other = 0; other < e; ++other) first &= cut_route(routes, change, other) != route;
      if (first) use(route);
    }
  }

  // The resource's segment of a tour segment that contains no depot.
  template <class Kept, class Change>
  GLS_DEVICE typename Kept::Segment inner(const Kept& kept, const Change& change,
                                          const Segment& segment, int n) const {
    const int first = wrapped(segment.first, n), last = wrapped(segment.last, n);
    typename Kept::Segment part = kept.resource.at(change.city(first));
    if constexpr (Kept::kAdds) {
      part = kept.resource.without(kept.before()[last], kept.before()[first], part);
    } else {
      for (int place = first; place != last;) {
        const int a = change.city(place);
        place = wrapped(place + 1, n);
        const int b = change.city(place);
        part = kept.resource.join(part, kept.resource.at(b), edge(a, b));
      }
    }
    return segment.forward ? part : kept.resource.turned(part);
  }

  // The additional excess of the whole routes within a reversed segment.
  template <class Kept, class Change>
  GLS_DEVICE typename Kept::Amount turned_routes(const Kept& kept, const Change& change,
                                                 const Segment& segment, int n) const {
    const KeptRoutes& routes = kept.routes;
    typename Kept::Amount more = 0;
    const int last = wrapped(segment.last, n);
    int place = wrapped(segment.first, n);
    if (!is_depot(change.city(place), customers)) {  // go on to the first depot
      const int route = routes.route()[place];
      place = wrapped(routes.start()[route] + routes.customers()[route] + 1, n);
    }
    while (routes.route()[place] != routes.route()[last]) {
      const int route = routes.route()[place], length = routes.customers()[route];
      if (length > 0) {
        const auto& whole = kept.whole()[route];
        more += kept.resource.excess(kept.resource.turned(whole)) - kept.resource.excess(whole);
      }
      place = wrapped(place + length + 1, n);
    }
    return more;
  }

  // The number of non-empty routes that a change adds; negative if it removes some.
  template <class Change, class SegmentAt>
  GLS_DEVICE int more_routes(const KeptRoutes& routes, const Change& change, SegmentAt segment_at,
                             int n) const {
    int more = 0;
    const int size = change.edges();
    each_cut_route(routes, change, [&](int route) { more -= routes.customers()[route] > 0; });
    Segment at = segment_at(0);
    bool visits = !is_depot(change.city(to(at, n)), customers);
    for (int x = 1; x <= size; ++x) {
      const Segment next = segment_at(x < size ? x : 0);
      visits |= !is_depot(change.city(from(next, n)), customers);
      at = next;
      if (!holds_depot(routes, next, n)) continue;
      more += visits;
      visits = !is_depot(change.city(to(at, n)), customers);
    }
    return more;
  }
};

}  // namespace gls
