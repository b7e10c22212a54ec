// Keeps moves that remove an edge at a city that is awake (Bentley 1992). A city is awake if one of
// its edges has changed, or if the last complete evaluation found an improving move at it.
#pragma once

#include "tours/filters/filter.cuh"

namespace gls {

struct DontLook {
  template <class Space, class PlacedTour>
  struct On {
    using Move = typename Space::Move;
    static constexpr int kWords = 0, kRotations = 1;

    const PlacedTour& tour;
    unsigned char* const awake;    // flag of each city
    unsigned char* const waiting;  // flag of each city: it is awake after this evaluation

    GLS_DEVICE static int64 state_words(int n) { return (2 * int64(n) + 7) / 8; }
    GLS_DEVICE On(const PlacedTour& tour, const uint64*, uint64* state)
        : tour(tour), awake(reinterpret_cast<unsigned char*>(state)), waiting(awake + tour.n) {}

    GLS_DEVICE bool edge_awake(int p) const {
      return awake[tour.city(p)] || awake[tour.city(tour.next(p))];
    }

    struct Test {
      const On& filter;
      const bool known;
      GLS_DEVICE bool any() const { return true; }
      GLS_DEVICE bool keeps(int position) const { return known || filter.edge_awake(position); }
    };
    GLS_DEVICE Test at(const Opening<Move>& opening) const {
      bool known = false;
      for (int x = 0; x < Space::kEdges; ++x) {
        known = known || (x != opening.open && edge_awake(opening.move.at[x]));
      }
      return {*this, known};
    }

    GLS_DEVICE void found(const Move& move) const {
      for (int end = 0; end < 2 * Space::kEdges; ++end) {
        waiting[tour.city(move.position(end, tour.n))] = 1;
      }
    }
    template <class Team>
    GLS_DEVICE void refresh(const Team& team, bool complete) const {
      team.each(tour.n, [&](int city) {
        awake[city] = complete ? waiting[city] : awake[city] | waiting[city];
        waiting[city] = 0;
      });
      team.sync();
    }
  };
};

}  // namespace gls
