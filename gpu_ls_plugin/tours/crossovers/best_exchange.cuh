// Finds the best exchange of two edges that joins a subtour to another one.
//
// If lengths are real, exchanges are first estimated in float32. Only the few that may be the best,
// given the error bounds, are then measured exactly. So the result is exact.
#pragma once

#include "tours/problem/lengths.cuh"
#include "tours/crossovers/broken_tour.cuh"

namespace gls {

// An exchange removes an edge (u, v) of a city u of the subtour and an edge (c, w) of a candidate c
// of u, and adds (u, c) and (v, w). Its number encodes the place of u, the rank of c in u's list,
// and the sides of both removed edges.
template <class Lists, class Broken>
GLS_DEVICE typename Broken::Exchange read_exchange(const Lists& lists, const Broken& child,
                                                   int64 number) {
  const bool v_after = number & 2, w_after = number & 1;
  const int place = int(number / 4 / lists.degree), rank = int(number / 4 % lists.degree);
  const int c = child.tour.place(lists.city(lists.entry(child.tour.at(place), rank)));
  return {place,
          c,
          v_after,
          w_after,
          child.neighbour(place, child.path_of(place), v_after),
          child.neighbour(c, child.path_of(c), w_after)};
}

// Lists the places of a subtour's cities in `child.spare`; returns the number of cities.
template <class Team, class Broken>
GLS_DEVICE int list_cities(const Team& team, const Broken& child, int subtour) {
  uint32* const paths = child.words + 2 * kMostCuts;
  const int count = put_kept(
      team, child.size, [&](int path) { return int(child.owner[path]) == subtour; },
      [&](int rank, int path) { paths[rank] = uint32(path); });
  int cities = 0;
#pragma unroll 1
  for (int k = 0; k < count; ++k) {
    const int begin = child.first(int(paths[k])), length = child.length(int(paths[k]));
    team.each(length, [&](int i) {
      child.spare[cities + i] = typename Broken::City(child.tour.wrap(begin + i));
    });
    cities += length;
  }
  team.sync();
  return cities;
}

// Enumerates exchanges with the exact or approximate lengths that `Measure` computes, and offers
// them to a sink, which keeps the best.
template <class Team, class Measure, class Lists, class Broken>
struct ExchangeScan {
  using Value = typename Measure::Value;
  using Spot = typename Measure::Spot;

  const Team& team;
  Measure measure;
  const Lists& lists;
  const Broken& child;
  int subtour;

  // Offers a sink the exchanges of `cities` cities, whose places are in `child.spare`.
  template <class Sink>
  GLS_DEVICE void offer(int cities, Sink& sink) const {
    int each = 1;  // lanes per city
    while (2 * each * cities <= Team::kLanes) each *= 2;
    const int lane = team.lane() % each;
#pragma unroll 1
    for (int base = 0; base < cities; base += Team::kLanes / each) {
      const int k = base + team.lane() / each;
      if (k < cities) look_at(int(child.spare[k]), lane, each, sink);
      sink.share(team);
    }
  }

 private:
  // A city, its two neighbours and the lengths of the edges to them.
  struct Beside {
    Spot own, beside[2];
    Value out[2];

    GLS_DEVICE Beside() = default;
    GLS_DEVICE Beside(const Measure& measure, const Broken& child, int city, int place, int path)
        : own(measure.spot(city)),
          beside{measure.spot(child.neighbour(place, path, false).city),
                 measure.spot(child.neighbour(place, path, true).city)},
          out{measure(own, beside[0]), measure(own, beside[1])} {}

    GLS_DEVICE Value most() const { return out[0] < out[1] ? out[1] : out[0]; }
  };

  // Offers the exchanges of a city with every `each`-th of its candidates.
  template <class Sink>
  GLS_DEVICE void look_at(int place, int first, int each, Sink& sink) const {
    // If lanes run in parallel, each loads as many candidates ahead as its registers allow.
    constexpr int kAhead = Team::kLanes == 1 ? 1 : Measure::kAhead;
    const auto& tour = child.tour;
    const int city = tour.at(place);
    const Beside u(measure, child, city, place, child.path_of(place));
#pragma unroll 1
    for (int rank = first; rank < lists.degree; rank += kAhead * each) {
      int c[kAhead], c_place[kAhead], c_path[kAhead];
      GLS_UNROLL
      for (int a = 0; a < kAhead; ++a) {
        const int own = rank + a * each;
        c[a] = lists.city(lists.entry(city, own < lists.degree ? own : rank));
        c_place[a] = tour.place(c[a]);
        c_path[a] = child.path_of(c_place[a]);
      }
      const auto counts = [&](int a) {
        return rank + a * each < lists.degree && int(child.owner[c_path[a]]) != subtour;
      };
      const auto beside = [&](int a) {
        return Beside(measure, child, c[a], c_place[a], c_path[a]);
      };
      if constexpr (Measure::kCheap) {  // computes all values without branches
        Beside all[kAhead];
        GLS_UNROLL
        for (int a = 0; a < kAhead; ++a) all[a] = beside(a);
        GLS_UNROLL
        for (int a = 0; a < kAhead; ++a) {
          if (counts(a)) compare(place, u, rank + a * each, all[a], sink);
        }
      } else {
        GLS_UNROLL
        for (int a = 0; a < kAhead; ++a) {
          if (counts(a)) compare(place, u, rank + a * each, beside(a), sink);
        }
      }
    }
  }

  // Offers the four exchanges of a city with its candidate number `rank`.
  template <class Sink>
  GLS_DEVICE void compare(int place, const Beside& u, int rank, const Beside& c, Sink& sink) const {
    const Value in = measure.listed(lists, lists.entry(child.tour.at(place), rank), u.own, c.own);
    if (sink.hopeless(in, u.most(), c.most())) return;  // even if the other added edge has length 0
    const int64 number = (int64(place) * lists.degree + rank) * 4;
    GLS_UNROLL
    for (int which = 0; which < 4; ++which) {
      const int v = which / 2, w = which % 2;
      sink.add(in, measure(u.beside[v], c.beside[w]), u.out[v], c.out[w], number + which);
    }
  }
};

// Exact lengths.
template <class Lengths>
struct Measured {
  using Value = typename Lengths::Length;
  using Spot = int;  // a city
  static constexpr int kAhead = sizeof(Value) == 4                       ? 4
                                : sizeof(typename Lengths::Metric) <= 16 ? 2
                                                                         : 1;
  static constexpr bool kCheap = false;
  static constexpr Value kMost = Value(int64(1) << (sizeof(Value) == 4 ? 30 : 60));

  const Lengths& lengths;

  GLS_DEVICE Spot spot(int city) const { return city; }
  GLS_DEVICE Value operator()(int a, int b) const { return lengths(a, b); }
  template <class Lists, class Entry>
  GLS_DEVICE Value listed(const Lists& lists, const Entry& entry, int, int) const {
    return lists.length(entry);
  }
};

// A sink that finds the exchange with the smallest loss, the increase in length.
template <class Value>
struct BestOffered {
  Ranked<Value> best;
  Value known;  // smallest loss found by any lane

  GLS_DEVICE bool hopeless(Value in, Value u_out, Value c_out) const {
    return known < in - u_out - c_out;
  }
  GLS_DEVICE void add(Value in, Value closing, Value u_out, Value c_out, int64 number) {
    const Ranked<Value> found{in + closing - u_out - c_out, number};
    if (found < best) best = found;
    if (best.value < known) known = best.value;
  }
  template <class Team>
  GLS_DEVICE void share(const Team& team) {
    known = team.least(known);
  }
};

// Estimates of lengths in float32.
template <class Lengths>
struct Estimated {
  using Value = float;
  using Spot = typename Lengths::City;
  static constexpr int kAhead = 2;
  static constexpr bool kCheap = true;

  const Lengths& lengths;

  GLS_DEVICE Spot spot(int city) const { return lengths.sites[city]; }
  GLS_DEVICE float operator()(const Spot& a, const Spot& b) const {
    return lengths.metric.estimate(a.point(), b.point());
  }
  template <class Lists, class Entry>
  GLS_DEVICE float listed(const Lists&, const Entry&, const Spot& u, const Spot& c) const {
    return (*this)(u, c);
  }
};

// Bounds on the loss of an exchange, given the rounding of float32 sums.
struct Loss {
  static constexpr float kRounding = 1.0f / (1 << 21);
  float least, most;

  GLS_DEVICE Loss(float in, float out)
      : least(in - out - kRounding * (in + out)), most(in - out + kRounding * (in + out)) {}
};

// A sink that finds the exchange with the smallest lower bound on its loss, and the second smallest
// bound.
struct LeastEstimate {
  static constexpr float kMost = 3e38f;

  float doubt;          // error bound of the difference between two estimated losses
  float known = kMost;  // smallest upper bound on a loss found by any lane
  float least = bits_to_float(0x7f800000), second = least;  // infinite
  int64 number = -1;

  GLS_DEVICE bool hopeless(float in, float u_out, float c_out) const {
    return Loss(in, u_out + c_out).least > known + doubt;
  }
  GLS_DEVICE void add(float in, float closing, float u_out, float c_out, int64 its) {
    const Loss loss(in + closing, u_out + c_out);
    const bool better = loss.least < least;
    const float other = better ? least : loss.least;
    second = other < second ? other : second;
    least = better ? loss.least : least;
    number = better ? its : number;
    known = loss.most < known ? loss.most : known;
  }
  template <class Team>
  GLS_DEVICE void share(const Team& team) {
    known = team.least(known);
  }
};

// Returns the exact loss of an exchange.
template <class Lengths, class Broken>
GLS_DEVICE Ranked<typename Lengths::Length> measured(const Lengths& length,
                                                     const typename Lengths::Lists& lists,
                                                     const Broken& child, int64 number) {
  const auto its = read_exchange(lists, child, number);
  const int u = child.tour.at(its.u_place), c = child.tour.at(its.c_place);
  const auto in = lists.length(lists.entry(u, int(number / 4 % lists.degree)));
  return {in + length(its.v.city, its.w.city) - length(u, its.v.city) - length(c, its.w.city),
          number};
}

// Returns the number and the loss of a subtour's best exchange; if none exists, the number is -1.
template <class Team, class Lengths, class Broken>
GLS_DEVICE Ranked<typename Lengths::Length> best_exchange(const Team& team, const Lengths& length,
                                                          const typename Lengths::Lists& lists,
                                                          const Broken& child, int subtour) {
  using Length = typename Lengths::Length;
  using Lists = typename Lengths::Lists;
  using Exact = Measured<Lengths>;
  Ranked<Length> best{Exact::kMost, -1};
  const int cities = list_cities(team, child, subtour);
  // A single lane skips the estimates. It meets each exchange from both cities of an edge, so the
  // second smallest bound would equal the smallest, and all exchanges would be measured anyway.
  if constexpr (Lengths::kEstimated && Team::kLanes > 1) {
    using About = Estimated<Lengths>;
    LeastEstimate found{8 * length.error.absolute};
    ExchangeScan<Team, About, Lists, Broken>{team, {length}, lists, child, subtour}.offer(cities,
                                                                                          found);
    const float limit = found.known + found.doubt;
    if (found.number >= 0 && found.least <= limit) {
      best = measured(length, lists, child, found.number);
    }
    best = team.least(best);
    if (!team.any(found.second <= limit)) return best;
  }
  BestOffered<Length> found{best, best.value};
  ExchangeScan<Team, Exact, Lists, Broken>{team, {length}, lists, child, subtour}.offer(cities,
                                                                                        found);
  return team.least(found.best);
}

}  // namespace gls
