// Savings (Clarke and Wright 1964): begin with a route for each customer; then repeatedly join the
// two route ends that save the most length, among routes that one vehicle can serve together.
//
// All rows read the same list of pairs of customers, sorted by savings, so no row sorts anything.
// Row 0 joins each pair that fits. All other rows read the list in blocks, and each block twice:
// the first time, they skip half of its pairs at random.
#pragma once

#include "routes/problem/vehicles.cuh"
#include "backends/include/philox.cuh"

namespace gls {

// links[2 c] and links[2 c + 1] lead to the neighbours of customer c; -1: no link.
struct UndirectedLinks {
  static constexpr bool kDirected = false;
  int* links;

  GLS_DEVICE bool may_join(int, int) const { return true; }
  GLS_DEVICE void join(int a, int b) const {
    link(a, b);
    link(b, a);
  }
  GLS_DEVICE bool is_first(int end, int mate) const { return end <= mate; }
  GLS_DEVICE int next(int before, int c) const {
    return links[2 * c] != before ? links[2 * c] : links[2 * c + 1];
  }

 private:
  GLS_DEVICE void link(int from, int to) const { links[2 * from + (links[2 * from] >= 0)] = to; }
};

// The same for asymmetric lengths: links[2 c] leads to the customer before c, links[2 c + 1] to the
// customer after it.
struct DirectedLinks {
  static constexpr bool kDirected = true;
  int* links;

  GLS_DEVICE bool may_join(int a, int b) const { return links[2 * a + 1] < 0 && links[2 * b] < 0; }
  GLS_DEVICE void join(int a, int b) const {
    links[2 * a + 1] = b;
    links[2 * b] = a;
  }
  GLS_DEVICE bool is_first(int end, int) const { return links[2 * end] < 0; }
  GLS_DEVICE int next(int, int c) const { return links[2 * c + 1]; }
};

// Routes that are joined at their ends.
template <class Vehicles, class Links>
struct GrowingRoutes {
  using Time = typename Vehicles::Time;

  const Vehicles& vehicles;
  Links links;
  int* mates;       // the other end of the route, or c itself if it is alone; -1 inside a route
  int* loads;       // load of the route, stored at both ends
  Time* durations;  // duration of the route, stored at both ends

  template <class Team>
  GLS_DEVICE void begin(const Team& team) const {
    team.each(vehicles.customers, [&](int index) {
      const int c = index + 1;
      mates[c] = c;
      loads[c] = vehicles.demands[c];
      durations[c] = vehicles.alone(c);
      links.links[2 * c] = links.links[2 * c + 1] = -1;
    });
    team.sync();
  }

  // Whether the routes that end at customers a and b can be joined there, with this saving.
  template <class Length>
  GLS_DEVICE bool fits(int a, int b, Length saving) const {
    return mates[a] >= 0 && mates[b] >= 0 && mates[a] != b &&
           vehicles.holds(int64(loads[a]) + loads[b]) &&
           durations[a] + durations[b] - Time(saving) <= vehicles.limit && links.may_join(a, b) &&
           in_limits(a, b);
  }
  // Whether further resources allow the joined route.
  GLS_DEVICE bool in_limits(int a, int b) const {
    int before = -1, c = mates[a];
    const auto next = [&] {
      const int now = c;
      if (now < 0) return 0;
      c = now == a ? b : links.next(before, now);
      before = now == a ? -1 : now;
      return now;
    };
    return !(vehicles.dues(next) > 0);
  }

  template <class Length>
  GLS_DEVICE void join(int a, int b, Length saving) const {
    const int end_a = mates[a], end_b = mates[b], load = loads[a] + loads[b];
    const Time duration = durations[a] + durations[b] - Time(saving);
    links.join(a, b);
    if (end_a != a) mates[a] = -1;
    if (end_b != b) mates[b] = -1;
    mates[end_a] = end_b;
    mates[end_b] = end_a;
    loads[end_a] = loads[end_b] = load;
    durations[end_a] = durations[end_b] = duration;
  }

  GLS_DEVICE void write(int* order, unsigned char* begins) const {
    int p = 0;
    for (int end = 1; end <= vehicles.customers; ++end) {
      if (mates[end] < 0 || !links.is_first(end, mates[end])) continue;
      for (int before = -1, c = end; c >= 0;) {
        order[p] = c;
        begins[p++] = before < 0;
        const int after = links.next(before, c);
        before = c;
        c = after;
      }
    }
  }
};

// Parameters, and memory for each row: arrays with one number per node, or two in `links`.
struct SavingsRows {
  int pair_count;
  const int* pairs;     // the two customers of each pair
  const void* savings;  // Lengths: the saving of each pair, largest first
  int block;            // number of pairs in a block, which all rows but row 0 read twice
  uint64 seed;
  int* mates;
  int* loads;
  void* durations;
  int* links;
};

template <class Team, class Vehicles, class Links>
struct Savings {
  using Length = typename Vehicles::Length;
  using Routes = GrowingRoutes<Vehicles, Links>;

  GLS_DEVICE static void run(const Team& team, int item, const RouteRows& rows,
                             const SavingsRows& its) {
    const Vehicles vehicles(rows.nodes_data, rows.vehicles);
    const int64 at = int64(item) * (vehicles.customers + 1);
    const Routes routes{vehicles, Links{its.links + 2 * at}, its.mates + at, its.loads + at,
                        static_cast<typename Vehicles::Time*>(its.durations) + at};
    routes.begin(team);
    const auto drawn = [&](int pair) {
      Philox random(its.seed, Purpose::kSavings, item);
      random.seek(pair);
      return (random.next() & 1) != 0;
    };
    Philox first_block(its.seed, Purpose::kSavings, item);
    first_block.seek(its.pair_count);
    int end = 1 + int(first_block.below(its.block));
    for (int begin = 0; begin < its.pair_count; begin = end, end += its.block) {
      if (end > its.pair_count) end = its.pair_count;
      if (item > 0) join_in_order(team, routes, its, begin, end, drawn);
      join_in_order(team, routes, its, begin, end, [](int) { return true; });
    }
    const int64 row = int64(item) * vehicles.customers;
    team.once([&] { routes.write(rows.orders + row, rows.begins + row); });
  }

 private:
  // Joins the routes of pairs `begin` to `end` - 1, in order, if they fit and takes(pair) is true.
  template <class Takes>
  GLS_DEVICE static void join_in_order(const Team& team, const Routes& routes,
                                       const SavingsRows& its, int begin, int end, Takes takes) {
    constexpr int kNone = Team::kLanes;
    const int* const pairs = its.pairs;
    const Length* const savings = static_cast<const Length*>(its.savings);
    while (begin < end) {
      const int count = end - begin < Team::kLanes ? end - begin : Team::kLanes;
      const int found = int(team.least(count, uint32(kNone), [&](int k) {
        const int e = begin + k;
        const bool fits = routes.fits(pairs[2 * e], pairs[2 * e + 1], savings[e]) && takes(e);
        return uint32(fits ? k : kNone);
      }));
      if (found < kNone) {
        const int e = begin + found;
        team.sync();
        team.once([&] { routes.join(pairs[2 * e], pairs[2 * e + 1], savings[e]); });
      }
      begin += found < kNone ? found + 1 : count;
    }
  }
};

}  // namespace gls
