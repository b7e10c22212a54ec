// Ways to evaluate the moves that a filter keeps. All find the same best move.
//
//   masked     every lane tests its move, and evaluates it if it is kept (Schulz 2013, section 7)
//   compact    a vector of flags; the numbers of the flagged moves, compacted; their evaluation
//   fused      lanes append the moves they keep to a queue; a full queue is evaluated
//   openings   openings that matter to the filter are listed; what is kept of their moves goes to
//              the queue, through several rotations perhaps
//
// An item of every kernel is a slot of a tour. What is cut has not met all moves: nothing is taken.
#pragma once

#include "searches/filtered/filtered_batch.cuh"

namespace gls {

// Whether a move is kept: by the filter itself,
struct Tested {
  template <class Moves>
  GLS_DEVICE static bool kept(const Moves& moves, const typename Moves::Move& move, uint32) {
    return moves.keeps(move);
  }
};
// or by a flag.
struct Flagged {
  template <class Moves>
  GLS_DEVICE static bool kept(const Moves& moves, const typename Moves::Move&, uint32 index) {
    const uint32* const flags = moves.batch.flags + moves.row * moves.batch.flag_words;
    return flags[index / 32] >> index % 32 & 1;
  }
};

// Numbers of a share, chunk by chunk as long as the launch is not cut: f(begin, end).
template <class Team, class F>
GLS_DEVICE void each_chunk(const Team& team, const Share& share, F f) {
  constexpr uint32 kChunk = 4096;
  for (uint32 begin = share.begin, end; begin < share.end && !team.cut(); begin = end) {
    end = kOnDevice || share.end - begin < kChunk ? share.end : begin + kChunk;
    f(begin, end);
  }
}

// Adds what a slot has found to what it found in other parts.
template <class Team, class Sink>
GLS_DEVICE void note(const Team& team, int item, const FilteredBatch& batch, const Sink& sink) {
  using Value = typename Sink::Value;
  const Ranked<Value> best = team.least(sink.best);
  const int64 kept = team.total(sink.kept);
  team.once([&] {
    Ranked<Value>& slot = static_cast<Ranked<Value>*>(batch.best)[item];
    if (best < slot) slot = best;
    if (kept > 0) add(&batch.kept[item / batch.slots], kept);
  });
}

// Moves that wait until there is one for every lane.
template <class Team, class Sink, class Move>
struct MoveQueue {
  struct Storage {
    Move moves[2 * Team::kLanes];
  };

  const Team& team;
  Sink& sink;
  Storage& storage;
  int waiting = 0;

  GLS_DEVICE void add(bool kept, const Move& move) {
    const Compacted place = team.compact(kept);
    if (place.total == 0) return;
    if (kept) storage.moves[waiting + place.place] = move;
    waiting += place.total;
    team.sync();
    if (waiting < Team::kLanes) return;
    waiting -= Team::kLanes;
    sink.evaluate(storage.moves[waiting + team.lane()]);
    team.sync();  // before their places are taken
  }
  GLS_DEVICE void finish() {
    if (team.lane() < waiting) sink.evaluate(storage.moves[team.lane()]);
  }
};

template <class Team, class Moves, class Source, template <class> class Sink>
struct EvaluateMasked {
  GLS_DEVICE static void run(const Team& team, int item, const FilteredBatch batch) {
    const int row = item / batch.slots;
    if (!batch.running(row)) return;
    const Moves moves(batch, row);
    const PartOfMoves part = moves.part();
    const Share share(part.count * Moves::Space::kWays, item % batch.slots, batch.slots);
    Sink<Moves> sink(moves);
    each_chunk(team, share, [&](uint32 begin, uint32 end) {
      for (uint32 index = begin + team.lane(); index < end; index += Team::kLanes) {
        const auto move = moves.move(part, index);
        if (Source::kept(moves, move, index)) sink.evaluate(move);
      }
    });
    note(team, item, batch, sink);
  }
};

template <class Team, class Moves, class Source, template <class> class Sink>
struct EvaluateFused {
  GLS_DEVICE static void run(const Team& team, int item, const FilteredBatch batch) {
    const int row = item / batch.slots;
    if (!batch.running(row)) return;
    using Queue = MoveQueue<Team, Sink<Moves>, typename Moves::Move>;
    const Moves moves(batch, row);
    const PartOfMoves part = moves.part();
    const Share share(part.count * Moves::Space::kWays, item % batch.slots, batch.slots);
    Sink<Moves> sink(moves);
    Queue queue{team, sink, shared_slot<typename Queue::Storage>(team)};
    each_chunk(team, share, [&](uint32 begin, uint32 end) {
      for (uint32 base = begin; base < end; base += Team::kLanes) {
        const uint32 index = base + team.lane();
        const auto move = moves.move(part, index < end ? index : base);
        queue.add(index < end && Source::kept(moves, move, index), move);
      }
    });
    queue.finish();
    note(team, item, batch, sink);
  }
};

// The vector of flags: a bit for every move.
template <class Team, class Moves>
struct MakeFlags {
  GLS_DEVICE static void run(const Team& team, int item, const FilteredBatch batch) {
    const int row = item / batch.slots;
    if (!batch.running(row)) return;
    const Moves moves(batch, row);
    const PartOfMoves part = moves.part();
    const Share share(part.count * Moves::Space::kWays, item % batch.slots, batch.slots);
    uint32* const flags = batch.flags + row * batch.flag_words;
    team.each(int((share.end - share.begin + 31) / 32), [&](int w) {
      if (team.cut()) return;
      const uint32 first = share.begin + 32 * w;
      uint32 word = 0;
      for (uint32 bit = 0; bit < 32 && first + bit < share.end; ++bit) {
        word |= uint32(moves.keeps(moves.move(part, first + bit))) << bit;
      }
      flags[first / 32] = word;
    });
  }
};

// Compaction: the numbers of the flagged moves, those of a group of words together and in order.
template <class Team, class Moves>
struct CompactFlags {
  static constexpr int kWords = 4;  // of a lane, between two reservations

  GLS_DEVICE static void run(const Team& team, int item, const FilteredBatch batch) {
    const int row = item / batch.slots;
    if (!batch.running(row)) return;
    const PartOfMoves part(batch, row, Moves::Space::count(batch.n));
    const Share share(part.count * Moves::Space::kWays, item % batch.slots, batch.slots);
    const uint32* const flags = batch.flags + row * batch.flag_words;
    uint32* const entries = batch.entries + row * batch.room;
    const uint32 end = (share.end + 31) / 32;
    for (uint32 base = (share.begin + 31) / 32; base < end; base += kWords * Team::kLanes) {
      uint32 words[kWords];
      int bits = 0;
      GLS_UNROLL
      for (int x = 0; x < kWords; ++x) {
        const uint32 w = base + x * Team::kLanes + team.lane();
        words[x] = w < end ? flags[w] : 0;
        bits += bits_in(words[x]);
      }
      uint32* next = entries + team.reserve(&batch.entry_counts[row], int(team.total(bits)));
      GLS_UNROLL
      for (int x = 0; x < kWords; ++x) {
        const uint32 first = 32 * (base + x * Team::kLanes);
        next += team.set_bits(words[x], [&](int rank, int bit) { next[rank] = first + bit; });
      }
    }
  }
};

// The evaluation of compacted moves by consecutive lanes.
template <class Team, class Moves, template <class> class Sink>
struct EvaluateMapped {
  GLS_DEVICE static void run(const Team& team, int item, const FilteredBatch batch) {
    const int row = item / batch.slots;
    if (!batch.running(row)) return;
    const Moves moves(batch, row);
    const PartOfMoves part = moves.part();
    const Share share(batch.entry_counts[row], item % batch.slots, batch.slots);
    const uint32* const entries = batch.entries + row * batch.room;
    Sink<Moves> sink(moves);
    each_chunk(team, share, [&](uint32 begin, uint32 end) {
      for (uint32 entry = begin + team.lane(); entry < end; entry += Team::kLanes) {
        sink.evaluate(moves.move(part, entries[entry]));
      }
    });
    note(team, item, batch, sink);
  }
};

// The list of openings that matter to the filter. A lane tests all variants of a number: they have
// lengths in common.
template <class Team, class Moves>
struct ListOpenings {
  GLS_DEVICE static void run(const Team& team, int item, const FilteredBatch batch) {
    const int row = item / batch.slots;
    if (!batch.running(row)) return;
    const Moves moves(batch, row);
    const PartOfMoves part = moves.openings();
    const Share share(part.count, item % batch.slots, batch.slots);
    uint32* const entries = batch.entries + row * batch.room;
    for (uint32 base = share.begin; base < share.end && !team.cut(); base += Team::kLanes) {
      const uint32 index = base + team.lane();
      uint32 kept = 0;
      if (index < share.end) {
        GLS_UNROLL
        for (int variant = 0; variant < Moves::kOpeningVariants; ++variant) {
          const auto opening = moves.opening(part.first + index, variant);
          kept |= uint32(moves.test.at(opening).any()) << variant;
        }
      }
      const int count = int(team.total(bits_in(kept)));
      if (count == 0) continue;
      uint32* const next = entries + team.reserve(&batch.entry_counts[row], count);
      team.set_bits(
          kept, [&](int rank, int bit) { next[rank] = bit % 32 * part.count + base + bit / 32; });
    }
  }
};

// The evaluation of all moves that begin with a listed opening.
template <class Team, class Moves, template <class> class Sink>
struct EvaluateOpenings {
  GLS_DEVICE static void run(const Team& team, int item, const FilteredBatch batch) {
    const int row = item / batch.slots;
    if (!batch.running(row)) return;
    using Queue = MoveQueue<Team, Sink<Moves>, typename Moves::Move>;
    const Moves moves(batch, row);
    const PartOfMoves part = moves.openings();
    const uint32* const entries = batch.entries + row * batch.room;
    const uint32 count = batch.entry_counts[row];
    Sink<Moves> sink(moves);
    Queue queue{team, sink, shared_slot<typename Queue::Storage>(team)};
    for (uint32 entry = item % batch.slots; entry < count && !team.cut(); entry += batch.slots) {
      const uint32 variant = entries[entry] / part.count;
      const uint32 number = entries[entry] - variant * part.count;
      const auto opening = moves.opening(part.first + number, int(variant));
      const auto test = moves.test.at(opening);
      for (int base = opening.begin; base < opening.end; base += Team::kLanes) {
        const int position = base + team.lane();
        const auto move = opening.closed(position);
        queue.add(
            position < opening.end && Moves::Space::exists(move, batch.n) && test.keeps(position),
            move);
      }
    }
    queue.finish();
    note(team, item, batch, sink);
  }
};

}  // namespace gls
