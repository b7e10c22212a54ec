// Greedy edges: take the shortest edge that keeps every city at degree two and closes no cycle.
//
// Candidate edges come in order of (length, cities). The candidates of a city hold all its edges up
// to its `horizon`. An edge beyond the horizon of one of its cities waits for new lists, and so
// does every later edge of these cities. It also waits if both fragments could meet at their other
// ends first, by edges that are not seen yet: it would close a cycle then. That makes the result
// the greedy tour of the complete graph.
#pragma once

#include "tours/kernels/tour.cuh"

namespace gls {

template <class Team>
struct GreedyEdges {
  // mate[c]: the other end of the fragment that c ends (c itself if it is alone), -1 inside.
  // links[2 c], links[2 c + 1]: neighbours of c in its fragment, -1 where there is none.
  // horizon[c]: number, in the order of the item's edges, of the last edge that c is sure of.
  GLS_DEVICE static void run(const Team& team, int item, int n, const int64* first_edges,
                             const int* edges, const int* horizons, int* mates, int* all_links,
                             unsigned char* waiting_scratch) {
    int* mate = mates + int64(item) * n;
    int* links = all_links + int64(item) * 2 * n;
    const int* horizon = horizons + int64(item) * n;
    unsigned char* waiting = waiting_scratch + int64(item) * n;
    team.each(n, [&](int city) { waiting[city] = 0; });
    team.sync();
    team.once([&] {
      for (int64 e = first_edges[item]; e < first_edges[item + 1]; ++e) {
        const int a = edges[2 * e], b = edges[2 * e + 1];
        if (mate[a] < 0 || mate[b] < 0 || mate[a] == b) continue;
        const int64 rank = e - first_edges[item];
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

// Writes the tour that starts at city 0 and follows the links of one Hamiltonian path or cycle.
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
