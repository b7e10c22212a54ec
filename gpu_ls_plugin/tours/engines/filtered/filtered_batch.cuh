// The state of tours that the kernels of a filtered neighbourhood share, and sinks, which take the
// moves that the filter keeps.
//
// A complete neighbourhood is evaluated chunk by chunk. Each tour of a launch has its own current
// chunk. Within a chunk, moves have 32-bit numbers, way by way, and `slots` teams share the moves.
#pragma once

#include "tours/filters/filter.cuh"
#include "tours/problem/lengths.cuh"
#include "tours/moves/mappings.cuh"
#include "tours/engines/exhaustive/three_opt_step.cuh"
#include "tours/engines/search_state.cuh"

namespace gls {

// Parameters of all kernels. Arrays have an entry or a row for each tour.
struct FilteredBatch {
  const void* metric_data;
  int n;
  const void* sites;
  float error_absolute, error_relative;
  int64 first_row, chunk_size;
  // Number of chunks; teams per tour; whether a tour applies the best move of the first chunk
  // that has an improving one.
  int chunks, slots, eager;
  const uint64* parameters;  // of the filter
  int64 room;                // number of entries that the list of a tour can hold
  int64 max_moves;
  int* tours;
  void *placed, *edges;  // sites in the order of the tour; lengths to the next position
  uint64* filter_state;
  int *cursors, *looked;  // the current chunk, and how many chunks were evaluated in this pass
  void* before;           // the move that was noted last; the next one ranks after it
  void* best;             // the best move of each slot
  void* bars;             // 8 bytes: the best change so far, if there is an objective
  int64* kept;            // number of moves that the filter has kept in this pass
  int64* evaluated;       // number of moves that the filter kept in earlier passes
  uint32 *entries, *entry_counts;  // lists of openings
  unsigned char* states;
  int64 *pass_counts, *move_counts;

  GLS_DEVICE bool running(int row) const {
    return states[row] == kRunning && move_counts[row] < max_moves;
  }
};

// A tour whose cities are addressed by their positions.
template <class MetricType, class Value>
struct PlacedTour {
  using Metric = MetricType;
  using Length = Value;
  using Named = typename NamedMetric<Metric>::Type;
  using Placed = Lengths<Named, Value>;
  using Site = typename Placed::City;
  using Known = typename Placed::Known;
  using Sum = typename Placed::Sum;

  const int n;
  const int* const order;
  const Value* const edges;
  const Placed lengths;
  const int64 row, pass;

  GLS_DEVICE PlacedTour(const FilteredBatch& batch, int row)
      : n(batch.n),
        order(batch.tours + int64(row) * n),
        edges(static_cast<const Value*>(batch.edges) + int64(row) * n),
        lengths{named(static_cast<const Named*>(nullptr),
                      metric_of<Metric>(batch.metric_data, n, row), order),
                static_cast<const Site*>(batch.placed) + int64(row) * n,
                {batch.error_absolute, batch.error_relative}},
        row(batch.first_row + row),
        pass(batch.pass_counts[row]) {}

  GLS_DEVICE int next(int p) const { return p + 1 < n ? p + 1 : 0; }
  GLS_DEVICE int city(int p) const { return order[p]; }
  GLS_DEVICE Value length(int p, int q) const { return lengths(p, q); }
  GLS_DEVICE Known known(int p) const { return lengths.known(p); }
  GLS_DEVICE Value length(const Known& p, int q) const { return lengths(p, q); }
};

// The current chunk of a tour: in each way, the `count` units from number `first` on. A unit is a
// pair or triple of positions, an opening, or a square of pairs.
struct Chunk {
  int64 first;
  uint32 count;

  GLS_DEVICE Chunk(const FilteredBatch& batch, int row, int64 all)
      : first(batch.cursors[row] * batch.chunk_size),
        count(uint32(all - first < batch.chunk_size ? all - first : batch.chunk_size)) {}
};

// The filtered neighbourhood of a tour.
template <class SpaceType, class Mapping, class Metric, class ValueType, class Filter>
struct FilteredMoves {
  using Space = SpaceType;
  using Value = ValueType;
  using Move = typename Space::Move;
  using Tour = PlacedTour<Metric, Value>;
  using Test = typename Filter::template On<Space, Tour>;

  const FilteredBatch& batch;
  const int row;
  const Tour tour;
  const Test test;

  GLS_DEVICE FilteredMoves(const FilteredBatch& batch, int row)
      : batch(batch),
        row(row),
        tour(batch, row),
        test(tour, batch.parameters, batch.filter_state + row * Test::state_words(batch.n)) {}

  GLS_DEVICE Chunk chunk() const { return {batch, row, Space::count(batch.n)}; }
  GLS_DEVICE Chunk openings() const { return {batch, row, Space::openings(batch.n)}; }

  GLS_DEVICE Move move(const Chunk& chunk, uint32 index) const {
    int way = 0;
    uint32 within = index;
    for (; Space::kWays > 1 && within >= chunk.count; within -= chunk.count) ++way;
    const int64 number = chunk.first + within;
    Move move = Space::decode(Mapping(batch.n), number);
    move.way = way;
    return move;
  }
  // An opening has kWays variants for each rotation that the filter needs.
  static constexpr int kOpeningVariants = Space::kWays * Test::kRotations;
  GLS_DEVICE Opening<Move> opening(int64 number, int variant) const {
    return Space::opening(number, variant % Space::kWays, variant / Space::kWays, batch.n);
  }
  GLS_DEVICE bool keeps(const Move& move) const {
    if (!Space::exists(move, batch.n)) return false;
    const Opening<Move> opening = Space::last_open(move);
    return test.at(opening).keeps(move.at[opening.open]);
  }
};

// A sink that finds the best improving move of a lane, and counts the kept moves. If there is an
// objective to ask (`kAsks`), it skips moves that, judging by lengths, are worse than the best
// change of all lanes, unless the filter must be told all improving moves.
template <class Moves>
struct Improving {
  using Value = typename Moves::Value;
  static constexpr bool kAsks = keeps<typename Moves::Tour::Metric>();
  // Whether `wants` counts moves, so that modes that do not call it must count them.
  static constexpr int kCounts = kAsks;
  const Moves& moves;
  Ranked<Value> best{0, 0};
  // A move may be the best if it makes the tour longer by at most `most` and by less than `relief`.
  Value most = 0, relief = 0;
  int64 kept = 0;

  GLS_DEVICE explicit Improving(const Moves& moves) : moves(moves) { look(); }

  // Reads the best change of all lanes.
  GLS_DEVICE void look() {
    if constexpr (kAsks) {
      relief = relief_of<Value>(moves.tour.lengths.metric);
      most = relief;
      if constexpr (hears<typename Moves::Test>()) return;
      // A floating-point relief is a sum. Its rounding error may exceed the difference between two
      // changes, so `most` then does not depend on the best change.
      const bool exact = Value(0.5) == Value(0) || relief == 0;
      if (exact) most += read(shared_bar());
    }
  }
  GLS_DEVICE bool may_be_best(Value longer) const {
    return !kAsks || ((longer <= most) & (longer < relief));
  }
  GLS_DEVICE bool wants(const typename Moves::Move& move) {
    if constexpr (!kAsks) return true;
    ++kept;
    return may_be_best(Moves::Space::change(moves.tour, move));
  }
  // Evaluates a wanted move.
  GLS_DEVICE void judge(const typename Moves::Move& move) {
    kept += !kAsks;
    const Value change = change_of<typename Moves::Space>(moves.tour, move);
    if (!(change < 0)) return;
    moves.test.found(move);
    if (best.value < change) return;  // before the rank is computed, which is costly
    const Ranked<Value> found{change, Moves::Space::rank(move, moves.tour.n)};
    if (!(found < best)) return;
    best = found;
    if constexpr (kAsks) lower(shared_bar(), change);
  }
  GLS_DEVICE void evaluate(const typename Moves::Move& move) {
    if (wants(move)) judge(move);
  }

 private:
  GLS_DEVICE Value* shared_bar() const {
    return reinterpret_cast<Value*>(static_cast<int64*>(moves.batch.bars) + moves.row);
  }
};

// A sink that finds the best move that ranks after the move noted last, improving or not.
template <class Moves>
struct Following {
  using Value = typename Moves::Value;
  using Step = ThreeOptStep<typename Moves::Tour::Metric, Value>;
  static constexpr int kCounts = 0;
  const Moves& moves;
  const Ranked<Value> before;
  Ranked<Value> best{Step::kNone, 0};
  int64 kept = 0;

  GLS_DEVICE explicit Following(const Moves& moves)
      : moves(moves), before(static_cast<const Ranked<Value>*>(moves.batch.before)[moves.row]) {}

  GLS_DEVICE void look() {}
  GLS_DEVICE static bool may_be_best(Value) { return true; }
  GLS_DEVICE static bool wants(const typename Moves::Move&) { return true; }
  GLS_DEVICE void judge(const typename Moves::Move& move) {
    ++kept;
    const Ranked<Value> found{change_of<typename Moves::Space>(moves.tour, move),
                              Moves::Space::rank(move, moves.tour.n)};
    if (before < found && found < best) best = found;
  }
  GLS_DEVICE void evaluate(const typename Moves::Move& move) { judge(move); }
};

}  // namespace gls
