// Edge assembly crossover (Nagata and Kobayashi 2013), localised: the first parent takes over those
// AB-cycles of the second that make it shorter, one after the other. What comes of it is the child.
//
// An offspring is the tour with the edges of some cycles exchanged; its subtours are joined, the
// smallest first, by the best exchange of two edges on candidate lists. If it is shorter, it takes
// the place of the tour before the next cycle is tried.
#pragma once

#include "tours/crossovers/ab_walk.cuh"
#include "tours/crossovers/best_exchange.cuh"
#include "tours/moves/move.cuh"
#include "tours/kernels/tour_memory.cuh"

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
    exchanges.template open<Cost>(team, view.length, child.tour);
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
    const Philox stream(pairs.seed, Purpose::kOffspring, pairs.first_row + item);
    // Four numbers for each city: a number starts or takes an edge.
    AbWalk<City> walk(n, stream, pairs.generation * n, memory);
    walk.find(team, pairs.first + int64(item) * n, pairs.second + int64(pairs.partners[item]) * n,
              Strategy<City>::cycles_for(pairs.offspring, n), cycles);
  }

  // Joins all subtours into one tour. False where that cannot be done or gains nothing.
  GLS_DEVICE static bool join(const Team& team, const MetricLengths& length,
                              const typename MetricLengths::Lists& lists, Broken& child,
                              Cost& gain) {
    const int count = child.connect(team);
    child.close(team);
    if (count == 1) return true;
    child.measure(team);
#pragma unroll 1
    for (int left = count; left > 1; --left) {
      const auto subtour = child.smallest(team);
      if (subtour.cities > kMostCities || child.size + 2 > kMostCuts) return false;
      const auto best = best_exchange(team, length, lists, child, subtour.number);
      if (best.index < 0) return false;
      gain -= Cost(best.value);
      if (gain <= 0) return false;
      child.merge(team, read_exchange(lists, child, best.index), subtour.number);
    }
    return true;
  }
};

}  // namespace gls
