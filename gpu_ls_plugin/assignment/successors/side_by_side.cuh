// Generates successors side by side on one thread of a CPU: several states assign the same variable
// at the same time, each in a lane of a vector.
//
// `GenerateSuccessors` uses the lanes for the values of a variable, so that a single state waits
// for a sum across lanes, for the chosen value and for the changes that the choice makes. Side by
// side, lanes exchange nothing. Both kernels choose the same values. Data of all states are
// interleaved: item i of state `lane` is at i * kSideBySide + lane.
#pragma once

#include "assignment/successors/generate.cuh"

namespace gls {

// States at a time; see docs/lab/kernels-states-and-sequences.md, "Side by side".
constexpr int kSideBySide = 64;
constexpr int kMostInLanes = 1 << 12;  // maximum number of values of a variable
constexpr int kSumBytes = 8;           // size in bytes of one lane's sums for four values

// Makes the compiler vectorise the next loop, with one lane per iteration. Otherwise, GCC would
// unroll the loop completely.
#if defined(__CUDACC__) || defined(__clang__)
#define GLS_SIDE_BY_SIDE
#else
#define GLS_SIDE_BY_SIDE _Pragma("GCC ivdep") _Pragma("GCC unroll 4")
#endif

// One state's array among the interleaved arrays of all states.
template <class T>
struct Interleaved {
  T* first;

  GLS_DEVICE T& operator[](int64 i) const { return first[i * kSideBySide]; }
};

// One of the states, with the interface of `State`.
struct StateLane {
  int m;
  Interleaved<short> values;
  char* kept;  // data of all states
  int lane;

  template <class T>
  GLS_DEVICE Interleaved<T> array(int64 begin = 0) const {
    return {reinterpret_cast<T*>(kept + begin * kSideBySide) + lane};
  }
  GLS_DEVICE StateLane behind(int64 bytes) const {
    return {m, values, kept + bytes * kSideBySide, lane};
  }
};

// All states, with the interface of `State`.
struct StateLanes {
  int m;
  short* values;
  char* kept;
  bool* some;  // for each variable: false if it has no value in any state

  GLS_DEVICE StateLane lane(int number) const { return {m, {values + number}, kept, number}; }
  GLS_DEVICE StateLanes behind(int64 bytes) const {
    return {m, values, kept + bytes * kSideBySide, some};
  }
  template <class F>
  GLS_DEVICE void each(F f) const {
    GLS_SIDE_BY_SIDE
    for (int number = 0; number < kSideBySide; ++number) f(lane(number));
  }
  GLS_DEVICE bool may_have(int variable) const { return some[variable]; }
  GLS_DEVICE void mark(int64 begin, int variable) const {
    if (!some[variable]) return;
    char* const bytes = kept + begin * kSideBySide;
    const short* const its = values + int64(variable) * kSideBySide;
    GLS_UNROLL
    for (int lane = 0; lane < kSideBySide; ++lane) bytes[int64(its[lane]) * kSideBySide + lane] = 1;
  }
};

// Prefix sums of weights in all lanes, and the values that they choose. A sum is kept after every
// kTogether values.
template <class Sum, int kTogether>
struct LaneSums {
  Sum* kept;
  int count;  // number of values

  GLS_DEVICE int stretches() const { return (count + kTogether - 1) / kTogether; }
  GLS_DEVICE Sum* row(int stretch) const { return kept + int64(stretch) * kSideBySide; }

  // Computes the sums of weight(lane, value).
  template <class Weight>
  GLS_DEVICE void add(const Weight& weight) const {
    Sum sums[kSideBySide] = {};
    const auto plus = [&](int value, int lane) {
      return sums[lane] = Sum(sums[lane] + weight(lane, value));
    };
    for (int begin = 0; begin < count; begin += kTogether) {
      Sum* const its = row(begin / kTogether);
      if constexpr (kTogether == 1) {  // one loop, so that sums stay in registers
        GLS_SIDE_BY_SIDE
        for (int lane = 0; lane < kSideBySide; ++lane) its[lane] = plus(begin, lane);
      } else {
        const int end = begin + kTogether < count ? begin + kTogether : count;
        for (int value = begin; value < end; ++value) {
          GLS_SIDE_BY_SIDE
          for (int lane = 0; lane < kSideBySide; ++lane) plus(value, lane);
        }
        GLS_SIDE_BY_SIDE
        for (int lane = 0; lane < kSideBySide; ++lane) its[lane] = sums[lane];
      }
    }
  }

  // Writes the value that each lane's random bits choose; -1 if all weights are 0.
  template <class Weight>
  GLS_DEVICE void choose(const uint64* bits, const Weight& weight, int* values) const {
    const Sum* const all = row(stretches() - 1);
    Sum numbers[kSideBySide], at[kSideBySide] = {};
    GLS_SIDE_BY_SIDE
    for (int lane = 0; lane < kSideBySide; ++lane) {
      numbers[lane] = Sum(Draw{bits[lane]}.below(all[lane]));
    }
    for (int stretch = 0; stretch < stretches(); ++stretch) {
      const Sum* const its = row(stretch);
      GLS_SIDE_BY_SIDE
      for (int lane = 0; lane < kSideBySide; ++lane) at[lane] += its[lane] <= numbers[lane];
    }
    GLS_SIDE_BY_SIDE
    for (int lane = 0; lane < kSideBySide; ++lane) {
      values[lane] = all[lane] == 0 ? -1 : within(at[lane], lane, numbers[lane], weight);
    }
  }

 private:
  // Finds the chosen value of a stretch.
  template <class Weight>
  GLS_DEVICE int within(int stretch, int lane, Sum number, const Weight& weight) const {
    if constexpr (kTogether == 1) return stretch;
    Sum sum = stretch > 0 ? row(stretch - 1)[lane] : 0;
    const int begin = stretch * kTogether;
    int found = begin;
    const auto look = [&](int value) {
      sum = Sum(sum + weight(lane, value));
      found += sum <= number;
    };
    if (begin + kTogether <= count) {
      GLS_UNROLL
      for (int k = 0; k < kTogether; ++k) look(begin + k);
    } else {
      for (int value = begin; value < count; ++value) look(value);
    }
    return found;
  }
};

template <class Heuristic>
struct GenerateSideBySide {
  // `end` is the number of successors. If the last group of a launch has fewer than kSideBySide,
  // its last lanes all repeat the last successor.
  template <class Team>
  GLS_DEVICE static void run(const Team& team, int item, Successors all, const uint64* words,
                             int64 end) {
    GenerateSideBySide group(all, item, words, end);
    group.begin(team);
    for (int variable = 0; variable < all.m && !team.cut(); ++variable) {
      if (!group.active(variable)) continue;
      prepare(team, group.heuristic, group.states, variable);
      int values[kSideBySide];
      group.choose(variable, values);
      group.assign(variable, values);
    }
    group.write();
  }

 private:
  static constexpr int kBits = kBitsOfWeights<Heuristic>;
  // A type that holds the sum of the weights of kMostInLanes values.
  using Sum = Conditional<((int64(kMostInLanes) << kBits) > int64(1) << 32), uint64, uint32>;
  // The sum of up to this many weights fits into 16 bits. A vector of such sums has twice as
  // many lanes.
  static constexpr int kFew = kBits < 16 ? 1 << (16 - kBits) : 0;

  const Successors& all;
  const int64 first, end;
  char* const own;  // scratch
  const StateLanes states;
  const Heuristic heuristic;
  int64 rows[kSideBySide], steps[kSideBySide];  // where each lane's random numbers begin

  GLS_DEVICE GenerateSideBySide(const Successors& all, int item, const uint64* words, int64 end)
      : all(all),
        first(all.first + int64(item) * kSideBySide),
        end(end),
        own(all.scratch + item * all.scratch_bytes),
        states(states_in(own, all)),
        heuristic(words) {}

  GLS_DEVICE static StateLanes states_in(char* scratch, const Successors& all) {
    short* const values = reinterpret_cast<short*>(scratch + all.order_begin);
    return {all.m, values, scratch, reinterpret_cast<bool*>(values + int64(all.m) * kSideBySide)};
  }
  GLS_DEVICE int64 successor(int lane) const { return first + lane < end ? first + lane : end - 1; }
  GLS_DEVICE bool active(int variable) const {
    return all.active == nullptr || all.active[variable];
  }

  template <class Team>
  GLS_DEVICE void begin(const Team& team) {
    for (int variable = 0; variable < all.m; ++variable) states.some[variable] = !active(variable);
    GLS_SIDE_BY_SIDE
    for (int lane = 0; lane < kSideBySide; ++lane) {
      const int* const source = all.sources + successor(lane) / all.count * all.m;
      const auto values = states.lane(lane).values;
      for (int variable = 0; variable < all.m; ++variable) {
        values[variable] = short(active(variable) ? -1 : source[variable]);
      }
    }
    heuristic.begin(team, states);
    GLS_SIDE_BY_SIDE
    for (int lane = 0; lane < kSideBySide; ++lane) {
      rows[lane] = all.first_row + successor(lane) / all.count;
      steps[lane] = successor(lane) % all.count * all.m;
    }
  }

  // Chooses a value of the variable for each lane; -1 if no value has a positive weight.
  GLS_DEVICE void choose(int variable, int* values) const {
    uint64 bits[kSideBySide];
    GLS_SIDE_BY_SIDE
    for (int lane = 0; lane < kSideBySide; ++lane) {
      Philox numbers(all.seed, Purpose::kSuccessor, rows[lane]);
      uint32 random[4];
      numbers.four<Philox::kRounds>(steps[lane] + variable, random);
      bits[lane] = random[0] | uint64(random[1]) << 32;
    }
    const auto weight = [&](int lane, int value) {
      return heuristic.weight(rated(heuristic, states.lane(lane), variable, value), {});
    };
    const auto by_sums = [&](const auto& sums) {
      sums.add(weight);
      sums.choose(bits, weight, values);
    };
    char* const memory = own + all.sampler_begin;
    const int count = heuristic.values(states.lane(0), variable);
    if (count == 0) {
      for (int lane = 0; lane < kSideBySide; ++lane) values[lane] = -1;
    } else if (count <= kFew) {
      static_assert(4 * sizeof(uint16) <= kSumBytes);
      by_sums(LaneSums<uint16, 1>{reinterpret_cast<uint16*>(memory), count});
    } else {
      static_assert(sizeof(Sum) <= kSumBytes);
      by_sums(LaneSums<Sum, 8>{reinterpret_cast<Sum*>(memory), count});
    }
  }

  GLS_DEVICE void assign(int variable, const int* values) const {
    states.some[variable] = true;
    GLS_SIDE_BY_SIDE
    for (int lane = 0; lane < kSideBySide; ++lane) {
      const StateLane state = states.lane(lane);
      state.values[variable] = short(values[lane]);
      if (values[lane] < 0) {
        heuristic.unassigned(state, variable);
      } else {
        heuristic.assign(state, variable, values[lane]);
      }
    }
  }

  GLS_DEVICE void write() const {
    GLS_SIDE_BY_SIDE
    for (int lane = 0; lane < kSideBySide; ++lane) {
      int* const target = all.states + successor(lane) * all.m;
      const auto values = states.lane(lane).values;
      for (int variable = 0; variable < all.m; ++variable) target[variable] = values[variable];
    }
  }
};

}  // namespace gls
