// The way down: the best move of the city in front, again and again, until nobody waits.
#pragma once

#include "tours/engines/descent/next_move.cuh"
#include "tours/moves/apply_move.cuh"

namespace gls {

struct DescentLimits {
  int ahead;         // cities that a team looks at together
  int64 most_moves;  // of the tour, with those that it has made before
  int most_looks;    // at a city
};

// Makes moves and looks at cities up to the limits; counts the moves, and returns how many cities
// were looked at.
template <class Neighbourhood, class Team, class View, class Queue, class Length,
          class Counts = MovesByPart<Neighbourhood>>
GLS_DEVICE int descend(const Team& team, const View& view, Queue& queue, const Choices& choices,
                       const DescentLimits& limits, ScoutMemory<Team, Length>& scout,
                       Counts& by_part, int64& moves) {
  const Move& move = scout.move;
  int looked = 0;
#pragma unroll 1
  while (moves < limits.most_moves && queue.size > 0 && looked < limits.most_looks && !team.cut()) {
    const int waiting_before = queue.size;
    const auto found =
        next_move<Neighbourhood, Length>(team, view, queue, choices, limits.ahead, scout);
    looked += waiting_before - queue.size;
    if (found.rank == kNowhere) continue;
    team.each(1, [&](int) { by_part.count(move); });
    follow_move(team, view, move);
    apply_kept_move(team, view, move, turns_either_way(view, choices.directions));
    queue.push(team, move.t, 2 * move.edges);
    ++moves;
  }
  return looked;
}

}  // namespace gls
