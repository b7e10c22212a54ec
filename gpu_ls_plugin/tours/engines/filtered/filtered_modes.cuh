// Modes of evaluating the moves that a filter keeps. All find the same best move.
//
//   masked     each lane tests its move, and evaluates it if it is kept (Schulz 2013, section 7)
//   fused      lanes append the moves that they keep to a queue; a full queue is evaluated
//   openings   lists the openings that the filter does not reject as a whole; the moves that begin
//              with them and are kept go to the queue, some of them once for each rotation
//   whole      no filter, but an objective to ask: squares of pairs of edges; see whole_mode.cuh
//
// An item of each kernel is a slot of a tour. If time is up during an evaluation, it has not met
// all moves, and no move is applied.
#pragma once

#include "tours/engines/filtered/slot.cuh"

namespace gls {

// Moves that wait until there is one for each lane.
template <class Team, class Sink, class Move>
struct MoveQueue {
  struct Storage {
    Move moves[2 * Team::kLanes];
  };

  const Team& team;
  Sink& sink;
  Storage& storage = shared_slot<Storage>(team);
  int waiting = 0;

  GLS_DEVICE void add(bool kept, const Move& move) { push(kept && sink.wants(move), move); }
  GLS_DEVICE void push(bool wanted, const Move& move) {
    const Compacted place = team.compact(wanted);
    if (place.total == 0) return;
    if (wanted) storage.moves[waiting + place.place] = move;
    waiting += place.total;
    team.sync();
    if (waiting < Team::kLanes) return;
    waiting -= Team::kLanes;
    sink.judge(storage.moves[waiting + team.lane()]);
    sink.look();
    team.sync();  // all lanes have read their moves
  }
  GLS_DEVICE void finish() {
    if (team.lane() < waiting) sink.judge(storage.moves[team.lane()]);
  }
};

template <class Moves, template <class> class Sink>
struct EvaluateMasked {
  template <class Team>
  GLS_DEVICE static void run(const Slot<Team>& slot) {
    const Moves moves(slot.batch, slot.row);
    const Chunk chunk = moves.chunk();
    Sink<Moves> sink(moves);
    slot.until_cut(chunk.count * Moves::Space::kWays, [&](uint32 begin, uint32 end) {
      for (uint32 index = begin + slot.team.lane(); index < end; index += Team::kLanes) {
        const auto move = moves.move(chunk, index);
        if (moves.keeps(move)) sink.evaluate(move);
      }
    });
    slot.note(sink);
  }
};

template <class Moves, template <class> class Sink>
struct EvaluateFused {
  template <class Team>
  GLS_DEVICE static void run(const Slot<Team>& slot) {
    const Moves moves(slot.batch, slot.row);
    const Chunk chunk = moves.chunk();
    Sink<Moves> sink(moves);
    MoveQueue<Team, Sink<Moves>, typename Moves::Move> queue{slot.team, sink};
    slot.until_cut(chunk.count * Moves::Space::kWays, [&](uint32 begin, uint32 end) {
      for (uint32 base = begin; base < end; base += Team::kLanes) {
        const uint32 index = base + slot.team.lane();
        const auto move = moves.move(chunk, index < end ? index : base);
        queue.add(index < end && moves.keeps(move), move);
      }
    });
    queue.finish();
    slot.note(sink);
  }
};

// Lists the openings that the filter does not reject as a whole. A lane tests all variants of a
// number, which have lengths in common.
template <class Moves>
struct ListOpenings {
  template <class Team>
  GLS_DEVICE static void run(const Slot<Team>& slot) {
    const Team& team = slot.team;
    const Moves moves(slot.batch, slot.row);
    const Chunk chunk = moves.openings();
    const Share share = slot.share(chunk.count);
    uint32* const entries = slot.entries();
    for (uint32 base = share.begin; base < share.end && !team.cut(); base += Team::kLanes) {
      const uint32 index = base + team.lane();
      uint32 kept = 0;
      if (index < share.end) {
        GLS_UNROLL
        for (int variant = 0; variant < Moves::kOpeningVariants; ++variant) {
          const auto opening = moves.opening(chunk.first + index, variant);
          kept |= uint32(moves.test.at(opening).any()) << variant;
        }
      }
      const int count = int(team.total(bits_in(kept)));
      if (count == 0) continue;
      uint32* const next = entries + team.reserve(&slot.entry_count(), count);
      team.set_bits(
          kept, [&](int rank, int bit) { next[rank] = bit % 32 * chunk.count + base + bit / 32; });
    }
  }
};

// Evaluates all moves that begin with a listed opening.
template <class Moves, template <class> class Sink>
struct EvaluateOpenings {
  template <class Team>
  GLS_DEVICE static void run(const Slot<Team>& slot) {
    const Team& team = slot.team;
    const Moves moves(slot.batch, slot.row);
    const Chunk chunk = moves.openings();
    const uint32* const entries = slot.entries();
    const uint32 count = slot.entry_count(), step = slot.batch.slots;
    Sink<Moves> sink(moves);
    MoveQueue<Team, Sink<Moves>, typename Moves::Move> queue{team, sink};
    for (uint32 entry = slot.number(); entry < count && !team.cut(); entry += step) {
      const uint32 variant = entries[entry] / chunk.count;
      const uint32 number = entries[entry] - variant * chunk.count;
      const auto opening = moves.opening(chunk.first + number, int(variant));
      const auto test = moves.test.at(opening);
      for (int base = opening.begin; base < opening.end; base += Team::kLanes) {
        const int position = base + team.lane();
        const auto move = opening.closed(position);
        queue.add(position < opening.end && Moves::Space::exists(move, slot.batch.n) &&
                      test.keeps(position),
                  move);
      }
    }
    queue.finish();
    slot.note(sink);
  }
};

}  // namespace gls
