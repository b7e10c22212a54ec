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
    if (count == 1) return true;
    auto subtours = child.measure(team, count);
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

  // A city's neighbours, and how long its edges to them are.
  struct Beside {
    int city[2];
    Length out[2];

    GLS_DEVICE Beside() = default;
    GLS_DEVICE Beside(const MetricLengths& length, const Broken& child, int own, int place,
                      int path)
        : city{child.neighbour(place, path, false).city, child.neighbour(place, path, true).city},
          out{length(own, city[0]), length(own, city[1])} {}

    GLS_DEVICE Length most() const { return out[0] < out[1] ? out[1] : out[0]; }
  };

  // Lists the places of a subtour's cities where the order of the next tour will be; returns how
  // many there are.
  GLS_DEVICE static int list_cities(const Team& team, const Broken& child, int subtour) {
    uint32* const paths = child.words + 2 * kMostCuts;
    const int count = put_kept(
        team, child.size, [&](int path) { return int(child.owner[path]) == subtour; },
        [&](int rank, int path) { paths[rank] = uint32(path); });
    int cities = 0;
#pragma unroll 1
    for (int k = 0; k < count; ++k) {
      const int begin = child.first(int(paths[k])), length = child.length(int(paths[k]));
      team.each(length, [&](int i) { child.spare[cities + i] = City(child.tour.wrap(begin + i)); });
      cities += length;
    }
    team.sync();
    return cities;
  }

  // The exchange that joins a subtour with another one for the least loss; index -1 if there is
  // none.
  GLS_DEVICE static Ranked<Length> best_exchange(const Team& team, const MetricLengths& length,
                                                 const Lists& lists, const Broken& child,
                                                 int subtour) {
    Ranked<Length> best{Length(int64(1) << (sizeof(Length) == 4 ? 30 : 60)), -1};
    const int cities = list_cities(team, child, subtour);
    int each = 1;  // lanes of a city
    while (2 * each * cities <= Team::kLanes) each *= 2;
    const int lane = team.lane() % each;
    Length known = best.value;  // of all lanes
#pragma unroll 1
    for (int base = 0; base < cities; base += Team::kLanes / each) {
      const int k = base + team.lane() / each;
      if (k < cities) {
        const int place = int(child.spare[k]), u = child.tour.at(place);
        const Beside beside(length, child, u, place, child.path_of(place));
        look_at(length, lists, child, subtour, place, beside, lane, each, known, best);
      }
      known = team.least(known);
    }
    return team.least(best);
  }

  // Looks for better exchanges at a city of a subtour, among every so many of its candidates.
  GLS_DEVICE static void look_at(const MetricLengths& length, const Lists& lists,
                                 const Broken& child, int subtour, int place, const Beside& u,
                                 int first, int each, Length& known, Ranked<Length>& best) {
    // Lanes that wait for each other have several candidates on their way, as registers allow.
    constexpr int kRoom = sizeof(Length) == 4 ? 4 : sizeof(Metric) <= 16 ? 2 : 1;
    constexpr int kAhead = Team::kLanes == 1 ? 1 : kRoom;
    const RingTour<City>& tour = child.tour;
    const int city = tour.at(place);
#pragma unroll 1
    for (int rank = first; rank < lists.degree; rank += kAhead * each) {
      int c[kAhead], c_place[kAhead], c_path[kAhead];
      GLS_UNROLL
      for (int a = 0; a < kAhead; ++a) {
        const int own = rank + a * each;
        c[a] = lists.city(lists.entry(city, own < lists.degree ? own : rank));
        c_place[a] = tour.place(c[a]);
        c_path[a] = child.path_of(c_place[a]);
      }
      GLS_UNROLL
      for (int a = 0; a < kAhead; ++a) {
        const int own = rank + a * each;
        if (own >= lists.degree || int(child.owner[c_path[a]]) == subtour) continue;
        const Length in = lists.length(lists.entry(city, own));
        const Beside beside(length, child, c[a], c_place[a], c_path[a]);
        const int64 number = (int64(place) * lists.degree + own) * 4;
        find_better(length, in, u, beside, number, known, best);
      }
    }
  }

  // Looks at the four exchanges of a city and a candidate if they may be as good as what is known.
  GLS_DEVICE static void find_better(const MetricLengths& length, Length in, const Beside& u,
                                     const Beside& c, int64 number, Length& known,
                                     Ranked<Length>& best) {
    if (known < in - u.most() - c.most()) return;  // no length is negative
    GLS_UNROLL
    for (int which = 0; which < 4; ++which) {
      const int a = which / 2, b = which % 2;
      const Ranked<Length> found{in + length(u.city[a], c.city[b]) - u.out[a] - c.out[b],
                                 number + which};
      if (found < best) best = found;
    }
    if (best.value < known) known = best.value;
  }
};

}  // namespace gls
