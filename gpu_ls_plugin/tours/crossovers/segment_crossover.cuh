// Segment crossover: a path of the second parent, then the other cities in the order of the first
// parent. The first parent is read from the path's last city on, in the direction in which it has
// most of the path's last edges.
#pragma once

#include "backends/include/bit_set.cuh"
#include "backends/include/in_order.cuh"
#include "runs/crossovers/pairs.cuh"
#include "backends/include/section.cuh"

namespace gls {

constexpr int kTail = 32;  // number of cities at the end of the path that determine the direction

template <class City>
struct SegmentCrossover {
  int n;
  int shortest, longest;  // bounds on the number of cities of the path
  City* place;            // place of each city in the first parent
  BitSet taken;

  template <class Memory>
  GLS_DEVICE SegmentCrossover(int n, int shortest, int longest, Memory& memory)
      : n(n),
        shortest(shortest),
        longest(longest),
        place(memory.template take<City>(n)),
        taken(n, memory) {}

  GLS_DEVICE static int64 bytes(int n) { return piece_bytes<City>(n) + BitSet::bytes(n); }

  template <class Team, class Child>
  GLS_DEVICE void cross(const Team& team, const int* first, const int* second, Philox& random,
                        Child child) {
    const int cities = shortest + int(random.below(uint32(longest - shortest + 1)));
    const Section path{n, int(random.below(uint32(n))), cities};
    team.each(n, [&](int p) { place[first[p]] = City(p); });
    taken.fill(team, cities, [&](int i) {
      const int city = second[path.place(i)];
      child(i, city);
      return city;
    });
    const auto at = [&](int i) { return int(place[second[path.place(i)]]); };
    const int end = at(cities - 1);
    const bool onward = runs_onward(team, cities, at);
    const auto behind = [&](int i) {
      const int p = onward ? end + 1 + i : end - 1 - i;
      return first[p < 0 ? p + n : p < n ? p : p - n];
    };
    put_kept(
        team, n - 1, [&](int i) { return !taken.has(behind(i)); },
        [&](int rank, int i) { child(cities + rank, behind(i)); });
  }

 private:
  // Whether the first parent has at least as many of the path's last edges forward as backward;
  // at(i) is the place of the path's city i in the first parent.
  template <class Team, class At>
  GLS_DEVICE bool runs_onward(const Team& team, int cities, At at) const {
    const int edges = (cities < kTail ? cities : kTail) - 1;
    return team.template sum<int>(edges, [&](int i) {
      const int step = at(cities - 1 - i) - at(cities - 2 - i);
      return (step == 1 || step == 1 - n) - (step == -1 || step == n - 1);
    }) >= 0;
  }
};

}  // namespace gls
