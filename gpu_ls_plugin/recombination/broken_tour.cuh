// A tour some of whose edges are out and as many others in: the paths that are left, and the
// subtours that they form.
//
// Path s ends at place cuts[s], where the next one begins behind it. Side 2 s is its first city,
// side 2 s + 1 its last one.
#pragma once

#include "tours/ring_tour.cuh"
#include "tours/tour_memory.cuh"

namespace gls {

constexpr int kMostCuts = 256;

template <class CityType>
struct BrokenTour {
  using City = CityType;

  RingTour<City> tour;
  City* spare;    // order of the next tour
  City* cuts;     // places before the edges that are out; ascending once connected
  City* ends;     // new edge e joins the cities ends[2 e] and ends[2 e + 1]
  City* sides;    // of `ends`
  City* at;       // which of `ends` is at a side
  City* owner;    // subtour of each path: the first of its paths
  uint32* words;  // scratch
  int size;       // edges that are out, and in

  // Counted by `connect`.
  struct Subtours {
    int count, smallest;
    int cities;  // of the smallest
  };

  GLS_DEVICE static int64 bytes(int n) {
    return 3 * piece_bytes<City>(n) + 2 * piece_bytes<City>(kMostCuts) +
           3 * piece_bytes<City>(2 * kMostCuts) + piece_bytes<uint32>(4 * kMostCuts);
  }

  template <class Memory>
  GLS_DEVICE BrokenTour(int n, Memory& memory)
      : tour{memory.template take<City>(n), memory.template take<City>(n), n},
        spare(memory.template take<City>(n)),
        cuts(memory.template take<City>(kMostCuts)),
        ends(memory.template take<City>(2 * kMostCuts)),
        sides(memory.template take<City>(2 * kMostCuts)),
        at(memory.template take<City>(2 * kMostCuts)),
        owner(memory.template take<City>(kMostCuts)),
        words(memory.template take<uint32>(4 * kMostCuts)),
        size(0) {}

  GLS_DEVICE int first(int path) const {
    return tour.wrap(int(cuts[path > 0 ? path - 1 : size - 1]) + 1);
  }
  GLS_DEVICE int last(int path) const { return int(cuts[path]); }
  GLS_DEVICE int length(int path) const {
    const int steps = last(path) - first(path);
    return (steps < 0 ? steps + tour.n : steps) + 1;
  }
  // The path of a place: the first that ends there or later, around the end of the array.
  GLS_DEVICE int path_of(int place) const {
    int low = 0, high = size;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (int(cuts[middle]) < place)
        low = middle + 1;
      else
        high = middle;
    }
    return low < size ? low : 0;
  }
  // The side that follows when a path that was entered at a side has been left at its other one.
  GLS_DEVICE int follow(int side) const { return int(sides[int(at[side ^ 1]) ^ 1]); }

  // Sorts the cuts, finds the side of every new edge's ends, and numbers the subtours.
  template <class Team>
  GLS_DEVICE Subtours connect(const Team& team) {
    team.sync();
    team.each(size, [&](int i) {
      int rank = 0;
      for (int j = 0; j < size; ++j) rank += cuts[j] < cuts[i];
      owner[rank] = cuts[i];
    });
    team.sync();
    team.each(size, [&](int i) { cuts[i] = owner[i]; });
    team.sync();
    team.each(2 * size, [&](int i) {
      const int place = tour.place(int(ends[i])), path = path_of(place);
      bool second = place == last(path);
      if (second && place == first(path)) {  // both sides are one city, which two new edges join
        second = false;
        for (int j = 0; j < i; ++j) second |= ends[j] == ends[i];
      }
      sides[i] = City(2 * path + second);
      at[2 * path + second] = City(i);
    });
    team.sync();
    number_subtours(team);
    team.each(size, [&](int i) { words[i] = 0; });
    team.sync();
    team.each(size, [&](int i) { fetch_add(&words[int(owner[i])], uint32(length(i))); });
    team.sync();
    const auto smallest = team.least(size, Ranked<int>{tour.n + 1, -1}, [&](int i) {
      return Ranked<int>{int(owner[i]) == i ? int(words[i]) : tour.n + 1, i};
    });
    const int found = team.template sum<int>(size, [&](int i) { return int(owner[i]) == i; });
    team.sync();  // all have read the words
    return {found, int(smallest.index), smallest.value};
  }

  // Finds the subtour of each path. A word holds the least path of a stretch of sides and the side
  // behind it; stretches double until they have closed.
  template <class Team>
  GLS_DEVICE void number_subtours(const Team& team) {
    uint32 *from = words, *to = words + 2 * kMostCuts;
    team.each(2 * size, [&](int i) { from[i] = uint32(i / 2) << 16 | uint32(follow(i)); });
    team.sync();
#pragma unroll 1
    for (int reach = 1; reach < size; reach *= 2) {
      team.each(2 * size, [&](int i) {
        const uint32 own = from[i], next = from[own & 0xffff];
        const uint32 least = own < next ? own : next;
        to[i] = (least & 0xffff0000) | (next & 0xffff);
      });
      team.sync();
      uint32* const old = from;
      from = to;
      to = old;
    }
    team.each(size, [&](int path) { owner[path] = City(from[2 * path] >> 16); });
    team.sync();
  }

  // Makes the tour of which the paths have become one.
  template <class Team>
  GLS_DEVICE void mend(const Team& team) {
    int to = 0, side = 0;
    do {
      const int path = side / 2, cities = length(path);
      const int begin = side % 2 == 0 ? first(path) : last(path), step = side % 2 == 0 ? 1 : -1;
      team.each(cities, [&](int i) {
        const int city = tour.at(begin + step * i);
        spare[to + i] = City(city);
        tour.position[city] = City(to + i);
      });
      to += cities;
      side = follow(side);
    } while (side != 0);
    City* const old = tour.order;
    tour.order = spare;
    spare = old;
    size = 0;
    team.sync();
  }

  // A city's neighbour before or after it.
  struct Neighbour {
    int city;
    int edge;  // new edge between them, -1 for one of the tour
  };
  GLS_DEVICE Neighbour neighbour(int place, int path, bool after) const {
    if (place != (after ? last(path) : first(path)))
      return {tour.at(after ? place + 1 : place - 1), -1};
    const int end = int(at[2 * path + after]);
    return {int(ends[end ^ 1]), end / 2};
  }

  // Replaces the edges from cities u and c, at these places, to neighbours v and w by (u, c) and
  // (v, w). One lane calls it; there must be room for two more cuts.
  GLS_DEVICE int exchange(int u_place, bool v_after, const Neighbour& v, int c_place, bool w_after,
                          const Neighbour& w) {
    const int u = tour.at(u_place), c = tour.at(c_place);
    int in = size, out = size;
    const auto join = [&](int edge, int from, int to) {
      if (edge < 0) edge = in++;
      ends[2 * edge] = City(from);
      ends[2 * edge + 1] = City(to);
    };
    join(v.edge, u, c);
    join(w.edge, v.city, w.city);
    const auto cut = [&](int edge, int place, bool after) {
      if (edge < 0) cuts[out++] = City(tour.wrap(after ? place : place - 1));
    };
    cut(v.edge, u_place, v_after);
    cut(w.edge, c_place, w_after);
    return out;
  }
};

}  // namespace gls
