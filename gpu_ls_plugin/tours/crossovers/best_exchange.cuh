// The exchange of two edges that joins a subtour with another one for the least loss.
//
// Where a length is a square root in float64, estimates in float32 leave but a few exchanges to be
// measured: all whose loss may be the least, so that the result is the exact one.
#pragma once

#include "tours/problem/lengths.cuh"
#include "tours/crossovers/exchange_scan.cuh"

namespace gls {

// Lengths as they are.
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

// The best of the exchanges that are offered.
template <class Value>
struct BestOffered {
  Ranked<Value> best;
  Value known;  // of all lanes

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

// Lengths in float32, from sites.
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

// What an exchange loses at least and at most, as far as sums in float32 can tell.
struct Loss {
  static constexpr float kRounding = 1.0f / (1 << 21);
  float least, most;

  GLS_DEVICE Loss(float in, float out)
      : least(in - out - kRounding * (in + out)), most(in - out + kRounding * (in + out)) {}
};

// Of the exchanges that are offered to a lane, the one that may lose the least, and how little the
// next one may.
struct LeastEstimate {
  static constexpr float kMost = 3e38f;

  float doubt;          // of two sums of four estimates
  float known = kMost;  // what the best exchange of all lanes loses at most
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

// What an exchange loses.
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

// The best exchange of a subtour, and what it loses; index -1 if there is none.
template <class Team, class Lengths, class Broken>
GLS_DEVICE Ranked<typename Lengths::Length> best_exchange(const Team& team, const Lengths& length,
                                                          const typename Lengths::Lists& lists,
                                                          const Broken& child, int subtour) {
  using Length = typename Lengths::Length;
  using Lists = typename Lengths::Lists;
  using Exact = Measured<Lengths>;
  Ranked<Length> best{Exact::kMost, -1};
  const int cities = list_cities(team, child, subtour);
  // A single lane meets the same exchange at both cities of an edge, and would measure all again.
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
