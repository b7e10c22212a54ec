// Edge assembly crossover (Nagata and Kobayashi 2013), localised: the first parent takes over those
// AB-cycles of the second that make it shorter, one after the other. What comes of it is the child.
//
// An offspring is the tour with the edges of some cycles exchanged; its subtours are joined, the
// smallest first, by the best exchange of two edges on candidate lists. If it is shorter, it takes
// the place of the tour before the next cycle is tried.
#pragma once

#include "recombination/ab_cycle.cuh"
#include "recombination/broken_tour.cuh"
#include "neighbourhoods/move.cuh"
#include "tours/tour_memory.cuh"

namespace gls {

constexpr int kMostCities = 1000;  // of a subtour that is joined

// The second parent of a row is the row of other tours that `partners` says, as neighbours.
struct Pairs {
  uint64 seed;
  int64 first_row;
  int64 generation;
  int offspring;  // of a pair, at most
  const int* first;
  const void* neighbours;  // of every city, in every second parent
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

  GLS_DEVICE static void run(const Team& team, int item, Instance instance, Candidates candidates,
                             Pairs pairs) {
    choose_row<Metric>(instance, candidates, item);
    const int n = instance.n;
    Memory memory(team, item, team_bytes(n), 0, pairs.scratch);
    Broken child(n, memory);
    const auto view = view_of<MetricLengths, City>(
        child.tour, instance, static_cast<const Site*>(instance.sites), candidates, item);
    const int64 row = int64(item) * n;
    const auto* other =
        static_cast<const Neighbours<City>*>(pairs.neighbours) + int64(pairs.partners[item]) * n;
    Strategy<City> exchanges(n, other, memory);

    each_ahead(
        team, n, [&](int p) { return pairs.first[row + p]; },
        [&](int p, int city) {
          child.tour.order[p] = City(city);
          child.tour.position[city] = City(p);
        });
    team.sync();
    Philox random(pairs.seed, Purpose::kOffspring, pairs.first_row + item);
    random.seek(pairs.generation *
                n);  // four numbers for each city: a number starts or takes an edge
    exchanges.open(team, child.tour, random);
    Cost gained = 0;
#pragma unroll 1
    for (int number = 0; number < pairs.offspring; ++number) {
      Cost gain = 0;
      if (!exchanges.next(team, random, view.length, child, gain)) break;
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
  GLS_DEVICE static int64 team_bytes(int n) { return Broken::bytes(n) + Strategy<City>::bytes(n); }

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
      const Exchange chosen = read_exchange(lists, child, best.index);
      team.sync();  // all have read what is about to change
      int& size = shared_slot<int>(team);
      team.once([&] {
        size =
            child.exchange(chosen.u, chosen.v_after, chosen.v, chosen.c, chosen.w_after, chosen.w);
      });
      child.size = size;
      subtours = child.connect(team);
    }
    return true;
  }

  struct Exchange {
    int u, c;  // places
    int path;  // of c
    bool v_after, w_after;
    typename Broken::Neighbour v, w;
  };

  // An exchange is numbered by the place of u, the rank of its candidate c, and on which sides of
  // them the edges lie that go out.
  GLS_DEVICE static Exchange read_exchange(const typename MetricLengths::Lists& lists,
                                           const Broken& child, int64 index) {
    const bool v_after = index & 2, w_after = index & 1;
    const int place = int(index / 4 / lists.degree), rank = int(index / 4 % lists.degree);
    const int c = child.tour.place(lists.city(lists.entry(child.tour.at(place), rank)));
    const int path = child.path_of(c);
    return {place,
            c,
            path,
            v_after,
            w_after,
            child.neighbour(place, child.path_of(place), v_after),
            child.neighbour(c, path, w_after)};
  }

  // The exchange that joins a subtour with another one for the least loss; index -1 if there is
  // none.
  GLS_DEVICE static Ranked<Length> best_exchange(const Team& team, const MetricLengths& length,
                                                 const typename MetricLengths::Lists& lists,
                                                 const Broken& child, int subtour) {
    const RingTour<City>& tour = child.tour;
    const Ranked<Length> none{Length(int64(1) << (sizeof(Length) == 4 ? 30 : 60)), -1};
    Ranked<Length> best = none;
#pragma unroll 1
    for (int path = 0; path < child.size; ++path) {
      if (int(child.owner[path]) != subtour) continue;
      const int first = child.first(path);
      best = team.least(child.length(path) * lists.degree, best, [&](int i) {
        const int place = tour.wrap(first + i / lists.degree), rank = i % lists.degree;
        const int u = tour.at(place);
        const auto entry = lists.entry(u, rank);
        const int c = lists.city(entry), c_place = tour.place(c), c_path = child.path_of(c_place);
        if (int(child.owner[c_path]) == subtour) return none;
        Ranked<Length> found = none;
        for (int which = 0; which < 4; ++which) {
          const int v = child.neighbour(place, path, which & 2).city;
          const int w = child.neighbour(c_place, c_path, which & 1).city;
          const Ranked<Length> loss{
              lists.length(entry) + length(v, w) - length(u, v) - length(c, w),
              (int64(place) * lists.degree + rank) * 4 + which};
          if (loss < found) found = loss;
        }
        return found;
      });
    }
    return best;
  }
};

}  // namespace gls
