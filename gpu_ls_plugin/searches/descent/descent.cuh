// Local search by a work queue (first improvement): the city in front is looked at, its best
// improving move is applied, and the ends of the edges that changed join the queue again.
//
// One tour a team. A team of many lanes looks at several cities at once; what it finds is used only
// if no city before has a move, so that all teams return the same tour.
#pragma once

#include "tours/apply_move.cuh"
#include "searches/descent/next_move.cuh"
#include "tours/tour_memory.cuh"

namespace gls {

// Length: of the moves' arithmetic, int where sums of a move's lengths fit.
template <class Team, class Metric, class Length, class Memory, class Neighbourhood>
struct Descent {
  using City = typename Memory::City;
  using MetricLengths = Lengths<Metric, Length>;
  using Site = typename MetricLengths::City;

  // Once a block, before its tours.
  template <class... Rest>
  GLS_DEVICE static void prepare(const Team&, const void*, int n, const void* sites, Rest...) {
    Memory::template load_sites<Site>(static_cast<const Site*>(sites), n);
  }

  GLS_DEVICE static void run(const Team& team, int item, const void* metric_data, int n,
                             const void* sites, float error_absolute, float error_relative,
                             const int* candidates, const void* candidate_lengths, int degree,
                             int sorted, int directions, int breadth, int ahead, int passes,
                             int64 max_moves, int* tours, unsigned char* states, int64* pass_counts,
                             int64* move_counts, int64* moves_by, int* queues, int* queue_sizes,
                             char* scratch) {
    if (states[item] != 0) return;
    int* row = tours + int64(item) * n;
    int* waiting = queues + int64(item) * n;
    Memory memory(team, item, tour_bytes<City>(n, n), piece_bytes<Site>(n), scratch);
    const auto view = view_of<MetricLengths, City>(
        {memory.template take<City>(n), memory.template take<City>(n), n}, metric_data,
        memory.sites(static_cast<const Site*>(sites)), error_absolute, error_relative, candidates,
        candidate_lengths, degree, sorted);
    WorkQueue<City> queue{memory.template take<City>(n),
                          memory.template take<uint32>((n + 31) / 32), n, 0, 0};
    const auto& tour = view.tour;
    tour.read(team, row);
    if (queue_sizes[item] < 0)
      queue.fill(team, n, n, [&](int rank) { return row[rank]; });
    else
      queue.fill(team, n, queue_sizes[item], [&](int rank) { return waiting[rank]; });

    const Choices choices(directions, breadth, Neighbourhood::variants(degree));
    auto& notes = shared_slot<Notes<Team, Length>>(team);
    const Move& move = notes.move;
    auto& by_part = shared_slot<MovesByPart<Neighbourhood>>(team);
    team.each(1, [&](int) { by_part.clear(); });
    int64 moves = move_counts[item];
    int looked = 0;
#pragma unroll 1
    while (moves < max_moves && queue.size > 0 && looked < passes && !team.cut()) {
      const int waiting_before = queue.size;
      const auto found = next_move<Neighbourhood, Length>(team, view, queue, choices, ahead, notes);
      looked += waiting_before - queue.size;
      if (found.rank == kNowhere) continue;
      team.each(1, [&](int) { by_part.count(move); });
      apply_move(team, tour, move, directions == 2);
      queue.push(team, move.t, 2 * move.edges);
      ++moves;
    }
    team.sync();
    team.each(n, [&](int p) { row[p] = tour.order[p]; });
    team.each(queue.size, [&](int rank) { waiting[rank] = queue[rank]; });
    team.once([&] {
      queue_sizes[item] = queue.size;
      pass_counts[item] += looked;
      move_counts[item] = moves;
      by_part.add_to(moves_by);
      states[item] = queue.size == 0 ? 1 : moves >= max_moves ? 2 : 0;
    });
  }
};

}  // namespace gls
