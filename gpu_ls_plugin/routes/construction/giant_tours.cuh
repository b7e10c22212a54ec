// Writes routes as giant tours, with one copy of the depot before each route and all other copies
// at the end.
#pragma once

#include "backends/include/team.cuh"

namespace gls {

template <class Team>
struct WriteGiantTours {
  GLS_DEVICE static void run(const Team& team, int item, int customers, int copies,
                             const int* orders, const unsigned char* all_begins, int* tours) {
    const int n = customers + copies;
    const int* order = orders + int64(item) * customers;
    const unsigned char* begins = all_begins + int64(item) * customers;
    int* tour = tours + int64(item) * n;
    team.once([&] {
      int place = 0, routes = 0;
      for (int p = 0; p < customers; ++p) {
        if (begins[p]) {
          tour[place++] = routes == 0 ? 0 : customers + routes;
          ++routes;
        }
        tour[place++] = order[p];
      }
      for (; place < n; ++place) tour[place] = place;  // the other copies
    });
  }
};

}  // namespace gls
