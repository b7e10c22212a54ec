// Keeps each move with a given probability; each pass draws anew (Schulz 2013, section 7).
#pragma once

#include "tours/filters/filter.cuh"
#include "backends/include/philox.cuh"

namespace gls {

struct RandomKeepData {
  uint64 seed;
  uint64 kept;  // probability times 2^32
};

struct RandomKeep {
  template <class Space, class PlacedTour>
  struct On : Stateless {
    using Move = typename Space::Move;
    static constexpr int kRotations = 1;
    static constexpr int kWords = kWordsOf<RandomKeepData>;

    const PlacedTour& tour;
    const uint64 seed, kept;
    GLS_DEVICE On(const PlacedTour& tour, const uint64* parameters, uint64*)
        : tour(tour),
          seed(parameters_of<RandomKeepData>(parameters).seed),
          kept(parameters_of<RandomKeepData>(parameters).kept) {}

    struct Test {
      const On& filter;
      const Opening<Move> opening;
      GLS_DEVICE bool any() const { return filter.kept > 0; }
      GLS_DEVICE bool keeps(int position) const {
        const PlacedTour& tour = filter.tour;
        const uint64 stream = uint64(tour.pass) << 32 | uint32(tour.row);
        Philox random(filter.seed, Purpose::kFilter, int64(stream));
        random.seek(Space::rank(opening.closed(position), tour.n));
        return random.next() < filter.kept;
      }
    };
    GLS_DEVICE Test at(const Opening<Move>& opening) const { return {*this, opening}; }
  };
};

}  // namespace gls
