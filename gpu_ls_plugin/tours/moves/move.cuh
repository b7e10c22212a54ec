// Sequential moves remove the edges (t1,t2), (t3,t4), ... and add (t2,t3), (t4,t5), ... (t2k,t1).
//
// Removing (t1,t2) leaves a path from t2 (step 0) to t1 (step n - 1). The shape of a move says what
// happens to this path (t5 <= t3: t5 is at or before t3):
//
//   kFlips   in each later removed edge (t, t'), t' precedes t on the path after the earlier flips;
//            the beginning of this path up to t' is reversed, so that it then begins at t'
//   kSwap    t4 follows t3, and t6 follows t5 <= t3:   t2..t5 t6..t3 t4.. -> t6..t3 t2..t5 t4..
//   kTurn    t4 follows t3, and t6 precedes t5 <= t3:  t2..t6 t5..t3 t4.. -> t6..t2 t3..t5 t4..
//
// Edges after the third of kSwap and kTurn are flips. A city may occur twice: t5 may be t1 or t2 if
// the move removes both edges of this city.
//
// The double bridge is not sequential, but it is executed like the other moves:
//
//   kBridge  t7 t1..t2 t3..t4 t5..t6 t8 -> t7 t5..t6 t3..t4 t1..t2 t8
//   kCross   the same, as an improving move of the built-in Exchange
//
// Moves of plugins, which are verified (checked.cuh), must be kFlips, kSwap or kTurn.
//
// For each first step (t1, t2, t3), a neighbourhood offers `variants(degree)` ways to continue:
//
//   static Length gain(const View& view, const FirstStep<Length>& first, int variant, Move& move)
//
// returns the gain of the best move of a variant, or at most 0 if none gains, and writes the
// move into `move`: with `move.set(...)` if it has up to three edges; otherwise with
// `move.start(first)`, `move.shape`, `move.edges` and `move.t[3]` to `move.t[2 * edges - 1]`. In
// Python, override `deep` for moves of more than three edges, and `most_edges` for more than 8.
//
// `view.path(first)` has t2 at step 0, t3 at step 2 to n - 2, and t1 at step n - 1; step n is t2
// again. The added edge (t2, t3) has the length first.length - first.gain. Measure removed edges
// with `view.leaving(a, b)`, added edges with `view.length(a, b)`, and the gain of a move with
// `view.gain(move, removed, added)`, after the move is written. Moves live in registers, so index
// `t` only with constants. A neighbourhood may also define
//
//   static constexpr bool kSharesLengths = true;
//   static void each_gain(const View& view, const FirstStep<Length>& first, Take take)
//
// which calls take(variant, gain) for every positive gain of the variants above. For each variant,
// the largest gain counts. The CPU backend calls `each_gain`: there, one thread tries all variants
// in turn, so the variants can share lengths.
#pragma once

#include "tours/problem/instance.cuh"
#include "tours/problem/lengths.cuh"
#include "tours/problem/objective.cuh"
#include "tours/kernels/chain_sizes.cuh"
#include "tours/kernels/ring_tour.cuh"

namespace gls {

// Largest number of edges of a move: on a GPU, and on a CPU, which has more room.
constexpr int kUsualExchange = 8, kDeepestExchange = 12;
constexpr int kMaxExchange = kOnDevice ? kUsualExchange : kDeepestExchange;
static_assert(kMostNew == 2 * kUsualExchange, "append_new must take all ends of a move at once");

enum class Shape { kFlips, kSwap, kTurn, kBridge, kCross };

struct Move {
  Shape shape;
  int forward;  // whether t2 follows t1 in the direction of the tour
  int edges;    // number of removed edges; as many are added
  int part;     // number of the neighbourhood that found the move, set by `Either`
  int t[2 * kMaxExchange];

  // Sets a move of up to three edges.
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

  // The indices in `t` of the ends of a removed edge, and of an added edge. A double bridge removes
  // (t7,t1), (t2,t3), ... and adds (t7,t5), (t6,t3), (t4,t1), (t2,t8).
  GLS_DEVICE Edge ends_out(int edge) const {
    if (shape < Shape::kBridge) return {2 * edge, 2 * edge + 1};
    return {edge > 0 ? 2 * edge - 1 : 6, edge < 3 ? 2 * edge : 7};
  }
  GLS_DEVICE Edge ends_in(int edge) const {
    if (shape < Shape::kBridge) return {2 * edge + 1, edge + 1 < edges ? 2 * edge + 2 : 0};
    const int other = edge ^ 2;  // the cut after the next
    return {edge > 0 ? 2 * edge - 1 : 6, other < 3 ? 2 * other : 7};
  }
};
static_assert(!kOnDevice || sizeof(Move) == kMoveBytes, "kMoveBytes must be the size of Move");

// The removed edge (t1, t2) and the added edge (t2, t3) with which a move begins.
template <class Length>
struct FirstStep {
  int t1, t2, t3;
  int forward;    // t2 follows t1 in the direction of the tour
  Length length;  // of the removed edge (t1, t2)
  Length gain;    // length - d(t2, t3), always positive
};

// Declares Name<Part>::kValue: the constant `member` of a part, or `otherwise` if the part has no
// such member.
#define GLS_CONSTANT_OF(Name, Type, member, otherwise) \
  template <class Part, class = void>                  \
  struct Name {                                        \
    static constexpr Type kValue = otherwise;          \
  };                                                   \
  template <class Part>                                \
  struct Name<Part, decltype(void(Part::member))> {    \
    static constexpr Type kValue = Part::member;       \
  }

// Whether a neighbourhood has `each_gain`.
GLS_CONSTANT_OF(SharesLengths, bool, kSharesLengths, false);
// Whether moves differ from the first step in t1, t2, t3 or their direction. If not, these are not
// stored while moves are compared.
GLS_CONSTANT_OF(OwnEnds, bool, kOwnEnds, false);
// Whether first improvement takes the best move of a first step rather than that of a city.
GLS_CONSTANT_OF(TakesFirstStep, bool, kByStep, false);
// Largest number of edges that the moves of a neighbourhood exchange.
GLS_CONSTANT_OF(MostEdges, int, kMostEdges, kUsualExchange);
// Number of neighbourhoods that a combination consists of; 1 for a single neighbourhood.
GLS_CONSTANT_OF(PartsOf, int, kParts, 1);

// A neighbourhood from which first improvement takes the best move of a first step.
template <class Neighbourhood>
struct ByStep : Neighbourhood {
  static constexpr bool kByStep = true;
};

// Counts the moves of each combined neighbourhood; does nothing for a single one.
template <class Neighbourhood, bool several = (PartsOf<Neighbourhood>::kValue > 1)>
struct MovesByPart {
  static constexpr int kParts = PartsOf<Neighbourhood>::kValue;
  uint32 counts[kParts];

  GLS_DEVICE void clear() {
    for (int part = 0; part < kParts; ++part) counts[part] = 0;
  }
  GLS_DEVICE void count(const Move& move) { ++counts[move.part]; }
  // Like `count`, for lanes that count at the same time.
  GLS_DEVICE void count_together(const Move& move) { fetch_add(&counts[move.part], 1); }
  // Adds the counts to the totals of all teams.
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

// No edge is fixed: moves may remove any edge.
struct NoFixedEdges {
  GLS_DEVICE static bool hold(int, int) { return false; }
};

// At most one fixed edge per city, to its mate; a city without a fixed edge is its own mate.
template <class City>
struct FixedEdges {
  const City* mates;
  GLS_DEVICE bool hold(int a, int b) const { return int(mates[a]) == b; }
};

// A move in the form that objectives read: with the problem's city numbers.
template <class View>
struct MoveChange {
  static constexpr int kMostEdges = kMaxExchange;

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

// The tour, the lengths and the candidates, as neighbourhoods see them.
template <class LengthsType, class CityType, class Fixed = NoFixedEdges>
struct View {
  using Lengths = LengthsType;
  using Length = typename LengthsType::Length;
  using City = CityType;

  RingTour<City> tour;
  LengthsType length;
  typename LengthsType::Lists candidates;
  Fixed fixed = {};

  // Length of a tour edge. For a fixed edge, it is so negative that no move gains by removing it.
  GLS_DEVICE Length leaving(int a, int b) const {
    return fixed.hold(a, b) ? LengthsType::kFixed : length(a, b);
  }

  // Gain of a move that removes and adds edges of these total lengths. Lengths alone reject
  // most moves; `write(Move&)` is called only if an objective has to judge the move. If the move
  // does not exist (`exists` is false), the objective is not called and the result is meaningless.
  template <class Write>
  GLS_DEVICE Length gain(Write write, Length removed, Length added, bool exists = true) const {
    if constexpr (length_alone<typename LengthsType::Metric>()) {
      return LengthsType::gain(removed, added);
    } else {
      if (!exists || cannot_gain(removed, added)) return 0;
      Move move;
      write(move);
      return gain(move, removed, added);
    }
  }
  GLS_DEVICE Length gain(const Move& move, Length removed, Length added) const {
    if constexpr (length_alone<typename LengthsType::Metric>()) {
      return LengthsType::gain(removed, added);
    } else {
      if (cannot_gain(removed, added)) return 0;
      const Length gain = worth(move, removed - added);
      return LengthsType::kReal && gain <= removed * Length(1e-12) ? Length(0) : gain;
    }
  }
  // Gain of a move that shortens the tour by `shorter`, which may be negative.
  GLS_DEVICE Length worth(const Move& move, Length shorter) const {
    if constexpr (length_alone<typename LengthsType::Metric>()) {
      return shorter;
    } else {
#ifndef __CUDACC__
      if constexpr (keeps<typename LengthsType::Metric>()) {
        const View its_view = *this;  // copies keep the hot path in registers
        const Move its_move = move;
        return rare_worth(its_view, its_move, shorter);
      }
#endif
      return length.metric.objective.gain(MoveChange<View>{*this, move}, shorter);
    }
  }
#ifndef __CUDACC__
  // Not inlined: it is rarely called, since lengths and resource limits reject most moves before.
  GLS_RARE static Length rare_worth(const View& view, const Move& move, Length shorter) {
    return view.length.metric.objective.gain(MoveChange<View>{view, move}, shorter);
  }
#endif

  // The city that a candidate stands for: lists contain only the first copy of a depot, and the
  // objective chooses among its copies.
  GLS_DEVICE int chosen(int candidate) const {
    if constexpr (keeps<typename LengthsType::Metric>()) {
      return length.metric.objective.chosen_depot(candidate);
    } else {
      return candidate;
    }
  }

  // Whether the lengths rule out a gain.
  GLS_DEVICE bool cannot_gain(Length removed, Length added) const {
    if constexpr (keeps<typename LengthsType::Metric>()) {
      return removed - added + relief_of<Length>(length.metric) <= 0;
    } else {
      return false;
    }
  }
  // Whether a move of this worth is allowed at all.
  GLS_DEVICE static bool allows(Length worth) {
    return length_alone<typename LengthsType::Metric>() || worth != forbidden<Length>();
  }

  // The same view with other lengths.
  template <class Other>
  GLS_DEVICE View<Other, City, Fixed> with(const Other& lengths) const {
    return {tour, lengths, candidates, fixed};
  }

  GLS_DEVICE Path<City> path(const FirstStep<Length>& first) const {
    return {tour, first.t2, first.forward != 0};
  }
};

// Informs an objective that keeps sums over the tour's edges about the next move.
template <class Team, class View>
GLS_DEVICE void follow_move(const Team& team, const View& view, const Move& move) {
  change_sums(team, view,
              [&](const auto& objective) { objective.follow(MoveChange<View>{view, move}); });
}

// Makes the view of a row's tour from kernel arguments.
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
