// Complete neighbourhoods: all ways to replace two or three edges of a tour.
//
// Moves are enumerated by number (mappings.cuh turns numbers into positions) or by opening. An
// opening is a move with one open position; a filter that rejects an opening skips all moves that
// differ only in this position.
#pragma once

#include "tours/moves/reconnection.cuh"
#include "tours/moves/two_opt.cuh"
#include "tours/problem/objective.cuh"

namespace gls {

// A move that removes the edges after positions at[0] < at[1] < ... and reconnects the paths; `way`
// is the number of the reconnection. The ends of the edge after at[x] are numbered 2 x and 2 x + 1.
template <int edges>
struct Exchange {
  int at[edges], way;

  GLS_DEVICE int position(int end, int n) const {
    const int p = at[end / 2] + end % 2;
    return p < n ? p : 0;
  }
};

// A move whose position at[open] may be any in [begin, end). In 3-opt, new edge number `rotation`
// joins the two removed edges whose positions are known.
template <class MoveType>
struct Opening {
  MoveType move;
  int open, rotation, begin, end;

  GLS_DEVICE MoveType closed(int position) const {
    MoveType whole = move;
    whole.at[open] = position;
    return whole;
  }
};

// A move in the form that objectives read.
template <class Space, class PlacedTour>
struct ExchangeChange {
  static constexpr int kMostEdges = Space::kEdges;

  const PlacedTour& tour;
  const typename Space::Move& move;

  GLS_DEVICE int edges() const { return Space::kEdges; }
  GLS_DEVICE Edge leaving(int edge) const { return named(cut(edge)); }
  GLS_DEVICE Edge coming(int edge) const { return named(link(edge)); }

  GLS_DEVICE int cities() const { return tour.n; }
  GLS_DEVICE int city(int place) const { return tour.city(place); }
  GLS_DEVICE Edge cut(int edge) const { return placed({2 * edge, 2 * edge + 1}); }
  GLS_DEVICE Edge link(int edge) const { return placed(Space::link(move.way, edge)); }
  GLS_DEVICE int place(int end) const { return move.position(end, tour.n); }
  GLS_DEVICE Edge ends_out(int edge) const { return {2 * edge, 2 * edge + 1}; }
  GLS_DEVICE Edge ends_in(int edge) const { return Space::link(move.way, edge); }

 private:
  GLS_DEVICE Edge placed(Edge link) const {
    return {move.position(link.from, tour.n), move.position(link.to, tour.n)};
  }
  GLS_DEVICE Edge named(Edge places) const { return {city(places.from), city(places.to)}; }
};

// Returns the change of cost by a move, including what the objective adds.
template <class Space, class PlacedTour>
GLS_DEVICE typename PlacedTour::Length change_of(const PlacedTour& tour,
                                                 const typename Space::Move& move) {
  const auto longer = Space::change(tour, move);
  if constexpr (length_alone<typename PlacedTour::Metric>()) {
    return longer;
  } else {
    using Change = ExchangeChange<Space, PlacedTour>;
    return -tour.lengths.metric.objective.gain(Change{tour, move}, -longer);
  }
}

// 2-opt.
struct Pairs {
  using Move = Exchange<2>;
  static constexpr int kEdges = 2, kWays = 1;
  static constexpr int kRotations = 1;
  static constexpr int kKnownLinks = 0;  // number of new edges that an opening determines

  GLS_DEVICE static Edge link(int, int number) { return {number, number + 2}; }

  // A move cannot remove two neighbouring edges, so mappings yield the second position minus 1.
  GLS_DEVICE static int64 count(int n) { return int64(n - 1) * (n - 2) / 2; }
  template <class Mapping>
  GLS_DEVICE static Move decode(const Mapping& mapping, int64 number) {
    Move move{{0, 0}, 0};
    mapping.pair(number, move.at[0], move.at[1]);
    ++move.at[1];
    return move;
  }
  // Whether a move exists; the first and the last edge of the tour are neighbours, so no move
  // removes both.
  GLS_DEVICE static bool exists(const Move& move, int n) {
    return move.at[0] > 0 || move.at[1] < n - 1;
  }

  GLS_DEVICE static int64 openings(int n) { return n - 2; }
  GLS_DEVICE static Opening<Move> opening(int64 number, int way, int, int n) {
    return {{{int(number), 0}, way}, 1, 0, int(number) + 2, n};
  }
  GLS_DEVICE static Opening<Move> last_open(const Move& move) { return {move, 1, 0, 0, 0}; }

  GLS_DEVICE static int64 rank(const Move& move, int n) {
    return TwoOpt::index(move.at[0], move.at[1], n);
  }
  GLS_DEVICE static Move ranked(int64 rank, int n) { return {{int(rank / n), int(rank % n)}, 0}; }

  template <class PlacedTour>
  GLS_DEVICE static typename PlacedTour::Length change(const PlacedTour& tour, const Move& move) {
    const int a = move.at[0], c = move.at[1], b = a + 1, d = tour.next(c);
    return TwoOpt::change(tour.length(a, c) + tour.length(b, d), tour.edges[a] + tour.edges[c]);
  }
  template <class Length>
  GLS_DEVICE static bool gains(Length change, Length) {
    return change < 0;
  }
  template <class Team>
  GLS_DEVICE static void apply(const Team& team, Tour<int> tour, const Move& move) {
    TwoOpt::apply(team, tour, TwoOpt::row_move(rank(move, tour.n), tour.n));
  }
};

// 3-opt: the four pure reconnections of each triple of edges.
struct Triples {
  using Move = Exchange<3>;
  static constexpr int kEdges = 3, kWays = kPureReconnections;
  static constexpr int kRotations = 3;
  static constexpr int kKnownLinks = 1;
  template <int way>
  static constexpr int kLinks = Reconnection::edges_by_joined(way);

  // New edge 0 joins the first and the second removed edge, edge 1 the second and the third, and
  // edge 2 the first and the third.
  GLS_DEVICE static Edge link(int way, int number) {
    const int links = way == 0   ? kLinks<0>
                      : way == 1 ? kLinks<1>
                      : way == 2 ? kLinks<2>
                                 : kLinks<3>;
    const int both = links >> 8 * number & 0xff;
    return {both >> 4, both & 15};
  }

  GLS_DEVICE static int64 count(int n) { return int64(n) * (n - 1) / 2 * (n - 2) / 3; }
  template <class Mapping>
  GLS_DEVICE static Move decode(const Mapping& mapping, int64 number) {
    Move move{{0, 0, 0}, 0};
    mapping.triple(number, move.at[0], move.at[1], move.at[2]);
    return move;
  }
  GLS_DEVICE static bool exists(const Move&, int) { return true; }

  GLS_DEVICE static int64 openings(int n) { return int64(n) * (n - 1) / 2; }
  GLS_DEVICE static Opening<Move> opening(int64 number, int way, int rotation, int n);
  GLS_DEVICE static Opening<Move> last_open(const Move& move) { return {move, 2, 0, 0, 0}; }

  GLS_DEVICE static int64 rank(const Move& move, int n) {
    return ((int64(move.at[0]) * n + move.at[1]) * n + move.at[2]) * kWays + move.way;
  }
  GLS_DEVICE static Move ranked(int64 rank, int n) {
    const int way = int(rank % kWays);
    rank /= kWays;
    return {{int(rank / n / n), int(rank / n % n), int(rank % n)}, way};
  }

  // Adds lengths in the order of three_opt_step.cuh, so that real changes agree to the last bit.
  template <class PlacedTour>
  GLS_DEVICE static typename PlacedTour::Length change(const PlacedTour& tour, const Move& move) {
    const int a = move.at[0], c = move.at[1], e = move.at[2];
    const int b = a + 1, d = c + 1, f = tour.next(e);
    const auto ef = tour.edges[e], removed = tour.edges[a] + tour.edges[c];
    if (move.way == 1) {
      const auto ac = tour.length(a, c), be = tour.length(b, e);
      return (d == e ? be + ac : ((be - ef) + tour.length(d, f)) + ac) - removed;
    }
    if (move.way == 2) {
      return ((tour.length(b, f) + (tour.length(c, e) - ef)) + tour.length(a, d)) - removed;
    }
    const auto cf = tour.length(c, f);
    if (move.way == 0) return (((tour.length(b, e) - ef) + cf) + tour.length(a, d)) - removed;
    return (((tour.length(a, e) - ef) + cf) + tour.length(b, d)) - removed;
  }
  // A real gain that could be a rounding error does not count.
  template <class Length>
  GLS_DEVICE static bool gains(Length change, Length removed) {
    return change < 0 && (Length(0.5) == Length(0) || change <= removed * Length(-1e-12));
  }
  template <class Team>
  GLS_DEVICE static void apply(const Team& team, Tour<int> tour, const Move& move) {
    Reconnection{move.at[0], move.at[1], move.at[2], move.way}.apply(team, tour);
  }
};

}  // namespace gls
