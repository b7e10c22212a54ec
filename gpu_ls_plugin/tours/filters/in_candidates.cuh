// Keeps moves whose new edges, except at most `missing`, lead from a city to one of its candidates,
// in either direction.
#pragma once

#include "tours/filters/new_edges.cuh"

namespace gls {

struct CandidateEdgeData {
  const int* cities;    // candidates, city by city
  const double* reach;  // distance from each city to its farthest candidate
  int64 degree;         // number of candidates per city
};

struct CandidateEdge {
  static constexpr int kWords = kWordsOf<CandidateEdgeData>;
  const int* const cities;
  const double* const reach;
  const int degree;
  GLS_DEVICE explicit CandidateEdge(const uint64* parameters)
      : CandidateEdge(parameters_of<CandidateEdgeData>(parameters)) {}
  GLS_DEVICE explicit CandidateEdge(const CandidateEdgeData& data)
      : cities(data.cities), reach(data.reach), degree(int(data.degree)) {}

  GLS_DEVICE bool lists(int city, int other) const {
    const int* const own = cities + int64(city) * degree;
    for (int rank = 0; rank < degree; ++rank) {
      if (own[rank] == other) return true;
    }
    return false;
  }
  template <class PlacedTour>
  GLS_DEVICE bool operator()(const PlacedTour& tour, int p, int q) const {
    const int a = tour.city(p), b = tour.city(q);
    const double length = double(tour.length(p, q));  // rejects most pairs without reading lists
    return (length <= reach[a] && lists(a, b)) || (length <= reach[b] && lists(b, a));
  }
};

template <int missing>
struct InCandidates {
  template <class Space, class PlacedTour>
  using On = NewEdges<CandidateEdge, missing, Space, PlacedTour>;
};

}  // namespace gls
