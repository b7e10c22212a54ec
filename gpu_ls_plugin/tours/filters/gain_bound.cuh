// Drops moves that, judging by one of their new edges, cannot improve the tour.
//
// Each end of a removed edge gets a new edge that is no shorter than the distance to its nearest
// neighbour. Edge p of the tour joins the cities t_p and t_p+1 and has length e(p). With doubled
// lengths, removing it saves at most spare(p) = 2 e(p) - nearest(t_p) - nearest(t_p+1), and adding
// (x, y) costs cost(x, y) = 2 d(x, y) - nearest(x) - nearest(y) >= 0. Twice the gain of a move is
// the sum of its spares minus the sum of its costs. So it is at most the sum of its spares minus
// any single cost.
//
// In 3-opt, each new edge joins two of the three removed edges. The spares of such a pair minus
// twice the cost of its new edge, summed over the three pairs, are four times the gain. So if a
// move improves the tour, this difference is positive for at least one of its pairs. An opening
// determines one pair; the filter rejects the opening if the difference of this pair is not
// positive.
#pragma once

#include "tours/filters/filter.cuh"

namespace gls {

struct GainBoundData {
  const void* nearest;  // distance from each city to its nearest neighbour (Length)
};

struct GainBound {
  template <class Space, class PlacedTour>
  struct On {
    using Length = typename PlacedTour::Length;
    using Move = typename Space::Move;
    static constexpr int kWords = kWordsOf<GainBoundData>;
    static constexpr int kRotations = Space::kRotations;
    static constexpr bool kReal = Length(0.5) != Length(0);
    // Real spares may be too small because of rounding, by up to this share of the edge's length.
    static constexpr Length kRounding = Length(kReal ? 1e-11 : 0);

    const PlacedTour& tour;
    const Length* const nearest;
    Length* const spare;  // spare of each position, then the maximum of all

    GLS_DEVICE static int64 state_words(int n) { return n + 1; }
    GLS_DEVICE On(const PlacedTour& tour, const uint64* parameters, uint64* state)
        : tour(tour),
          nearest(static_cast<const Length*>(parameters_of<GainBoundData>(parameters).nearest)),
          spare(reinterpret_cast<Length*>(state)) {}

    GLS_DEVICE Length of_city(int position) const { return nearest[tour.city(position)]; }
    GLS_DEVICE Length cost(const Move& move, Edge link) const {
      const int p = move.position(link.from, tour.n), q = move.position(link.to, tour.n);
      return 2 * tour.length(p, q) - of_city(p) - of_city(q);
    }

    struct Test {
      const On& filter;
      const Opening<Move> opening;
      const Length spares, paid;  // spares of the known edges, cost of the known new edge

      GLS_DEVICE bool any() const {
        return Space::kKnownLinks == 0 ? spares + filter.spare[filter.tour.n] > 0
                                       : spares > 2 * paid;
      }
      GLS_DEVICE bool keeps(int position) const {
        const Length all = spares + filter.spare[position];
        if (Space::kKnownLinks > 0 || !(all > 0)) return all > paid;
        return all > filter.cost(opening.closed(position), Space::link(0, 0));
      }
    };
    GLS_DEVICE Test at(const Opening<Move>& opening) const {
      Length spares = 0, paid = 0;
      for (int x = 0; x < Space::kEdges; ++x) {
        if (x != opening.open) spares += spare[opening.move.at[x]];
      }
      if (Space::kKnownLinks > 0) {
        paid = cost(opening.move, Space::link(opening.move.way, opening.rotation));
      }
      return {*this, opening, spares, paid};
    }

    GLS_DEVICE void found(const Move&) const {}
    template <class Team>
    GLS_DEVICE void refresh(const Team& team, bool) const {
      struct Least {
        Length value;
        GLS_DEVICE bool operator<(const Least& other) const { return value < other.value; }
      };
      const Least least = team.least(tour.n, Least{0}, [&](int p) {
        const Length edge = tour.edges[p];
        spare[p] = 2 * edge - of_city(p) - of_city(tour.next(p)) + edge * kRounding;
        return Least{-spare[p]};
      });
      team.once([&] { spare[tour.n] = -least.value; });
    }
  };
};

}  // namespace gls
