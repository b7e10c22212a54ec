// 2-opt on positions: remove the edges after positions i < j, add (t_i, t_j) and (t_i+1, t_j+1).
#pragma once

#include "tours/kernels/tour.cuh"

namespace gls {

// Largest number of moves that are applied after one evaluation.
constexpr int kMaxMovesPerPass = 32;
// Moves after the best one must gain at least the best gain divided by this.
constexpr int kGainShare = 2;

// A move that reverses the `offset` <= n / 2 positions after position `row`, the number of its row.
// Each unordered pair of positions belongs to one row, and all rows have about n / 2 moves.
struct RowMove {
  int row, offset;
};

// The best move of a row.
template <class Length>
struct RowBest {
  Length delta;
  int offset;  // 0: the row has no improving move
};
constexpr int kRowBestBytes = 16;
static_assert(sizeof(RowBest<int64>) == kRowBestBytes && sizeof(RowBest<double>) == kRowBestBytes,
              "kRowBestBytes must be the size of RowBest for any length type");

struct TwoOpt {
  // Returns the change of cost. A real gain that could be a rounding error counts as 0, so that
  // climbs end.
  template <class Length>
  GLS_DEVICE static Length change(Length added, Length removed) {
    const Length delta = added - removed;
    if (Length(0.5) != Length(0) && delta < 0 && delta > removed * Length(-1e-12)) return 0;
    return delta;
  }

  // Returns the change of cost by a move. Sums are grouped such that both directions of the tour
  // yield the same bits.
  template <class Metric, class TourView>
  GLS_DEVICE static typename Metric::Length delta(const Metric& metric, const TourView& tour, int i,
                                                  int j) {
    const int a = tour[i], b = tour[tour.next(i)], c = tour[j], d = tour[tour.next(j)];
    return change(metric(a, c) + metric(b, d), metric(a, b) + metric(c, d));
  }

  // Returns the number that orders moves of equal delta: they are sorted by (i, j), i < j.
  GLS_DEVICE static int64 index(int i, int j, int n) {
    return i < j ? int64(i) * n + j : int64(j) * n + i;
  }

  // Returns the largest offset of a row. If n is even, a pair of opposite positions belongs to the
  // row of the lower one.
  GLS_DEVICE static int last_offset(int row, int n) {
    return 2 * row < n || n % 2 ? n / 2 : n / 2 - 1;
  }

  GLS_DEVICE static RowMove row_move(int64 index, int n) {
    const int i = int(index / n), j = int(index % n);
    return 2 * (j - i) <= n ? RowMove{i, j - i} : RowMove{j, n - (j - i)};
  }

  // Reverses the shorter of the two paths.
  template <class Team, class City>
  GLS_DEVICE static void apply(const Team& team, Tour<City> tour, RowMove move) {
    tour.reverse(team, tour.next(move.row), move.offset);
  }

  // Whether both moves can be applied: their edge intervals are disjoint or strictly nested.
  GLS_DEVICE static bool independent(RowMove p, RowMove q, int n) {
    const int pq = q.row >= p.row ? q.row - p.row : q.row - p.row + n;
    const int qp = pq ? n - pq : 0;
    const bool disjoint = pq > p.offset && qp > q.offset;
    const bool q_inside = pq > 0 && pq + q.offset < p.offset;
    const bool p_inside = qp > 0 && qp + p.offset < q.offset;
    return disjoint || q_inside || p_inside;
  }

  // Chooses up to `limit` independent moves from the best moves of the rows, best first, and orders
  // them so that inner paths are reversed before the paths around them. Returns the number of
  // moves.
  template <class Team, class Length>
  GLS_DEVICE static int choose(const Team& team, const RowBest<Length>* rows, int n,
                               Ranked<Length> best, int limit, RowMove* chosen) {
    const Length worst = best.value;
    int count = 0;
    while (count < limit && best.value < 0 && best.value * kGainShare <= worst) {
      const RowMove move = row_move(best.index, n);
      team.once([&] { insert_by_offset(chosen, count, move); });
      ++count;
      best = team.least(n, Ranked<Length>{0, 0}, [&](int row) {
        const RowMove other{row, rows[row].offset};
        bool free = other.offset > 0;
        for (int c = 0; free && c < count; ++c) free = independent(chosen[c], other, n);
        if (!free) return Ranked<Length>{0, 0};
        const int end = row + other.offset;
        return Ranked<Length>{rows[row].delta, index(row, end < n ? end : end - n, n)};
      });
    }
    return count;
  }

 private:
  GLS_DEVICE static void insert_by_offset(RowMove* moves, int count, RowMove move) {
    int at = count;
    for (; at > 0 && moves[at - 1].offset > move.offset; --at) moves[at] = moves[at - 1];
    moves[at] = move;
  }
};

}  // namespace gls
