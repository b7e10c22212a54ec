// The next improving move of a work queue: the first city in front that has one.
//
// A team of many lanes looks by estimates. Where one is in doubt, the search steps back, asks for
// an exact answer out of line, and goes on with it: a call in the middle of its loops, rare as it
// is, would take registers from all of them.
#pragma once

#include "scout.cuh"

namespace gls {

// What a look has found, kept where the whole team sees it.
template <class Length>
struct Answer {
  FirstFound<Length> found;
  bool given;
};

enum class Next { kFound, kNone, kDoubt };

// Drops the cities without a move, and the one that has it, from a queue; looks at `ahead` of them
// together, and in all at about `most` at most. `looked` counts them. After kDoubt, the answer has
// to be made before the next call.
template <class Neighbourhood, class Length, class Team, class View, class Queue>
GLS_DEVICE Next next_move(const Team& team, const View& view, Queue& queue, Choices choices,
                          int ahead, int most, Move& move, int& looked, Length& gain) {
#pragma unroll 1
  while (queue.size > 0 && looked < most) {
    const int end = queue.size < ahead ? queue.size : ahead;
    FirstFound<Length> found;
#ifdef __CUDACC__
    if constexpr (Team::kLanes > 1 && View::Lengths::kQuick) {
      Answer<Length>& answer = shared_slot<Answer<Length>>(team);
      if (answer.given) {
        found = answer.found;
        team.sync();
        team.once([&] { answer.given = false; });
      } else if (!look_quickly<Neighbourhood>(team, view, queue, choices, end, move, found)) {
        return Next::kDoubt;
      }
    } else
#endif
      found = look<Neighbourhood, FirstFound<Length>>(team, view, queue, choices, end, move);
    const bool improves = found.rank != kNowhere;
    const int used = improves ? found.rank + 1 : end;
    queue.drop(team, used);
    looked += used;
    gain = found.gain;
    if (improves) return Next::kFound;
  }
  return Next::kNone;
}

template <class Length, class Team>
GLS_DEVICE void forget_answers(const Team& team) {
  team.once([&] { shared_slot<Answer<Length>>(team).given = false; });
}

// Makes the answer to a doubt.
template <class Neighbourhood, class Length, class Team, class View, class Queue>
GLS_DEVICE void make_answer(const Team& team, const View& view, const Queue& queue, Choices choices,
                            int ahead, Move& move) {
#ifdef __CUDACC__
  if constexpr (Team::kLanes > 1 && View::Lengths::kQuick) {
    const View its_view = view;
    const Queue its_queue = queue;
    const int end = queue.size < ahead ? queue.size : ahead;
    const auto found = look_again<Neighbourhood, FirstFound<Length>>(&team, &its_view, &its_queue,
                                                                     choices, end, &move);
    team.once([&] { shared_slot<Answer<Length>>(team) = {found, true}; });
  }
#endif
}

}  // namespace gls
