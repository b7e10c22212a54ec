// Small problems in which fixed edges stand for what a tour has in common with others, and back.
//
// Of a path of fixed edges only the ends remain, each other's mates. What remains has numbers of
// its own, in the order of the tour.
#pragma once

#include "tours/problem/lengths.cuh"

namespace gls {

// `fixed` says of each place whether the edge behind it is; `numbers` of each city its own, -1
// where it does not remain; `places` where what remains stands.
template <class Team, class Lists>
struct Contract {
  GLS_DEVICE static void run(const Team& team, int item, int n, int stride, int degree,
                             const int* tours, const unsigned char* fixed, const int* candidates,
                             const void* candidate_lengths, const int* sizes, int* numbers,
                             int* places, int* names, int* mates, void* near, void* near_lengths) {
    const int64 row = int64(item) * n, first = int64(item) * stride;
    const int size = sizes[item];
    int before = 0;
#pragma unroll 1
    for (int base = 0; base < n; base += Team::kLanes) {
      const int place = base + team.lane();
      const bool within = place < n;
      const bool ahead = within && fixed[row + place];
      const bool behind = within && fixed[row + (place > 0 ? place : n) - 1];
      const bool remains = within && !(ahead && behind);
      const Compacted kept = team.compact(remains);
      const int number = before + kept.place;
      if (within) numbers[row + tours[row + place]] = remains ? number : -1;
      if (remains) {
        places[first + number] = place;
        names[first + number] = tours[row + place];
        mates[first + number] = ahead    ? (number + 1 < size ? number + 1 : 0)
                                : behind ? (number > 0 ? number : size) - 1
                                         : number;
      }
      before += kept.total;
    }
    team.sync();
    const Lists lists(candidates, candidate_lengths, degree, false);
    team.each(size, [&](int number) {
      keep_inside(
          lists, names[first + number], [&](int city) { return numbers[row + city]; },
          number > 0 ? number - 1 : 1, near, near_lengths, (first + number) * degree);
    });
  }
};

// Rings of what remains as tours.
template <class Team>
struct Expand {
  GLS_DEVICE static void run(const Team& team, int item, int n, int stride, const int* tours,
                             const int* sizes, const int* places, const int* mates,
                             const int* rings, int* expanded) {
    const int64 row = int64(item) * n, first = int64(item) * stride;
    const int size = sizes[item];
    int before = 0;
#pragma unroll 1
    for (int base = 0; base < size; base += Team::kLanes) {
      const int at = base + team.lane();
      int place = 0, count = 0, step = 1;
      if (at < size) {
        const int number = rings[first + at], next = rings[first + (at + 1 < size ? at + 1 : 0)];
        place = places[first + number];
        count = 1;
        if (next == mates[first + number]) {  // along the path whose ends they are
          step = next == (number + 1 < size ? number + 1 : 0) ? 1 : -1;
          count = step * (places[first + next] - place);
          if (count < 0) count += n;
        }
      }
      const Compacted mine = team.stacked(count);
      int64 to = row + before + mine.place;
      for (; count > 0; --count, ++to) {
        expanded[to] = tours[row + place];
        place += step;
        place = place < 0 ? n - 1 : place < n ? place : 0;
      }
      before += mine.total;
    }
  }
};

}  // namespace gls
