// Exhaustive best-improvement 2-opt on the CPU: the same moves as two_opt_climb.cuh, found by a
// bounded scan instead of brute force.
//
// A gain is the sum of two terms, e_i - d(t_i, t_j) and e_j - d(t_i+1, t_j+1). A move that gains
// at least G has a term of at least G / 2, so it is met by walking, from each end of each edge,
// through the cities in order of distance until edge - distance < G / 2. G is the best gain so
// far; where a neighbour list ends too early, float32 estimates of the distances to all cities
// tell which of them to look at.
#pragma once

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "metric.cuh"
#include "two_opt.cuh"

namespace gls {

template <class Metric>
struct TwoOptClimb {
  using Length = typename Metric::Length;

  static constexpr int kRemembered = 8;

  // A move by its cities, so that it can be found again after other moves.
  struct Memory {
    int a, b, c, d;
  };

  const Host& team;
  const Metric metric;
  Tour<int> tour;
  const int* neighbours;  // (n, degree), nearest first
  const Length* lengths;  // of the neighbours
  int degree;
  bool complete;  // every city is in every list
  float slack;    // of an estimated distance
  int moves_per_pass;

  static constexpr int kBlock = 64;  // estimates tested at once

  std::vector<int> position;
  std::vector<Length> edge;  // edge[p] is the length from position p to the next
  std::vector<Point> points;  // of the cities
  std::vector<float> estimates;
  std::vector<RowBest<Length>> rows;
  std::vector<Memory> remembered;
  Length margin = 0;  // float64 rounding of a term; 0 for integers
  Ranked<Length> best{0, 0};

  void index_tour() {
    const int n = tour.n;
    position.resize(n);
    edge.resize(n);
    points.resize(n);
    estimates.resize(n + kBlock, std::numeric_limits<float>::infinity());
    for (int p = 0; p < n; ++p) {
      position[tour[p]] = p;
      edge[p] = metric(tour[p], tour[tour.next(p)]);
      points[p] = metric.point(p);
    }
    if (Length(0.5) != Length(0)) margin = Length(*std::max_element(edge.begin(), edge.end()) * 4e-12);
  }

  // Twice the least first term of a move worth looking at.
  Length bar() const {
    const Length gain = moves_per_pass > 1 ? -best.value / kGainShare : -best.value;
    return std::max(gain, Length(Length(0.5) == Length(0) ? 1 : 0));
  }

  void consider(int i, int j) {
    const int n = tour.n;
    const int span = i < j ? j - i : i - j;
    if (span < 2 || span > n - 2) return;
    const int a = tour[i], b = tour[tour.next(i)], c = tour[j], d = tour[tour.next(j)];
    const Length delta = (metric(a, c) + metric(b, d)) - (edge[i] + edge[j]);
    if (!(delta < 0)) return;
    const Ranked<Length> move{delta, TwoOpt::index(i, j, n)};
    if (moves_per_pass > 1) keep_in_row(move);
    if (move < best) {
      best = move;
      remember({a, b, c, d});
    }
  }

  void keep_in_row(const Ranked<Length>& move) {
    const RowMove placed = TwoOpt::row_move(move.index, tour.n);
    RowBest<Length>& row = rows[placed.row];
    if (row.offset > 0) {
      const int end = tour.wrap(placed.row + row.offset);
      if (!(move < Ranked<Length>{row.delta, TwoOpt::index(placed.row, end, tour.n)})) return;
    }
    row = {move.value, placed.offset};
  }

  void remember(const Memory& move) {
    if (remembered.size() == kRemembered) remembered.erase(remembered.begin());
    remembered.push_back(move);
  }

  // The position of the edge between two cities, -1 where they are not neighbours any more.
  int edge_between(int a, int b) const {
    const int p = position[a], q = position[b];
    return tour.next(p) == q ? p : tour.next(q) == p ? q : -1;
  }

  // Looks again at moves that were good in the pass before, so that the bar starts high.
  void recall() {
    const std::vector<Memory> moves = std::exchange(remembered, {});
    for (const Memory& move : moves) {
      const int i = edge_between(move.a, move.b), j = edge_between(move.c, move.d);
      if (i >= 0 && j >= 0) consider(i, j);
    }
  }

  // Moves that take out the edge of `length` at city a, towards the next (Forward) or previous
  // city, and link a to a city nearer than that.
  template <bool Forward>
  void scan(int p, int a, Length length) {
    const int* list = neighbours + int64(a) * degree;
    const Length* distance = lengths + int64(a) * degree;
    for (int k = 0; k < degree; ++k) {
      if (2 * (length - distance[k] + margin) < bar()) return;
      link<Forward>(p, position[list[k]]);
    }
    if (!complete) scan_all<Forward>(p, a, length);
  }

  template <bool Forward>
  void scan_all(int p, int a, Length length) {
    const int n = tour.n;
    const Point own = points[a];
    for (int city = 0; city < n; ++city) estimates[city] = metric.estimate(own, points[city]);
    for (int block = 0; block < n; block += kBlock) {
      const float radius = float(length + margin) - 0.5f * float(bar()) + slack;
      float least = estimates[block];
      for (int c = 1; c < kBlock; ++c) least = std::min(least, estimates[block + c]);
      if (least > radius) continue;
      for (int city = block; city < std::min(n, block + kBlock); ++city) {
        if (estimates[city] <= radius) link<Forward>(p, position[city]);
      }
    }
  }

  // Considers linking the cities at positions p and q, both with their edges forward or backward.
  template <bool Forward>
  void link(int p, int q) {
    if (Forward) consider(p, q);
    else consider(p ? p - 1 : tour.n - 1, q ? q - 1 : tour.n - 1);
  }

  Ranked<Length> best_move() {
    best = {0, 0};
    if (moves_per_pass > 1) std::fill(rows.begin(), rows.end(), RowBest<Length>{0, 0});
    recall();
    const int n = tour.n;
    for (int p = 0; p < n; ++p) {
      const int a = tour[p];
      const Length nearest = lengths[int64(a) * degree] - margin;
      const Length before = edge[p ? p - 1 : n - 1];
      if (2 * (edge[p] - nearest) >= bar()) scan<true>(p, a, edge[p]);
      if (2 * (before - nearest) >= bar()) scan<false>(p, a, before);
    }
    return best;
  }

  void apply(RowMove move) {
    const int n = tour.n, first = tour.next(move.row), last = tour.wrap(move.row + move.offset);
    TwoOpt::apply(team, tour, move);
    for (int s = 0, p = first; s < move.offset; ++s, p = tour.next(p)) position[tour[p]] = p;
    // The path's inner edges are mirrored, one fewer than its cities.
    for (int s = 0; s < (move.offset - 1) / 2; ++s) {
      const int left = tour.wrap(first + s), right = tour.wrap(first + move.offset - 2 - s);
      std::swap(edge[left], edge[right]);
    }
    edge[move.row] = metric(tour[move.row], tour[first]);
    edge[last] = metric(tour[last], tour[last + 1 < n ? last + 1 : 0]);
  }

  unsigned char climb(int passes, int64 max_moves, int64& passes_done, int64& moves_done) {
    RowMove chosen[kMaxMovesPerPass];
    for (int pass = 0; pass < passes; ++pass) {
      if (moves_done >= max_moves) return kOutOfMoves;
      best_move();
      ++passes_done;
      if (!(best.value < 0)) return kOptimum;
      int count = 1;
      chosen[0] = TwoOpt::row_move(best.index, tour.n);
      if (moves_per_pass > 1) {
        const int limit = int(std::min<int64>(max_moves - moves_done, moves_per_pass));
        count = TwoOpt::choose(team, rows.data(), tour.n, best, limit, chosen);
      }
      for (int c = 0; c < count; ++c) apply(chosen[c]);
      moves_done += count;
    }
    return kRunning;
  }

  static void run(const Host& team, int item, const void* metric_data, int n, float slack,
                  const int* neighbours, const void* lengths, int degree, int passes,
                  int64 max_moves, int moves_per_pass, int* tours, unsigned char* states,
                  int64* pass_counts, int64* move_counts, void*) {
    if (states[item] != kRunning) return;
    TwoOptClimb search{team,
                       Metric(metric_data, n),
                       {tours + int64(item) * n, n},
                       neighbours,
                       static_cast<const Length*>(lengths),
                       degree,
                       degree == n - 1,
                       slack,
                       moves_per_pass};
    search.index_tour();
    if (moves_per_pass > 1) search.rows.resize(n);
    states[item] = search.climb(passes, max_moves, pass_counts[item], move_counts[item]);
  }
};

}  // namespace gls
