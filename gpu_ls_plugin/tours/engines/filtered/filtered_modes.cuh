// Modes of evaluating the moves that a filter keeps. All find the same best move.
//
//   masked     each lane tests its move, and evaluates it if the filter keeps it (Schulz 2013,
//              section 7)
//   fused      lanes append kept moves to a queue; once it is long enough, each evaluates a move
//   openings   lists the openings that the filter does not reject as a whole; an opening is a move
//              with one position left open. Kept moves that begin with a listed opening go to the
//              queue, possibly once for each rotation
//   whole      without a filter, but with an objective: evaluates squares of pairs of edges
//              (whole_mode.cuh)
//
// An item of each kernel is a slot: one of the teams that share the moves of a tour. If time runs
// out during an evaluation, some moves have not been evaluated, and no move is applied.
#pragma once

#include "tours/engines/filtered/filtered_batch.cuh"

namespace gls {

// The share of a slot in `total` numbers; shares begin at multiples of 32.
struct Share {
  uint32 begin, end;

  GLS_DEVICE Share(uint32 total, int slot, int slots) {
    const uint32 size = (total / slots + 32) / 32 * 32;
    const uint64 from = uint64(slot) * size;
    begin = uint32(from < total ? from : total);
    end = total - begin < size ? total : begin + size;
  }
};

// A slot of a tour. The object with the slot's moves is not a member: filters may need the address
// of that object, which would also force the slot out of registers.
template <class Team>
struct Slot {
  const Team& team;
  const FilteredBatch& batch;
  const int item, row;

  GLS_DEVICE int number() const { return item % batch.slots; }
  GLS_DEVICE Share share(uint32 total) const { return {total, number(), batch.slots}; }
  GLS_DEVICE uint32* entries() const { return batch.entries + row * batch.room; }
  GLS_DEVICE uint32& entry_count() const { return batch.entry_counts[row]; }

  // Calls f(begin, end) for the share of the slot, piece by piece, until time is up.
  template <class F>
  GLS_DEVICE void until_cut(uint32 total, F f) const {
    constexpr uint32 kAtOnce = 4096;
    const Share own = share(total);
    for (uint32 begin = own.begin, end; begin < own.end && !team.cut(); begin = end) {
      end = kOnDevice || own.end - begin < kAtOnce ? own.end : begin + kAtOnce;
      f(begin, end);
    }
  }

  // Stores the best move of a sink if it is better than the slot's best move in earlier chunks, and
  // adds the number of moves that the filter has kept.
  template <class Sink>
  GLS_DEVICE void note(const Sink& sink) const {
    using Value = typename Sink::Value;
    const Ranked<Value> best = team.least(sink.best);
    const int64 kept = team.total(sink.kept);
    team.once([&] {
      Ranked<Value>& slot = static_cast<Ranked<Value>*>(batch.best)[item];
      if (best < slot) slot = best;
      if (kept > 0) add(&batch.kept[row], kept);
    });
  }
};

// Runs a step of a mode in each slot of the tours that are not finished.
template <class Team, class Step>
struct OnSlots {
  GLS_DEVICE static void run(const Team& team, int item, const FilteredBatch batch) {
    const int row = item / batch.slots;
    if (batch.running(row)) Step::run(Slot<Team>{team, batch, item, row});
  }
};

// A queue of moves. As soon as there are enough moves for all lanes, each lane evaluates one.
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
// number, because they have lengths in common.
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
