// The exchanges of two edges that join a subtour of a broken tour with another one, looked at by
// all lanes of a team.
#pragma once

#include "tours/crossovers/broken_tour.cuh"

namespace gls {

// An exchange takes out an edge from a city u of the subtour to v and one from a candidate c of u
// to w; (u, c) and (v, w) come in. It is numbered by the place of u, the rank of its candidate, and
// on which sides of them the edges lie that go out.
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

// Lists the places of a subtour's cities where the order of the next tour will be; returns how many
// there are.
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

// `Measure` says how long edges are, exactly or about; `Sink` is given the exchanges.
template <class Team, class Measure, class Lists, class Broken>
struct ExchangeScan {
  using Value = typename Measure::Value;
  using Spot = typename Measure::Spot;

  const Team& team;
  Measure measure;
  const Lists& lists;
  const Broken& child;
  int subtour;

  // Offers a sink the exchanges at so many cities, whose places are in `child.spare`.
  template <class Sink>
  GLS_DEVICE void offer(int cities, Sink& sink) const {
    int each = 1;  // lanes of a city
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
  // A city, its neighbours, and how long its edges to them are.
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

  // Looks at the exchanges of a city with every so many of its candidates.
  template <class Sink>
  GLS_DEVICE void look_at(int place, int first, int each, Sink& sink) const {
    // Lanes that wait for each other have several candidates on their way, as registers allow.
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
      if constexpr (Measure::kCheap) {  // nothing waits for a branch
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

  // Offers the exchanges of a city at a place and a candidate of that rank.
  template <class Sink>
  GLS_DEVICE void compare(int place, const Beside& u, int rank, const Beside& c, Sink& sink) const {
    const Value in = measure.listed(lists, lists.entry(child.tour.at(place), rank), u.own, c.own);
    if (sink.hopeless(in, u.most(), c.most())) return;  // no length is negative
    const int64 number = (int64(place) * lists.degree + rank) * 4;
    GLS_UNROLL
    for (int which = 0; which < 4; ++which) {
      const int v = which / 2, w = which % 2;
      sink.add(in, measure(u.beside[v], c.beside[w]), u.out[v], c.out[w], number + which);
    }
  }
};

}  // namespace gls
