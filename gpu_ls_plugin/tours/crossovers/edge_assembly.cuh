// Edge assembly crossover with local exchanges (Nagata and Kobayashi 2013): the first parent takes
// over edges of the second, one AB-cycle after another, if they make the tour shorter. The result
// is the child.
//
// An offspring is the tour after exchanging the edges of some cycles. Its subtours are joined, the
// smallest first, by the best exchange of two edges on candidate lists. If the offspring is
// shorter, it replaces the tour before the next cycle is tried.
#pragma once

#include "tours/crossovers/ab_walk.cuh"
#include "tours/crossovers/best_exchange.cuh"
#include "runs/crossovers/pairs.cuh"
#include "tours/moves/move.cuh"
#include "tours/kernels/tour_memory.cuh"

namespace gls {

struct AssemblyData {
  int offspring;  // maximum number of offspring per pair
  void* costs;    // costs of the first parents, replaced by those of the children
};

// `Strategy` chooses the AB-cycles that an offspring exchanges.
template <class Team, class Metric, class Length, class Memory, template <class> class Strategy>
struct EdgeAssembly {
  using City = typename Memory::City;
  using Cost = typename Metric::Length;
  using MetricLengths = Lengths<Metric, Length>;
  using Site = typename MetricLengths::City;
  using Broken = BrokenTour<City>;

  // The walk ends before the child begins, so both use the same memory.
  GLS_DEVICE static int64 team_bytes(int n) {
    const int64 walk = AbWalk<City>::bytes(n), child = Broken::bytes(n) + Strategy<City>::bytes(n);
    return AbCycles<City>::bytes(n) + (walk > child ? walk : child);
  }

  GLS_DEVICE static void run(const Team& team, int item, const Instance& instance,
                             const Candidates& candidates, const TourPairs& pairs,
                             const AssemblyData& data) {
    cross(team, item, instance, candidates, pairs, data, team_bytes(instance.n));
  }

  // Each team of a block has `own` bytes of memory, at least team_bytes(instance.n).
  GLS_DEVICE static void cross(const Team& team, int item, Instance instance, Candidates candidates,
                               const TourPairs& pairs, const AssemblyData& data, int64 own) {
    choose_row<Metric>(instance, candidates, item);
    const int n = instance.n;
    Memory memory(team, item, own, 0, pairs.scratch);
    AbCycles<City> cycles(n, memory);
    const int* const first = pairs.first_of(item, n);
    find_cycles(team, item, n, pairs, data.offspring, Memory(memory), cycles);
    team.sync();  // all lanes have left the walk, whose memory the child takes over

    Broken child(n, memory);
    const auto view = view_of<MetricLengths, City>(
        child.tour, instance, static_cast<const Site*>(instance.sites), candidates, item);
    each_ahead(
        team, n, [&](int p) { return first[p]; },
        [&](int p, int city) {
          child.tour.order[p] = City(city);
          child.tour.position[city] = City(p);
        });
    team.sync();
    Strategy<City> exchanges(n, cycles, memory);
    exchanges.template open<Cost>(team, view.length, child.tour);
    Cost gained = 0;
#pragma unroll 1
    for (int number = 0; number < data.offspring; ++number) {
      Cost gain = 0;
      if (!exchanges.next(team, view.length, child, gain)) break;
      if (gain <= 0 || !join(team, view.length, view.candidates, child, gain)) continue;
      gained += gain;
      child.mend(team);
    }
    Cost* const costs = static_cast<Cost*>(data.costs);
    const Cost cost = costs[item];
    if (MetricLengths::kReal && double(gained) <= 1e-12 * double(cost)) return;  // rounding
    if (gained == 0) return;
    int* const children = pairs.child_of(item, n);
    team.each(n, [&](int p) { children[p] = child.tour.at(p); });
    team.sync();  // all lanes have read the cost
    team.once([&] { costs[item] = cost - gained; });
  }

 private:
  GLS_DEVICE static void find_cycles(const Team& team, int item, int n, const TourPairs& pairs,
                                     int offspring, Memory memory, AbCycles<City>& cycles) {
    const Philox stream(pairs.seed, Purpose::kOffspring, pairs.first_row + item);
    // Four random numbers per city and generation suffice: each starts a walk or chooses an edge.
    AbWalk<City> walk(n, stream, pairs.generation * n, memory);
    walk.find(team, pairs.first_of(item, n), pairs.second_of(item, n),
              Strategy<City>::cycles_for(offspring, n), cycles);
  }

  // Joins all subtours into one tour. Returns false if that is impossible or gains nothing.
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
      if (child.size + 2 > kMostCuts) return false;
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
