// The next improving move of a work queue.
#pragma once

#include "tours/engines/descent/scout.cuh"

namespace gls {

// Looks at up to `ahead` first cities of a queue together. Drops the cities up to the first one
// that has a move, that one included.
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
