// The cuts of a double bridge.
#pragma once

#include "tours/moves/move.cuh"
#include "backends/include/philox.cuh"

namespace gls {

// Four cuts in increasing order: cut c is before place `first + at[c]`, modulo the tour's length.
struct BridgeCuts {
  int first, at[4];

  // Uses a sorting network: an array in registers must not be indexed by a variable.
  GLS_DEVICE void sort() { order(0, 1), order(2, 3), order(0, 2), order(1, 3), order(1, 2); }
  GLS_DEVICE void order(int a, int b) {
    const int low = at[a] < at[b] ? at[a] : at[b];
    at[b] += at[a] - low;
    at[a] = low;
  }

  // Whether all cuts differ and no two neighbouring segments have one city each. Otherwise, the
  // kick would keep an edge.
  GLS_DEVICE bool separate(int n) const {
    const int b = at[1] - at[0], c = at[2] - at[1], d = at[3] - at[2], a = n - b - c - d;
    return b > 0 && c > 0 && d > 0 && a > 0 && a + b > 2 && b + c > 2 && c + d > 2 && d + a > 2;
  }

  // The place behind a cut.
  GLS_DEVICE int place(int cut, int n) const { return wrapped(wrapped(first, n) + at[cut], n); }

  // Calls put(to, from) for all places of the new tour, with the place of the same city before.
  template <class Team, class F>
  GLS_DEVICE void each_place(const Team& team, int n, F put) const {
    const int b = at[1] - at[0], c = at[2] - at[1], d = at[3] - at[2];
    const int begin = place(0, n);  // where B begins, and then D
    team.each(n, [&](int step) {
      int from = step;  // A
      if (step < d)
        from = b + c + step;  // D
      else if (step < d + c)
        from = b + (step - d);  // C
      else if (step < d + c + b)
        from = step - d - c;  // B
      put(wrapped(begin + step, n), wrapped(begin + from, n));
    });
  }

 private:
  GLS_DEVICE static int wrapped(int place, int n) { return place < n ? place : place - n; }
};

// Draws all cuts in a window of consecutive cities, which contains both ends of each cut edge. If
// the window is the whole tour, the cuts are uniform.
struct WindowCuts {
  template <class Random, class View>
  GLS_DEVICE static BridgeCuts draw(Random& random, const View& view, int window) {
    return draw(random, view.tour.n, window);
  }
  template <class Random>
  GLS_DEVICE static BridgeCuts draw(Random& random, int n, int window) {
    const bool uniform = window >= n;
    random.ahead(5);
    BridgeCuts cuts{int(random.below(n)), {}};
    GLS_UNROLL
    for (int c = 0; c < 4; ++c) {
      cuts.at[c] = uniform ? int(random.below(n)) : 1 + int(random.below(window - 1));
    }
    cuts.sort();
    return cuts;
  }

  // Draws cuts until they are separate.
  GLS_DEVICE static BridgeCuts draw_separate(Philox& random, int n, int window) {
    BridgeCuts cuts;
    do {
      cuts = draw(random, n, window);
    } while (!cuts.separate(n));
    return cuts;
  }
};

// Draws cuts at cities that are close in space: each city is reached from the previous one by a
// random walk of `window` steps along the candidates.
struct WalkCuts {
  template <class Random, class View>
  GLS_DEVICE static BridgeCuts draw(Random& random, const View& view, int window) {
    const auto& candidates = view.candidates;
    BridgeCuts cuts{0, {}};
    random.ahead(1);
    int city = random.below(view.tour.n);
    GLS_UNROLL
    for (int c = 0; c < 4; ++c) {
#pragma unroll 1
      for (int step = 0; step < window && c > 0; ++step) {
        random.ahead(1);
        city = candidates.city(candidates.entry(city, random.below(candidates.degree)));
      }
      cuts.at[c] = view.tour.place(city);
    }
    cuts.sort();
    return cuts;
  }
};

}  // namespace gls
