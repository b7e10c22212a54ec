// Double bridge: cut a tour into A B C D and put it together as A D C B.
//
// All four edges between the segments change, unless two neighbouring segments have one city each
// (C B would keep their edge); such cuts are not drawn.
#pragma once

#include "philox.cuh"
#include "tour.cuh"

namespace gls {

template <class Team>
struct DoubleBridge {
  // Four cuts in increasing order: cut c lies before position `first + at[c]`, around the tour.
  struct Cuts {
    int first, at[4];
  };

  // `window` cities hold all four cut edges with both their ends; n cities are the whole tour.
  GLS_DEVICE static Cuts draw(Philox& random, int n, int window) {
    const bool uniform = window >= n;
    for (;;) {
      Cuts cuts{int(random.below(n)), {}};
      bool different = true;
      for (int c = 0; c < 4; ++c) {
        const int at = uniform ? int(random.below(n)) : 1 + int(random.below(window - 1));
        int place = c;
        for (; place > 0 && cuts.at[place - 1] > at; --place) cuts.at[place] = cuts.at[place - 1];
        different = different && (place == 0 || cuts.at[place - 1] != at);
        cuts.at[place] = at;
      }
      if (different && separates(cuts, n)) return cuts;
    }
  }

  // No two neighbouring segments of one city.
  GLS_DEVICE static bool separates(const Cuts& cuts, int n) {
    const int b = cuts.at[1] - cuts.at[0], c = cuts.at[2] - cuts.at[1], d = cuts.at[3] - cuts.at[2];
    const int a = n - b - c - d;
    return a + b > 2 && b + c > 2 && c + d > 2 && d + a > 2;
  }

  GLS_DEVICE static void run(const Team& team, int item, int n, int window, uint64 seed,
                             const int* tours, int* kicked) {
    Philox random(seed, Purpose::kDoubleBridge, item);
    const Cuts cuts = draw(random, n, window);
    const Tour<const int> tour{tours + int64(item) * n, n};
    int* result = kicked + int64(item) * n;
    const int b = cuts.at[1] - cuts.at[0], c = cuts.at[2] - cuts.at[1], d = cuts.at[3] - cuts.at[2];
    const int begin = tour.wrap(tour.wrap(cuts.first) + cuts.at[0]);  // where B stood, D will stand
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
