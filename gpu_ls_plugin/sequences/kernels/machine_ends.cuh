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

// The least power of two that is at least `least`.
constexpr int power_of_two(int least) { return least <= 1 ? 1 : 2 * power_of_two((least + 1) / 2); }

// The times of machines after the first items of a sequence (kHeads), or to its end before its last
// items, for each number of items.
template <class Objective, bool kHeads>
struct Times {
  using Time = typename Objective::Time;
  static constexpr int kMachines = Objective::kMachines;
  // On a GPU: how many lanes compute times together, the machines of a lane, the lanes that have
  // machines, and the distance between the times of adjacent items.
  static constexpr int kSide = 16;
  static constexpr int kOwn = power_of_two((kMachines + kSide - 1) / kSide);
  static constexpr int kUsed = (kMachines + kOwn - 1) / kOwn;
  static constexpr int kPitch = kUsed * kOwn;
  // Whether times are stored as differences to those of the first machine, or of the last one.
  static constexpr bool kSpans = kOnDevice && !kSame<typename Objective::Span, Time>;
  using Stored = Conditional<kSpans, typename Objective::Span, Time>;
  // The distance between the times of a machine for adjacent places of a sequence.
  static constexpr int kNext = kOnDevice ? kPitch : kHeads ? 1 : -1;

  // The times of a lane's machines, which a GPU reads and writes together.
  struct alignas(sizeof(Stored) * kOwn < 16 ? sizeof(Stored) * kOwn : 16) Pack {
    Stored of[kOwn];
  };

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

  GLS_DEVICE static int of_machine(int machine) { return machine / kOwn * kPitch + machine; }
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
  // The place of the times of the machines of a lane, of which `machine` is the first.
  GLS_DEVICE Pack* pack(int machine, int count) const {
    return static_cast<Pack*>(static_cast<void*>(stored + index(machine, count)));
  }
  GLS_DEVICE static Stored stored_time(Time time, Time base) {
    return kSpans ? Stored(time - base) : Stored(time);
  }
  GLS_DEVICE void set_base(int count, Time base) const {
    if constexpr (kSpans) bases[row(count)] = base;
  }
  GLS_DEVICE void clear() const {
    for (int machine = 0; machine < kMachines; ++machine) stored[index(machine, 0)] = 0;
    if constexpr (kSpans) bases[row(0)] = 0;
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
  // Steps of a wave that a GPU reads for together.
  static constexpr int kAhead = kOwn <= 4 ? 4 : 1;

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
    team.once([&] {
      first.clear();
      if constexpr (kJoins) last.clear();
      totals[0] = 0;
    });
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
                             int block_count, int begin, Value price, Value limit, Use use) const {
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
      appended_insertions(team, items, count, block, block_count, begin, price, limit, use);
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
  // Computes the times of the items beyond the `known` ones. Those of the known items are in
  // `before`.
  template <bool kHeads, class Item>
  GLS_DEVICE void in_turn(const Times<Objective, kHeads>& before,
                          const Times<Objective, kHeads>& times, int known, int count,
                          Item item_at) const {
    constexpr int kTogether = 4;  // a processor then works on several machines at a time
    int k = known;
    for (; k + kTogether <= count; k += kTogether) {
      pass<kTogether>(k == known ? before : times, times, k, item_at);
    }
    for (; k < count; ++k) pass<1>(k == known ? before : times, times, k, item_at);
  }

  // Computes the times of `kCount` items from place k on; the first one passes each machine first.
  template <int kCount, bool kHeads, class Item>
  GLS_DEVICE void pass(const Times<Objective, kHeads>& before,
                       const Times<Objective, kHeads>& times, int k, Item item_at) const {
    Time left[kCount];
    int item[kCount], other[kCount];
    for (int c = 0; c < kCount; ++c) {
      left[c] = 0, item[c] = item_at(k + c);
      other[c] = c > 0 ? item[c - 1] : k > 0 ? item_at(k - 1) : -1;
    }
    for (int own = 0; own < kMachines; ++own) {
      const int machine = kHeads ? own : kMachines - 1 - own;
      Time at = before.stored[before.index(machine, k)];
      Time* const next = times.stored + times.index(machine, k + 1);
      GLS_UNROLL
      for (int c = 0; c < kCount; ++c) {
        if constexpr (kHeads) {
          at = objective.head(machine, at, left[c], other[c], item[c]);
        } else {
          at = objective.tail(machine, at, left[c], item[c], other[c]);
        }
        next[c] = left[c] = at;
      }
    }
    if constexpr (kHeads) {
      if (&times != &first) return;
      for (int c = 0; c < kCount; ++c) {
        totals[k + c + 1] = objective.finish(totals[k + c], left[c], item[c]);
      }
    }
  }

#ifdef __CUDACC__
  // The machines of a lane, in the direction of a wave. Lanes beyond the used ones do what the last
  // of these does, and the times of lanes without an item in a step have no effect: without
  // branches, the memory of several steps is read at the same time.
  template <bool kForward>
  GLS_DEVICE static int machine_of(int lane, int own) {
    return kForward ? lane * kOwn + own : (kUsed - lane) * kOwn - 1 - own;
  }
  template <bool kForward>
  GLS_DEVICE static int least_machine(int lane) {
    return machine_of<kForward>(lane, kForward ? 0 : kOwn - 1);
  }
  // Reads the times of a lane's machines, in the direction of a wave.
  template <bool kForward, bool kHeads>
  GLS_DEVICE static void load(const Times<Objective, kHeads>& times, int lane, int count,
                              Time (&read)[kOwn]) {
    const auto pack = *times.pack(least_machine<kForward>(lane), count);
    const Time base = times.base(count);
    GLS_UNROLL
    for (int own = 0; own < kOwn; ++own) {
      read[own] = base + Time(pack.of[kForward ? own : kOwn - 1 - own]);
    }
  }
  GLS_DEVICE static bool exists(int machine) {
    return kUsed * kOwn == kMachines || machine < kMachines;
  }
  GLS_DEVICE static int existing(int machine) { return exists(machine) ? machine : kMachines - 1; }
  GLS_DEVICE static int used(int lane) { return lane < kUsed ? lane : kUsed - 1; }
  GLS_DEVICE static int clamped(int k, int least, int most) {
    k = k < least ? least : k;
    return k < most ? k : most;
  }

  // Computes the times of the items beyond the `known` ones, with lanes as machines.
  template <bool kHeads>
  GLS_DEVICE void wave(int lane, Times<Objective, kHeads>& times, int known) {
    if (known >= length) return;
    const int line = used(lane);
    const auto item_at = [&](int k) { return kHeads ? order[k] : order[length - 1 - k]; };
    const int least = least_machine<kHeads>(line);
    Time at[kOwn], base = 0;
    load<kHeads>(times, line, known, at);
    Total total = kHeads ? totals[known] : 0;
#pragma unroll 1
    for (int step = 0; step < length - known + kUsed - 1; step += kAhead) {
      typename Times<Objective, kHeads>::Pack found[kAhead];
      Time base_of[kAhead];
      Total total_of[kAhead];
      GLS_UNROLL
      for (int s = 0; s < kAhead; ++s) {
        Time left = Time(__shfl_up_sync(kAllLanes, at[kOwn - 1], 1));
        base = Time(__shfl_up_sync(kAllLanes, base, 1));
        left = lane == 0 ? 0 : left;
        const int next = known + step + s - lane, k = clamped(next, known, length - 1);
        const int item = item_at(k), other = k == 0 ? -1 : item_at(k - 1);
        GLS_UNROLL
        for (int own = 0; own < kOwn; ++own) {
          const int machine = machine_of<kHeads>(line, own);
          Time time;
          if constexpr (kHeads) {
            time = objective.head(existing(machine), at[own], left, other, item);
          } else {
            time = objective.tail(existing(machine), at[own], left, item, other);
          }
          left = exists(machine) ? time : left;
          at[own] = next >= known ? left : at[own];
          base = machine == (kHeads ? 0 : kMachines - 1) ? left : base;
          found[s].of[kHeads ? own : kOwn - 1 - own] = times.stored_time(left, base);
        }
        base_of[s] = base;
        if constexpr (kHeads) {
          const Total sum = objective.finish(total, left, item);
          total = next >= known ? sum : total, total_of[s] = total;
        }
      }
      GLS_UNROLL
      for (int s = 0; s < kAhead; ++s) {
        const int k = known + step + s - lane;
        if (k < known || k >= length || lane >= kUsed) continue;
        *times.pack(least, k + 1) = found[s];
        if (lane == 0) times.set_base(k + 1, base_of[s]);
        if constexpr (kHeads) {
          if (lane == kUsed - 1) totals[k + 1] = total_of[s];
        }
      }
    }
  }

  // The moves of the item at `place` to the `count` places behind it, or in front of it. Lanes are
  // machines; the times of the sequence without the item pass through them.
  template <bool kForward, class Use>
  GLS_DEVICE void wave_of_moves(int lane, int place, int count, Value price, Use use) const {
    constexpr int kStep = kForward ? 1 : -1;
    const int item = order[place], line = used(lane);
    Time at[kOwn], own_left = 0;
    Total most = 0;
    if constexpr (kForward) {
      load<true>(first, line, place, at);
    } else {
      load<false>(last, line, length - 1 - place, at);
    }
    const int other_count = __shfl_xor_sync(kAllLanes, count, kSide);
    const int steps = (count > other_count ? count : other_count) + kUsed - 1;
    const int outer = place - kStep;
    const int first_before = outer >= 0 && outer < length ? order[outer] : -1;
#pragma unroll 1
    for (int step = 0; step < steps; step += kAhead) {
      Total found[kAhead];
      GLS_UNROLL
      for (int s = 0; s < kAhead; ++s) {
        Time left = Time(__shfl_up_sync(kAllLanes, at[kOwn - 1], 1));
        own_left = Time(__shfl_up_sync(kAllLanes, own_left, 1));
        most = Total(__shfl_up_sync(kAllLanes, most, 1));
        left = lane == 0 ? 0 : left, own_left = lane == 0 ? 0 : own_left;
        most = lane == 0 ? 0 : most;
        const bool begun = step + s >= lane;
        const int k = clamped(step + s - lane, 0, count - 1), to = place + kStep * (k + 1);
        const int job = order[to], before = k > 0 ? order[to - kStep] : first_before;
        const int beyond = to + kStep;
        const int next = beyond >= 0 && beyond < length ? order[beyond] : -1;
        Time others[kOwn];  // the times that the item meets
        if constexpr (kForward) {
          load<true>(last, line, length - 1 - to, others);
        } else {
          load<false>(first, line, to, others);
        }
        GLS_UNROLL
        for (int own = 0; own < kOwn; ++own) {
          const int machine = machine_of<kForward>(line, own), known = existing(machine);
          Time time, own_time;
          Total joined;
          if constexpr (kForward) {
            time = objective.head(known, at[own], left, before, job);
            own_time = objective.head(known, time, own_left, job, item);
            joined = objective.meet(most, known, own_time, others[own], item, next);
          } else {
            time = objective.tail(known, at[own], left, job, before);
            own_time = objective.tail(known, time, own_left, item, job);
            joined = objective.meet(most, known, others[own], own_time, next, item);
          }
          if (exists(machine)) left = time, own_left = own_time, most = joined;
          at[own] = begun ? left : at[own];
        }
        found[s] = most;
      }
      if (lane != kHolder) continue;
      GLS_UNROLL
      for (int s = 0; s < kAhead; ++s) {
        const int k = step + s - lane;
        if (k < 0 || k >= count) continue;
        use(place + kStep * (k + 1), compared(objective.cost_of(found[s]), price));
      }
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

  // A lower bound of the total of a sequence with further items. Those from place k on are still to
  // be appended.
  GLS_DEVICE Total at_least(Total total, int k, int count) const {
    if constexpr (OnlyDelays<Objective>::kValue) return total + (totals[count] - totals[k]);
    return total;
  }

  // The values of inserting a block, by appending it and the items behind it. Lanes, and the places
  // that the CPU handles as a vector, append the same item at the same time.
  template <class Team, class Use>
  GLS_DEVICE void appended_insertions(const Team& team, const int* items, int count,
                                      const int* block, int block_count, int begin, Value price,
                                      Value limit, Use use) const {
    constexpr int kWide = Team::kLanes > 1 ? 1 : kVector;
    Value least = limit;
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
        if constexpr (Regular<Objective>::kValue) {
          bool lower = false;  // whether any value may still be the least
          GLS_VECTOR
          for (int w = 0; w < kWide; ++w) {
            const Total bound = at_least(total[w], k + 1, count);
            lower |= place[w] <= count && !(least < compared(objective.cost_of(bound), price));
          }
          if (!lower && k >= place[kWide - 1]) {
            for (int w = 0; w < kWide; ++w) total[w] = at_least(total[w], k + 1, count);
            break;
          }
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
