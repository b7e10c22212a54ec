// A resource of routes: what a vehicle uses up from depot to depot, and how much of it is too much
// (classical resource extension functions: Irnich 2008; Schulz 2013, section 4.3). A struct with
//
//   static constexpr int kWords              how many words its parameters are:
//                                            kWordsOf<Data> where a struct has them
//   AResource(const uint64* words)           (backends/include/words.cuh)
//   struct Segment                           of a path, which has no depot but at its ends
//   Amount                                   of excesses, int64 or double
//   Segment at(int node)                     of a path of one node, depots included
//   Segment join(a, b, Edge<Length> edge)    of two paths, the edge between them included
//   Segment turned(segment)                  of a path that is run backwards
//   Amount excess(segment)                   by how much a route from depot to depot is too much
//   static constexpr bool kTurns             whether that depends on the way that a route is run
//   static constexpr bool kAdds              whether segments are sums, and there is
//   Segment without(Segment whole, Segment first, Segment node)
//                                            of a path, of which `whole` is more: that from the
//                                            same node as `first` on, whose last one, `node`, is
//                                            the path's first
//   static constexpr bool kByNodes           where the order of the nodes does not matter, true (it
//                                            may be missing), and there are
//   int used(segment), int most()            what is used, and what a route may use
#pragma once

#include "backends/include/words.cuh"

namespace gls {

// The lengths of an edge on the way and back.
template <class Length>
struct TwoWay {
  Length there, back;
};

template <class Resource, class = void>
struct ByNodes {
  static constexpr bool kValue = false;
};
template <class Resource>
struct ByNodes<Resource, decltype(void(Resource::kByNodes))> {
  static constexpr bool kValue = Resource::kByNodes;
};

// Nodes that are copies of the depot: 0, and those beyond the customers.
GLS_DEVICE bool is_depot(int node, int customers) { return node == 0 || node > customers; }

}  // namespace gls
