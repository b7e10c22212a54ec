// Exhaustive best-improvement 2-opt on a CPU. It makes the same moves as two_opt_climb.cuh, without
// evaluating the whole neighbourhood in each pass.
//
// Two edges can be exchanged in two ways. The exchange that keeps the tour in one piece is called
// possible. Which exchange is possible depends on the directions in which the tour runs through the
// edges, but the gains depend on the edges alone. The climb keeps a list of all exchanges that gain
// at least `floor`, possible or not. A move reverses edges, which changes only what is possible,
// and it adds only exchanges of its two new edges to the list. So the best possible exchange of the
// list is the best move of the neighbourhood. When the list has no possible exchange left, the
// climb scans all edges again. It raises the floor whenever the list is full.
//
// A gain is the sum of two terms, e_i - d(x, y) and e_j - d(x', y'). So an exchange that gains at
// least G has a term of at least G / 2. To find it, the scan starts at both ends of each edge and
// goes through the cities in order of distance, as long as edge - distance >= G / 2. If a neighbour
// list is too short for that, the scan estimates the distances to all cities in float32 instead.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "tours/problem/instance.cuh"
#include "tours/problem/metric.cuh"
#include "tours/moves/two_opt.cuh"
#include "tours/engines/descent/descent_batch.cuh"
#include "tours/engines/exhaustive/two_opt_rules.cuh"

namespace gls {

template <class Metric>
struct TwoOptClimb {
  using Length = typename Metric::Length;

  static constexpr bool kInteger = Length(0.5) == Length(0);
  static constexpr int kListed = 256;  // number of possible exchanges in a full list
  static constexpr int kBlock = 64;    // number of estimates tested at once

  // An exchange of two numbered edges. It is possible if the product of their senses is `relation`.
  struct Exchange {
    Length gain;
    int first, second;
    int relation;
  };

  const Host& team;
  const Metric metric;
  Tour<int> tour;
  const int* neighbours;  // (n, degree), nearest first
  const Length* lengths;  // to the neighbours
  int degree;
  bool complete;  // whether each list contains all other cities
  float slack;    // bound on the error of an estimated change
  int moves_per_pass;

  std::vector<int> position;  // by city
  // By position: the point of the city; the edge to the next city, its estimate and its number.
  std::vector<Point> points;
  std::vector<Length> edge;
  std::vector<float> edge_estimate;
  std::vector<int> number;
  // By number of an edge: its position, and its sense (1; -1 if reversed; 0 if it left the tour).
  std::vector<int> place;
  std::vector<int> sense;

  std::vector<float> to_tail, to_head;  // estimated distances to the ends of an edge, by position
  std::vector<RowBest<Length>> rows;    // best move of each row, if a pass makes several moves
  std::vector<Exchange> exchanges;
  int possible = 0, full = kListed;  // number of possible exchanges, and of those in a full list
  Length floor = std::numeric_limits<Length>::max();
  Length margin = 0;  // bound on the float64 rounding of a term; 0 for integers

  void start() {
    const int n = tour.n;
    position.resize(n);
    points.resize(n + 1);
    edge.resize(n);
    edge_estimate.resize(n);
    to_tail.resize(n + 1);
    to_head.resize(n + 1);
    if (moves_per_pass > 1) rows.resize(n);
    for (int p = 0; p < n; ++p) {
      position[tour[p]] = p;
      points[p] = metric.point(tour[p]);
      measure(p);
    }
    points[n] = points[0];
    if (!kInteger) margin = Length(*std::max_element(edge.begin(), edge.end()) * 4e-12);
  }

  void measure(int p) {
    edge[p] = metric(tour[p], tour[tour.next(p)]);
    edge_estimate[p] = float(edge[p]);
  }

  static constexpr Length least_gain() { return kInteger ? 1 : 0; }
  int previous(int p) const { return p ? p - 1 : tour.n - 1; }

  // The floor at the start of the next scan. A scan with a high floor is cheap and often finds a
  // move.
  Length lower_floor() const {
    if (moves_per_pass > 1) return least_gain();
    const Length longest = *std::max_element(edge.begin(), edge.end());
    const Length lower = std::min(floor, 2 * longest) / 64;
    return lower < (kInteger ? 8 : longest * 1e-6) ? least_gain() : lower;
  }

  // Lists all exchanges that gain at least the floor. The floor rises when the list is full.
  GLS_OUT_OF_LINE void scan() {
    const int n = tour.n;
    exchanges.clear();
    possible = 0;
    full = kListed;
    number.resize(n);
    place.resize(n);
    for (int p = 0; p < n; ++p) number[p] = place[p] = p;
    sense.assign(n, 1);
    for (int p = 0; p < n && !team.cut(); ++p) {
      const int next = tour.next(p);
      if (walk_suffices(p, edge[p]) && walk_suffices(next, edge[p])) {
        walk<true>(p, p);
        walk<false>(next, p);
      } else {
        scan_edge(p);
      }
    }
  }

  // Whether the neighbour list of the city at position p is long enough for an edge of this length.
  bool walk_suffices(int p, Length length) const {
    return complete || !promising(length, lengths[int64(tour[p]) * degree + degree - 1]);
  }

  // Whether the term of an edge and a distance may belong to an exchange that reaches the floor.
  bool promising(Length length, Length distance) const {
    return 2 * (length - distance + margin) >= floor;
  }

  // Lists exchanges of the edge at position `own` with shorter edges, in which the shorter new edge
  // links the end at position p to a neighbour. The exchange with the neighbour's edge on the same
  // side is possible now. The exchange with the neighbour's other edge becomes possible when one of
  // the two edges is reversed.
  template <bool Forward>
  void walk(int p, int own) {
    const Length length = edge[own];
    const int far_end = tour[Forward ? tour.next(own) : own];
    const int* list = neighbours + int64(tour[p]) * degree;
    const Length* distances = lengths + int64(tour[p]) * degree;
    for (int k = 0; k < degree && promising(length, distances[k]); ++k) {
      const Length distance = distances[k];
      const auto exchange = [&](int other, int other_end, bool turned) {
        const Length shorter = edge[other];
        if (shorter > length || (shorter == length && other < own)) return;
        if (shorter < floor + distance - length - margin || adjacent(own, other)) return;
        const Length second = metric(far_end, tour[other_end]);
        if (second >= distance) add(own, other, turned, distance + second);
      };
      const int q = position[list[k]], before = previous(q);
      exchange(q, tour.next(q), !Forward);
      exchange(before, before, Forward);
    }
  }

  // Lists exchanges of the edge at position p with all others.
  void scan_edge(int p) {
    const int n = tour.n;
    const Point tail = points[p], head = points[p + 1];
    float* const __restrict__ tails = to_tail.data();
    float* const __restrict__ heads = to_head.data();
    for (int q = 0; q <= n; ++q) {
      tails[q] = metric.estimate(tail, points[q]);
      heads[q] = metric.estimate(head, points[q]);
    }
    for (int block = 0; block < n; block += kBlock) {
      const int end = std::min(n, block + kBlock);
      const float bar = edge_estimate[p] + slack - float(floor);
      int some = 0;
      for (int q = block; q < end; ++q) {
        const float most = edge_estimate[q] + bar;
        some |= int(tails[q] + heads[q + 1] <= most) | int(tails[q + 1] + heads[q] <= most);
      }
      for (int q = block; some && q < end; ++q) {
        const float most = edge_estimate[q] + bar;
        if (tails[q] + heads[q + 1] <= most) consider(p, q, false);
        if (tails[q + 1] + heads[q] <= most) consider(p, q, true);
      }
    }
  }

  // Whether two edges are the same or share a city.
  bool adjacent(int i, int j) const {
    const int span = i < j ? j - i : i - j;
    return span < 2 || span > tour.n - 2;
  }

  // Lists the exchange of the edges after positions i and j that is possible now or, if `turned`,
  // the one that becomes possible when one of the edges is reversed.
  void consider(int i, int j, bool turned) {
    if (adjacent(i, j)) return;
    const int a = tour[i], b = tour[tour.next(i)], c = tour[j], d = tour[tour.next(j)];
    add(i, j, turned, turned ? metric(a, d) + metric(b, c) : metric(a, c) + metric(b, d));
  }

  // Lists an exchange with new edges of total length `added` if it reaches the floor.
  void add(int i, int j, bool turned, Length added) {
    const Length gain = -TwoOpt::change(added, edge[i] + edge[j]);
    if (!(gain > 0) || gain < floor) return;
    const int relation = sense[number[i]] * sense[number[j]];
    exchanges.push_back({gain, number[i], number[j], turned ? -relation : relation});
    if (turned) return;
    if (moves_per_pass > 1) {
      floor = std::max(floor, gain / kGainShare);
    } else if (++possible >= full) {
      raise_floor();
    }
  }

  bool is_possible(const Exchange& e) const {
    return sense[e.first] * sense[e.second] == e.relation;
  }

  // Removes the exchanges that gain less than the median of the possible ones.
  void raise_floor() {
    std::vector<Length> gains;
    for (const Exchange& e : exchanges) {
      if (is_possible(e)) gains.push_back(e.gain);
    }
    const auto middle = gains.begin() + gains.size() / 2;
    std::nth_element(gains.begin(), middle, gains.end());
    floor = std::max(floor, *middle);
    const auto low = [&](const Exchange& e) { return e.gain < floor; };
    exchanges.erase(std::remove_if(exchanges.begin(), exchanges.end(), low), exchanges.end());
    possible = int(std::count_if(gains.begin(), gains.end(), [&](Length g) { return g >= floor; }));
    full = std::max(kListed, 2 * possible);
  }

  // Finds the best possible exchange; removes the exchanges of edges that left the tour.
  Ranked<Length> best_listed() {
    Ranked<Length> best{0, 0};
    if (moves_per_pass > 1) std::fill(rows.begin(), rows.end(), RowBest<Length>{0, 0});
    size_t kept = 0;
    possible = 0;
    for (const Exchange& e : exchanges) {
      const int relation = sense[e.first] * sense[e.second];
      exchanges[kept] = e;
      kept += relation != 0;
      if (relation != e.relation) continue;
      ++possible;
      if (moves_per_pass == 1 && -e.gain > best.value) continue;
      const int64 index = TwoOpt::index(place[e.first], place[e.second], tour.n);
      const Ranked<Length> move{-e.gain, index};
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

  // Finds the best move of the whole neighbourhood; its value is 0 if no move improves.
  Ranked<Length> best_move() {
    for (;;) {
      const Ranked<Length> best = best_listed();
      const Length needed = moves_per_pass > 1 ? -best.value / kGainShare : -best.value;
      if (team.cut() || floor <= least_gain() || (best.value < 0 && needed >= floor)) return best;
      floor = lower_floor();
      scan();
    }
  }

  void apply(RowMove move) {
    const int n = tour.n, first = tour.next(move.row), last = tour.wrap(move.row + move.offset);
    TwoOpt::apply(team, tour, move);
    for (int s = 0; s < move.offset / 2; ++s) {
      std::swap(points[tour.wrap(first + s)], points[tour.wrap(first + move.offset - 1 - s)]);
    }
    points[n] = points[0];
    for (int s = 0, p = first; s < move.offset; ++s, p = tour.next(p)) position[tour[p]] = p;
    // The inner edges of the path, one fewer than its cities, are also reversed.
    for (int s = 0; s < (move.offset - 1) / 2; ++s) {
      const int left = tour.wrap(first + s), right = tour.wrap(first + move.offset - 2 - s);
      std::swap(edge[left], edge[right]);
      std::swap(edge_estimate[left], edge_estimate[right]);
      std::swap(number[left], number[right]);
    }
    for (const int p : {move.row, last}) measure(p);
    if (moves_per_pass > 1) {  // the list does not suffice for another pass: scan all edges again
      floor = std::numeric_limits<Length>::max();
      return;
    }
    for (int s = 0, p = first; s < move.offset - 1; ++s, p = tour.next(p)) {
      place[number[p]] = p;
      sense[number[p]] = -sense[number[p]];
    }
    for (const int p : {move.row, last}) {
      sense[number[p]] = 0;
      number[p] = int(place.size());
      place.push_back(p);
      sense.push_back(1);
    }
    scan_edge(move.row);
    scan_edge(last);
  }

  unsigned char climb(int passes, int64 max_moves, int64& passes_done, int64& moves_done) {
    RowMove chosen[kMaxMovesPerPass];
    start();
    for (int pass = 0; pass < passes; ++pass) {
      if (moves_done >= max_moves) return kOutOfMoves;
      const Ranked<Length> best = best_move();
      if (team.cut()) break;  // an incomplete pass does not count
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

  static void run(const Host& team, int item, Instance instance, TwoOptRules rules,
                  DescentBatch batch) {
    if (batch.states[item] != kRunning) return;
    const int n = instance.n;
    TwoOptClimb search{team,
                       Metric(instance.metric_data, n),
                       {batch.tours + int64(item) * n, n},
                       rules.neighbours,
                       static_cast<const Length*>(rules.lengths),
                       rules.degree,
                       rules.degree == n - 1,
                       rules.slack,
                       rules.moves_per_pass};
    batch.states[item] = search.climb(batch.passes, batch.max_moves, batch.pass_counts[item],
                                      batch.move_counts[item]);
  }
};

}  // namespace gls
