// Keeps moves whose new edges are all short.
#pragma once

#include "tours/filters/new_edges.cuh"

namespace gls {

struct ShortEdgeData {
  double longest;  // largest allowed length
};

struct ShortEdge {
  static constexpr int kWords = kWordsOf<ShortEdgeData>;
  const double longest;
  GLS_DEVICE explicit ShortEdge(const uint64* parameters)
      : longest(parameters_of<ShortEdgeData>(parameters).longest) {}
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
