// Savings (Clarke and Wright 1964): begin with a route for every customer and join the ends of two
// routes where that saves most, as long as a vehicle can serve both.
//
// Pairs of customers come in order of what joining them saves, the same for all rows. Row 0 takes
// each that fits. Other rows read the pairs in blocks, and each block twice: first they pass over
// half of its pairs, drawn at random. So no row has to sort.
#pragma once

#include "routes/construction/route_rows.cuh"
#include "backends/include/philox.cuh"

namespace gls {

// Routes as links between customers, -1 where there is none, and what is known at their ends:
// mates[c] is the other end of the route that c ends (c itself if it is alone), -1 inside.
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

// Where directions matter: links[2 c] leads back, links[2 c + 1] on.
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

template <class Vehicles, class Links>
struct GrowingRoutes {
  using Time = typename Vehicles::Time;

  const Vehicles& vehicles;
  Links links;
  int* mates;
  int* loads;       // of the route, at its ends
  Time* durations;  // as well

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

  // Whether a route that a ends and one that b ends can be one, which is that much shorter.
  template <class Length>
  GLS_DEVICE bool fits(int a, int b, Length saving) const {
    return mates[a] >= 0 && mates[b] >= 0 && mates[a] != b &&
           vehicles.holds(int64(loads[a]) + loads[b]) &&
           durations[a] + durations[b] - Time(saving) <= vehicles.limit && links.may_join(a, b);
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

// The pairs of customers, and memory for every row: a number for each node, two in `links`.
struct SavingsRows {
  int pair_count;
  const int* pairs;     // of customers
  const void* savings;  // of every pair, which never rise
  int block;            // pairs that rows behind the first read twice
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
  // Joins routes at the pairs from `begin` to `end`, in order, if they fit and `takes` the pair.
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
