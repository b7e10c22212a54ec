// Iterated local search whose kicks rebuild giant tours: kick, repair, and accept or undo. Each
// team runs one chain.
//
// The row of a chain keeps its tour until another tour is accepted. The repair begins with the
// nodes whose neighbours have changed; all copies of the depot count as the same neighbour.
#pragma once

#include "runs/acceptance.cuh"
#include "backends/include/philox.cuh"
#include "tours/engines/chains/chain_batch.cuh"
#include "tours/engines/descent/descend.cuh"
#include "tours/kernels/tour_memory.cuh"

namespace gls {

// Number of random draws, of four numbers each, reserved for a kick; the last of them decides
// whether the repaired tour is accepted.
constexpr int kRebuildDraws = 1 << 12;

// Memory for the giant tours that kicks make, one row per chain.
struct Kicked {
  int* kicked;
};

// tours/kicks/base.py describes Kick. run() passes its last arguments, `data`, to each kick.
template <class Team, class Metric, class Length, class Memory, class Neighbourhood, class Kick,
          class Accept>
struct RebuiltChain : LoadsSites<Memory, typename Lengths<Metric, Length>::City> {
  using City = typename Memory::City;
  using MetricLengths = Lengths<Metric, Length>;
  using Site = typename MetricLengths::City;
  using View = gls::View<MetricLengths, City>;
  using Cost = typename Metric::Length;

  template <class... KickData>
  GLS_DEVICE static void run(const Team& team, int item, Instance instance, Candidates lists,
                             KickSchedule schedule, ChainBatch batch, Kicked rows,
                             KickData... data) {
    if (batch.ended(item, schedule)) return;
    const int n = instance.n;
    int* const current = batch.tours + int64(item) * n;
    int* const kicked = rows.kicked + int64(item) * n;
    Memory memory(team, item, tour_bytes<City>(n, n), piece_bytes<Site>(n), batch.scratch);
    const View view = view_of<MetricLengths, City>(
        {memory.template take<City>(n), memory.template take<City>(n), n}, instance,
        memory.sites(static_cast<const Site*>(instance.sites)), lists, item);
    WorkQueue<City> queue{memory.template take<City>(n),
                          memory.template take<uint32>((n + 31) / 32), n, 0, 0};
    const Choices choices(lists.directions, lists.breadth, Neighbourhood::variants(lists.degree));
    auto& scout = shared_slot<ScoutMemory<Team, Length>>(team);
    auto& by_part = shared_slot<MovesByPart<Neighbourhood>>(team);
    team.each(1, [&](int) { by_part.clear(); });

    State its = State::of(batch, item);
    int* const best = batch.best_tours + int64(item) * n;
    its.begin(team, view, best);
    view.tour.read(team, current);
    team.sync();
#pragma unroll 1
    while (its.goes_on(schedule) && !team.cut()) {
      Philox random(schedule.seed, Purpose::kRuin, schedule.first_row + item);
      random.seek(its.kicks * kRebuildDraws);
      const bool rebuilt = kick_apart(&team, item, n, current, &random, kicked, &data...);
      bool taken = false, is_best = false;
      if (rebuilt) {
        begin_repair(team, view, kicked, queue);
        const DescentLimits limits{schedule.ahead, schedule.max_moves, kNowhere};
        its.looks +=
            descend<Neighbourhood>(team, view, queue, choices, limits, scout, by_part, its.moves);
        const Cost cost = cost_of(team, view);
        random.seek((its.kicks + 1) * kRebuildDraws - 1);
        taken = Accept::takes(cost - its.cost, its.level(schedule, batch.units[item]), random);
        if (taken) is_best = its.take(team, view, cost, current, best);
      }
      team.sync();
      if (rebuilt && !taken) view.tour.read(team, current);
      its.count(taken, is_best);
      team.sync();
    }
    team.once([&] {
      its.write(batch, item);
      by_part.add_to(batch.moves_by);
    });
  }

 private:
  // Not inlined, so that kicks, which are long, do not compete with repairs for registers.
  template <class... KickData>
  GLS_OUT_OF_LINE static bool kick_apart(const Team* team, int item, int n, const int* current,
                                         Philox* random, int* kicked, const KickData*... data) {
    return Kick::kick(*team, item, n, current, *data..., *random, kicked);
  }

  // Costs and counts of a chain.
  struct State {
    Cost cost, best;
    int64 kicks, idle, moves;
    int looks = 0, accepted = 0;
    bool best_is_feasible = true;

    GLS_DEVICE static State of(const ChainBatch& batch, int item) {
      return {static_cast<Cost*>(batch.costs)[item], static_cast<Cost*>(batch.best_costs)[item],
              batch.kick_counts[item], batch.idle_counts[item], batch.move_counts[item]};
    }
    GLS_DEVICE bool goes_on(const KickSchedule& schedule) const {
      return kicks < schedule.until && moves < schedule.max_moves && schedule.patient(idle);
    }
    GLS_DEVICE float level(const KickSchedule& schedule, float unit) const {
      return unit * fmax(schedule.heat - schedule.cooling * float(kicks), 0.0f);
    }

    // Accepts the tour of the view; returns whether it is the new best.
    GLS_DEVICE bool take(const Team& team, const View& view, Cost its_cost, int* current,
                         int* best_tour) {
      const bool is_best = note_best(team, view, its_cost);
      cost = its_cost;
      team.each(view.tour.n, [&](int p) { current[p] = view.tour.order[p]; });
      if (is_best && best_tour != current) {
        team.each(view.tour.n, [&](int p) { best_tour[p] = view.tour.order[p]; });
      }
      return is_best;
    }

    GLS_DEVICE void begin(const Team& team, const View& view, const int* best_tour) {
      best_is_feasible = is_feasible(team, view, [&](int p) { return best_tour[p]; });
    }
    GLS_DEVICE void count(bool taken, bool is_best) {
      ++kicks;
      idle = is_best ? 0 : idle + 1;
      accepted += taken;
    }
    GLS_DEVICE void write(const ChainBatch& batch, int item) const {
      static_cast<Cost*>(batch.costs)[item] = cost;
      static_cast<Cost*>(batch.best_costs)[item] = best;
      batch.kick_counts[item] = kicks;
      batch.accepted_counts[item] += accepted;
      batch.idle_counts[item] = idle;
      batch.look_counts[item] += looks;
      batch.move_counts[item] = moves;
    }

    // Keeps the cost of the view's tour as the best if the tour is the first feasible one, or if it
    // is cheaper than the best and either both are feasible or neither is. Returns whether it is
    // the new best.
    GLS_DEVICE bool note_best(const Team& team, const View& view, Cost its_cost) {
      const bool cheaper = its_cost < best;
      if (!cheaper && best_is_feasible) return false;
      const bool feasible = is_feasible(team, view, [&](int p) { return view.tour.at(p); });
      if (feasible == best_is_feasible ? !cheaper : !feasible) return false;
      best = its_cost, best_is_feasible = feasible;
      return true;
    }
  };

  GLS_DEVICE static Cost cost_of(const Team& team, const View& view) {
    const auto& metric = view.length.metric;
    const Cost length = team.template sum<Cost>(
        view.tour.n, [&](int p) { return metric(view.tour.at(p), view.tour.at(p + 1)); });
    return length + relief_of<Cost>(metric);
  }

  // Replaces the view's tour with the kicked one, and queues the nodes with new neighbours.
  GLS_DEVICE static void begin_repair(const Team& team, const View& view, const int* kicked,
                                      WorkQueue<City>& queue) {
    wake(team, view, kicked, queue);
    view.tour.read(team, kicked);
    keep_tour(team, view);
  }

  // Queues the nodes of a giant tour `order` whose neighbours differ from those in the view's tour.
  GLS_DEVICE static void wake(const Team& team, const View& view, const int* order,
                              WorkQueue<City>& queue) {
    const auto& tour = view.tour;
    const auto& routes = view.length.metric.objective;
    const int n = tour.n, share = (n + Team::kLanes - 1) / Team::kLanes;
    const int begin = team.lane() * share < n ? team.lane() * share : n;
    const int end = begin + share < n ? begin + share : n;
    const auto same = [&](int a, int b) {
      return a == b || (routes.visits_depot(a) && routes.visits_depot(b));
    };
    const auto next_to = [&](int a, int b) {
      if (routes.visits_depot(a)) {
        if (routes.visits_depot(b)) return true;
        const int kept = a;
        a = b, b = kept;
      }
      const int place = tour.place(a);
      return same(tour.at(place - 1), b) || same(tour.at(place + 1), b);
    };
    const auto is_new = [&](int place) {
      const int node = order[place], before = order[place > 0 ? place - 1 : n - 1];
      return !next_to(node, before) || !next_to(node, order[place + 1 < n ? place + 1 : 0]);
    };
    queue.clear(team, n);
    int mine = 0;
    for (int place = begin; place < end; ++place) mine += is_new(place);
    const Scanned<int> known = team.scan(mine, 0, [](int a, int b) { return a + b; });
    for (int place = begin, rank = known.before; place < end; ++place) {
      if (!is_new(place)) continue;
      queue.ring[rank++] = City(order[place]);
      team.set_bit(queue.queued, order[place]);
    }
    queue.size = known.all;
    team.sync();
  }
};

}  // namespace gls
