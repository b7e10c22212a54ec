// Greedy tours: repeatedly take the shortest edge that gives no city a third edge and closes no
// cycle.
//
// Candidate edges are listed by length, then by cities. Each city has a `horizon`: up to this
// index, all its edges are listed. An edge beyond the horizon of one of its two cities waits for
// new lists, and so does every later edge of these cities. An edge also waits if an unlisted
// shorter edge might join the other ends of its two fragments, since the waiting edge would then
// close a cycle. So the result is the greedy tour of the complete graph.
#pragma once

#include "tours/kernels/tour.cuh"

namespace gls {

// Sorted edges and growing fragments of a batch of tours. All edges of a city up to index
// horizons[city] are listed. If a city is the end of a fragment, mates[city] is the other end, or
// the city itself if it has no edge yet; for inner cities, it is -1. An item is a tour.
struct GreedyBatch {
  int n;                     // number of cities
  const int64* first_edges;  // (items + 1,): index of the first edge of each tour
  const int* edges;          // (edges, 2): the two cities of each edge
  const int* horizons;       // (items, n)
  int* mates;                // (items, n)
  int* links;                // (items, n, 2): neighbours in the fragment, -1 if there is none
  unsigned char* waiting;    // (items, n): scratch; whether a city waits for new lists
};

// Adds to the fragments of a tour, in order, the listed edges that fit and need not wait.
template <class Team>
struct GreedyEdges {
  GLS_DEVICE static void run(const Team& team, int item, const GreedyBatch& batch) {
    const int n = batch.n;
    int* const mate = batch.mates + int64(item) * n;
    int* const links = batch.links + int64(item) * 2 * n;
    const int* const horizon = batch.horizons + int64(item) * n;
    unsigned char* const waiting = batch.waiting + int64(item) * n;
    const int64 first = batch.first_edges[item], end = batch.first_edges[item + 1];
    team.each(n, [&](int city) { waiting[city] = 0; });
    team.sync();
    team.once([&] {
      for (int64 e = first; e < end; ++e) {
        const int a = batch.edges[2 * e], b = batch.edges[2 * e + 1];
        if (mate[a] < 0 || mate[b] < 0 || mate[a] == b) continue;
        const int64 rank = e - first;
        const auto sure = [&](int city) { return !waiting[city] && rank <= horizon[city]; };
        if (!sure(a) || !sure(b) || !(sure(mate[a]) || sure(mate[b]))) {
          waiting[a] = waiting[b] = 1;
          continue;
        }
        link(links, a, b);
        link(links, b, a);
        join(mate, a, b);
      }
    });
  }

 private:
  GLS_DEVICE static void link(int* links, int from, int to) {
    links[2 * from + (links[2 * from] >= 0)] = to;
  }

  GLS_DEVICE static void join(int* mate, int a, int b) {
    const int end_a = mate[a], end_b = mate[b];
    if (end_a != a) mate[a] = -1;
    if (end_b != b) mate[b] = -1;
    mate[end_a] = end_b;
    mate[end_b] = end_a;
  }
};

// Writes a tour that starts at city 0 and follows the links of a Hamiltonian cycle.
template <class Team>
struct FollowLinks {
  GLS_DEVICE static void run(const Team& team, int item, int n, const int* all_links, int* tours) {
    const int* links = all_links + int64(item) * 2 * n;
    int* order = tours + int64(item) * n;
    team.once([&] {
      int before = -1, city = 0;
      for (int p = 0; p < n; ++p) {
        order[p] = city;
        const int next = links[2 * city] != before ? links[2 * city] : links[2 * city + 1];
        before = city;
        city = next;
      }
    });
  }
};

}  // namespace gls
