// The next improving move of a work queue: the first city in front that has one.
#pragma once

#include "scout.cuh"

namespace gls {

// Drops the cities without a move, and the one that has it, from a queue; looks at `ahead` of them
// together, and in all at about `most` at most. `looked` counts them.
template <class Neighbourhood, class Length, class Team, class View, class Queue>
GLS_DEVICE FirstFound<Length> next_move(const Team& team, const View& view, Queue& queue,
                                        Choices choices, int ahead, int most,
                                        Notes<Team, Length>& notes, int& looked) {
  FirstFound<Length> found{{kNowhere, 0, 0}};
#pragma unroll 1
  while (queue.size > 0 && looked < most && found.rank == kNowhere) {
    const int end = queue.size < ahead ? queue.size : ahead;
    found = look<Neighbourhood, FirstFound<Length>>(team, view, queue, choices, end, notes);
    const int used = found.rank == kNowhere ? end : found.rank + 1;
    queue.drop(team, used);
    looked += used;
  }
  return found;
}

}  // namespace gls
