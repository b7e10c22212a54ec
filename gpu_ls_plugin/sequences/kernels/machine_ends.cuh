// Ends of objectives with a time for each of several machines (sequences/problem/machines.cuh).
//
// On a GPU, lanes are machines while times are computed: lane l handles item k - l in step k, and
// takes the time of the machine before from the lane before. The times of a step are adjacent. On
// the CPU, the times of a machine are adjacent, so that vectors evaluate adjacent places.
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

constexpr int kUnused = -1;  // number of items of `Times` that take no memory

// The times of machines after the first items of a sequence (kHeads), or to its end before its last
// items, for each number of items.
template <class Objective, bool kHeads>
struct Times {
  using Time = typename Objective::Time;
  static constexpr int kMachines = Objective::kMachines;
  // On a GPU: how many lanes compute times together, the machines of a lane, the lanes that have
  // machines, and the distance between the times of adjacent items. It is odd, so that lanes that
  // read adjacent items use different banks.
  static constexpr int kSide = 16;
  static constexpr int kOwn = (kMachines + kSide - 1) / kSide;
  static constexpr int kUsed = (kMachines + kOwn - 1) / kOwn;
  static constexpr int kPitch = (kUsed * kOwn) | 1;
  // Whether times are stored as differences to those of the first machine, or of the last one.
  static constexpr bool kSpans = kOnDevice && !kSame<typename Objective::Span, Time>;
  using Stored = Conditional<kSpans, typename Objective::Span, Time>;
  // The distance between the times of a machine for adjacent places of a sequence.
  static constexpr int kNext = kOnDevice ? kPitch : kHeads ? 1 : -1;

  const int n;  // items, or kUnused
  Stored* const stored;
  Time* const bases;

  GLS_DEVICE static int pitch(int n) { return (n + 2) / 2 * 2; }
  GLS_DEVICE static int size(int n) {
    if (n < 0) return 0;
    return kOnDevice ? (n + kUsed + 1) * kPitch : kMachines * pitch(n);
  }
  GLS_DEVICE static int64 bytes(int n) {
    return piece_bytes<Stored>(size(n)) + (kSpans ? piece_bytes<Time>(n + 1) : 0);
  }

  GLS_DEVICE Times(Pieces& memory, int n)
      : n(n),
        stored(memory.take<Stored>(size(n))),
        bases(kSpans ? memory.take<Time>(n + 1) : nullptr) {}

  GLS_DEVICE static int of_machine(int machine) {
    return machine / kOwn * (kPitch + 1) + machine % kOwn * kUsed;
  }
  GLS_DEVICE int row(int count) const { return kHeads ? count : n - count; }
  GLS_DEVICE int index(int machine, int count) const {
    return kOnDevice ? row(count) * kPitch + of_machine(machine) : machine * pitch(n) + count;
  }
  GLS_DEVICE Time base(int count) const {
    if constexpr (kSpans) return bases[row(count)];
    return 0;
  }
  GLS_DEVICE Time get(int machine, int count) const {
    return base(count) + Time(stored[index(machine, count)]);
  }
  // Sets the time of a machine; `base` is that of the first, or last, one.
  GLS_DEVICE void set(int machine, int count, Time time, Time base) {
    if constexpr (kSpans) {
      stored[index(machine, count)] = Stored(time - base);
      if (machine == (kHeads ? 0 : kMachines - 1)) bases[row(count)] = base;
    } else {
      stored[index(machine, count)] = time;
    }
  }
};

template <class Objective>
struct MachineEnds : Known {
  using State = typename Objective::State;
  using Suffix = typename Objective::Suffix;
  using Time = typename Objective::Time;
  using Total = typename Objective::Total;
  using Value = ValueOf<Objective>;
  using Heads = Times<Objective, true>;
  using Tails = Times<Objective, false>;
  static constexpr int kMachines = Objective::kMachines;
  static constexpr int kSide = Heads::kSide, kOwn = Heads::kOwn, kUsed = Heads::kUsed;
  static constexpr bool kJoins = kHasJoin<Objective>;
  static constexpr bool kForesees = kJoins;
  static constexpr int kVector = 16;  // places that the CPU evaluates at a time

  const Objective& objective;
  Heads first;
  Tails last;  // if kJoins
  // On the CPU, if kJoins: those of a sequence without an item.
  Heads moved_first;
  Tails moved_last;
  Total* const totals;
  const int* order = nullptr;
  int length = 0;

  GLS_DEVICE static int64 bytes(int n) {
    const int64 tails = kJoins ? Tails::bytes(n) : 0, heads = Heads::bytes(n);
    const int64 moved = kOnDevice || !kJoins ? 0 : heads + tails + piece_bytes<Time>(kVector);
    return heads + tails + moved + piece_bytes<Total>(n + 1);
  }

  GLS_DEVICE MachineEnds(const Objective& objective, Pieces& memory, int n)
      : objective(objective),
        first(memory, n),
        last(memory, kJoins ? n : kUnused),
        moved_first(memory, kJoins && !kOnDevice ? n : kUnused),
        moved_last(memory, kJoins && !kOnDevice ? n : kUnused),
        totals(memory.take<Total>(n + 1)) {}

  template <class Team>
  GLS_DEVICE void begin(const Team& team) {
    team.each(kMachines, [&](int machine) {
      first.set(machine, 0, 0, 0);
      if constexpr (kJoins) last.set(machine, 0, 0, 0);
    });
    team.once([&] { totals[0] = 0; });
    team.sync();
  }

  template <class Team>
  GLS_DEVICE void update(const Team& team, const int* items, int count) {
    order = items, length = count;
#ifdef __CUDACC__
    const int squad = team.lane() / 32, other = Team::kLanes / 32 - 1;
    if (squad == 0) wave<true>(team.lane() % 32, first, this->heads);
    if constexpr (kJoins) {
      if (squad == other) wave<false>(team.lane() % 32, last, this->tails);
    }
#else
    in_turn(first, first, this->heads, length, [&](int k) { return order[k]; });
    if constexpr (kJoins) {
      in_turn(last, last, this->tails, length, [&](int k) { return order[length - 1 - k]; });
    }
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
                             int block_count, int begin, Value price, Use use) const {
    if constexpr (kJoins) {
      if (block_count == 1) {
        const auto item = [&](int k) { return order[k]; };
        return joined(team, item, length, block[0], begin, length, first, last, price, use);
      }
#pragma unroll 1
      for (int place = begin + team.lane(); place <= count; place += Team::kLanes) {
        const auto item = [&](int k) { return block[k - place]; };
        use(place,
            after(items, count, place, place + block_count, place, item, price, no_value<Value>()));
      }
    } else {
      appended_insertions(team, items, count, block, block_count, begin, price, use);
    }
  }

  // The moves of single items, without taking them out. Calls use(to, value) for each place from
  // `begin` on but `place`: the value if the item at `place` moves to place `to`. The states must
  // be up to date. On a GPU, kSide adjacent lanes look at an item together, and the lane `kHolder`
  // of these calls `use`; all lanes of a warp take part.
  template <class Use>
  GLS_DEVICE void reinsertions(int lane, int place, int begin, Value price, Use use) const {
#ifdef __CUDACC__
    wave_of_moves<true>(lane, place, length - 1 - place, price, use);
    wave_of_moves<false>(lane, place, place - begin, price, use);
#else
    const int item = order[place], left = length - 1;
    const auto others = [&](int k) { return order[k < place ? k : k + 1]; };
    in_turn(first, moved_first, place, left, others);
    in_turn(last, moved_last, left - place, left - begin,
            [&](int k) { return others(left - 1 - k); });
    const Host one;
    joined(one, others, left, item, begin, place - 1, first, moved_last, price, use);
    joined(one, others, left, item, place + 1, left, moved_first, last, price, use);
#endif
  }
  static constexpr int kHolder = kOnDevice ? kUsed - 1 : 0;

  template <class Item>
  GLS_DEVICE Value window(const int* items, int count, int i, int j, Item item, Value price, Value,
                          Value limit) const {
    return after(items, count, i, j, j, item, price, limit);
  }

 private:
  // Computes the times of the items beyond the `known` ones, one after the other. Those of the
  // known items are in `before`.
  template <bool kHeads, class Item>
  GLS_DEVICE void in_turn(const Times<Objective, kHeads>& before,
                          const Times<Objective, kHeads>& times, int known, int count,
                          Item item_at) const {
    for (int k = known; k < count; ++k) {
      const int item = item_at(k), other = k == 0 ? -1 : item_at(k - 1);
      const int begin = before.index(kHeads ? 0 : kMachines - 1, k);
      const int step = kHeads ? times.pitch(times.n) : -times.pitch(times.n);
      const Time* at = (k == known ? before : times).stored + begin;
      Time left = 0, *next = times.stored + begin + 1;
      for (int own = 0; own < kMachines; ++own) {
        const int machine = kHeads ? own : kMachines - 1 - own;
        if constexpr (kHeads) {
          left = objective.head(machine, *at, left, other, item);
        } else {
          left = objective.tail(machine, *at, left, item, other);
        }
        *next = left;
        at += step, next += step;
      }
      if constexpr (kHeads) {
        if (&times == &first) totals[k + 1] = objective.finish(totals[k], left, item);
      }
    }
  }

#ifdef __CUDACC__
  // The machines of a lane, in the direction of a wave.
  template <bool kHeads>
  GLS_DEVICE static int machine_of(int lane, int own) {
    return kHeads ? lane * kOwn + own : (kUsed - lane) * kOwn - 1 - own;
  }
  template <bool kHeads>
  GLS_DEVICE static bool works(int lane, int own) {
    return lane < kUsed && machine_of<kHeads>(lane, own) < kMachines;
  }

  // Computes the times of the items beyond the `known` ones, with lanes as machines.
  template <bool kHeads>
  GLS_DEVICE void wave(int lane, Times<Objective, kHeads>& times, int known) {
    Time at[kOwn], left = 0, base = 0;
    GLS_UNROLL
    for (int own = 0; own < kOwn; ++own) {
      at[own] = works<kHeads>(lane, own) ? times.get(machine_of<kHeads>(lane, own), known) : 0;
    }
    Total total = kHeads ? totals[known] : 0;
#pragma unroll 1
    for (int step = 0; step < length - known + kUsed - 1; ++step) {
      left = Time(__shfl_up_sync(kAllLanes, at[kOwn - 1], 1));
      base = Time(__shfl_up_sync(kAllLanes, base, 1));
      if (lane == 0) left = 0;
      const int k = known + step - lane;
      if (k < known || k >= length || lane >= kUsed) continue;
      const int item = kHeads ? order[k] : order[length - 1 - k];
      const int other = k == 0 ? -1 : kHeads ? order[k - 1] : order[length - k];
      GLS_UNROLL
      for (int own = 0; own < kOwn; ++own) {
        if (!works<kHeads>(lane, own)) continue;
        const int machine = machine_of<kHeads>(lane, own);
        if constexpr (kHeads) {
          left = objective.head(machine, at[own], left, other, item);
        } else {
          left = objective.tail(machine, at[own], left, item, other);
        }
        at[own] = left;
        if (machine == (kHeads ? 0 : kMachines - 1)) base = left;
        times.set(machine, k + 1, left, base);
      }
      if constexpr (kHeads) {
        if (lane == kUsed - 1) totals[k + 1] = total = objective.finish(total, left, item);
      }
    }
  }

  // The moves of the item at `place` to the `count` places behind it, or in front of it. Lanes are
  // machines; the times of the sequence without the item pass through them.
  template <bool kForward, class Use>
  GLS_DEVICE void wave_of_moves(int lane, int place, int count, Value price, Use use) const {
    constexpr int kStep = kForward ? 1 : -1;
    const int item = order[place];
    const int* const jobs = order + place;
    Time at[kOwn], left = 0, own_left = 0;
    Total most = 0;
    GLS_UNROLL
    for (int own = 0; own < kOwn; ++own) {
      const int machine = machine_of<kForward>(lane, own);
      at[own] = !works<kForward>(lane, own) ? 0
                : kForward                  ? first.get(machine, place)
                                            : last.get(machine, length - 1 - place);
    }
    // The times that the item meets at its next place; the next ones are kStep * kPitch further.
    const int met_row = kForward ? last.row(length - 2 - place) : first.row(place - 1);
    const auto* const met =
        (kForward ? last.stored : first.stored) + met_row * Heads::kPitch +
        Heads::of_machine(machine_of<true>(kForward ? lane : kUsed - 1 - lane, 0));
    const int other_count = __shfl_xor_sync(kAllLanes, count, kSide);
    const int steps = (count > other_count ? count : other_count) + kUsed - 1;
    int before = kForward ? (place > 0 ? jobs[-1] : -1) : (place + 1 < length ? jobs[1] : -1);
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
      left = Time(__shfl_up_sync(kAllLanes, at[kOwn - 1], 1));
      own_left = Time(__shfl_up_sync(kAllLanes, own_left, 1));
      most = Total(__shfl_up_sync(kAllLanes, most, 1));
      if (lane == 0) left = 0, own_left = 0, most = 0;
      const int k = step - lane;
      if (k < 0 || k >= count) continue;
      const int job = jobs[kStep * (k + 1)], to = place + kStep * (k + 1);
      const int next =
          kForward ? (to + 1 < length ? order[to + 1] : -1) : (to > 0 ? order[to - 1] : -1);
      const Time met_base = kForward ? last.base(length - 1 - to) : first.base(to);
      GLS_UNROLL
      for (int own = 0; own < kOwn; ++own) {
        if (!works<kForward>(lane, own)) continue;
        const int machine = machine_of<kForward>(lane, own);
        const Time other =
            met_base +
            Time(met[kStep * k * Heads::kPitch + (kForward ? own : kOwn - 1 - own) * kUsed]);
        if constexpr (kForward) {
          left = objective.head(machine, at[own], left, before, job);
          own_left = objective.head(machine, left, own_left, job, item);
          most = objective.meet(most, machine, own_left, other, item, next);
        } else {
          left = objective.tail(machine, at[own], left, job, before);
          own_left = objective.tail(machine, left, own_left, item, job);
          most = objective.meet(most, machine, other, own_left, next, item);
        }
        at[own] = left;
      }
      before = job;
      if (lane == kHolder) use(to, compared(objective.cost_of(most), price));
    }
  }
#endif

  // The values of inserting an item between the items of a sequence, by joining a prefix, the item
  // and a suffix. Each lane handles several places at a time: on the CPU as a vector, which reads
  // adjacent memory beyond the last place (other parts of the chain's memory).
  template <class Team, class Items, class Use>
  GLS_DEVICE void joined(const Team& team, const Items& items, int count, int item, int begin,
                         int end, const Heads& heads_of, const Tails& tails_of, Value price,
                         Use use) const {
    constexpr int kWide = Team::kLanes > 1 ? 2 : kVector;
#pragma unroll 1
    for (int base = begin + team.lane(); base <= end; base += kWide * Team::kLanes) {
      Time left[kWide], head_base[kWide], tail_base[kWide];
      Total most[kWide];
      int previous[kWide], next[kWide];
      GLS_UNROLL
      for (int w = 0; w < kWide; ++w) {
        const int place = base + w * Team::kLanes;
        left[w] = 0, most[w] = 0;
        head_base[w] = place <= end ? heads_of.base(place) : 0;
        tail_base[w] = place <= end ? tails_of.base(count - place) : 0;
        previous[w] = place > 0 && place <= count ? items(place - 1) : -1;
        next[w] = place < count ? items(place) : -1;
      }
#pragma unroll 2
      for (int machine = 0; machine < kMachines; ++machine) {
        const auto* const head = heads_of.stored + heads_of.index(machine, base);
        const auto* const tail = tails_of.stored + tails_of.index(machine, count - base);
        GLS_VECTOR
        for (int w = 0; w < kWide; ++w) {
          const int place = w * Team::kLanes;
          if (Team::kLanes > 1 && base + place > end) break;
          const Time before = head_base[w] + Time(head[place * Heads::kNext]);
          const Time behind = tail_base[w] + Time(tail[place * Tails::kNext]);
          left[w] = objective.head(machine, before, left[w], previous[w], item);
          most[w] = objective.meet(most[w], machine, left[w], behind, item, next[w]);
        }
      }
      GLS_UNROLL
      for (int w = 0; w < kWide; ++w) {
        const int place = base + w * Team::kLanes;
        if (place <= end) use(place, compared(objective.cost_of(most[w]), price));
      }
    }
  }

  // The values of inserting a block, by appending it and the items behind it. Lanes, and the places
  // that the CPU handles as a vector, append the same item at the same time.
  template <class Team, class Use>
  GLS_DEVICE void appended_insertions(const Team& team, const int* items, int count,
                                      const int* block, int block_count, int begin, Value price,
                                      Use use) const {
    constexpr int kWide = Team::kLanes > 1 ? 1 : kVector;
    Value least = no_value<Value>();
#pragma unroll 1
    for (int base = begin; base <= count; base += kWide * Team::kLanes) {
      Time at[kMachines][kWide], left[kWide];
      Total total[kWide];
      int place[kWide];
      for (int w = 0; w < kWide; ++w) {
        place[w] = base + team.lane() * kWide + w;
        const int known = place[w] < count ? place[w] : count;
        total[w] = totals[known];
        for (int machine = 0; machine < kMachines; ++machine) {
          at[machine][w] = first.get(machine, known);
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
      state.at[machine] = first.get(machine, i);
    }
    state.total = totals[i], state.last = i > 0 ? items[i - 1] : -1;
#pragma unroll 1
    for (int k = i; k < j; ++k) state = objective.append(state, item(k));
    if constexpr (kJoins) {
      Suffix suffix;
      GLS_UNROLL_MACHINES
      for (int machine = 0; machine < kMachines; ++machine) {
        suffix.at[machine] = last.get(machine, count - place);
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
