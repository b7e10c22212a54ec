// Finds and makes the best move of a customer, for one kind of moves on linked lists of routes.
#pragma once

#include "routes/kernels/linked_routes.cuh"
#include "routes/kernels/near_nodes.cuh"

namespace gls {

// The index of a move, and its change of cost, but at least the minimum of a length.
template <class Length, class Cost>
GLS_DEVICE Rated<Length> rated(Cost more, uint32 index) {
  const Cost most = sizeof(Length) == 4 ? Cost(1 << 30) : Cost(int64(1) << 60);
  return {more < -most ? Length(-most) : Length(more), index};
}

// The value that a move must beat: gains within the error of real numbers do not count.
template <class Length>
GLS_DEVICE Rated<Length> no_move(Length removed, Length slack) {
  return {Length(removed * -1e-10) - slack, 0xffffffffu};
}

// Makes the best move of a customer. Returns false if no move improves the tour. Calls wake(node)
// for each node whose neighbours change. The lanes share `ends`, which receives the two routes of
// the move.
template <class Team, class Moves, class Wake>
GLS_DEVICE bool improve(const Team& team, const Moves& moves, int c, typename Moves::City* ends,
                        Wake wake) {
  const auto& routes = moves.routes;
  const auto move = moves.best(team, c);
  if (move.index == 0xffffffffu) return false;
  team.sync();
  team.once([&] {
    ends[0] = typename Moves::City(routes.owner(c));
    ends[1] = typename Moves::City(moves.make(c, move.index, wake));
  });
  routes.settle(team, ends, typename Moves::Cost(move.value));
  return true;
}

}  // namespace gls
