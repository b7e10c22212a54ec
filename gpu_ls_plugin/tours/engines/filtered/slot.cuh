// Slots: teams that share the moves of a tour.
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

// A slot of a tour. Its moves are no member: filters may need their address, which would force the
// slot into memory, too.
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

  // Notes the best move of a sink, if it is better than those of other chunks, and its counts.
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

// A step of a mode, on all slots.
template <class Team, class Step>
struct OnSlots {
  GLS_DEVICE static void run(const Team& team, int item, const FilteredBatch batch) {
    const int row = item / batch.slots;
    if (batch.running(row)) Step::run(Slot<Team>{team, batch, item, row});
  }
};

}  // namespace gls
