// Applies a move by reversing paths or, if that is allowed and shorter, the rest of the tour.
#pragma once

#include "tours/moves/move.cuh"

namespace gls {

// Returns the first four reversals of a move as two hexadecimal digits each; the lowest two digits
// are the first reversal. The digits are the indices in `t` of the first and the last city of the
// path to reverse. Later reversals repeat the fourth with indices that are higher by 2, 4, ...
GLS_DEVICE uint32 reversals(Shape shape) {
  return shape == Shape::kFlips  ? 0x79573513
         : shape == Shape::kSwap ? 0x57412512
         : shape == Shape::kTurn ? 0x79574215
                                 : 0x10325405;  // all three segments together, then each alone
}

// Applies a move. With `either_way` (symmetric lengths) the tour may end up reversed. Calls
// `record(first, length)` for each reversal of `length` places from place `first` on. A reversal is
// its own inverse, so repeating the recorded reversals in reverse order undoes the move.
template <class Team, class City, class Record>
GLS_DEVICE void apply_move(const Team& team, const RingTour<City>& tour, const Move& move,
                           bool either_way, Record record) {
  const int longest = either_way ? tour.n / 2 : tour.n;
  int forward = move.forward;
  const int count =
      move.shape >= Shape::kBridge ? 4 : move.edges - (move.shape == Shape::kSwap ? 0 : 1);
  uint32 ends = reversals(move.shape);
  int first = move.t[ends >> 4 & 15], last = move.t[ends & 15], further = -6;
#pragma unroll 1
  for (int left = count; left > 0; --left) {
    int begin = tour.place(forward ? first : last);
    const int end = tour.place(forward ? last : first);
    int length = tour.wrap_low(end - begin) + 1;
    if (length > longest) {  // reversing the rest gives the same tour, read backward
      begin = end + 1;
      length = tour.n - length;
      forward = !forward;
    }
    begin = tour.wrap_high(begin);
    ends = ends >> 8 | (ends & 0xff000000);
    further = left > 1 ? further + 2 : 0;  // the last reversal has no successor
    const int* const t = move.t + (further > 0 ? further : 0);
    first = t[ends >> 4 & 15], last = t[ends & 15];  // loaded early, to overlap with the reversal
    team.sync();                                     // all lanes have read the places
    tour.reverse(team, begin, length);
    record(begin, length);
  }
}

template <class Team, class City>
GLS_DEVICE void apply_move(const Team& team, const RingTour<City>& tour, const Move& move,
                           bool either_way) {
  apply_move(team, tour, move, either_way, [](int, int) {});
}

// Applies a move and updates the data that the objective keeps about the tour.
template <class Team, class View>
GLS_DEVICE void apply_kept_move(const Team& team, const View& view, const Move& move,
                                bool either_way) {
  apply_move(team, view.tour, move, either_way);
  keep_tour(team, view);
}

}  // namespace gls
