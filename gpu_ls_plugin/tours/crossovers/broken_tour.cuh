// A tour in which some edges have been replaced: the remaining paths, and the subtours that they
// form.
//
// Path s runs from place begins[s] to place cuts[s]. Side 2 s is its first city, side 2 s + 1 its
// last one. Paths are numbered in the order of their last places; later exchanges append paths.
#pragma once

#include "backends/include/in_order.cuh"
#include "tours/crossovers/path_cycles.cuh"
#include "tours/crossovers/ranked_places.cuh"
#include "tours/kernels/ring_tour.cuh"
#include "tours/kernels/tour_memory.cuh"

namespace gls {

constexpr int kMostCuts = kMostPaths;

template <class CityType>
struct BrokenTour {
  using City = CityType;

  RingTour<City> tour;
  City* spare;                // the cities that move, at their new places
  City* out;                  // places before the removed edges
  City* cuts;                 // last place of each path
  City* begins;               // first place of each path
  City* ranked;               // paths in the order of their last places
  City* ends;                 // new edge e joins the cities ends[2 e] and ends[2 e + 1]
  City* sides;                // side of each end; before `close`, the path of each end
  City* at;                   // index in `ends` of the end at each side
  City* owner;                // subtour of each path, identified by one of its paths
  RankedPlaces<City> places;  // the set of the places in `cuts`
  uint32* words;              // scratch; later sizes and first cuts of subtours, and lists of paths
  int size;                   // number of removed edges, new edges and paths

  struct Subtour {
    int number, cities;
  };

  GLS_DEVICE static int64 bytes(int n) {
    return 3 * piece_bytes<City>(n) + 5 * piece_bytes<City>(kMostCuts) +
           3 * piece_bytes<City>(2 * kMostCuts) + RankedPlaces<City>::bytes(n) +
           piece_bytes<uint32>(3 * kMostCuts);
  }

  template <class Memory>
  GLS_DEVICE BrokenTour(int n, Memory& memory)
      : tour{memory.template take<City>(n), memory.template take<City>(n), n},
        spare(memory.template take<City>(n)),
        out(memory.template take<City>(kMostCuts)),
        cuts(memory.template take<City>(kMostCuts)),
        begins(memory.template take<City>(kMostCuts)),
        ranked(memory.template take<City>(kMostCuts)),
        ends(memory.template take<City>(2 * kMostCuts)),
        sides(memory.template take<City>(2 * kMostCuts)),
        at(memory.template take<City>(2 * kMostCuts)),
        owner(memory.template take<City>(kMostCuts)),
        places(n, memory),
        words(memory.template take<uint32>(3 * kMostCuts)),
        size(0) {}

  GLS_DEVICE int first(int path) const { return int(begins[path]); }
  GLS_DEVICE int last(int path) const { return int(cuts[path]); }
  GLS_DEVICE int length(int path) const {
    const int steps = last(path) - first(path);
    return (steps < 0 ? steps + tour.n : steps) + 1;
  }
  // Returns the path of a place: the first path that ends there or later, in cyclic order.
  GLS_DEVICE int path_of(int place) const {
    const int rank = places.rank(place);
    return int(ranked[rank < size ? rank : 0]);
  }
  // Given the side at which a path is entered, returns the side at which the next one is entered.
  GLS_DEVICE int follow(int side) const { return int(sides[int(at[side ^ 1]) ^ 1]); }

  // Finds the subtours; returns how many there are.
  template <class Team>
  GLS_DEVICE int connect(const Team& team) {
    team.sync();
    places.fill(team, size, [&](int i) { return int(out[i]); });
    const auto path_of_end = [&](int end) {
      const int rank = places.rank(tour.place(int(ends[end])));
      return rank < size ? rank : 0;
    };
    return number_cycles(team, size, path_of_end, sides, at, words, owner);
  }

  // Sorts the cuts after `connect`, and finds the side of each end.
  template <class Team>
  GLS_DEVICE void close(const Team& team) {
    team.each(size, [&](int i) {
      const int place = int(out[i]), rank = places.rank(place);
      cuts[rank] = City(place);
      begins[rank + 1 < size ? rank + 1 : 0] = City(tour.wrap(place + 1));
      ranked[i] = City(i);
    });
    uint32* const entered = words;  // bit s: path s is a single city with an end at its first side
    team.each((size + 31) / 32, [&](int word) { entered[word] = 0; });
    team.sync();
    find_sides(team, entered);
  }

  // Counts the cities of each subtour and finds its first cut.
  template <class Team>
  GLS_DEVICE void measure(const Team& team) {
    team.each(size, [&](int i) {
      words[i] = 0;
      first_cuts()[i] = uint32(cuts[i]);
    });
    team.sync();
    team.each(size, [&](int i) { fetch_add(&words[int(owner[i])], uint32(length(i))); });
    team.sync();
  }

  // Returns the smallest subtour; ties go to the subtour with the lowest first cut.
  template <class Team>
  GLS_DEVICE Subtour smallest(const Team& team) const {
    uint64 own = ~uint64(0);
    team.each(size, [&](int i) {
      if (int(owner[i]) != i) return;
      const uint64 its = uint64(words[i]) << 36 | uint64(first_cuts()[i]) << 8 | uint32(i);
      if (its < own) own = its;
    });
    const uint64 found = team.least(own);
    return {int(found & 0xff), int(found >> 36)};
  }

  // Puts the paths in the order of the tour that they form; there must be only one subtour. The
  // longest path stays where it is, so that few cities move.
  template <class Team>
  GLS_DEVICE void mend(const Team& team) {
    uint32* const next = words;                   // side that follows each side
    uint32* const begun = words + 2 * kMostCuts;  // per path: 2 * new place + entered side
    each_ahead(
        team, 2 * size, [&](int side) { return follow(side); },
        [&](int side, int following) { next[side] = uint32(following); });
    const int64 longest = team.least(
        size, int64(0), [&](int path) { return int64(path) - (int64(length(path)) << 32); });
    team.sync();
    team.once([&] {
      const int start = 2 * int(uint32(longest));
      int to = first(start / 2), side = start;
      do {
        begun[side / 2] = uint32(2 * to + side % 2);
        to = tour.wrap_high(to + length(side / 2));
        side = int(next[side]);
      } while (side != start);
    });
    // Calls move(begin, to, cities, turned) for each path that does not stay where it is.
    const auto each_moving = [&](auto move) {
#pragma unroll 1
      for (int path = 0; path < size; ++path) {
        const int begin = first(path), to = int(begun[path]);
        if (to != 2 * begin) move(begin, to / 2, length(path), to % 2 != 0);
      }
      team.sync();
    };
    each_moving([&](int begin, int to, int cities, bool turned) {
      each_ahead(
          team, cities, [&](int i) { return tour.order[tour.wrap_high(begin + i)]; },
          [&](int i, City city) {
            const int place = tour.wrap_high(to + (turned ? cities - 1 - i : i));
            spare[place] = city;
            tour.position[city] = City(place);
          });
    });
    each_moving([&](int, int to, int cities, bool) {
      each_ahead(
          team, cities, [&](int i) { return spare[tour.wrap_high(to + i)]; },
          [&](int i, City city) { tour.order[tour.wrap_high(to + i)] = city; });
    });
    size = 0;
  }

  // The neighbour before or after a city.
  struct Neighbour {
    int city;
    int edge;  // number of the new edge to this neighbour; -1: an edge of the tour
  };
  GLS_DEVICE Neighbour neighbour(int place, int path, bool after) const {
    // Reads the data for both cases, to avoid a branch.
    const int beside = tour.at(after ? place + 1 : place - 1), end = int(at[2 * path + after]);
    const int other = int(ends[end ^ 1]);
    return place == (after ? last(path) : first(path)) ? Neighbour{other, end / 2}
                                                       : Neighbour{beside, -1};
  }

  // The places of two cities u and c, the sides of their removed edges (after or before), and the
  // neighbours v and w at the other ends of these edges.
  struct Exchange {
    int u_place, c_place;
    bool v_after, w_after;
    Neighbour v, w;
  };

  // Replaces the edges (u, v) and (c, w) with (u, c) and (v, w), which joins the subtours of u and
  // c. `into` is the subtour of u. There must be room for two more cuts.
  template <class Team>
  GLS_DEVICE void merge(const Team& team, const Exchange& exchange, int into) {
    const Neighbour v = exchange.v, w = exchange.w;
    const int u_place = exchange.u_place, c_place = exchange.c_place;
    const int gone = int(owner[path_of(c_place)]);
    team.sync();  // all lanes have read the arrays that change
    int next = size;
    const int joined = v.edge < 0 ? next++ : v.edge, other = w.edge < 0 ? next : w.edge;
    if (v.edge < 0) split(team, exchange.v_after ? u_place : tour.wrap(u_place - 1));
    if (w.edge < 0) split(team, exchange.w_after ? c_place : tour.wrap(c_place - 1));
    team.once([&] {
      const int u_side = 2 * path_of(u_place) + exchange.v_after;
      const int c_side = 2 * path_of(c_place) + exchange.w_after;
      const int v_side = across(u_side, v), w_side = across(c_side, w);
      put(2 * joined, tour.at(u_place), u_side);
      put(2 * joined + 1, tour.at(c_place), c_side);
      put(2 * other, v.city, v_side);
      put(2 * other + 1, w.city, w_side);
      settle(u_side / 2);
      settle(c_side / 2);
      settle(v_side / 2);
      settle(w_side / 2);
      words[into] += words[gone];
      lower_first_cut(into, first_cuts()[gone]);
    });
    team.each(size, [&](int path) {
      if (int(owner[path]) == gone) owner[path] = City(into);
    });
    team.sync();
  }

 private:
  // Fills `sides` and `at`.
  template <class Team>
  GLS_DEVICE void find_sides(const Team& team, uint32* entered) {
    struct End {
      int place, path;
    };
    bool single = false;
    each_ahead(
        team, 2 * size, [&](int i) { return End{tour.place(int(ends[i])), int(sides[i])}; },
        [&](int i, const End& end) {
          const bool is_last = end.place == last(end.path);
          const bool both = is_last && end.place == first(end.path);  // a path of one city
          single |= both;
          const bool second = both ? !team.set_bit(entered, end.path) : is_last;
          sides[i] = City(2 * end.path + second);
          at[2 * end.path + second] = City(i);
        });
    team.sync();
    if (Team::kLanes == 1 || !team.any(single)) return;  // a single lane has met the ends in order
    each_ahead(
        team, size, [&](int path) { return first(path) == last(path); },
        [&](int path, bool is_city) {
          if (is_city) settle(path);
        });
    team.sync();
  }

  // For each subtour, the first place at which one of its paths ends.
  GLS_DEVICE uint32* first_cuts() const { return words + kMostCuts; }

  GLS_DEVICE void lower_first_cut(int subtour, uint32 place) const {
    if (place < first_cuts()[subtour]) first_cuts()[subtour] = place;
  }

  // Removes the edge after a place: the part of the path up to this place becomes a new path.
  template <class Team>
  GLS_DEVICE void split(const Team& team, int place) {
    const int rank = places.rank(place), path = path_of(place), added = size;
    team.sync();  // all lanes have read the arrays that change
#pragma unroll 1
    for (int end = size; end > rank; end -= Team::kLanes) {
      const int i = end - 1 - team.lane();
      const City held = ranked[i > rank ? i : rank];
      team.sync();
      if (i >= rank) ranked[i + 1] = held;
      team.sync();
    }
    places.insert(team, place);
    ++size;
    team.once([&] {
      ranked[rank] = City(added);
      cuts[added] = City(place);
      begins[added] = begins[path];
      begins[path] = City(tour.wrap(place + 1));
      const City end = at[2 * path];
      at[2 * added] = end;
      sides[int(end)] = City(2 * added);
      owner[added] = owner[path];
      lower_first_cut(int(owner[path]), uint32(place));
    });
  }

  // Returns the side of the neighbour once the edge to it from the city at `side` has been removed.
  GLS_DEVICE int across(int side, const Neighbour& neighbour) const {
    if (neighbour.edge >= 0) return int(sides[int(at[side]) ^ 1]);
    return 2 * path_of(tour.place(neighbour.city)) + 1 - side % 2;
  }

  GLS_DEVICE void put(int end, int city, int side) {
    ends[end] = City(city);
    sides[end] = City(side);
    at[side] = City(end);
  }

  // If a path is a single city, puts the end with the lower number at its first side.
  GLS_DEVICE void settle(int path) {
    const City low = at[2 * path], high = at[2 * path + 1];
    if (first(path) != last(path) || low < high) return;
    at[2 * path] = high;
    at[2 * path + 1] = low;
    sides[int(high)] = City(2 * path);
    sides[int(low)] = City(2 * path + 1);
  }
};

}  // namespace gls
