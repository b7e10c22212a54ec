// Moves whose new edges are all short.
#pragma once

#include "tours/filters/new_edges.cuh"

namespace gls {

struct ShortEdge {
  static constexpr int kWords = 1;
  const double longest;
  GLS_DEVICE explicit ShortEdge(const uint64* parameters)
      : longest(*reinterpret_cast<const double*>(parameters)) {}
  template <class PlacedTour>
  GLS_DEVICE bool operator()(const PlacedTour& tour, int p, int q) const {
    return double(tour.length(p, q)) <= longest;
  }
};

struct Radius {
  template <class Space, class PlacedTour>
  using On = NewEdges<ShortEdge, 0, Space, PlacedTour>;
};

}  // namespace gls
