// SWAP* at a city: exchanges two customers between two routes; each goes to its best place in the
// other route (Vidal 2022).
//
// t2 is exchanged for its candidate t3, or for a neighbour of t3 in the route of t3. Each customer
// is tried next to each of its candidates in the other route, at both ends of that route, and where
// the other customer was. If the trade can no longer gain once t2 is inserted, it is dropped.
#pragma once

#include "tours/moves/exchange_move.cuh"

namespace gls {

// Writes the move that exchanges the customers at two places. `shift` says where the customer from
// `its_place` goes: to `place` if it is 0, otherwise between the cities that are |shift| and
// |shift| + 1 steps away from `place`, ahead if `shift` is positive. `its_shift` says the same for
// `its_place`. Rarely called.
template <class City>
GLS_OUT_OF_LINE void write_trade(RingTour<City> tour, int place, int shift, int its_place,
                                 int its_shift, Move* to) {
  const auto at = [&](int steps) { return tour.at(place + steps); };
  const auto its = [&](int steps) { return tour.at(its_place + steps); };
  if (shift == 0 && its_shift == 0) {
    SegmentSwap(tour, 1, place, its_place)
        .write(*to, {at(-1), at(0), at(0), at(1), its(-1), its(0), its(0), its(1)});
    return;
  }
  if (shift == 0) {
    const int other = place;
    place = its_place, its_place = other, shift = its_shift, its_shift = 0;
  }
  const int step = shift > 0 ? 1 : -1;  // direction from `place` to where the other customer goes
  const int front = its_shift * step < 0 ? its_shift - step : its_shift;
  to->shape = Shape::kTrade;
  to->forward = step > 0;
  to->edges = its_shift == 0 ? 5 : 6;
  to->t[0] = its(front), to->t[1] = its(front + step);
  to->t[2] = at(0), to->t[3] = at(step), to->t[4] = at(-step), to->t[5] = at(0);
  to->t[6] = its(-step), to->t[7] = its(0);
  to->t[8] = at(shift), to->t[9] = at(shift + step);
  to->t[10] = its(0), to->t[11] = its(step);
}

// A customer that leaves its route, into which another one is inserted; `shift` is as above.
template <class View>
struct Vacancy {
  using Length = typename View::Length;

  const View& view;
  int place, back, ahead;  // steps back and ahead from the place to copies of the depot
  int city, before, behind;
  int shift = 0;
  Length removed = 0, added = 0;  // lengths that inserting the other customer removes and adds

  GLS_DEVICE Vacancy(const View& view, int city)
      : view(view), place(view.tour.place(city)), city(city), before(at(-1)), behind(at(1)) {
    const auto& routes = view.length.metric.objective;
    back = routes.steps_to_depot(place, -1, view.tour.n);
    ahead = routes.steps_to_depot(place, 1, view.tour.n);
  }

  GLS_DEVICE int at(int steps) const { return view.tour.at(place + steps); }
  // Number of steps to another place of this route; 0 if the place `other` is in another route.
  GLS_DEVICE int steps_to(int other) const {
    const int steps = view.tour.wrap_low(other - place);
    if (steps < ahead) return steps;
    return steps - view.tour.n > -back ? steps - view.tour.n : 0;
  }
  // Length of the edges at the customer that leaves, and of the edge that closes the gap.
  GLS_DEVICE Length vacated() const {
    return view.leaving(before, city) + view.leaving(city, behind);
  }
  GLS_DEVICE Length closed() const { return view.length(before, behind); }

  // Finds the place where another customer adds the least length.
  GLS_DEVICE void fill(int other) {
    const Length closing = closed();
    added = view.length(before, other) + view.length(other, behind);
    const auto offer = [&](int steps) {
      if (steps == 0) return;
      const int c = at(steps < 0 ? steps - 1 : steps), d = at(steps < 0 ? steps : steps + 1);
      const Length out = view.leaving(c, d);
      const Length in = closing + view.length(c, other) + view.length(other, d);
      if (in - out < added - removed) removed = out, added = in, shift = steps;
    };
    offer(1 - back);
    offer(ahead - 1);
    const auto& lists = view.candidates;
    const auto row = lists.entry(other, 0);
#pragma unroll 1
    for (int rank = 0; rank < lists.degree; ++rank) {
      const int steps = steps_to(view.tour.place(lists.city(row + rank)));
      if (steps == 0) continue;
      offer(steps);
      offer(steps < 0 ? steps + 1 : steps - 1);
    }
  }
};

template <bool reversing>
struct SwapStarMove {
  static constexpr bool kOwnEnds = true;
  static constexpr int kListed = 1;

  GLS_DEVICE static int variants(int) { return 3; }

  template <class View, class Length>
  GLS_DEVICE static Length gain(const View& view, const FirstStep<Length>& first, int variant,
                                Move& move) {
    const auto& tour = view.tour;
    const auto& routes = view.length.metric.objective;
    const int v = first.t2, place3 = tour.place(first.t3);
    const int w = tour.at(variant == 2 ? place3 - 1 : place3 + variant);
    if (routes.visits_depot(v) || routes.visits_depot(first.t3) || routes.visits_depot(w)) return 0;
    Vacancy<View> a(view, v);
    if (a.steps_to(place3) != 0) return 0;
    // Skips trades that t2 also finds with another first step: at its other edge, or with w as t3.
    const Length behind = view.leaving(v, a.behind);
    if (first.forward && behind > view.length(v, first.t3)) return 0;
    if (variant > 0) {
      const Length its = view.length(v, w);
      if (behind > its || (reversing && view.leaving(a.before, v) > its)) return 0;
    }
    Vacancy<View> b(view, w);
    b.fill(v);
    const Length removed = a.vacated() + b.vacated() + b.removed;
    if (view.cannot_gain(removed, b.added + a.closed())) return 0;
    a.fill(w);
    const auto write = [&](Move& to) {
      write_trade(tour, a.place, a.shift, b.place, b.shift, &to);
    };
    const Length gain = view.gain(write, removed + a.removed, a.added + b.added);
    if (gain > 0) write(move);
    return gain;
  }
};

}  // namespace gls
