// Time windows: a vehicle waits where it is early, and goes back in time where it is late (time
// warp: Vidal, Crainic, Gendreau and Prins 2013).
#pragma once

#include "routes/problem/resources/resource.cuh"

namespace gls {

// When the service of a node may begin, how long it takes, and when the goods of a customer are at
// the depot.
template <class Amount>
struct alignas(16) TimesOfNode {
  Amount early, late, service, release;
};

struct TimeWindowsData {
  const void* nodes;      // TimesOfNode of each node
  const void* durations;  // Amounts, shape (customers + 1, customers + 1); not read if lengths
                          // are durations
  int64 customers;
  uint64 first, last;  // Amounts: earliest and latest start of a vehicle
  uint64 limit;        // an Amount: the longest duration of a route
};

// The first and the last node of a path, if durations have to be looked up.
template <bool known>
struct EndNodes {
  int first, last;

  EndNodes() = default;
  GLS_DEVICE EndNodes(int first, int last) : first(first), last(last) {}
};
template <>
struct EndNodes<false> {
  EndNodes() = default;
  GLS_DEVICE EndNodes(int, int) {}
};

// The latest release time of a path, if customers have release times.
template <class Amount, bool known>
struct LatestRelease {
  Amount release;

  LatestRelease() = default;
  GLS_DEVICE explicit LatestRelease(Amount release) : release(release) {}
  GLS_DEVICE Amount released() const { return release; }
};
template <class Amount>
struct LatestRelease<Amount, false> {
  LatestRelease() = default;
  GLS_DEVICE explicit LatestRelease(Amount) {}
  GLS_DEVICE Amount released() const { return 0; }
};

// Amounts are int if all sums of times fit into it (see time_windows.py), otherwise int64, or
// double if times are real. `own_durations`: whether durations are no lengths; `releases`: whether
// customers have release times.
template <class AmountType, bool own_durations = false, bool releases = true>
struct TimeWindows {
  static constexpr int kWords = kWordsOf<TimeWindowsData>;
  static constexpr bool kTurns = true, kAdds = false;
  static constexpr int kOrders = 3;
  static constexpr bool kTimed = true;
  using Amount = AmountType;
  using Ends = EndNodes<own_durations>;
  using Release = LatestRelease<Amount, releases>;
  using Times = TimesOfNode<Amount>;
  // If a path begins between `early` and `late`, its duration, with waiting, and its time warp are
  // the least.
  struct alignas(own_durations || releases ? alignof(Amount) : 16) Segment : Ends, Release {
    Amount duration, warp, early, late;

    Segment() = default;
    GLS_DEVICE Segment(Amount duration, Amount warp, Amount early, Amount late, Release release,
                       Ends ends)
        : Ends(ends), Release(release), duration(duration), warp(warp), early(early), late(late) {}
  };

  const Times* nodes;
  const Amount* durations;
  int customers;
  Amount first, last, limit;

  GLS_DEVICE explicit TimeWindows(const uint64* words)
      : TimeWindows(parameters_of<TimeWindowsData>(words)) {}
  GLS_DEVICE explicit TimeWindows(const TimeWindowsData& data)
      : nodes(static_cast<const Times*>(data.nodes)),
        durations(static_cast<const Amount*>(data.durations)),
        customers(int(data.customers)),
        first(number_in<Amount>(data.first)),
        last(number_in<Amount>(data.last)),
        limit(number_in<Amount>(data.limit)) {}

  GLS_DEVICE Segment at(int node) const {
    const int own = is_depot(node, customers) ? 0 : node;
    const Times its = nodes[own];
    return {its.service, 0, its.early, its.late, Release(its.release), Ends(own, own)};
  }
  template <class Length>
  GLS_DEVICE Segment join(const Segment& a, const Segment& b, Length edge) const {
    Amount travel = Amount(edge);
    Ends ends = a;
    if constexpr (own_durations) {
      travel = durations[int64(a.Ends::last) * (customers + 1) + b.Ends::first];
      ends.last = b.Ends::last;
    }
    const Amount on = a.duration - a.warp + travel;  // from the start of a to that of b
    const Amount wait = most(b.early - on - a.late, 0), warp = most(a.early + on - b.late, 0);
    return {a.duration + b.duration + travel + wait,   a.warp + b.warp + warp,
            most(b.early - on, a.early) - wait,        least(b.late - on, a.late) + warp,
            Release(most(a.released(), b.released())), ends};
  }
  GLS_DEVICE Amount excess(const Segment& route) const {
    const Amount latest = least(route.late, last);
    const Amount warp = route.warp + most(most(route.released(), first) - latest, 0);
    const Amount duration = route.duration + most(route.early - latest, 0);
    return warp + most(duration - warp - limit, 0);
  }

  // Short windows, early or late ones first.
  GLS_DEVICE double rank(int node, int order) const {
    const double begin = double(nodes[node].early), end = double(nodes[node].late);
    return order == 0 ? end - begin : order == 1 ? begin : -end;
  }
  GLS_DEVICE Amount end(const Segment& path) const {
    return most(most(path.released(), first), path.early) + path.duration - path.warp;
  }
  GLS_DEVICE Amount deadline(int node) const { return nodes[node].late; }

 private:
  GLS_DEVICE static Amount most(Amount a, Amount b) { return a > b ? a : b; }
  GLS_DEVICE static Amount least(Amount a, Amount b) { return a < b ? a : b; }
};

}  // namespace gls
