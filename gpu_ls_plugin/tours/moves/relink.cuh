// Applies independent moves in one pass: the cuts split the tour into pieces, which are visited
// along the new edges and copied one after the other.
//
// Cuts are numbered by place. Cut c has two ends: 2 c is the city before it, 2 c + 1 the city
// after it. A piece entered at 2 c + 1 is read forward and left at 2 c + 2; a piece entered at
// 2 c is read backward and left at 2 c - 1.
#pragma once

#include "tours/moves/cuts.cuh"

namespace gls {

template <int kMostMoves>
struct Relinking {
  static constexpr int kMost = kMostMoves * kMaxExchange;  // maximum number of cuts

  int moves, count;           // number of moves and of cuts
  int chosen[kMostMoves];     // numbers of the moves to apply
  int first[kMostMoves];      // first cut of each move
  int place[kMost];           // place of each cut, move by move
  int edge[kMost];            // per cut: kMaxExchange * move + edge of the move
  uint16 end[2 * kMost];      // at 2 * kMaxExchange * move + i: the end at city t[i] of the move
  int sorted[kMost];          // places of the cuts, ascending
  uint16 entered[2 * kMost];  // for a piece entered at this end: where the next is entered
  uint16 walk[kMost];         // ends at which pieces are entered, in their new order
  int begin[kMost];           // offset at which each piece is written

  // Applies those of `all_moves` whose numbers are in `chosen`. `spare` has room for a tour and is
  // swapped with the tour's order. Calls `meanwhile` while one squad walks through the pieces.
  template <class Team, class City, class Meanwhile>
  GLS_DEVICE void apply(const Team& team, RingTour<City>& tour, City*& spare, const Move* all_moves,
                        const Cuts* cuts, Meanwhile meanwhile) {
    const typename Team::Squad squad{};
    rank_cuts(team, all_moves, cuts);
    link_pieces(team, all_moves);
    if (team.lane() < Team::Squad::kLanes) {
      squad.once([&] {
        int at = 2 * count - 1;  // begins with the piece around place 0, which stays in place
        for (int i = 0; i < count; ++i) {
          walk[i] = uint16(at);
          at = entered[at];
        }
      });
      set_begins(squad, tour);
    }
    meanwhile();
    team.sync();
    copy_pieces(squad, tour, spare);
    team.sync();
    City* const old = tour.order;
    tour.order = spare;
    spare = old;
  }

 private:
  // Sorts the cuts by place and finds the end (2 c or 2 c + 1) at each city of each move.
  template <class Team>
  GLS_DEVICE void rank_cuts(const Team& team, const Move* all_moves, const Cuts* cuts) {
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
      const Edge cut = all_moves[chosen[move]].ends_out(e);
      uint16* const ends = &end[2 * kMaxExchange * move];
      ends[cut.from] = uint16(from), ends[cut.to] = uint16(from ^ 1);
      sorted[rank] = at;
    });
    team.sync();
  }

  // Links the pieces along the new edges; there are as many pieces as cuts.
  template <class Team>
  GLS_DEVICE void link_pieces(const Team& team, const Move* all_moves) {
    team.each(count, [&](int c) {
      const int move = edge[c] / kMaxExchange;
      const Edge link = all_moves[chosen[move]].ends_in(edge[c] % kMaxExchange);
      const uint16* const ends = &end[2 * kMaxExchange * move];
      const int from = ends[link.from], to = ends[link.to];
      entered[left_at(from)] = uint16(to);
      entered[left_at(to)] = uint16(from);
    });
    team.sync();
  }

  // Copies the pieces into the new order; squads take them in turn.
  template <class Squad, class City>
  GLS_DEVICE void copy_pieces(const Squad& squad, const RingTour<City>& tour, City* to_order) {
    const int origin = sorted[count - 1] + 1;
#pragma unroll 1
    for (int i = squad.in_block(); i < count; i += Squad::kTeams) {
      const int step = walk[i] % 2 != 0 ? 1 : -1, from = sorted[walk[i] / 2] + (step > 0);
      const int to = origin + begin[i];
      squad.each(length(walk[i], tour), [&](int k) {
        const City city = City(tour.at(from + step * k));
        const int place = tour.wrap(to + k);
        to_order[place] = city;
        tour.position[city] = City(place);
      });
    }
  }

  // Returns the end at which the piece that is left at `end` is entered.
  GLS_DEVICE int left_at(int end) const {
    return end % 2 == 0 ? (end > 0 ? end : 2 * count) - 1 : end + 1 < 2 * count ? end + 1 : 0;
  }

  // Returns the number of cities of the piece that is entered at `end`.
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
