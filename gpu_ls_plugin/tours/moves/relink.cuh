// Applies independent moves in one pass: the tour falls into the pieces between their cuts, which
// are walked along the new edges and written one after the other.
//
// Cut c, by rank of its place, has two ends: 2 c is the city in front of it, 2 c + 1 the one
// behind. A piece that is entered at 2 c + 1 is read forward and left at 2 c + 2; entered at 2 c,
// it is read backward and left at 2 c - 1.
#pragma once

#include "tours/moves/cuts.cuh"

namespace gls {

template <int kMostMoves>
struct Relinking {
  static constexpr int kMost = kMostMoves * kMaxExchange;  // cuts

  int moves, count;           // how many moves, and cuts
  int chosen[kMostMoves];     // numbers of the moves
  int first[kMostMoves];      // the first cut of each
  int place[kMost];           // of cuts, move by move
  int edge[kMost];            // of which move, and which of its edges: kMaxExchange move + edge
  uint16 end[2 * kMost];      // of a move's cities t1, t2, ..., from 2 kMaxExchange move on
  int sorted[kMost];          // places
  uint16 entered[2 * kMost];  // from the end at which a piece is entered to that of the next
  uint16 walk[kMost];         // ends at which pieces are entered, in their new order
  int begin[kMost];           // where a piece is written, counted from the first

  // Applies the moves `chosen`, of which `its` are all; `spare` has room for the tour and changes
  // places with its order. Something else is done `meanwhile`, while one lane walks.
  template <class Team, class City, class Meanwhile>
  GLS_DEVICE void apply(const Team& team, RingTour<City>& tour, City*& spare, const Move* its,
                        const Cuts* cuts, Meanwhile meanwhile) {
    using Squad = typename Team::Squad;
    const Squad squad{};
    team.each(moves * kMaxExchange, [&](int item) {
      const int move = item / kMaxExchange, e = item % kMaxExchange;
      const Cuts& own = cuts[chosen[move]];
      if (e >= own.count) return;
      place[first[move] + e] = own.place(e);
      edge[first[move] + e] = item;
    });
    team.sync();
    team.each(count, [&](int c) {
      const int at = place[c];
      int rank = 0;
      for (int other = 0; other < count; ++other) rank += place[other] < at;
      const int move = edge[c] / kMaxExchange, e = edge[c] % kMaxExchange;
      const int from = 2 * rank + (cuts[chosen[move]].ends[e] & 1);
      const Edge cut = its[chosen[move]].ends_out(e);
      uint16* const ends = &end[2 * kMaxExchange * move];
      ends[cut.from] = uint16(from), ends[cut.to] = uint16(from ^ 1);
      sorted[rank] = at;
    });
    team.sync();
    team.each(count, [&](int c) {  // as many edges come
      const int move = edge[c] / kMaxExchange;
      const Edge link = its[chosen[move]].ends_in(edge[c] % kMaxExchange);
      const uint16* const ends = &end[2 * kMaxExchange * move];
      const int from = ends[link.from], to = ends[link.to];
      entered[left_at(from)] = uint16(to);
      entered[left_at(to)] = uint16(from);
    });
    team.sync();
    if (team.lane() < Squad::kLanes) {
      squad.once([&] {
        int at = 2 * count - 1;  // the piece around place 0 stays where it is
        for (int i = 0; i < count; ++i) {
          walk[i] = uint16(at);
          at = entered[at];
        }
      });
      set_begins(squad, tour);
    }
    meanwhile();
    team.sync();
    const int origin = sorted[count - 1] + 1;
#pragma unroll 1
    for (int i = squad.in_block(); i < count; i += Squad::kTeams) {
      const int step = walk[i] % 2 != 0 ? 1 : -1, from = sorted[walk[i] / 2] + (step > 0);
      const int to = origin + begin[i];
      squad.each(length(walk[i], tour), [&](int k) {
        const City city = City(tour.at(from + step * k));
        const int place = tour.wrap(to + k);
        spare[place] = city;
        tour.position[city] = City(place);
      });
    }
    team.sync();
    City* const old = tour.order;
    tour.order = spare;
    spare = old;
  }

 private:
  // The end at which a piece is entered that is left at `end`.
  GLS_DEVICE int left_at(int end) const {
    return end % 2 == 0 ? (end > 0 ? end : 2 * count) - 1 : end + 1 < 2 * count ? end + 1 : 0;
  }

  // Of the piece that is entered at an end.
  template <class City>
  GLS_DEVICE int length(int end, const RingTour<City>& tour) const {
    const int behind = (end + 1) / 2, c = behind < count ? behind : 0;
    return tour.wrap_low(sorted[c] - sorted[c > 0 ? c - 1 : count - 1]);
  }

  template <class Squad, class City>
  GLS_DEVICE void set_begins(const Squad& squad, const RingTour<City>& tour) {
    int before = 0;
#pragma unroll 1
    for (int base = 0; base < count; base += Squad::kLanes) {
      const int i = base + squad.lane();
      const Compacted own = squad.stacked(i < count ? length(walk[i], tour) : 0);
      if (i < count) begin[i] = before + own.place;
      before += own.total;
    }
  }
};

}  // namespace gls
