// Exhaustive best-improvement 2-opt on the CPU: the same moves as two_opt_climb.cuh, without brute
// force.
//
// The climb keeps a list of all moves that gain at least `floor`; the best of the list is the best
// of the neighbourhood as long as it is not empty. When it is, everything is scanned anew, and the
// floor is where the list is full. After a move only pairs of edges whose relative direction has
// changed, or one of which is new, are scanned.
//
// A gain is the sum of two terms, e_i - d(t_i, t_j) and e_j - d(t_i+1, t_j+1). A move that gains
// at least G has a term of at least G / 2, so it is met by walking, from each end of each edge,
// through the cities in order of distance until edge - distance < G / 2. Where a neighbour list
// ends too early, float32 estimates of the distances to all cities tell which of them to look at.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "metric.cuh"
#include "two_opt.cuh"

namespace gls {

template <class Metric>
struct TwoOptClimb {
  using Length = typename Metric::Length;

  static constexpr bool kExact = Length(0.5) == Length(0);  // integer lengths
  static constexpr size_t kListed = 256;                    // moves from which a list is full
  static constexpr int kBlock = 64;                         // estimates tested at once

  // A move by the cities of its edges (a, b) and (c, d), both in the same direction of the tour.
  struct Move {
    Length gain;
    int a, b, c, d;
  };

  // The path that was reversed last: edges row and last are new, those between have turned.
  struct Turned {
    int row, offset;
  };
  enum Side { kOutside, kInside, kNew };

  const Host& team;
  const Metric metric;
  Tour<int> tour;
  const int* neighbours;  // (n, degree), nearest first
  const Length* lengths;  // of the neighbours
  int degree;
  bool complete;  // every city is in every list
  float slack;    // of an estimated distance
  int moves_per_pass;

  std::vector<int> position;
  std::vector<Length> edge;  // edge[p] is the length from position p to the next
  std::vector<Point> points;  // of the cities
  std::vector<float> estimates;
  std::vector<RowBest<Length>> rows;
  std::vector<Move> moves;
  size_t full = kListed;
  Length floor = std::numeric_limits<Length>::max(), highest = 0;  // gains
  Length margin = 0;  // float64 rounding of a term; 0 for integers

  void start() {
    const int n = tour.n;
    position.resize(n);
    edge.resize(n);
    points.resize(n);
    estimates.resize(n + kBlock, std::numeric_limits<float>::infinity());
    if (moves_per_pass > 1) rows.resize(n);
    for (int p = 0; p < n; ++p) {
      position[tour[p]] = p;
      edge[p] = metric(tour[p], tour[tour.next(p)]);
      points[p] = metric.point(p);
    }
    if (!kExact) margin = Length(*std::max_element(edge.begin(), edge.end()) * 4e-12);
  }

  static constexpr Length least_gain() { return kExact ? 1 : 0; }
  int previous(int p) const { return p ? p - 1 : tour.n - 1; }

  // Lists the move that takes out the edges after positions i and j, if it gains enough. `term`
  // bounds what the gain has without the edge after j and the second new edge.
  void consider(int i, int j, Length term) {
    if (term + margin + edge[j] < floor) return;
    const int span = i < j ? j - i : i - j;
    if (span < 2 || span > tour.n - 2) return;
    const int a = tour[i], b = tour[tour.next(i)], c = tour[j], d = tour[tour.next(j)];
    const Length gain = -((metric(a, c) + metric(b, d)) - (edge[i] + edge[j]));
    if (!(gain > 0) || gain < floor) return;
    moves.push_back({gain, a, b, c, d});
    highest = std::max(highest, gain);
    if (moves_per_pass > 1) floor = std::max(floor, highest / kGainShare);
    else if (moves.size() >= full) raise_floor();
  }

  // Forgets the lesser half of a full list.
  void raise_floor() {
    const auto middle = moves.begin() + moves.size() / 2;
    std::nth_element(moves.begin(), middle, moves.end(),
                     [](const Move& p, const Move& q) { return p.gain > q.gain; });
    floor = std::max(floor, middle->gain);
    moves.erase(std::remove_if(moves.begin(), moves.end(),
                               [&](const Move& move) { return move.gain < floor; }),
                moves.end());
    full = std::max(kListed, 2 * moves.size());
  }

  // Whether the term of an edge and a distance can belong to a move that gains the floor.
  bool promising(Length length, Length distance) const {
    return 2 * (length - distance + margin) >= floor;
  }

  Side side(int edge_position, const Turned& turned) const {
    const int offset = edge_position - turned.row;
    const int inside = offset < 0 ? offset + tour.n : offset;
    return inside == 0 || inside == turned.offset ? kNew : inside < turned.offset ? kInside
                                                                                   : kOutside;
  }

  // Scans all pairs of edges, or those that matter after a path was turned.
  void scan(const Turned* turned) {
    for (int p = 0; p < tour.n; ++p) {
      const int city = tour[p], before = previous(p);
      const Length nearest = lengths[int64(city) * degree];
      if (promising(edge[p], nearest)) scan_edge<true>(p, city, edge[p], turned);
      if (promising(edge[before], nearest)) scan_edge<false>(p, city, edge[before], turned);
    }
  }

  // Moves that take out the edge of `length` at a city, towards the next (Forward) or the previous
  // city, and link the city to one that is nearer.
  template <bool Forward>
  void scan_edge(int p, int city, Length length, const Turned* turned) {
    const int own = Forward ? p : previous(p);
    const Side own_side = turned ? side(own, *turned) : kNew;
    const auto link = [&](int other, Length term) {
      const int q = position[other], there = Forward ? q : previous(q);
      if (own_side == kNew || own_side != side(there, *turned)) consider(own, there, term);
    };
    const int* list = neighbours + int64(city) * degree;
    const Length* distance = lengths + int64(city) * degree;
    for (int k = 0; k < degree; ++k) {
      if (!promising(length, distance[k])) return;
      link(list[k], length - distance[k]);
    }
    if (!complete) scan_all(city, length, link);
  }

  template <class Link>
  void scan_all(int city, Length length, const Link& link) {
    const int n = tour.n;
    const Point own = points[city];
    for (int other = 0; other < n; ++other) estimates[other] = metric.estimate(own, points[other]);
    for (int block = 0; block < n; block += kBlock) {
      const float radius = float(length + margin) - 0.5f * float(floor) + slack;
      float least = estimates[block];
      for (int k = 1; k < kBlock; ++k) least = std::min(least, estimates[block + k]);
      if (least > radius) continue;
      for (int other = block; other < std::min(n, block + kBlock); ++other) {
        if (estimates[other] <= radius) link(other, length);
      }
    }
  }

  // The best move on the list, from which moves that are impossible now are struck.
  Ranked<Length> best_listed() {
    const int n = tour.n;
    Ranked<Length> best{0, 0};
    if (moves_per_pass > 1) std::fill(rows.begin(), rows.end(), RowBest<Length>{0, 0});
    size_t kept = 0;
    for (const Move& move : moves) {
      int i = position[move.a], j = position[move.c];
      const int i_end = position[move.b], j_end = position[move.d];
      if (tour.next(i) != i_end || tour.next(j) != j_end) {
        if (tour.next(i_end) != i || tour.next(j_end) != j) continue;
        i = i_end;
        j = j_end;
      }
      moves[kept++] = move;
      const Ranked<Length> ranked{-move.gain, TwoOpt::index(i, j, n)};
      if (moves_per_pass > 1) keep_in_row(ranked);
      if (ranked < best) best = ranked;
    }
    moves.resize(kept);
    return best;
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

  // The best move of the whole neighbourhood; value 0 where no move improves.
  Ranked<Length> best_move() {
    for (;;) {
      const Ranked<Length> best = best_listed();
      const Length needed = moves_per_pass > 1 ? -best.value / kGainShare : -best.value;
      if (floor <= least_gain() || (best.value < 0 && needed >= floor)) return best;
      moves.clear();
      floor = least_gain();
      highest = 0;
      scan(nullptr);
    }
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
    edge[last] = metric(tour[last], tour[tour.next(last)]);
    if (moves_per_pass > 1) {  // little of the list would be left
      floor = std::numeric_limits<Length>::max();
      return;
    }
    const Turned turned{move.row, move.offset};
    scan(&turned);
  }

  unsigned char climb(int passes, int64 max_moves, int64& passes_done, int64& moves_done) {
    RowMove chosen[kMaxMovesPerPass];
    start();
    for (int pass = 0; pass < passes; ++pass) {
      if (moves_done >= max_moves) return kOutOfMoves;
      const Ranked<Length> best = best_move();
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
    states[item] = search.climb(passes, max_moves, pass_counts[item], move_counts[item]);
  }
};

}  // namespace gls
