// Exhaustive best-improvement 2-opt on the CPU: the same moves as two_opt_climb.cuh, without brute
// force.
//
// Two edges can be exchanged for two others in two ways, of which one keeps the tour in one piece:
// which one depends on the directions in which the tour runs through the edges. The climb keeps a
// list of all exchanges, possible now or not, that gain at least `floor`. As long as a possible one
// is listed, the best of them is the best of the neighbourhood; when none is, everything is scanned
// anew and the floor is where the list is full. A move only adds exchanges of its two new edges.
//
// A gain is the sum of two terms, e_i - d(x, y) and e_j - d(x', y'). An exchange that gains at
// least G has a term of at least G / 2, so it is met by walking, from both ends of each edge,
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

  static constexpr bool kInteger = Length(0.5) == Length(0);
  static constexpr int kListed = 128;  // possible exchanges from which the list is full
  static constexpr int kBlock = 64;    // estimates tested at once

  // Edges (x, x_end) and (y, y_end) for (x, y) and (x_end, y_end); possible where the tour runs
  // through both edges from the first city to the second, or through both the other way.
  struct Exchange {
    Length gain;
    int x, x_end, y, y_end;
    bool possible;  // when last looked at
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

  std::vector<int> position;
  std::vector<Length> edge;   // edge[p] is the length from position p to the next
  std::vector<Point> points;  // of the cities
  std::vector<float> estimates;
  std::vector<RowBest<Length>> rows;
  std::vector<Exchange> exchanges;
  int possible = 0, full = kListed;                   // number of possible exchanges
  Length floor = std::numeric_limits<Length>::max();  // least gain listed
  Length longest = 0;                                 // bounds the edges
  Length margin = 0;                                  // float64 rounding of a term; 0 for integers

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
    if (!kInteger) margin = Length(*std::max_element(edge.begin(), edge.end()) * 4e-12);
  }

  static constexpr Length least_gain() { return kInteger ? 1 : 0; }
  int previous(int p) const { return p ? p - 1 : tour.n - 1; }

  // Lists all exchanges that gain at least the floor, which rises when the list is full.
  void scan() {
    exchanges.clear();
    possible = 0;
    full = kListed;
    floor = least_gain();
    longest = *std::max_element(edge.begin(), edge.end());
    for (int p = 0; p < tour.n; ++p) scan_edge(p, 2 * edge[p]);
  }

  // Lists exchanges of the edge after a position that link one of its cities to one at distance d
  // with `twice` - 2 d of at least the floor.
  void scan_edge(int p, Length twice) {
    const int tail = tour[p], head = tour[tour.next(p)];
    scan_end<true>(tail, head, edge[p], twice);
    scan_end<false>(head, tail, edge[p], twice);
  }

  template <bool Forward>  // whether the tour runs from x to x_end
  void scan_end(int x, int x_end, Length length, Length twice) {
    const int* list = neighbours + int64(x) * degree;
    const Length* distance = lengths + int64(x) * degree;
    const Length reach = twice + 2 * margin;
    for (int k = 0; k < degree; ++k) {
      if (reach - 2 * distance[k] < floor) return;
      link<Forward>(x, x_end, length, list[k], distance[k]);
    }
    if (!complete) scan_all<Forward>(x, x_end, length, reach);
  }

  template <bool Forward>
  void scan_all(int x, int x_end, Length length, Length reach) {
    const int n = tour.n;
    const Point own = points[x];
    for (int city = 0; city < n; ++city) estimates[city] = metric.estimate(own, points[city]);
    for (int block = 0; block < n; block += kBlock) {
      const float radius = 0.5f * (float(reach) - float(floor)) + slack;
      float least = estimates[block];
      for (int k = 1; k < kBlock; ++k) least = std::min(least, estimates[block + k]);
      if (least > radius) continue;
      for (int city = block; city < std::min(n, block + kBlock); ++city) {
        if (estimates[city] <= radius && city != x) {
          link<Forward>(x, x_end, length, city, metric(x, city));
        }
      }
    }
  }

  // Considers both edges of city y.
  template <bool Forward>
  void link(int x, int x_end, Length length, int y, Length distance) {
    const int q = position[y], before = previous(q);
    const Length enough = floor + distance - length - margin;
    if (edge[q] >= enough) {
      consider({length + edge[q] - distance, x, x_end, y, tour[tour.next(q)], Forward});
    }
    if (edge[before] >= enough) {
      consider({length + edge[before] - distance, x, x_end, y, tour[before], !Forward});
    }
  }

  // Lists an exchange if it gains enough when its second new edge is taken into account.
  void consider(Exchange exchange) {
    const int x = exchange.x, x_end = exchange.x_end, y = exchange.y, y_end = exchange.y_end;
    if (x_end == y || x == y_end || x_end == y_end) return;  // they share a city
    exchange.gain -= metric(x_end, y_end);
    if (!(exchange.gain > 0) || exchange.gain < floor) return;
    exchanges.push_back(exchange);
    possible += exchange.possible;
    if (moves_per_pass > 1) {
      if (exchange.possible) floor = std::max(floor, exchange.gain / kGainShare);
    } else if (possible >= full) {
      raise_floor();
    }
  }

  // Forgets exchanges below the median of the possible ones.
  void raise_floor() {
    std::vector<Length> gains;
    for (const Exchange& e : exchanges) {
      if (e.possible) gains.push_back(e.gain);
    }
    std::nth_element(gains.begin(), gains.begin() + gains.size() / 2, gains.end());
    floor = std::max(floor, gains[gains.size() / 2]);
    size_t kept = 0;
    possible = 0;
    for (const Exchange& e : exchanges) {
      if (e.gain < floor) continue;
      possible += e.possible;
      exchanges[kept++] = e;
    }
    exchanges.resize(kept);
    full = std::max(kListed, 2 * possible);
  }

  // The position of the edge between two cities, -1 where there is none; `forward` tells whether
  // the tour runs from a to b.
  int find_edge(int a, int b, bool& forward) const {
    const int p = position[a], q = position[b];
    forward = tour.next(p) == q;
    return forward ? p : tour.next(q) == p ? q : -1;
  }

  // The best exchange that is possible; those of edges that have gone are struck off the list.
  Ranked<Length> best_listed() {
    Ranked<Length> best{0, 0};
    if (moves_per_pass > 1) std::fill(rows.begin(), rows.end(), RowBest<Length>{0, 0});
    size_t kept = 0;
    possible = 0;
    for (Exchange& exchange : exchanges) {
      bool x_forward, y_forward;
      const int i = find_edge(exchange.x, exchange.x_end, x_forward);
      const int j = find_edge(exchange.y, exchange.y_end, y_forward);
      if (i < 0 || j < 0) continue;
      exchange.possible = x_forward == y_forward;
      exchanges[kept++] = exchange;
      if (!exchange.possible) continue;
      ++possible;
      const Ranked<Length> move{-exchange.gain, TwoOpt::index(i, j, tour.n)};
      if (moves_per_pass > 1) keep_in_row(move);
      if (move < best) best = move;
    }
    exchanges.resize(kept);
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
      scan();
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
    for (const int p : {move.row, last}) {
      edge[p] = metric(tour[p], tour[tour.next(p)]);
      longest = std::max(longest, edge[p]);
    }
    if (moves_per_pass > 1) {  // the list ends at a share of the best gain: make it anew
      floor = std::numeric_limits<Length>::max();
      return;
    }
    // The shorter of the two links of an exchange is at most half of its edges less the gain.
    for (const int p : {move.row, last}) scan_edge(p, edge[p] + longest);
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
