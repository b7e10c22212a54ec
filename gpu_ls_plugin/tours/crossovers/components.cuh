// Finds the components of the union of two tours without their common edges, and determines in
// which of them the paths of either tour can be chosen independently of the other components.
//
// Cities with only common edges are in no component; tours visit them between two components or
// between two cities of one component. A passage is the part of a tour from the city at which it
// enters a component to its last city there before it reaches another component; the first and the
// last city of a passage are its ends. If the passages of both tours join the same pairs of ends,
// either tour's passages can be chosen without a change outside. Otherwise, the component is mixed.
#pragma once

#include "backends/include/in_order.cuh"
#include "tours/crossovers/neighbours.cuh"
#include "tours/kernels/tour_memory.cuh"

namespace gls {

template <class City>
struct Components {
  struct Parent {
    const int* tour;
    Neighbours<City>* of;

    // Whether one of a city's edges is only in this tour.
    GLS_DEVICE bool leaves(int city, const Parent& other) const {
      return !other.of[city].has(int(of[city].before)) || !other.of[city].has(int(of[city].after));
    }
  };

  int n;
  Parent first, second;
  City* number;    // component of each city
  City* parent;    // parent of each city, in a tree per component; later scratch
  City* listed;    // cities in the order of a tour
  City* opposite;  // for each end of a passage of the first tour, the other end
  uint32* mixed;   // bit k: component k is mixed
  int count = 0;

  template <class Memory>
  GLS_DEVICE Components(int n, const int* first, const int* second, Memory& memory)
      : n(n),
        first{first, memory.template take<Neighbours<City>>(n)},
        second{second, memory.template take<Neighbours<City>>(n)},
        number(memory.template take<City>(n)),
        parent(memory.template take<City>(n)),
        listed(memory.template take<City>(n)),
        opposite(memory.template take<City>(n)),
        mixed(memory.template take<uint32>(words(n))) {}

  GLS_DEVICE static int64 bytes(int n) {
    return 2 * piece_bytes<Neighbours<City>>(n) + 4 * piece_bytes<City>(n) +
           piece_bytes<uint32>(words(n));
  }

  // Upper bound on the number of components: each has at least four cities.
  GLS_DEVICE static int most(int n) { return n / 4 + 1; }

  GLS_DEVICE bool is_mixed(int component) const {
    return mixed[component / 32] >> component % 32 & 1;
  }

  // Finds and numbers the components, and determines which are mixed.
  template <class Team>
  GLS_DEVICE void find(const Team& team) {
    note_neighbours(team, n, first.tour, first.of);
    note_neighbours(team, n, second.tour, second.of);
    team.each(n, [&](int city) { parent[city] = City(city); });
    team.each(words(n), [&](int word) { mixed[word] = 0; });
    team.sync();
    grow(team, first, second);
    grow(team, second, first);
    number_trees(team);
    compare_passages(team);
  }

  // Calls put(component, length) for each edge of tour `own` that tour `other` lacks, in the order
  // of tour `own`. length(city, next) measures an edge.
  template <class Team, class Length, class Put>
  GLS_DEVICE void each_length(const Team& team, const Parent& own, const Parent& other,
                              Length length, Put put) {
    const int edges = list_edges(team, own, other);
    each_in_order(
        team, edges, [&](int i) { return length(int(listed[i]), int(own.of[listed[i]].after)); },
        [&](int i, auto value) { put(int(number[listed[i]]), value); });
    team.sync();
  }

 private:
  GLS_DEVICE static int words(int n) { return most(n) / 32 + 1; }

  // Lists the cities whose next edge in tour `own` is not in tour `other`; returns how many.
  template <class Team>
  GLS_DEVICE int list_edges(const Team& team, const Parent& own, const Parent& other) {
    return put_kept(
        team, n,
        [&](int p) {
          const int city = own.tour[p];
          return !other.of[city].has(int(own.of[city].after));
        },
        [&](int rank, int p) { listed[rank] = City(own.tour[p]); });
  }

  GLS_DEVICE int root(int city) const {
    while (int(parent[city]) != city) city = int(parent[city]);
    return city;
  }

  // Joins the trees at both ends of each edge that only tour `own` has, with path halving.
  template <class Team>
  GLS_DEVICE void grow(const Team& team, const Parent& own, const Parent& other) {
    const int edges = list_edges(team, own, other);
    team.once([&] {
      const auto climb = [&](int city) {
        int up = int(parent[city]);
        while (up != city) {
          const int next = int(parent[up]);
          parent[city] = City(next);
          city = next;
          up = int(parent[city]);
        }
        return city;
      };
      int before = -1, tree = -1;  // last city of the previous edge, and its root
#pragma unroll 1
      for (int i = 0; i < edges; ++i) {
        const int city = int(listed[i]), next = int(own.of[city].after);
        const int here = city == before ? tree : climb(city), there = climb(next);
        parent[there] = City(here);
        tree = here;
        before = next;
      }
    });
  }

  template <class Team>
  GLS_DEVICE void number_trees(const Team& team) {
    count = put_kept(
        team, n, [&](int city) { return int(parent[city]) == city && first.leaves(city, second); },
        [&](int rank, int city) { number[city] = City(rank); });
    team.each(n, [&](int city) {
      const int top = root(city);
      if (top != city)
        number[city] = number[top];
      else if (!first.leaves(city, second))
        number[city] = 0;  // has the same edges in both tours
    });
    team.sync();
  }

  // Calls use(begin, end) with the ends of each passage of tour `own`.
  template <class Team, class Use>
  GLS_DEVICE void each_passage(const Team& team, const Parent& own, const Parent& other, Use use) {
    const int cities = put_kept(
        team, n, [&](int p) { return own.leaves(own.tour[p], other); },
        [&](int rank, int p) { listed[rank] = City(own.tour[p]); });
    City* const last = parent;  // index in `listed` of the last city of each passage
    const int passages = put_kept(
        team, cities,
        [&](int i) { return number[listed[i]] != number[listed[i + 1 < cities ? i + 1 : 0]]; },
        [&](int rank, int i) { last[rank] = City(i); });
    team.each(passages, [&](int i) {
      const int begin = int(last[i > 0 ? i - 1 : passages - 1]) + 1;
      use(int(listed[begin < cities ? begin : 0]), int(listed[last[i]]));
    });
    team.sync();
  }

  template <class Team>
  GLS_DEVICE void compare_passages(const Team& team) {
    each_passage(team, first, second, [&](int begin, int end) {
      opposite[begin] = City(end);
      opposite[end] = City(begin);
    });
    each_passage(team, second, first, [&](int begin, int end) {
      if (int(opposite[begin]) != end) team.set_bit(mixed, int(number[begin]));
    });
  }
};

}  // namespace gls
