// Evaluates all moves of 3-opt under an objective, without a filter. Only moves that may be the
// best, judging by their lengths, go to a queue; lanes ask the objective about these moves alone.
//
// A slot takes squares of pairs of positions i < j, and its lanes take the positions k after them.
// Neighbouring pairs and ways have lengths in common: a lane computes eight lengths for the 36
// moves of a square of nine pairs with one k. It gets the lengths to k + 1 from the next lane.
#pragma once

#include "tours/engines/filtered/filtered_modes.cuh"

namespace gls {

constexpr int kNarrowSide = 3, kWideSide = 2;  // positions per side, for 32-bit and 64-bit sums

// Squares of kSide x kSide pairs, as large as registers allow. Their positions begin at kSide x and
// kSide y, with x <= y.
template <class Sum>
struct PairSquares {
  static constexpr int kSide = sizeof(Sum) == 4 ? kNarrowSide : kWideSide;

  GLS_DEVICE static int64 count(int n) {
    const int64 side = (n + kSide - 1) / kSide;
    return side * (side + 1) / 2;
  }
  GLS_DEVICE static void decode(int64 number, int n, int& i, int& j) {
    Roots(n).pair(uint64(number), i, j);
    i *= kSide, j = (j - 1) * kSide;
  }
};

template <class Moves, template <class> class Sink>
struct EvaluateWhole {
  using Value = typename Moves::Value;
  using Triple = typename Moves::Move;
  using Sum = typename Moves::Tour::Sum;  // of lengths, without the objective
  using Step = ThreeOptStep<typename Moves::Tour::Metric, Sum>;
  using Squares = PairSquares<Sum>;
  static constexpr int kSide = Squares::kSide;

  // Lengths to a position, from those on each side of a square and from the position after them.
  struct LengthsTo {
    Sum to_i[kSide + 1], to_j[kSide + 1];
  };

  // A square of pairs, with the lengths that do not depend on k.
  struct Square {
    using Known = typename Moves::Tour::Known;
    const typename Moves::Tour& tour;
    const int i, j;
    Known from_i[kSide + 1], from_j[kSide + 1];
    Sum between[kSide + 1][kSide + 1], edges_i[kSide], edges_j[kSide];

    GLS_DEVICE Square(const typename Moves::Tour& tour, int i, int j) : tour(tour), i(i), j(j) {
      GLS_UNROLL
      for (int p = 0; p <= kSide; ++p) {
        from_i[p] = tour.known(at(i + p)), from_j[p] = tour.known(at(j + p));
        GLS_UNROLL
        for (int q = 0; q <= kSide; ++q) between[p][q] = Sum(tour.length(from_i[p], at(j + q)));
        if (p == kSide) break;
        edges_i[p] = Sum(tour.edges[at(i + p)]), edges_j[p] = Sum(tour.edges[at(j + p)]);
      }
    }
    GLS_DEVICE int at(int position) const { return position < tour.n ? position : 0; }

    // Returns the number of pairs with i < j < k.
    GLS_DEVICE int pairs(int k) const {
      const int before = k - j < kSide ? k - j : kSide;
      return i < j ? kSide * before : before * (before - 1) / 2;
    }

    GLS_DEVICE LengthsTo lengths(int k) const {
      LengthsTo to;
      GLS_UNROLL
      for (int p = 0; p <= kSide; ++p) {
        to.to_i[p] = Sum(tour.length(from_i[p], k)), to.to_j[p] = Sum(tour.length(from_j[p], k));
      }
      return to;
    }

    // Calls use(p, q, exists, changes) for each pair; `exists` says whether i < j < k. `e` and `f`
    // are the lengths to k and k + 1.
    template <class Use>
    GLS_DEVICE void each(int k, const LengthsTo& e, const LengthsTo& f, Use use) const {
      const Sum ef = Sum(tour.edges[at(k)]);
      GLS_UNROLL
      for (int p = 0; p < kSide; ++p) {
        GLS_UNROLL
        for (int q = 0; q < kSide; ++q) {
          Sum changes[kPureReconnections];
          TripleLengths<Sum>{between[p][q],           between[p][q + 1],
                             between[p + 1][q + 1],   e.to_i[p],
                             e.to_i[p + 1],           e.to_j[q],
                             f.to_i[p + 1],           f.to_j[q],
                             f.to_j[q + 1],           ef,
                             edges_i[p] + edges_j[q], k == j + q + 1}
              .changes(changes);
          use(p, q, i + p < j + q && j + q < k, changes);
        }
      }
    }
  };

  template <class Team>
  GLS_DEVICE static void run(const Slot<Team>& slot) {
    const Team& team = slot.team;
    const Moves moves(slot.batch, slot.row);
    const int n = slot.batch.n;
    const Chunk chunk(slot.batch, slot.row, Squares::count(n));
    // The last lane only provides lengths for the lane before it.
    constexpr int kStep = Team::kLanes > 1 ? Team::kLanes - 1 : 1;
    const bool lends = team.lane() == kStep;
    // The positions k of a square are cut into blocks, which different slots take. Most moves that
    // may be the best remove the same two long edges; without blocks, the slot with these edges
    // would finish long after the others.
    const int block = Team::kLanes > 1 ? kStep * (1 + n / 512) : n,
              blocks = (n + block - 1) / block;
    Sink<Moves> sink(moves);
    MoveQueue<Team, Sink<Moves>, Triple> queue{team, sink};
    int turn = 0;
    for (uint32 x = slot.number(); !team.cut(); x += slot.batch.slots) {
      for (; x >= chunk.count; x -= chunk.count) ++turn;
      if (turn >= blocks) break;
      int i, j;
      Squares::decode(chunk.first + x, n, i, j);
      const int begin = j + 1 + turn * block, end = begin + block < n ? begin + block : n;
      if (begin >= end) continue;
      const Square square(moves.tour, i, j);
      sink.look();
      for (int base = begin; base < end; base += kStep) {
        const int k = base + team.lane();
        const LengthsTo to_k = square.lengths(k < n ? k : 0);
        const LengthsTo behind = next_lane(team, to_k, square, k);
        const bool looks = k < end && !lends;
        if (looks) sink.kept += Sink<Moves>::kCounts * kPureReconnections * square.pairs(k);
        const Sum least = least_change(square, k, to_k, behind);
        // Few squares have a move that may be the best.
        if (!team.any(looks && sink.may_be_best(least))) continue;
        push_wanted(queue, square, k, to_k, behind, looks);
      }
    }
    queue.finish();
    slot.note(sink);
  }

 private:
  // Returns the least change of all moves of a square with k.
  GLS_DEVICE static Sum least_change(const Square& square, int k, const LengthsTo& to_k,
                                     const LengthsTo& behind) {
    Sum least = Step::kNone;
    square.each(k, to_k, behind, [&](int, int, bool exists, const auto& changes) {
      Sum best = changes[0];
      GLS_UNROLL
      for (int way = 1; way < kPureReconnections; ++way) best = Step::least(best, changes[way]);
      if (exists) least = Step::least(least, best);
    });
    return least;
  }

  // Appends the moves of a square with k that may be the best, if the lane `looks` at k.
  template <class Queue>
  GLS_DEVICE static void push_wanted(Queue& queue, const Square& square, int k,
                                     const LengthsTo& to_k, const LengthsTo& behind, bool looks) {
    uint64 wanted = 0;
    square.each(k, to_k, behind, [&](int p, int q, bool exists, const auto& changes) {
      GLS_UNROLL
      for (int way = 0; way < kPureReconnections; ++way) {
        const int move = (p * kSide + q) * kPureReconnections + way;
        wanted |= uint64(looks && exists && queue.sink.may_be_best(changes[way])) << move;
      }
    });
#pragma unroll 1
    for (; queue.team.any(wanted != 0); wanted &= wanted - 1) {
      const int move = wanted != 0 ? lowest_bit(wanted) : 0, pair = move / kPureReconnections;
      queue.push(wanted != 0, Triple{{square.i + pair / kSide, square.j + pair % kSide, k},
                                     move % kPureReconnections});
    }
  }

  template <class Team>
  GLS_DEVICE static LengthsTo next_lane(const Team& team, const LengthsTo& own,
                                        const Square& square, int k) {
#ifdef __CUDACC__
    if constexpr (Team::kLanes > 1) return warp::shuffle(own, team.lane() + 1);
#endif
    return square.lengths(k + 1 < square.tour.n ? k + 1 : 0);
  }
};

}  // namespace gls
