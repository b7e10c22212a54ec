// Time windows: a vehicle waits where it is early, and goes back in time where it is late (time
// warp: Vidal, Crainic, Gendreau and Prins 2013).
#pragma once

#include "routes/problem/resources/resource.cuh"

namespace gls {

struct TimeWindowsData {
  const void *early, *late;  // Amounts: when the service of each node may begin
  const void* services;      // Amounts: how long it takes
  const void* releases;      // Amounts: no vehicle starts before its customers are released
  const void* durations;     // Amounts, shape (customers + 1, customers + 1); not read if lengths
                             // are durations
  int64 customers;
  uint64 first, last;  // Amounts: earliest and latest start of a vehicle
  uint64 limit;        // an Amount: the longest duration of a route
};

// The first and the last node of a path, if durations have to be looked up.
template <bool known>
struct EndNodes {
  int first, last;
};
template <>
struct EndNodes<false> {
  EndNodes() = default;
  GLS_DEVICE EndNodes(int, int) {}
};

template <class AmountType, bool own_durations = false>
struct TimeWindows {
  static constexpr int kWords = kWordsOf<TimeWindowsData>;
  static constexpr bool kTurns = true, kAdds = false;
  static constexpr int kOrders = 3;
  static constexpr bool kTimed = true;
  using Amount = AmountType;
  using Ends = EndNodes<own_durations>;
  // If a path begins between `early` and `late`, its duration, with waiting, and its time warp are
  // the least.
  struct Segment {
    Amount duration, warp, early, late, release;
    Ends ends;
  };

  const Amount *early, *late, *services, *releases, *durations;
  int customers;
  Amount first, last, limit;

  GLS_DEVICE explicit TimeWindows(const uint64* words)
      : TimeWindows(parameters_of<TimeWindowsData>(words)) {}
  GLS_DEVICE explicit TimeWindows(const TimeWindowsData& data)
      : early(static_cast<const Amount*>(data.early)),
        late(static_cast<const Amount*>(data.late)),
        services(static_cast<const Amount*>(data.services)),
        releases(static_cast<const Amount*>(data.releases)),
        durations(static_cast<const Amount*>(data.durations)),
        customers(int(data.customers)),
        first(number_in<Amount>(data.first)),
        last(number_in<Amount>(data.last)),
        limit(number_in<Amount>(data.limit)) {}

  GLS_DEVICE Segment at(int node) const {
    const int own = is_depot(node, customers) ? 0 : node;
    return {services[own], 0, early[own], late[own], releases[own], Ends{own, own}};
  }
  template <class Length>
  GLS_DEVICE Segment join(const Segment& a, const Segment& b, Length edge) const {
    Amount travel = Amount(edge);
    Ends ends = a.ends;
    if constexpr (own_durations) {
      travel = durations[int64(a.ends.last) * (customers + 1) + b.ends.first];
      ends.last = b.ends.last;
    }
    const Amount on = a.duration - a.warp + travel;  // from the start of a to that of b
    const Amount wait = most(b.early - on - a.late, 0), warp = most(a.early + on - b.late, 0);
    return {a.duration + b.duration + travel + wait,
            a.warp + b.warp + warp,
            most(b.early - on, a.early) - wait,
            least(b.late - on, a.late) + warp,
            most(a.release, b.release),
            ends};
  }
  GLS_DEVICE Amount excess(const Segment& route) const {
    const Amount latest = least(route.late, last);
    const Amount warp = route.warp + most(most(route.release, first) - latest, 0);
    const Amount duration = route.duration + most(route.early - latest, 0);
    return warp + most(duration - warp - limit, 0);
  }

  // Short windows, early or late ones first.
  GLS_DEVICE double rank(int node, int order) const {
    const double begin = double(early[node]), end = double(late[node]);
    return order == 0 ? end - begin : order == 1 ? begin : -end;
  }
  GLS_DEVICE Amount end(const Segment& path) const {
    return most(most(path.release, first), path.early) + path.duration - path.warp;
  }
  GLS_DEVICE Amount deadline(int node) const { return late[node]; }

 private:
  GLS_DEVICE static Amount most(Amount a, Amount b) { return a > b ? a : b; }
  GLS_DEVICE static Amount least(Amount a, Amount b) { return a < b ? a : b; }
};

}  // namespace gls
