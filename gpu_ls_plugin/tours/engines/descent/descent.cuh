// Local search with a work queue (first improvement). It looks at the first city of the queue,
// applies its best improving move, and queues the ends of the changed edges again.
//
// A team searches one tour. A team of many lanes looks at several cities at once, and uses the move
// of the first city that has one. So teams of any size return the same tour.
#pragma once

#include "tours/engines/descent/descend.cuh"
#include "tours/engines/descent/descent_batch.cuh"
#include "tours/engines/scopes.cuh"

namespace gls {

// The queues of the tours.
struct WaitingCities {
  int ahead;         // maximum number of cities that a team looks at together
  int* queues;       // of each tour, in rows of n
  int* queue_sizes;  // of each tour; -1: all cities are queued, in the order of the tour
};

// Length is the type of sums of lengths in a move: int if all sums fit.
template <class Team, class Metric, class Length, class Memory, class Neighbourhood,
          class Scope = WholeTour>
struct Descent : LoadsSites<Memory, typename Lengths<Metric, Length>::City> {
  using City = typename Memory::City;
  using MetricLengths = Lengths<Metric, Length>;
  using Site = typename MetricLengths::City;
  using View = gls::View<MetricLengths, City, typename Scope::template Fixed<City>>;

  GLS_DEVICE static void run(const Team& team, int item, Instance instance, Candidates lists,
                             DescentBatch descents, WaitingCities cities,
                             const typename Scope::Problems& problems = {}) {
    if (descents.states[item] != kRunning) return;
    choose_row<Metric>(instance, lists, item);
    const int n = instance.n;
    int* row = descents.tours + int64(item) * n;
    int* waiting = cities.queues + int64(item) * n;
    const int64 own = tour_bytes<City>(n, n) + Scope::template own_bytes<Site, City>(n);
    Memory memory(team, item, own, piece_bytes<Site>(n), descents.scratch);
    const View view =
        Scope::template view<View, Metric>(team, item, memory, instance, lists, problems);
    WorkQueue<City> queue{memory.template take<City>(n),
                          memory.template take<uint32>((n + 31) / 32), n, 0, 0};
    const auto& tour = view.tour;
    tour.read(team, row);
    begin_sums(team, view);
    keep_tour(team, view);
    if (cities.queue_sizes[item] < 0)
      queue.fill(team, n, n, [&](int rank) { return row[rank]; });
    else
      queue.fill(team, n, cities.queue_sizes[item], [&](int rank) { return waiting[rank]; });

    const Choices choices(lists.directions, lists.breadth, Neighbourhood::variants(lists.degree));
    auto& scout = shared_slot<ScoutMemory<Team, Length>>(team);
    auto& by_part = shared_slot<MovesByPart<Neighbourhood>>(team);
    team.each(1, [&](int) { by_part.clear(); });
    int64 moves = descents.move_counts[item];
    const DescentLimits limits{cities.ahead, descents.max_moves, descents.passes};
    const int looked =
        descend<Neighbourhood>(team, view, queue, choices, limits, scout, by_part, moves);
    team.sync();
    team.each(n, [&](int p) { row[p] = tour.order[p]; });
    team.each(queue.size, [&](int rank) { waiting[rank] = queue[rank]; });
    team.once([&] {
      cities.queue_sizes[item] = queue.size;
      descents.pass_counts[item] += looked;
      descents.move_counts[item] = moves;
      by_part.add_to(descents.moves_by);
      descents.states[item] = queue.size == 0               ? kOptimum
                              : moves >= descents.max_moves ? kOutOfMoves
                                                            : kRunning;
    });
  }
};

}  // namespace gls
