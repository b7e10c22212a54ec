// The common part of filters that test each new edge separately. `EdgeTest` tests one edge; a move
// is kept if all its new edges pass, except at most `missing`.
#pragma once

#include "tours/filters/filter.cuh"

namespace gls {

template <class EdgeTest, int missing, class Space, class PlacedTour>
struct NewEdges : Stateless {
  using Move = typename Space::Move;
  static constexpr int kWords = EdgeTest::kWords;
  // If at most `missing` edges fail, at least one of any `missing` + 1 passes.
  static constexpr int kRotations =
      missing + 1 < Space::kRotations ? missing + 1 : Space::kRotations;

  const PlacedTour& tour;
  const EdgeTest edge;

  GLS_DEVICE NewEdges(const PlacedTour& tour, const uint64* parameters, uint64*)
      : tour(tour), edge(parameters) {}

  GLS_DEVICE bool passes(const Move& move, int number) const {
    const Edge link = Space::link(move.way, number);
    return edge(tour, move.position(link.from, tour.n), move.position(link.to, tour.n));
  }

  struct Test {
    const NewEdges& filter;
    const Opening<Move> opening;
    const bool passed;

    GLS_DEVICE bool any() const { return passed; }
    GLS_DEVICE bool keeps(int position) const {
      const Move move = opening.closed(position);
      int left = missing - !passed;
      for (int x = 0; x < Space::kEdges && left >= 0; ++x) {
        const bool known = Space::kKnownLinks > 0 && x == opening.rotation;
        if (!known && !filter.passes(move, x)) --left;
      }
      return left >= 0;
    }
  };
  GLS_DEVICE Test at(const Opening<Move>& opening) const {
    return {*this, opening, Space::kKnownLinks == 0 || passes(opening.move, opening.rotation)};
  }
};

}  // namespace gls
