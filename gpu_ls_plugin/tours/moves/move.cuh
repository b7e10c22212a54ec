// Sequential moves: edges (t1,t2), (t3,t4), ... leave, edges (t2,t3), (t4,t5), ... (t2k,t1) come.
//
// Taking out (t1,t2) leaves a path from t2 (step 0) to t1 (step n - 1). A move is read along it:
//
//   kFlips   each further edge (t, t') that leaves has t' on the side of the path's free end, so
//            that reversing the beginning of the path, as far as t', makes a path again
//   kSwap    t4 lies behind t3, t6 behind t5 <= t3:  t2..t5 t6..t3 t4.. -> t6..t3 t2..t5 t4..
//   kTurn    t4 lies behind t3, t6 before t5 <= t3:  t2..t6 t5..t3 t4.. -> t6..t2 t3..t5 t4..
//
// Two cities that go elsewhere at once, t3 forward and t8 back, in a tour read as `forward` says:
//
//   kTrade   t5 t3 t4..t1 t2 -> t5 t4..t1 t3 t2, then t9 t10..t7 t8 t12 -> t9 t8 t10..t7 t12
//
// where t6 = t3 and t11 = t8. Both are sequential, and no edge is of both; where t1 is t8, the edge
// (t11,t12) is (t1,t2), and all is one sequence of five.
//
// A double bridge, the one move that is not sequential, is executed like the others:
//
//   kBridge  t7 t1..t2 t3..t4 t5..t6 t8 -> t7 t5..t6 t3..t4 t1..t2 t8
//
// As a repair, not a kick, that move is
//
//   kCross
//
// A neighbourhood offers, for each first step, `variants(degree)` ways to go on:
//
//   static Length gain(const View& view, const FirstStep<Length>& first, int variant, Move& move)
//
// returns the gain of the best move that goes on so, 0 or less where there is none, and writes the
// move into `move`. Edges that leave are measured by `view.leaving(a, b)`, edges that come by
// `view.length(a, b)`; what a move gains is for `view.gain(move, removed, added)` to say. Moves
// live in registers: index `t` by constants only. It may also have
//
//   static constexpr bool kSharesLengths = true;
//   static void each_gain(const View& view, const FirstStep<Length>& first, Take take)
//
// which calls take(variant, gain) for all gains that may be positive, the same as above (of equal
// or lesser gains of a variant only the best counts). The host asks for these, one after the other
// anyway: lengths that variants share are computed once.
#pragma once

#include "tours/problem/instance.cuh"
#include "tours/problem/lengths.cuh"
#include "tours/problem/objective.cuh"
#include "tours/kernels/chain_sizes.cuh"
#include "tours/kernels/ring_tour.cuh"

namespace gls {

// Edges of a move: those that need the memory of a host are for hosts alone.
constexpr int kUsualExchange = 8, kDeepestExchange = 12;
constexpr int kMaxExchange = kOnDevice ? kUsualExchange : kDeepestExchange;
static_assert(kMostNew == 2 * kUsualExchange, "the ends of a move join a device's queue at once");

enum class Shape { kFlips, kSwap, kTurn, kTrade, kBridge, kCross };

struct Move {
  Shape shape;
  int forward;  // whether t2 follows t1 in the direction of the tour
  int edges;
  int part;  // which of several neighbourhoods it is of; `Either` says so
  int t[2 * kMaxExchange];

  // The first three edges.
  template <class FirstStep>
  GLS_DEVICE void set(const FirstStep& first, Shape its_shape, int its_edges, int t4, int t5,
                      int t6) {
    start(first);
    shape = its_shape;
    edges = its_edges;
    t[3] = t4, t[4] = t5, t[5] = t6;
  }
  template <class FirstStep>
  GLS_DEVICE void start(const FirstStep& first) {
    forward = first.forward;
    t[0] = first.t1, t[1] = first.t2, t[2] = first.t3;
  }

  // The places in `t` of the cities that an edge joins. A double bridge takes out (t7,t1), (t2,t3),
  // ... and puts in (t7,t5), (t6,t3), (t4,t1), (t2,t8); a trade of six edges is two sequences.
  GLS_DEVICE Edge ends_out(int edge) const {
    if (shape < Shape::kBridge) return {2 * edge, 2 * edge + 1};
    return {edge > 0 ? 2 * edge - 1 : 6, edge < 3 ? 2 * edge : 7};
  }
  GLS_DEVICE Edge ends_in(int edge) const {
    const bool two = shape == Shape::kTrade && edges == 6;
    const bool closes = edge + 1 == edges || (two && edge == 2);
    const int next = closes ? (two && edge > 2 ? 6 : 0) : 2 * edge + 2;
    if (shape < Shape::kBridge) return {2 * edge + 1, next};
    const int other = edge ^ 2;  // behind which cut: that after the next
    return {edge > 0 ? 2 * edge - 1 : 6, other < 3 ? 2 * other : 7};
  }
};
static_assert(!kOnDevice || sizeof(Move) == kMoveBytes, "of a move");

template <class Length>
struct FirstStep {
  int t1, t2, t3;
  int forward;    // t2 follows t1 in the direction of the tour
  Length length;  // of the edge (t1, t2) that leaves
  Length gain;    // of the step: length - d(t2, t3), positive
};

// Whether a neighbourhood has `each_gain`.
template <class Neighbourhood, class = void>
struct SharesLengths {
  static constexpr bool kValue = false;
};
template <class Neighbourhood>
struct SharesLengths<Neighbourhood, decltype(void(Neighbourhood::kSharesLengths))> {
  static constexpr bool kValue = true;
};

// Whether moves have other ends than the first step's in places t1, t2 and t3, or another
// direction: `kOwnEnds` says so. Those of all others are not kept while moves are compared.
template <class Neighbourhood, class = void>
struct OwnEnds {
  static constexpr bool kValue = false;
};
template <class Neighbourhood>
struct OwnEnds<Neighbourhood, decltype(void(Neighbourhood::kOwnEnds))> {
  static constexpr bool kValue = Neighbourhood::kOwnEnds;
};

// Whether first improvement takes a move of the first step that has one, not of the first city:
// `kByStep` says so. `ByStep` makes any neighbourhood such a one.
template <class Neighbourhood, class = void>
struct TakesFirstStep {
  static constexpr bool kValue = false;
};
template <class Neighbourhood>
struct TakesFirstStep<Neighbourhood, decltype(void(Neighbourhood::kByStep))> {
  static constexpr bool kValue = true;
};
template <class Neighbourhood>
struct ByStep : Neighbourhood {
  static constexpr bool kByStep = true;
};

// How many moves a variant has at most, which are asked about by `view.gain` one after the other,
// whatever it says of those before: `kListed`. 0 where that is not so.
template <class Neighbourhood, class = void>
struct ListedMoves {
  static constexpr int kMost = 0;
};
template <class Neighbourhood>
struct ListedMoves<Neighbourhood, decltype(void(Neighbourhood::kListed))> {
  static constexpr int kMost = Neighbourhood::kListed;
};

// How many edges its moves have at most: `kMostEdges`, where it says so.
template <class Neighbourhood, class = void>
struct MostEdges {
  static constexpr int kValue = kUsualExchange;
};
template <class Neighbourhood>
struct MostEdges<Neighbourhood, decltype(void(Neighbourhood::kMostEdges))> {
  static constexpr int kValue = Neighbourhood::kMostEdges;
};

// Of how many neighbourhoods one is made.
template <class Neighbourhood, class = void>
struct PartsOf {
  static constexpr int kCount = 1;
};
template <class Neighbourhood>
struct PartsOf<Neighbourhood, decltype(void(Neighbourhood::kParts))> {
  static constexpr int kCount = Neighbourhood::kParts;
};

// Moves of each of them, counted where there are several: by one lane, or `together` by some.
template <class Neighbourhood, bool several = (PartsOf<Neighbourhood>::kCount > 1)>
struct MovesByPart {
  static constexpr int kParts = PartsOf<Neighbourhood>::kCount;
  uint32 counts[kParts];

  GLS_DEVICE void clear() {
    for (int part = 0; part < kParts; ++part) counts[part] = 0;
  }
  GLS_DEVICE void count(const Move& move) { ++counts[move.part]; }
  GLS_DEVICE void count_together(const Move& move) { fetch_add(&counts[move.part], 1); }
  // Adds the counts to those of other teams.
  GLS_DEVICE void add_to(int64* totals) const {
    for (int part = 0; part < kParts; ++part) add(&totals[part], counts[part]);
  }
};
template <class Neighbourhood>
struct MovesByPart<Neighbourhood, false> {
  GLS_DEVICE void clear() {}
  GLS_DEVICE void count(const Move&) {}
  GLS_DEVICE void count_together(const Move&) {}
  GLS_DEVICE void add_to(int64*) const {}
};

// Edges that no move may take out: none.
struct NoFixedEdges {
  GLS_DEVICE static bool hold(int, int) { return false; }
};

// Each city has at most one, to its mate; a city without one is its own mate.
template <class City>
struct FixedEdges {
  const City* mates;
  GLS_DEVICE bool hold(int a, int b) const { return int(mates[a]) == b; }
};

// A move as an objective sees it, in the problem's names of the cities of a metric; of `most` edges
// at most.
template <class View, int most = kMaxExchange>
struct MoveChange {
  static constexpr int kMostEdges = most;

  const View& view;
  const Move& move;

  GLS_DEVICE int edges() const { return move.edges; }
  GLS_DEVICE Edge ends_out(int edge) const { return move.ends_out(edge); }
  GLS_DEVICE Edge ends_in(int edge) const { return move.ends_in(edge); }
  GLS_DEVICE Edge leaving(int edge) const { return named(ends_out(edge)); }
  GLS_DEVICE Edge coming(int edge) const { return named(ends_in(edge)); }

  GLS_DEVICE int cities() const { return view.tour.n; }
  GLS_DEVICE int city(int place) const { return name_of(view.length.metric, view.tour.at(place)); }
  GLS_DEVICE Edge cut(int edge) const { return placed(ends_out(edge)); }
  GLS_DEVICE Edge link(int edge) const { return placed(ends_in(edge)); }
  GLS_DEVICE int place(int end) const { return view.tour.place(move.t[end]); }

 private:
  GLS_DEVICE Edge named(Edge ends) const {
    const auto& metric = view.length.metric;
    return {name_of(metric, move.t[ends.from]), name_of(metric, move.t[ends.to])};
  }
  GLS_DEVICE Edge placed(Edge ends) const {
    return {view.tour.place(move.t[ends.from]), view.tour.place(move.t[ends.to])};
  }
};

// All that a neighbourhood may look at.
template <class LengthsType, class CityType, class Fixed = NoFixedEdges>
struct View {
  using Lengths = LengthsType;
  using Length = typename LengthsType::Length;
  using City = CityType;

  RingTour<City> tour;
  LengthsType length;
  typename LengthsType::Lists candidates;
  Fixed fixed = {};
#ifndef __CUDACC__
  // Gains below that are of no use: one thread that looks at moves in turn need not ask an
  // objective about those that lengths show to be worse than the best so far.
  mutable Length least = 0;
#endif

  // The length of an edge of the tour, so far below zero where it is fixed that no move gains.
  GLS_DEVICE Length leaving(int a, int b) const {
    return fixed.hold(a, b) ? LengthsType::kFixed : length(a, b);
  }

  // What a move gains whose leaving edges have the length `removed` and whose coming ones `added`.
  // It is written by `write(Move&)`, which only objectives have done: those that are looked at are
  // many more than those that are kept. Where there is no move, which objectives must not be asked
  // about, the result means nothing.
  template <class Write>
  GLS_DEVICE Length gain(Write write, Length removed, Length added, bool exists = true) const {
    if constexpr (length_alone<typename LengthsType::Metric>()) {
      return LengthsType::gain(removed, added);
    } else {
      if (!exists || may_not_gain(removed, added)) return 0;
      Move move;
      write(move);
      return gain(move, removed, added);
    }
  }
  GLS_DEVICE Length gain(const Move& move, Length removed, Length added) const {
    return gain_of<kMaxExchange>(move, removed, added);
  }
  // The same of a move of so many edges at most.
  template <int most>
  GLS_DEVICE Length gain_of(const Move& move, Length removed, Length added) const {
    if constexpr (length_alone<typename LengthsType::Metric>()) {
      return LengthsType::gain(removed, added);
    } else {
      if (may_not_gain(removed, added)) return 0;
      if (removed <= added && !may_relieve<most>(move)) return 0;
      const Length gain = worth<most>(move, removed - added);
      return LengthsType::kReal && gain <= removed * Length(1e-12) ? Length(0) : gain;
    }
  }
  // Whether a move may gain anything beyond the length that it saves.
  template <int most>
  GLS_DEVICE bool may_relieve(const Move& move) const {
    if constexpr (keeps<typename LengthsType::Metric>()) {
      const auto& objective = length.metric.objective;
      using Change = MoveChange<View, most>;
      return Relieves<typename ObjectiveOf<typename LengthsType::Metric>::Type, Change>::may(
          objective, Change{*this, move});
    } else {
      return true;
    }
  }
  // The same of a move that makes the tour shorter by so much, or longer, improving or not.
  template <int most = kMaxExchange>
  GLS_DEVICE Length worth(const Move& move, Length shorter) const {
    if constexpr (length_alone<typename LengthsType::Metric>()) {
      return shorter;
    } else {
#ifndef __CUDACC__
      if constexpr (keeps<typename LengthsType::Metric>()) {
        const View its_view = *this;  // copies, so that what is hot stays in registers
        const Move its_move = move;
        return rare_worth(its_view, its_move, shorter);
      }
#endif
      return length.metric.objective.gain(MoveChange<View, most>{*this, move}, shorter);
    }
  }
#ifndef __CUDACC__
  // Out of line, for few moves are left when lengths and rooms have spoken.
  GLS_RARE static Length rare_worth(const View& view, const Move& move, Length shorter) {
    return view.length.metric.objective.gain(MoveChange<View>{view, move}, shorter);
  }
#endif

  // A city of a candidate list, which names no copy of a depot but the first: objectives that know
  // better say which is meant.
  GLS_DEVICE int chosen(int candidate) const {
    if constexpr (keeps<typename LengthsType::Metric>()) {
      return length.metric.objective.chosen_depot(candidate);
    } else {
      return candidate;
    }
  }

  // Whether lengths tell already that a move does not gain, whatever else is known.
  GLS_DEVICE bool cannot_gain(Length removed, Length added) const {
    if constexpr (keeps<typename LengthsType::Metric>()) {
      return removed - added + relief_of<Length>(length.metric) <= 0;
    } else {
      return false;
    }
  }
  // The same of moves all of whose lengths are known: they may be of no use, too.
  GLS_DEVICE bool may_not_gain(Length removed, Length added) const {
#ifndef __CUDACC__
    if constexpr (keeps<typename LengthsType::Metric>()) {
      // Real reliefs are sums, which are off by more than the differences of equal gains.
      const Length relief = relief_of<Length>(length.metric), most = removed - added + relief;
      return (most <= 0) | ((most < least) & (!LengthsType::kReal | (relief == 0)));
    }
#endif
    return cannot_gain(removed, added);
  }

  // Whether a move of such a worth may be made at all.
  GLS_DEVICE static bool allows(Length worth) {
    return length_alone<typename LengthsType::Metric>() || worth != forbidden<Length>();
  }

  // The same with other lengths.
  template <class Other>
  GLS_DEVICE View<Other, City, Fixed> with(const Other& lengths) const {
    return {tour, lengths, candidates, fixed};
  }

  GLS_DEVICE Path<City> path(const FirstStep<Length>& first) const {
    return {tour, first.t2, first.forward != 0};
  }
};

// Tells an objective that follows the tour of a move that is about to be made.
template <class Team, class View>
GLS_DEVICE void follow_move(const Team& team, const View& view, const Move& move) {
  change_sums(team, view,
              [&](const auto& objective) { objective.follow(MoveChange<View>{view, move}); });
}

// From what kernels are given for the tour of a row.
template <class Lengths, class City>
GLS_DEVICE View<Lengths, City> view_of(const RingTour<City>& tour, const Instance& instance,
                                       const typename Lengths::City* sites, const Candidates& lists,
                                       int row) {
  return {tour,
          {metric_of<typename Lengths::Metric>(instance.metric_data, tour.n, row),
           sites,
           {instance.error_absolute, instance.error_relative}},
          {lists.candidates, lists.candidate_lengths, lists.degree, lists.sorted != 0}};
}

}  // namespace gls
