// Double bridge: cut a tour into A B C D and reconnect it as A D C B.
//
// All four edges between the segments change. Cuts that leave two neighbouring segments of one city
// each are drawn again, as the new tour would keep the edge between them.
#pragma once

#include "tours/kicks/bridge_cuts.cuh"

namespace gls {

template <class Team>
struct DoubleBridge {
  GLS_DEVICE static void run(const Team& team, int item, int n, int window, uint64 seed,
                             int64 first_row, const int* tours, int* kicked) {
    Philox random(seed, Purpose::kDoubleBridge, first_row + item);
    const BridgeCuts cuts = WindowCuts::draw_separate(random, n, window);
    const int* const tour = tours + int64(item) * n;
    int* const result = kicked + int64(item) * n;
    cuts.each_place(team, n, [&](int to, int from) { result[to] = tour[from]; });
  }
};

}  // namespace gls
