// Works through a queue of cities: finds the next improving move, applies it, and queues the ends
// of its edges, until the queue is empty.
#pragma once

#include "tours/engines/descent/scout.cuh"
#include "tours/moves/apply_move.cuh"

namespace gls {

// Looks at the first cities of a queue together, at most `ahead` of them. Drops the cities up to
// and including the first one that has a move, or all of these cities if none has one.
template <class Neighbourhood, class Length, class Team, class View, class Queue>
GLS_DEVICE FirstFound<Length> next_move(const Team& team, const View& view, Queue& queue,
                                        Choices choices, int ahead,
                                        ScoutMemory<Team, Length>& memory) {
  const int end = queue.size < ahead ? queue.size : ahead;
  const auto found =
      look<Neighbourhood, FirstFound<Length>>(team, view, queue, choices, end, memory);
  queue.drop(team, found.rank == kNowhere ? end : Place<Neighbourhood>::city(found.rank) + 1);
  return found;
}

struct DescentLimits {
  int ahead;         // maximum number of cities that a team looks at together
  int64 most_moves;  // maximum number of moves of the tour, including those before the call
  int most_looks;    // maximum number of looks at a city in the call
};

// Makes moves until the queue is empty or a limit is reached, and counts them in `moves`; returns
// the number of looks at a city.
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
