// FANG's own structure (Köster, Groß and Krüger 2019, section 3, algorithms 1 to 4), written from
// its description for this library's heuristics and teams of threads.
//
// A group of threads assigns the active variables of one state. For each variable it stores the
// ratings of all values in the device's memory, turns them into weights, and stores the prefix sums
// of the weights there, too. Shared memory holds the last prefix sum of each segment of 32 values.
// A drawn number leads first to its segment, then to its value. Active variables are a bit set.
#pragma once

namespace fang {

constexpr int kSegment = 32;  // values, one for each thread of a warp
constexpr int kNone = -1;

using gls::int64;
using gls::uint32;
using gls::uint64;

// A seed that each state keeps: xorshift64* (Marsaglia 2003, Vigna 2016).
struct XorShift {
  uint64* seed;
  uint64 now;

  GLS_DEVICE XorShift(uint64* numbers, int state, int) : seed(numbers + state), now(*seed) {}
  GLS_DEVICE gls::Draw next(int) {
    now ^= now >> 12;
    now ^= now << 25;
    now ^= now >> 27;
    return {now * 0x2545F4914F6CDD1D};
  }
  GLS_DEVICE void store() const { *seed = now; }
};

// Given random bits for each variable of each state, for comparisons.
struct GivenBits {
  const uint64* bits;

  GLS_DEVICE GivenBits(uint64* numbers, int state, int m) : bits(numbers + int64(state) * m) {}
  GLS_DEVICE gls::Draw next(int variable) { return {bits[variable]}; }
  GLS_DEVICE void store() const {}
};

// Memory of a state: its ratings, its prefix sums, and the last prefix sum of each segment.
template <class Rating>
struct Storage {
  Rating* ratings;
  uint64 *prefix_sums, *segments;
};

// Stores a variable's ratings; returns their aggregate (algorithm 2).
template <class Heuristic, class Team>
GLS_DEVICE typename Heuristic::Aggregate rate_all(const Team& team, const Heuristic& heuristic,
                                                  const gls::State& state, int variable, int count,
                                                  typename Heuristic::Rating* ratings) {
  using Aggregate = typename Heuristic::Aggregate;
  const auto rate = gls::rater_of(heuristic, state, variable, 0);
  Aggregate mine;
  team.each(count, [&](int value) {
    const auto rating = rate(value);
    ratings[value] = rating;
    mine = mine.join(Aggregate(rating));
  });
  return team.joined(mine, Aggregate(),
                     [](const Aggregate& a, const Aggregate& b) { return a.join(b); });
}

// Turns ratings into weights, and stores their prefix sums (algorithm 3).
template <class Heuristic, class Team>
GLS_DEVICE void add_up(const Team& team, const Heuristic& heuristic, int count,
                       const typename Heuristic::Aggregate& all,
                       const Storage<typename Heuristic::Rating>& storage) {
  uint64 before = 0;
  for (int base = 0; base < count; base += Team::kLanes) {
    const int value = base + team.lane();
    const uint64 own = value < count ? heuristic.weight(storage.ratings[value], all) : 0;
    const auto sums = team.scan(own, uint64(0), gls::plus);
    if (value < count) {
      const uint64 sum = before + sums.before + own;
      storage.prefix_sums[value] = sum;
      if (value % kSegment == kSegment - 1 || value == count - 1) {
        storage.segments[value / kSegment] = sum;
      }
    }
    before += sums.all;
  }
  team.sync();
}

// Whether place `i` of increasing sums is the first one above `number`.
GLS_DEVICE bool holds(const uint64* sums, int i, uint64 number) {
  return number < sums[i] && (i == 0 || sums[i - 1] <= number);
}

// Returns the segment that holds a number, on all lanes (algorithm 4).
template <class Team>
GLS_DEVICE int segment_of(const Team& team, const uint64* segments, int count, uint64 number) {
  for (int base = 0; base < count; base += Team::kLanes) {
    const int segment = base + team.lane();
    const bool mine = segment < count && holds(segments, segment, number);
    const int found =
        team.joined(mine ? segment : kNone, kNone, [](int a, int b) { return a < b ? b : a; });
    if (found != kNone) return found;
  }
  return kNone;
}

// Generates one successor of each state (algorithm 1); an item is a state.
template <class Heuristic, class Memory, class Numbers>
struct Fang {
  using Rating = typename Heuristic::Rating;

  template <class Team>
  GLS_DEVICE static void run(const Team& team, int item, int m, int most, const int* sources,
                             const uint32* active, uint32* left, uint64* numbers, int* states,
                             char* ratings, uint64* prefix_sums, char* scratch, int64 scratch_bytes,
                             int64 segments_begin, const uint64* words) {
    const int64 row = int64(item) * m, bits = (m + 31) / 32;
    char* const own = scratch + item * scratch_bytes;
    const gls::State state{m, sources + row, states + row, own};
    uint32* const waiting = left + item * bits;
    team.each(m, [&](int variable) {
      const bool released = active[item * bits + variable / 32] >> variable % 32 & 1;
      state.values[variable] = released ? kNone : state.before[variable];
    });
    team.each(int(bits), [&](int word) { waiting[word] = active[item * bits + word]; });
    team.sync();
    const Heuristic heuristic(words);
    heuristic.begin(team, state);
    team.sync();

    const Storage<Rating> storage{reinterpret_cast<Rating*>(ratings) + int64(item) * most,
                                  prefix_sums + int64(item) * most,
                                  reinterpret_cast<uint64*>(Memory::of(own + segments_begin))};
    Numbers random(numbers, item, m);
    for (int word = 0; word < bits; ++word) {
      uint32 set, last = 0;
      for (; (set = waiting[word]) != last; last = set) {  // ends if no bit was cleared
        if (set == 0) break;
        const int variable = 32 * word + gls::lowest_bit(set);
        assign(team, heuristic, state, variable, storage, random, waiting + word);
      }
    }
    team.once([&] { random.store(); });
  }

 private:
  // Assigns a variable and clears its bit.
  template <class Team>
  GLS_DEVICE static void assign(const Team& team, const Heuristic& heuristic,
                                const gls::State& state, int variable,
                                const Storage<Rating>& storage, Numbers& random, uint32* waiting) {
    const auto end = [&](int value) {
      state.values[variable] = value;
      *waiting &= *waiting - 1;
    };
    const int count = heuristic.values(state, variable);
    const auto all = rate_all(team, heuristic, state, variable, count, storage.ratings);
    add_up(team, heuristic, count, all, storage);
    const int segments = (count + kSegment - 1) / kSegment;
    const uint64 sum = segments > 0 ? storage.segments[segments - 1] : 0;
    if (sum == 0) {  // every lane has read the sum and the bit set before they change
      team.sync();
      team.once([&] {
        end(kNone);
        heuristic.unassigned(state, variable);
      });
      return;
    }
    const uint64 number = random.next(variable).below(sum);
    const int segment = segment_of(team, storage.segments, segments, number);
    for (int i = team.lane(); i < kSegment; i += Team::kLanes) {  // the first warp
      const int value = segment * kSegment + i;
      if (value < count && holds(storage.prefix_sums, value, number)) {
        end(value);
        heuristic.assign(state, variable, value);
      }
    }
    team.sync();
  }
};

}  // namespace fang
