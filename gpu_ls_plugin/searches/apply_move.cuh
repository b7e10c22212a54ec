// Executes a sequential move by reversals of paths, each of its shorter side where that is allowed.
#pragma once

#include "move.cuh"

namespace gls {

// The first and last city of the path that reversal number `flip` of a move turns round.
struct Flip {
  int first, last;

  GLS_DEVICE static int count(const Move& move) {
    return move.edges - 1 + (move.shape == Shape::kSwap);
  }

  GLS_DEVICE static Flip of(const Move& move, int flip) {
    if (move.shape == Shape::kTurn && flip < 2) {
      return flip == 0 ? Flip{move.t[1], move.t[5]} : Flip{move.t[4], move.t[2]};
    }
    if (move.shape == Shape::kSwap) {
      if (flip == 0) return {move.t[1], move.t[2]};
      if (flip == 1) return {move.t[2], move.t[5]};
      if (flip == 2) return {move.t[4], move.t[1]};
      --flip;
    }
    return {move.t[2 * flip + 1], move.t[2 * flip + 3]};
  }
};

// `either_way`: lengths have no direction, so that the tour may end up turned round.
template <class Team, class City>
GLS_DEVICE void apply_move(const Team& team, const RingTour<City>& tour, const Move& move,
                           bool either_way) {
  bool forward = move.forward;
  const int flips = Flip::count(move);
#pragma unroll 1
  for (int f = 0; f < flips; ++f) {
    const Flip flip = Flip::of(move, f);
    int begin = tour.place(forward ? flip.first : flip.last);
    const int end = tour.place(forward ? flip.last : flip.first);
    int length = end - begin + 1;
    if (length <= 0) length += tour.n;
    if (either_way &&
        2 * length > tour.n) {  // turning the rest round is the same, seen from behind
      begin = end + 1;
      length = tour.n - length;
      forward = !forward;
    }
    team.sync();  // all have read the places
    tour.reverse(team, tour.wrap(begin), length);
  }
}

}  // namespace gls
