// The next improving move of a work queue: the first city in front that has one.
#pragma once

#include "tours/engines/descent/scout.cuh"

namespace gls {

// Looks at `ahead` cities at most, in front of a queue, together. Drops those before the first that
// has a move, and that one.
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

}  // namespace gls
