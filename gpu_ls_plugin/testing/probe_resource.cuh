// Records the constants of a resource, and the excess of routes that are joined in all ways in
// which searches may join them.
#pragma once

#include "routes/problem/resources/duration.cuh"
#include "routes/problem/resources/load.cuh"
#include "routes/problem/resources/time_windows.cuh"

namespace gls {

struct ResourceProbes {
  const int* nodes;     // shape (routes, stops): from depot to depot, filled up with -1
  const void* lengths;  // Lengths, same shape: of the edge from each node to the next
  int stops;
  int asked;       // number of routes; 0 if only the constants are recorded
  int* constants;  // sizeof(Segment), kWords, kTurns, kAdds
  double* excess;  // shape (routes, stops - 1, kJoins): of each route, cut behind each of its nodes
};

// kOutside, kInside: the route, if its first part is joined node by node from its beginning and the
// second from its end; or the other way round. kRest, kWithout: the second part behind the depot,
// joined node by node; or made by without() if kAdds. kTurned: the route, if both parts are turned;
// only unless kTurns.
enum ResourceJoin { kOutside, kInside, kTurned, kRest, kWithout, kJoins };

template <class Team, class Resource, class Length>
struct ProbeResource {
  using Segment = typename Resource::Segment;

  GLS_DEVICE static void run(const Team& team, int item, const uint64* words,
                             const ResourceProbes& all) {
    team.once([&] {
      all.constants[0] = int(sizeof(Segment)), all.constants[1] = Resource::kWords;
      all.constants[2] = Resource::kTurns, all.constants[3] = Resource::kAdds;
    });
    if (item >= all.asked) return;
    const int64 own = int64(item) * all.stops;
    const ProbeResource probe{Resource(words), all.nodes + own,
                              static_cast<const Length*>(all.lengths) + own, all.stops};
    double* const excess = all.excess + (own - item) * kJoins;
    team.each(all.stops - 1, [&](int cut) { probe.record(cut + 1, excess + cut * kJoins); });
  }

  const Resource resource;
  const int* nodes;
  const Length* lengths;
  const int stops;

 private:
  // Records the excess of the route if its first `cut` nodes are joined with the others.
  GLS_DEVICE void record(int cut, double* excess) const {
    int size = stops;
    while (nodes[size - 1] < 0) --size;
    if (cut > size - 1) cut = size - 1;
    const Segment head = grown(0, cut), tail = grown_back(cut, size);
    excess[kOutside] = of(head, tail, cut);
    excess[kInside] = of(grown_back(0, cut), grown(cut, size), cut);
    excess[kTurned] = Resource::kTurns ? excess[kOutside] : of(tail, head, cut);
    const Segment depot = grown(0, 1);
    excess[kRest] = excess[kWithout] = of(depot, tail, 1);
    if constexpr (Resource::kAdds) {
      const Segment own = resource.at(nodes[cut]);
      excess[kWithout] = of(depot, resource.without(grown(0, size), grown(0, cut + 1), own), 1);
    }
  }
  GLS_DEVICE double of(const Segment& head, const Segment& tail, int cut) const {
    return double(resource.excess(resource.join(head, tail, lengths[cut - 1])));
  }
  // The path from one node to the node before another, joined from its beginning or from its end.
  GLS_DEVICE Segment grown(int from, int to) const {
    Segment path = resource.at(nodes[from]);
    for (int k = from + 1; k < to; ++k)
      path = resource.join(path, resource.at(nodes[k]), lengths[k - 1]);
    return path;
  }
  GLS_DEVICE Segment grown_back(int from, int to) const {
    Segment path = resource.at(nodes[to - 1]);
    for (int k = to - 2; k >= from; --k)
      path = resource.join(resource.at(nodes[k]), path, lengths[k]);
    return path;
  }
};

}  // namespace gls
