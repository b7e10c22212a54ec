// Ends of objectives with a time for each of several machines (sequences/problem/machines.cuh).
//
// The times of a machine are adjacent for all numbers of items, so that lanes that evaluate
// adjacent places read adjacent times. On a GPU, lanes are machines while the times are computed:
// lane l handles item k - l in step k, and takes the time of the machine before from the lane
// before.
#pragma once

#include "sequences/kernels/ends.cuh"
#include "sequences/problem/machines.cuh"

// Before loops over the places of a vector: GCC vectorises them only if it does not unroll them
// first.
#ifdef __CUDACC__
#define GLS_VECTOR _Pragma("unroll")
#elif defined(__clang__)
#define GLS_VECTOR
#else
#define GLS_VECTOR _Pragma("GCC unroll 1")
#endif

namespace gls {
namespace sequences {

template <class Objective>
struct MachineEnds : Known {
  using State = typename Objective::State;
  using Suffix = typename Objective::Suffix;
  using Time = typename Objective::Time;
  using Total = typename Objective::Total;
  using Value = ValueOf<Objective>;
  static constexpr int kMachines = Objective::kMachines;
  static constexpr bool kJoins = kHasJoin<Objective>;
  static constexpr int kVector = 16;  // places that the CPU evaluates at a time

  const Objective& objective;
  const int pitch;  // even, so that the lanes of a step write to different banks
  Time* const heads_at;
  Time* const tails_at;
  Total* const totals;
  const int* order = nullptr;
  int length = 0;

  GLS_DEVICE static int times(int n) { return kMachines * ((n + 2) / 2 * 2); }
  GLS_DEVICE static int64 bytes(int n) {
    const int64 tails = kJoins ? piece_bytes<Time>(times(n)) + piece_bytes<Time>(kVector) : 0;
    return piece_bytes<Time>(times(n)) + tails + piece_bytes<Total>(n + 1);
  }

  GLS_DEVICE MachineEnds(const Objective& objective, Pieces& memory, int n)
      : objective(objective),
        pitch(times(n) / kMachines),
        heads_at(memory.take<Time>(times(n))),
        tails_at(kJoins ? memory.take<Time>(times(n)) : nullptr),
        totals(memory.take<Total>(n + 1)) {}

  template <class Team>
  GLS_DEVICE void begin(const Team& team) {
    team.each(kMachines, [&](int machine) {
      heads_at[machine * pitch] = 0;
      if constexpr (kJoins) tails_at[machine * pitch] = 0;
    });
    team.once([&] { totals[0] = 0; });
    team.sync();
  }

  template <class Team>
  GLS_DEVICE void update(const Team& team, const int* items, int count) {
    order = items, length = count;
#ifdef __CUDACC__
    const int squad = team.lane() / 32, last = Team::kLanes / 32 - 1;
    if (squad == 0) wave<true>(team.lane() % 32, this->heads);
    if constexpr (kJoins) {
      if (squad == last) wave<false>(team.lane() % 32, this->tails);
    }
#else
    in_turn<true>(this->heads);
    if constexpr (kJoins) in_turn<false>(this->tails);
#endif
    this->heads = this->tails = length;
    team.sync();
  }

  template <class Team>
  GLS_DEVICE Value value(const Team&, const int*, int count, Value price) const {
    return compared(objective.cost_of(totals[count]), price);
  }

  template <class Team, class Use>
  GLS_DEVICE void insertions(const Team& team, const int* items, int count, const int* block,
                             int block_count, int first, Value price, Use use) const {
    if constexpr (kJoins) {
      if (block_count == 1) return joined_insertions(team, block[0], first, price, use);
#pragma unroll 1
      for (int place = first + team.lane(); place <= count; place += Team::kLanes) {
        const auto item = [&](int k) { return block[k - place]; };
        use(place,
            after(items, count, place, place + block_count, place, item, price, no_value<Value>()));
      }
    } else {
      appended_insertions(team, items, count, block, block_count, first, price, use);
    }
  }

  template <class Item>
  GLS_DEVICE Value window(const int* items, int count, int i, int j, Item item, Value price, Value,
                          Value limit) const {
    return after(items, count, i, j, j, item, price, limit);
  }

 private:
  // Computes the times of the items beyond the first, or last, `known`, one after the other.
  template <bool kHeads>
  GLS_DEVICE void in_turn(int known) {
    const int step = kHeads ? pitch : -pitch, count = length;  // no write may change a copy
    Time* const all = kHeads ? heads_at : tails_at + (kMachines - 1) * pitch;
    for (int k = known; k < count; ++k) {
      const int item = kHeads ? order[k] : order[count - 1 - k];
      const int other = k == 0 ? -1 : kHeads ? order[k - 1] : order[count - k];
      Time left = 0, *at = all + k;
      for (int own = 0; own < kMachines; ++own) {
        const int machine = kHeads ? own : kMachines - 1 - own;
        if constexpr (kHeads) {
          left = objective.head(machine, *at, left, other, item);
        } else {
          left = objective.tail(machine, *at, left, item, other);
        }
        at[1] = left;
        at += step;
      }
      if constexpr (kHeads) totals[k + 1] = objective.finish(totals[k], left, item);
    }
  }

#ifdef __CUDACC__
  // Computes the same with the lanes of a warp as machines.
  template <bool kHeads>
  GLS_DEVICE void wave(int lane, int known) {
    constexpr int kOwn = (kMachines + 31) / 32;           // machines of a lane
    constexpr int kUsed = (kMachines + kOwn - 1) / kOwn;  // lanes with machines
    Time* const all = kHeads ? heads_at : tails_at;
    const int count = length - known;
    Time at[kOwn], left = 0;
    const auto machine = [&](int own) {
      const int number = lane * kOwn + own;
      return kHeads ? number : kMachines - 1 - number;
    };
    GLS_UNROLL_MACHINES
    for (int own = 0; own < kOwn; ++own) {
      at[own] = lane * kOwn + own < kMachines ? all[machine(own) * pitch + known] : 0;
    }
    Total total = kHeads ? totals[known] : 0;
#pragma unroll 1
    for (int step = 0; step < count + kUsed - 1; ++step) {
      left = Time(__shfl_up_sync(kAllLanes, at[kOwn - 1], 1));
      if (lane == 0) left = 0;
      const int k = known + step - lane;
      if (k < known || k >= length) continue;
      const int item = kHeads ? order[k] : order[length - 1 - k];
      const int other = k == 0 ? -1 : kHeads ? order[k - 1] : order[length - k];
      GLS_UNROLL_MACHINES
      for (int own = 0; own < kOwn; ++own) {
        if (lane * kOwn + own >= kMachines) break;
        const int here = machine(own);
        if constexpr (kHeads) {
          left = objective.head(here, at[own], left, other, item);
        } else {
          left = objective.tail(here, at[own], left, item, other);
        }
        at[own] = left;
        all[here * pitch + k + 1] = left;
      }
      if constexpr (kHeads) {
        if ((lane + 1) * kOwn >= kMachines && lane * kOwn < kMachines) {
          totals[k + 1] = total = objective.finish(total, left, item);
        }
      }
    }
  }
#endif

  // The values of inserting an item, by joining a prefix, the item and a suffix. Each lane handles
  // several places at a time: on the CPU as a vector, which reads adjacent memory beyond the last
  // place (other parts of the chain's memory).
  template <class Team, class Use>
  GLS_DEVICE void joined_insertions(const Team& team, int item, int first, Value price,
                                    Use use) const {
    constexpr int kWide = Team::kLanes > 1 ? 2 : kVector;
#pragma unroll 1
    for (int base = first + team.lane(); base <= length; base += kWide * Team::kLanes) {
      Time left[kWide];
      Total most[kWide];
      int previous[kWide], next[kWide];
      GLS_UNROLL
      for (int w = 0; w < kWide; ++w) {
        const int place = base + w * Team::kLanes;
        left[w] = 0, most[w] = 0;
        previous[w] = place > 0 && place <= length ? order[place - 1] : -1;
        next[w] = place < length ? order[place] : -1;
      }
#pragma unroll 2
      for (int machine = 0; machine < kMachines; ++machine) {
        const Time* const own_heads = heads_at + machine * pitch + base;
        const Time* const own_tails = tails_at + machine * pitch + length - base;
        GLS_VECTOR
        for (int w = 0; w < kWide; ++w) {
          const int place = w * Team::kLanes;
          if (Team::kLanes > 1 && base + place > length) break;
          left[w] = objective.head(machine, own_heads[place], left[w], previous[w], item);
          most[w] = objective.meet(most[w], machine, left[w], own_tails[-place], item, next[w]);
        }
      }
      GLS_UNROLL
      for (int w = 0; w < kWide; ++w) {
        const int place = base + w * Team::kLanes;
        if (place <= length) use(place, compared(objective.cost_of(most[w]), price));
      }
    }
  }

  // The values of inserting a block, by appending it and the items behind it. Lanes, and the places
  // that the CPU handles as a vector, append the same item at the same time.
  template <class Team, class Use>
  GLS_DEVICE void appended_insertions(const Team& team, const int* items, int count,
                                      const int* block, int block_count, int first, Value price,
                                      Use use) const {
    constexpr int kWide = Team::kLanes > 1 ? 1 : kVector;
    Value least = no_value<Value>();
#pragma unroll 1
    for (int base = first; base <= count; base += kWide * Team::kLanes) {
      Time at[kMachines][kWide], left[kWide];
      Total total[kWide];
      int place[kWide];
      for (int w = 0; w < kWide; ++w) {
        place[w] = base + team.lane() * kWide + w;
        const int known = place[w] < count ? place[w] : count;
        total[w] = totals[known];
        for (int machine = 0; machine < kMachines; ++machine) {
          at[machine][w] = heads_at[machine * pitch + known];
        }
      }
      const auto append = [&](int item, auto previous, auto active) {
        GLS_VECTOR
        for (int w = 0; w < kWide; ++w) left[w] = 0;
        GLS_UNROLL_MACHINES
        for (int machine = 0; machine < kMachines; ++machine) {
          GLS_VECTOR
          for (int w = 0; w < kWide; ++w) {
            left[w] = objective.head(machine, at[machine][w], left[w], previous(w), item);
            at[machine][w] = active(w) ? left[w] : at[machine][w];
          }
        }
        GLS_VECTOR
        for (int w = 0; w < kWide; ++w) {
          total[w] = active(w) ? objective.finish(total[w], left[w], item) : total[w];
        }
      };
      const auto all = [](int) { return true; };
      for (int k = 0; k < block_count; ++k) {
        append(
            block[k],
            [&](int w) {
              const int before = place[w] <= count ? place[w] - 1 : -1;
              return k > 0 ? block[k - 1] : before < 0 ? -1 : items[before];
            },
            all);
      }
#pragma unroll 1
      for (int k = base; k < count; ++k) {
        const auto previous = [&](int w) {
          return place[w] < k ? items[k - 1] : block[block_count - 1];
        };
        if (k < base + kWide * Team::kLanes) {
          append(items[k], previous, [&](int w) { return place[w] <= k; });
        } else {
          append(items[k], [&](int) { return items[k - 1]; }, all);
        }
        if constexpr (kHasRegular<Objective>) {
          bool lower = false;  // whether any value may still be the least
          GLS_VECTOR
          for (int w = 0; w < kWide; ++w) {
            lower |= place[w] <= count && !(least < compared(objective.cost_of(total[w]), price));
          }
          if (!lower && k >= place[kWide - 1]) break;
        }
      }
      for (int w = 0; w < kWide; ++w) {
        if (place[w] > count) continue;
        const Value value = compared(objective.cost_of(total[w]), price);
        least = value < least ? value : least;
        use(place[w], value);
      }
    }
  }

  // The value of a sequence that begins with the first i items and item(k) for k in [i, j); the
  // items from `place` on follow.
  template <class Item>
  GLS_DEVICE Value after(const int* items, int count, int i, int j, int place, Item item,
                         Value price, Value limit) const {
    State state;
    GLS_UNROLL_MACHINES
    for (int machine = 0; machine < kMachines; ++machine) {
      state.at[machine] = heads_at[machine * pitch + i];
    }
    state.total = totals[i], state.last = i > 0 ? items[i - 1] : -1;
#pragma unroll 1
    for (int k = i; k < j; ++k) state = objective.append(state, item(k));
    if constexpr (kJoins) {
      Suffix suffix;
      GLS_UNROLL_MACHINES
      for (int machine = 0; machine < kMachines; ++machine) {
        suffix.at[machine] = tails_at[machine * pitch + count - place];
      }
      suffix.first = place < count ? items[place] : -1;
      return compared(objective.join(state, suffix), price);
    } else {
      return appended(objective, state, items, place, count, price, limit);
    }
  }
};

}  // namespace sequences
}  // namespace gls
