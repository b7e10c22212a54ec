// The ends of a sequence: for each number of items, the states of its first and of its last items.
//
//   Ends(objective, pieces, n)       takes its memory, `bytes(n)` bytes
//   begin(team)                      starts without items
//   changed(before, after)           forgets all but the first `before` and last `after` items
//   update(team, order, length)      computes the missing states
//   value(team, order, length, price)
//       returns the value of the whole sequence
//   insertions(team, order, length, block, count, first, price, limit, use)
//       calls use(place, value) for each place from `first` to `length`: the value of the sequence
//       with the `count` items of `block` inserted there, up to a number that is the same for all
//       places; lanes share the places
//   window(order, length, i, j, item, price, now, limit)
//       returns the value if item(k) replaces each item k in [i, j); `now` is the present value
//
// A value is what searches compare: the cost plus the price of violations. Values above the least
// one so far, or above `limit`, may be too low if the objective is regular.
#pragma once

#include "backends/include/pieces.cuh"
#include "sequences/problem/objective.cuh"

namespace gls {
namespace sequences {

// More than any value.
template <class Value>
GLS_DEVICE Value no_value() {
  return Value(kSame<Value, double> ? 1e300 : double(int64(1) << 62));
}

// The type of suffixes: that of states if these can be concatenated; int if there are none.
template <class Objective>
struct SuffixOf {
  template <class O>
  static auto find(int) -> decltype(declared<const O&>().end());
  template <class O>
  static int find(...);
  template <bool kConcatenates, class Found>
  struct Choose {
    using Type = Found;
  };
  template <class Found>
  struct Choose<true, Found> {
    using Type = typename Objective::State;
  };
  using Type = typename Choose<kHasConcatenate<Objective>, decltype(find<Objective>(0))>::Type;
};

// The numbers of first and last items whose states are known.
struct Known {
  static constexpr bool kForesees = false;

  int heads = 0, tails = 0;

  GLS_DEVICE void changed(int before, int after) {
    heads = before < heads ? before : heads;
    tails = after < tails ? after : tails;
  }
};

// The value of a sequence whose first items have led to a state; those in [begin, end) follow.
template <class Objective, class State, class Value>
GLS_DEVICE Value appended(const Objective& objective, State state, const int* order, int begin,
                          int end, Value price, Value limit) {
#pragma unroll 1
  for (int k = begin; k < end; ++k) {
    if constexpr (Regular<Objective>::kValue) {
      const Value found = compared(objective.cost(state), price);
      if (found > limit) return found;
    }
    state = objective.append(state, order[k]);
  }
  return compared(objective.cost(state), price);
}

// Ends of any objective with states.
template <class Objective>
struct StatedEnds : Known {
  using State = typename Objective::State;
  using Suffix = typename SuffixOf<Objective>::Type;
  using Value = ValueOf<Objective>;
  static constexpr bool kConcatenates = kHasConcatenate<Objective>;
  static constexpr bool kJoins = kHasJoin<Objective> || kConcatenates;

  const Objective& objective;
  State* const prefixes;   // of k items
  Suffix* const suffixes;  // of the last k items

  GLS_DEVICE static int64 bytes(int n) {
    return piece_bytes<State>(n + 1) + (kJoins ? piece_bytes<Suffix>(n + 1) : 0);
  }

  GLS_DEVICE StatedEnds(const Objective& objective, Pieces& memory, int n)
      : objective(objective),
        prefixes(memory.take<State>(n + 1)),
        suffixes(kJoins ? memory.take<Suffix>(n + 1) : nullptr) {}

  template <class Team>
  GLS_DEVICE void begin(const Team& team) {
    team.once([&] {
      prefixes[0] = objective.begin();
      if constexpr (kConcatenates) {
        suffixes[0] = objective.begin();
      } else if constexpr (kJoins) {
        suffixes[0] = objective.end();
      }
    });
  }

  template <class Team>
  GLS_DEVICE void update(const Team& team, const int* order, int length) {
    if (team.lane() == 0) {
      State state = prefixes[this->heads];
#pragma unroll 1
      for (int k = this->heads; k < length; ++k) {
        prefixes[k + 1] = state = objective.append(state, order[k]);
      }
    }
    if constexpr (kJoins) {
      if (team.lane() == Team::kLanes / 2) {
        Suffix suffix = suffixes[this->tails];
#pragma unroll 1
        for (int k = this->tails; k < length; ++k) {
          suffixes[k + 1] = suffix = prepended(suffix, order[length - 1 - k]);
        }
      }
    }
    this->heads = this->tails = length;
    team.sync();
  }

  template <class Team>
  GLS_DEVICE Value value(const Team&, const int*, int length, Value price) const {
    return compared(objective.cost(prefixes[length]), price);
  }

  template <class Team, class Use>
  GLS_DEVICE void insertions(const Team& team, const int* order, int length, const int* block,
                             int count, int first, Value price, Value limit, Use use) const {
    Value least = limit;
#pragma unroll 1
    for (int place = first + team.lane(); place <= length; place += Team::kLanes) {
      State state = prefixes[place];
      for (int k = 0; k < count; ++k) state = objective.append(state, block[k]);
      const Value value = completed(state, order, length, place, price, least);
      least = value < least ? value : least;
      use(place, value);
    }
  }

  template <class Item>
  GLS_DEVICE Value window(const int* order, int length, int i, int j, Item item, Value price, Value,
                          Value limit) const {
    State state = prefixes[i];
#pragma unroll 1
    for (int k = i; k < j; ++k) state = objective.append(state, item(k));
    return completed(state, order, length, j, price, limit);
  }

 private:
  GLS_DEVICE Suffix prepended(const Suffix& suffix, int item) const {
    if constexpr (kConcatenates) {
      return objective.concatenate(objective.append(objective.begin(), item), suffix);
    } else {
      return objective.prepend(suffix, item);
    }
  }

  // The value of a sequence whose first items have led to `state`; those from `place` on follow.
  GLS_DEVICE Value completed(State state, const int* order, int length, int place, Value price,
                             Value limit) const {
    if constexpr (kConcatenates) {
      state = objective.concatenate(state, suffixes[length - place]);
    } else if constexpr (kJoins) {
      return compared(objective.join(state, suffixes[length - place]), price);
    } else {
      return appended(objective, state, order, place, length, price, limit);
    }
    return compared(objective.cost(state), price);
  }
};

}  // namespace sequences
}  // namespace gls
