// Edge assembly crossover (Nagata and Kobayashi 2013), localised: the first parent takes over those
// AB-cycles of the second that make it shorter, one after the other. What comes of it is the child.
//
// An offspring is the tour with the edges of some cycles exchanged; its subtours are joined, the
// smallest first, by the best exchange of two edges on candidate lists. If it is shorter, it takes
// the place of the tour before the next cycle is tried.
#pragma once

#include "recombination/ab_walk.cuh"
#include "recombination/broken_tour.cuh"
#include "neighbourhoods/move.cuh"
#include "tours/tour_memory.cuh"

namespace gls {

constexpr int kMostCities = 1000;  // of a subtour that is joined

// The second parent of a row is the row of other tours that `partners` says.
struct Pairs {
  uint64 seed;
  int64 first_row;
  int64 generation;
  int offspring;  // of a pair, at most
  const int* first;
  const int* second;
  const int* partners;
  int* children;  // written where there is one
  void* costs;    // of first parents; become those of the children
  char* scratch;
};

// `Strategy` says which AB-cycles an offspring takes over together.
template <class Team, class Metric, class Length, class Memory, template <class> class Strategy>
struct EdgeAssembly {
  using City = typename Memory::City;
  using Cost = typename Metric::Length;
  using MetricLengths = Lengths<Metric, Length>;
  using Site = typename MetricLengths::City;
  using Broken = BrokenTour<City>;

  // Walks are over before the child begins, which lies in the same memory.
  GLS_DEVICE static int64 team_bytes(int n) {
    const int64 walk = AbWalk<City>::bytes(n), child = Broken::bytes(n) + Strategy<City>::bytes(n);
    return AbCycles<City>::bytes(n) + (walk > child ? walk : child);
  }

  GLS_DEVICE static void run(const Team& team, int item, Instance instance, Candidates candidates,
                             Pairs pairs) {
    choose_row<Metric>(instance, candidates, item);
    const int n = instance.n;
    Memory memory(team, item, team_bytes(n), 0, pairs.scratch);
    AbCycles<City> cycles(n, memory);
    const int64 row = int64(item) * n;
    find_cycles(team, item, n, pairs, Memory(memory), cycles);
    team.sync();  // all have left the walk, in whose place the child is

    Broken child(n, memory);
    const auto view = view_of<MetricLengths, City>(
        child.tour, instance, static_cast<const Site*>(instance.sites), candidates, item);
    each_ahead(
        team, n, [&](int p) { return pairs.first[row + p]; },
        [&](int p, int city) {
          child.tour.order[p] = City(city);
          child.tour.position[city] = City(p);
        });
    team.sync();
    Strategy<City> exchanges(n, cycles, memory);
    exchanges.open(team, child.tour);
    Cost gained = 0;
#pragma unroll 1
    for (int number = 0; number < pairs.offspring; ++number) {
      Cost gain = 0;
      if (!exchanges.next(team, view.length, child, gain)) break;
      if (gain <= 0 || !join(team, view.length, view.candidates, child, gain)) continue;
      gained += gain;
      child.mend(team);
    }
    const Cost cost = static_cast<const Cost*>(pairs.costs)[item];
    if (MetricLengths::kReal && double(gained) <= 1e-12 * double(cost)) return;  // rounding
    if (gained == 0) return;
    team.each(n, [&](int p) { pairs.children[row + p] = child.tour.at(p); });
    team.sync();  // all have read the cost
    team.once([&] { static_cast<Cost*>(pairs.costs)[item] = cost - gained; });
  }

 private:
  GLS_DEVICE static void find_cycles(const Team& team, int item, int n, const Pairs& pairs,
                                     Memory memory, AbCycles<City>& cycles) {
    Philox random(pairs.seed, Purpose::kOffspring, pairs.first_row + item);
    random.seek(pairs.generation *
                n);  // four numbers for each city: a number starts or takes an edge
    AbWalk<City> walk(n, memory);
    walk.find(team, pairs.first + int64(item) * n, pairs.second + int64(pairs.partners[item]) * n,
              Strategy<City>::cycles_for(pairs.offspring, n), random, cycles);
  }

  // Joins all subtours into one tour. False where that cannot be done or gains nothing.
  GLS_DEVICE static bool join(const Team& team, const MetricLengths& length,
                              const typename MetricLengths::Lists& lists, Broken& child,
                              Cost& gain) {
    auto subtours = child.connect(team);
#pragma unroll 1
    while (subtours.count > 1) {
      if (subtours.cities > kMostCities || child.size + 2 > kMostCuts) return false;
      const auto best = best_exchange(team, length, lists, child, subtours.smallest);
      if (best.index < 0) return false;
      gain -= Cost(best.value);
      if (gain <= 0) return false;
      subtours = child.merge(team, read_exchange(lists, child, best.index), subtours);
    }
    return true;
  }

  using Exchange = typename Broken::Exchange;
  using Lists = typename MetricLengths::Lists;

  // An exchange is numbered by the place of u, the rank of its candidate c, and on which sides of
  // them the edges lie that go out.
  GLS_DEVICE static Exchange read_exchange(const Lists& lists, const Broken& child, int64 index) {
    const bool v_after = index & 2, w_after = index & 1;
    const int place = int(index / 4 / lists.degree), rank = int(index / 4 % lists.degree);
    const int c = child.tour.place(lists.city(lists.entry(child.tour.at(place), rank)));
    return {place,
            c,
            v_after,
            w_after,
            child.neighbour(place, child.path_of(place), v_after),
            child.neighbour(c, child.path_of(c), w_after)};
  }

  // A city u of a subtour, with its neighbours and how long its edges are, and one of its
  // candidates, which may lie in another subtour.
  struct Link {
    int u, place, v[2];
    Length out[2];
    int rank, c, c_place, c_path;
    Length in;
  };

  // The exchange that joins a subtour with another one for the least loss; index -1 if there is
  // none.
  GLS_DEVICE static Ranked<Length> best_exchange(const Team& team, const MetricLengths& length,
                                                 const Lists& lists, const Broken& child,
                                                 int subtour) {
    // Lanes that wait for each other have several links on their way; one alone leaves out what
    // cannot win.
    constexpr bool kAlone = Team::kLanes == 1;
    constexpr int kAhead = kAlone ? 1 : sizeof(Length) == 4 ? 4 : 2;
    Ranked<Length> best{Length(int64(1) << (sizeof(Length) == 4 ? 30 : 60)), -1};
    const int paths = child.list_paths(team, subtour);
#pragma unroll 1
    for (int k = 0; k < paths; ++k) {
      const int path = child.listed(k), count = child.length(path) * lists.degree;
      Link links[kAhead];
#pragma unroll 1
      for (int base = team.lane(); base < count; base += kAhead * Team::kLanes) {
        GLS_UNROLL
        for (int a = 0; a < kAhead; ++a) {
          const int i = base + a * Team::kLanes;
          follow(length, lists, child, path, i < count ? i : base, links[a]);
        }
        GLS_UNROLL
        for (int a = 0; a < kAhead; ++a) {
          const bool inside = int(child.owner[links[a].c_path]) == subtour;
          if (kAlone && inside) continue;
          const auto found = best_of<kAlone>(length, lists.degree, child, links[a], best);
          if (!inside && found < best) best = found;
        }
      }
    }
    return team.least(best);
  }

  // Becomes link i of a path; one lane comes from the link before.
  GLS_DEVICE static void follow(const MetricLengths& length, const Lists& lists,
                                const Broken& child, int path, int i, Link& link) {
    const RingTour<City>& tour = child.tour;
    link.rank = i % lists.degree;
    if (Team::kLanes > 1 || link.rank == 0) {
      link.place = tour.wrap(child.first(path) + i / lists.degree);
      link.u = tour.at(link.place);
      GLS_UNROLL
      for (int after = 0; after < 2; ++after) {
        link.v[after] = child.neighbour(link.place, path, after).city;
        link.out[after] = length(link.u, link.v[after]);
      }
    }
    const auto entry = lists.entry(link.u, link.rank);
    link.in = lists.length(entry);
    link.c = lists.city(entry);
    link.c_place = tour.place(link.c);
    link.c_path = child.path_of(link.c_place);
  }

  // The best of the four exchanges of a link; or what is known, if that is surely better and it is
  // worth to be `careful`.
  template <bool careful>
  GLS_DEVICE static Ranked<Length> best_of(const MetricLengths& length, int degree,
                                           const Broken& child, const Link& link,
                                           const Ranked<Length>& known) {
    int w[2];
    Length out[2];
    GLS_UNROLL
    for (int after = 0; after < 2; ++after) {
      w[after] = child.neighbour(link.c_place, link.c_path, after).city;
      out[after] = length(link.c, w[after]);
    }
    const Length most = link.out[0] < link.out[1] ? link.out[1] : link.out[0];
    const Length other = out[0] < out[1] ? out[1] : out[0];
    if (careful && known.value < link.in - most - other) return known;  // no length is negative
    const int64 number = (int64(link.place) * degree + link.rank) * 4;
    Ranked<Length> best{link.in + length(link.v[0], w[0]) - link.out[0] - out[0], number};
    GLS_UNROLL
    for (int which = 1; which < 4; ++which) {
      const int a = which / 2, b = which % 2;
      const Length loss = link.in + length(link.v[a], w[b]) - link.out[a] - out[b];
      if (loss < best.value) best = {loss, number + which};
    }
    return best;
  }
};

}  // namespace gls
