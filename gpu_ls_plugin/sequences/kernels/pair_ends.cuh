// Ends of objectives that are sums over pairs of items: nothing is kept (see ends.cuh).
#pragma once

#include "sequences/kernels/ends.cuh"

namespace gls {
namespace sequences {

template <class Objective>
struct PairEnds {
  using Value = ValueOf<Objective>;
  static constexpr bool kForesees = false;

  const Objective& objective;

  GLS_DEVICE static int64 bytes(int) { return 0; }
  GLS_DEVICE PairEnds(const Objective& objective, Pieces&, int) : objective(objective) {}

  template <class Team>
  GLS_DEVICE void begin(const Team&) {}
  GLS_DEVICE void changed(int, int) {}
  template <class Team>
  GLS_DEVICE void update(const Team&, const int*, int) {}

  template <class Team>
  GLS_DEVICE Value value(const Team& team, const int* order, int length, Value) const {
    return team.template sum<Value>(length, [&](int i) {
      Value own = 0;
      for (int k = i + 1; k < length; ++k) own += objective.pair(order[i], order[k]);
      return own;
    });
  }

  // Each lane handles adjacent places. The values are relative to that of place `first`. `order`
  // may be any object with an operator [].
  template <class Team, class Items, class Use>
  GLS_DEVICE void insertions(const Team& team, const Items& order, int length, const int* block,
                             int count, int first, Value, Value, Use use) const {
    if (count == 1) {
      const int item = block[0];
      walk(team, length, first, [&](int place) { return turned(item, order[place]); }, use);
      return;
    }
    // The change of the value if the block moves behind the item at a place.
    const auto step = [&](int place) {
      Value change = 0;
      for (int k = 0; k < count; ++k) change += turned(block[k], order[place]);
      return change;
    };
    walk(team, length, first, step, use);
  }

  template <class Item>
  GLS_DEVICE Value window(const int* order, int, int i, int j, Item item, Value, Value now,
                          Value) const {
    for (int a = i; a < j; ++a) {
      for (int b = a + 1; b < j; ++b) {
        now += objective.pair(item(a), item(b)) - objective.pair(order[a], order[b]);
      }
    }
    return now;
  }

 private:
  template <class Team, class Step, class Use>
  GLS_DEVICE static void walk(const Team& team, int length, int first, Step step, Use use) {
    const int each = (length - first + Team::kLanes) / Team::kLanes;
    const int begin = first + team.lane() * each;
    const int end = begin + each < length ? begin + each : length;
    Value value = 0;
    if constexpr (Team::kLanes > 1) {
      for (int place = begin; place < end; ++place) value += step(place);
      value = team.scan(value, Value(0), [](Value a, Value b) { return a + b; }).before;
    }
    for (int place = begin; place < end; ++place) {
      use(place, value);
      value += step(place);
    }
    if (end == length && begin <= length && begin + each > length) use(length, value);
  }

  GLS_DEVICE Value turned(int first, int second) const {
    if constexpr (kHasTurned<Objective>) {
      return objective.turned(first, second);
    } else {
      return objective.pair(second, first) - objective.pair(first, second);
    }
  }
};

}  // namespace sequences
}  // namespace gls
