// Executes a sequential move by reversals of paths, each of its shorter side where that is allowed.
#pragma once

#include "tours/moves/move.cuh"

namespace gls {

// The first four reversals of a move: for each, which of its ends are the first and the last city
// of the path that is turned round, in two hexadecimal digits, the first reversal in the lowest
// two. Those of further edges have the next ends after the fourth's, two by two.
GLS_DEVICE uint32 reversals(Shape shape) {
  return shape == Shape::kFlips  ? 0x79573513
         : shape == Shape::kSwap ? 0x57412512
         : shape == Shape::kTurn ? 0x79574215
         : shape == Shape::kTrade
             ? 0x67960320   // past the edge that it goes to, and back; and the same of the other
             : 0x10325405;  // all three segments, then each of them
}

// `either_way`: lengths have no direction, so that the tour may end up turned round. Each reversal
// of `length` places from `first` on is told to `record(first, length)`; it is its own inverse.
template <class Team, class City, class Record>
GLS_DEVICE void apply_move(const Team& team, const RingTour<City>& tour, const Move& move,
                           bool either_way, Record record) {
  const int longest = either_way ? tour.n / 2 : tour.n;
  int forward = move.forward;
  const int count =
      move.shape >= Shape::kTrade ? 4 : move.edges - (move.shape == Shape::kSwap ? 0 : 1);
  uint32 ends = reversals(move.shape);
  int first = move.t[ends >> 4 & 15], last = move.t[ends & 15], further = -6;
#pragma unroll 1
  for (int left = count; left > 0; --left) {
    int begin = tour.place(forward ? first : last);
    const int end = tour.place(forward ? last : first);
    int length = tour.wrap_low(end - begin) + 1;
    if (length > longest) {  // turning the rest round is the same, seen from behind
      begin = end + 1;
      length = tour.n - length;
      forward = !forward;
    }
    begin = tour.wrap_high(begin);
    ends = ends >> 8 | (ends & 0xff000000);
    further = left > 1 ? further + 2 : 0;  // of the last one's successor nothing is used
    const int* const t = move.t + (further > 0 ? further : 0);
    first = t[ends >> 4 & 15], last = t[ends & 15];  // on their way while places change
    team.sync();                                     // all have read the places
    tour.reverse(team, begin, length);
    record(begin, length);
  }
}

template <class Team, class City>
GLS_DEVICE void apply_move(const Team& team, const RingTour<City>& tour, const Move& move,
                           bool either_way) {
  apply_move(team, tour, move, either_way, [](int, int) {});
}

// Ranges of places that reversals change, for objectives that keep them again alone.
template <bool needed>
struct ChangedPlaces {
  GLS_DEVICE void add(int, int, int) {}
  GLS_DEVICE void add_all() {}
};
template <>
struct ChangedPlaces<true> {
  bool all = false;
  int count = 0, firsts[kMaxExchange], lengths[kMaxExchange];

  GLS_DEVICE void add_all() { all = true; }
  // Forgets a range that lies within another.
  GLS_DEVICE void add(int first, int length, int n) {
    bool known = length < 2;
    for (int i = 0; i < count; ++i) {
      const int offset = first - firsts[i];
      known |= (offset < 0 ? offset + n : offset) + length <= lengths[i];
    }
    if (!known) firsts[count] = first, lengths[count++] = length;
  }
};

// Lets an objective keep a tour in which places have changed.
template <class Team, class View, bool needed>
GLS_DEVICE void keep_changed(const Team& team, const View& view,
                             const ChangedPlaces<needed>& changed) {
  if constexpr (needed) {
    if (!changed.all) {
      const auto& objective = view.length.metric.objective;
      for (int i = 0; i < changed.count; ++i) {
        objective.keep_places(
            view.tour.n, [&](int p) { return view.tour.at(p); }, changed.firsts[i],
            changed.lengths[i]);
      }
      objective.keep_sums(team, view.tour.n);
      return;
    }
  }
  keep_tour(team, view);
}

// Executes a move, and lets an objective keep the tour that it makes.
template <class Team, class View>
GLS_DEVICE void apply_kept_move(const Team& team, const View& view, const Move& move,
                                bool either_way) {
  ChangedPlaces<keeps_places<View>()> changed;
  apply_move(team, view.tour, move, either_way,
             [&](int first, int length) { changed.add(first, length, view.tour.n); });
  keep_changed(team, view, changed);
}

}  // namespace gls
