// Successors side by side, by one thread: some states assign the same variable at a time, each in a
// lane of a vector. (A GPU's threads are lanes themselves.)
//
// One state alone has a vector's lanes for values, and waits for a sum across them, for the value
// that is found, and for what its choice changes. Side by side nothing goes across lanes. What is
// chosen is the same: prefix sums of weights, the first one beyond the drawn number.
#pragma once

#include "assignment/successors/generate.cuh"

namespace gls {

constexpr int kSideBySide = 64;        // states
constexpr int kMostInLanes = 1 << 12;  // values of a variable
constexpr int kSumBytes = 8;           // of a lane, that four values' sums take

// Says that turns of the loop that follows are lanes of vectors: unrolled, they would not be.
#if defined(__CUDACC__) || defined(__clang__)
#define GLS_SIDE_BY_SIDE
#else
#define GLS_SIDE_BY_SIDE _Pragma("GCC ivdep") _Pragma("GCC unroll 4")
#endif

// An array of each state, of which this is one lane's.
template <class T>
struct Interleaved {
  T* first;

  GLS_DEVICE T& operator[](int64 i) const { return first[i * kSideBySide]; }
};

// One of the states, as a functor sees it.
struct StateLane {
  int m;
  Interleaved<short> values;
  char* kept;  // of all states
  int lane;

  template <class T>
  GLS_DEVICE Interleaved<T> array(int64 begin = 0) const {
    return {reinterpret_cast<T*>(kept + begin * kSideBySide) + lane};
  }
  GLS_DEVICE StateLane behind(int64 bytes) const {
    return {m, values, kept + bytes * kSideBySide, lane};
  }
};

// All of them.
struct StateLanes {
  int m;
  short* values;
  char* kept;
  bool* some;  // of each variable: whether it has a value in any of them, perhaps

  GLS_DEVICE StateLane lane(int number) const { return {m, {values + number}, kept, number}; }
  GLS_DEVICE StateLanes behind(int64 bytes) const {
    return {m, values, kept + bytes * kSideBySide, some};
  }
  // f(state) of each.
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

// Prefix sums of the values' weights in all lanes, and the first of them beyond a number.
template <class Sum, int kTogether>  // values between two sums that are kept
struct LaneSums {
  Sum* kept;  // of each lane, behind every kTogether values
  int count;

  GLS_DEVICE int stretches() const { return (count + kTogether - 1) / kTogether; }
  GLS_DEVICE Sum* row(int stretch) const { return kept + int64(stretch) * kSideBySide; }

  // Adds weight(lane, value) of every value.
  template <class Weight>
  GLS_DEVICE void add(const Weight& weight) const {
    Sum sums[kSideBySide] = {};
    const auto plus = [&](int value, int lane) {
      return sums[lane] = Sum(sums[lane] + weight(lane, value));
    };
    for (int begin = 0; begin < count; begin += kTogether) {
      Sum* const its = row(begin / kTogether);
      if constexpr (kTogether == 1) {  // in one loop, so that sums stay in registers
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

  // The value that each lane's random bits choose; -1 where all weights are 0.
  template <class Weight>
  GLS_DEVICE void choose(const uint64* bits, const Weight& weight, int* values) const {
    const Sum* const all = row(stretches() - 1);
    Sum numbers[kSideBySide], at[kSideBySide] = {};
    GLS_SIDE_BY_SIDE
    for (int lane = 0; lane < kSideBySide; ++lane) {
      numbers[lane] = Sum(Draw{0, bits[lane]}.below(all[lane]));
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
  // The value of a stretch.
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
  static constexpr int kBits = WeightBits<Heuristic>::kValue;
  // A sum of weights of up to kMostInLanes values.
  using Sum = Conditional<((int64(kMostInLanes) << kBits) > int64(1) << 32), uint64, uint32>;
  // So many weights add up in 16 bits, of which a vector has twice as many.
  static constexpr int kFew = kBits < 16 ? 1 << (16 - kBits) : 0;

  // The last states of a launch may be fewer: then some lanes do the same as the last of them.
  template <class Team>
  GLS_DEVICE static void run(const Team& team, int item, Successors all, const uint64* words,
                             int64 end) {
    const int64 first = all.first + int64(item) * kSideBySide, m = all.m;
    const auto successor = [&](int lane) { return first + lane < end ? first + lane : end - 1; };
    char* const own = all.scratch + item * all.scratch_bytes;
    short* const placed = reinterpret_cast<short*>(own + all.order_begin);
    bool* const some = reinterpret_cast<bool*>(placed + m * kSideBySide);
    const StateLanes states{all.m, placed, own, some};
    const auto active = [&](int variable) { return all.active == nullptr || all.active[variable]; };
    for (int variable = 0; variable < m; ++variable) some[variable] = !active(variable);
    GLS_SIDE_BY_SIDE
    for (int lane = 0; lane < kSideBySide; ++lane) {
      const int* const source = all.sources + successor(lane) / all.count * m;
      const auto values = states.lane(lane).values;
      for (int variable = 0; variable < m; ++variable) {
        values[variable] = short(active(variable) ? -1 : source[variable]);
      }
    }
    const Heuristic heuristic(words);
    heuristic.begin(team, states);

    int64 rows[kSideBySide], steps[kSideBySide];
    GLS_SIDE_BY_SIDE
    for (int lane = 0; lane < kSideBySide; ++lane) {
      rows[lane] = all.first_row + successor(lane) / all.count;
      steps[lane] = successor(lane) % all.count * m;
    }
    for (int variable = 0; variable < m && !team.cut(); ++variable) {
      if (!active(variable)) continue;
      uint64 bits[kSideBySide];
      GLS_SIDE_BY_SIDE
      for (int lane = 0; lane < kSideBySide; ++lane) {
        Philox numbers(all.seed, Purpose::kSuccessor, rows[lane]);
        uint32 random[4];
        numbers.four<Philox::kRounds>(steps[lane] + variable, random);
        bits[lane] = random[0] | uint64(random[1]) << 32;
      }
      prepare(team, heuristic, states, variable);
      const int count = heuristic.values(states.lane(0), variable);
      const auto weight = [&](int lane, int value) {
        return heuristic.weight(rated(heuristic, states.lane(lane), variable, value), {});
      };
      int values[kSideBySide];
      const auto choose = [&](const auto& sums) {
        sums.add(weight);
        sums.choose(bits, weight, values);
      };
      char* const memory = own + all.sampler_begin;
      if (count == 0) {
        for (int lane = 0; lane < kSideBySide; ++lane) values[lane] = -1;
      } else if (count <= kFew) {
        static_assert(4 * sizeof(uint16) <= kSumBytes);
        choose(LaneSums<uint16, 1>{reinterpret_cast<uint16*>(memory), count});
      } else {
        static_assert(sizeof(Sum) <= kSumBytes);
        choose(LaneSums<Sum, 8>{reinterpret_cast<Sum*>(memory), count});
      }
      some[variable] = true;
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
    GLS_SIDE_BY_SIDE
    for (int lane = 0; lane < kSideBySide; ++lane) {
      int* const target = all.states + successor(lane) * m;
      const auto values = states.lane(lane).values;
      for (int variable = 0; variable < m; ++variable) target[variable] = values[variable];
    }
  }
};

}  // namespace gls
