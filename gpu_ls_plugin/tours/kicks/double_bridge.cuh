// Double bridge: cut a tour into A B C D and reconnect it as A D C B.
//
// All four edges between the segments change. Cuts that leave two neighbouring segments of one city
// each are drawn again, as the new tour would keep the edge between them.
#pragma once

#include "tours/kicks/bridge_cuts.cuh"
#include "tours/kernels/tour.cuh"

namespace gls {

template <class Team>
struct DoubleBridge {
  GLS_DEVICE static void run(const Team& team, int item, int n, int window, uint64 seed,
                             int64 first_row, const int* tours, int* kicked) {
    Philox random(seed, Purpose::kDoubleBridge, first_row + item);
    BridgeCuts cuts;
    do {
      cuts = WindowCuts::draw(random, n, window);
    } while (!cuts.separate(n));
    const Tour<const int> tour{tours + int64(item) * n, n};
    int* result = kicked + int64(item) * n;
    const int b = cuts.at[1] - cuts.at[0], c = cuts.at[2] - cuts.at[1], d = cuts.at[3] - cuts.at[2];
    const int begin = tour.wrap(tour.wrap(cuts.first) + cuts.at[0]);  // where B begins, and then D
    team.each(n, [&](int step) {
      const int to = tour.wrap(begin + step);
      int from = step;  // A
      if (step < d)
        from = b + c + step;  // D
      else if (step < d + c)
        from = b + (step - d);  // C
      else if (step < d + c + b)
        from = step - d - c;  // B
      result[to] = tour[tour.wrap(begin + from)];
    });
  }
};

}  // namespace gls
