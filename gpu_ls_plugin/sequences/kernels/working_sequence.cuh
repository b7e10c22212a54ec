// A sequence while a team searches it: some or all items in order, and the ends of the sequence.
#pragma once

#include "backends/include/philox.cuh"
#include "sequences/kernels/machine_ends.cuh"
#include "sequences/kernels/pair_ends.cuh"

namespace gls {
namespace sequences {

// How an objective is evaluated.
template <class Objective, bool kPairs, bool kMachines>
struct EndsFor {
  using Type = StatedEnds<Objective>;
};
template <class Objective>
struct EndsFor<Objective, false, true> {
  using Type = MachineEnds<Objective>;
};
template <class Objective, bool kMachines>
struct EndsFor<Objective, true, kMachines> {
  using Type = PairEnds<Objective>;
};
template <class Objective>
using EndsOf = typename EndsFor<Objective, kHasPairs<Objective>, kHasMachines<Objective>>::Type;

// Whether a move takes out and inserts single items only.
GLS_OPTIONAL_CONSTANT(MovesOneItem, kMovesOneItem, bool, false);

}  // namespace sequences

// Real values are equal if they differ by at most this part of them: the kernel has added the same
// numbers in another order.
constexpr double kRounding = 1e-12;

constexpr int kMostBlock = 16;  // maximum number of items that a move takes out together

// Random steps of a chain for each purpose, of four numbers each: enough to shuffle all items.
constexpr int64 kSteps = 1 << 14;
// Purposes of the random numbers of a kick. Kicks are counted from 1; first descents belong to the
// kick before.
enum Draws : int {
  kFirstQueueDraws,
  kQueueDraws,
  kPartialQueueDraws,
  kRemovalDraws,
  kTieDraws,
  kAcceptDraws
};
constexpr int64 kStepsOfKick = 8 * kSteps;
constexpr int64 kNoLimit = int64(1) << 62;

template <class Objective>
struct WorkingSequence {
  using Ends = sequences::EndsOf<Objective>;
  using Value = typename Ends::Value;
  // Whether `Ends::insertions` gives values relative to an unknown one.
  static constexpr bool kRelative = sequences::kHasPairs<Objective>;

  // Whether a descent can look at several items at the same time.
  template <class... Moves>
  static constexpr bool kForesees =
      Ends::kForesees && sizeof...(Moves) == 1 && (sequences::MovesOneItem<Moves>::kValue && ...);

  // A place and the value there. Random numbers break ties.
  struct Place {
    Value value;
    uint32 lot;
    int place;

    GLS_DEVICE bool operator<(const Place& other) const {
      if (value != other.value) return value < other.value;
      return lot != other.lot ? lot < other.lot : place < other.place;
    }
  };

  // How many items of a queue were looked at, and whether the last one has moved.
  struct Looked {
    int items;
    bool moved;
  };

  // The best moves of the next items of a queue, and the order of these items by place.
  template <int kLooks>
  struct Ahead {
    Place found[kLooks];
    int turns[kLooks];
  };

  // The items without `count` of them from `place` on.
  struct Without {
    const int* order;
    int place, count;

    GLS_DEVICE int operator[](int k) const { return order[k < place ? k : k + count]; }
  };

  const int n, fixed;  // items; how many at the front stay there
  int length = 0;
  int* const order;     // the items that are in the sequence
  int* const place_of;  // by item
  int* const queue;     // the order in which a descent looks at items
  int* const spare;     // scratch
  int* const block;     // items that are outside of the sequence
  Ends ends;
  const Value price;
  Value now = 0;
  uint32 salt = 0;
  int64 looks = 0, moves = 0, most_moves = kNoLimit;
  // A move is made only if its value is at most `wanted`, and not at all while `only_looks`; then
  // `least` is the least value of the moves that were looked at.
  bool only_looks = false;
  Value wanted = sequences::no_value<Value>(), least = 0;

  GLS_DEVICE static int64 bytes(int n) {
    return 4 * piece_bytes<int>(n) + piece_bytes<int>(kMostBlock) + Ends::bytes(n);
  }

  GLS_DEVICE WorkingSequence(const Objective& objective, int n, int fixed, Value price,
                             Pieces memory)
      : n(n),
        fixed(fixed),
        order(memory.take<int>(n)),
        place_of(memory.take<int>(n)),
        queue(memory.take<int>(n)),
        spare(memory.take<int>(n)),
        block(memory.take<int>(kMostBlock)),
        ends(objective, memory, n),
        price(price) {}

  // Whether a value is lower than another one by more than rounding errors, which are relative to
  // these values and to that of the whole sequence.
  GLS_DEVICE bool lower(Value value, Value before) const {
    if constexpr (sequences::kSame<Value, double>) {
      const auto size = [](double number) { return number < 0 ? -number : number; };
      return value < before - kRounding * (size(before) + size(now));
    } else {
      return value < before;
    }
  }

  // Whether the limit of moves is reached or time is up.
  template <class Team>
  GLS_DEVICE bool spent(const Team& team) const {
    return moves >= most_moves || team.cut();
  }

  // Begins with the first `count` of all items.
  template <class Team>
  GLS_DEVICE void begin(const Team& team, const int* items, int count) {
    length = count;
    team.each(n, [&](int k) { order[k] = items[k], place_of[items[k]] = k; });
    ends.begin(team);
    team.sync();
    evaluate(team);
  }

  template <class Team>
  GLS_DEVICE void evaluate(const Team& team) {
    ends.update(team, order, length);
    now = ends.value(team, order, length, price);
  }

  // Takes `count` items out, which are then in `block`.
  template <class Team>
  GLS_DEVICE void erase(const Team& team, int place, int count) {
    team.each(count, [&](int k) { block[k] = order[place + k]; });
    length -= count;
#pragma unroll 1
    for (int base = place; base < length; base += Team::kLanes) {
      const int k = base + team.lane(), item = k < length ? order[k + count] : 0;
      team.sync();
      if (k < length) order[k] = item, place_of[item] = k;
    }
    ends.changed(place, length - place);
    team.sync();
  }

  // Puts the `count` items of `block` at a place.
  template <class Team>
  GLS_DEVICE void insert(const Team& team, int place, int count) {
    team.sync();
#pragma unroll 1
    for (int end = length; end > place; end -= Team::kLanes) {
      const int k = end - 1 - team.lane(), item = k >= place ? order[k] : 0;
      team.sync();
      if (k >= place) order[k + count] = item, place_of[item] = k + count;
    }
    team.each(count, [&](int k) { order[place + k] = block[k], place_of[block[k]] = place + k; });
    ends.changed(place, length - place);
    length += count;
    team.sync();
  }

  // Draws other random numbers to break ties.
  GLS_DEVICE void draw_lots() { salt = salt_after(1); }
  GLS_DEVICE uint32 salt_after(int draws) const {
    uint32 found = salt;
    for (int k = 0; k < draws; ++k) found = found * 1664525u + 1013904223u;
    return found;
  }
  GLS_DEVICE uint32 lot(int place) const { return lot_of(place, salt); }
  GLS_DEVICE static uint32 lot_of(int place, uint32 salt) {
    return (uint32(place) * 0x9E3779B1u ^ salt) * 0x85EBCA77u;
  }

  // The best place for the `count` items of `block` among `left` other items, and the place `old`
  // with its value. Values above `limit` may be too low, but are not lower than it.
  template <class Team, class Items>
  GLS_DEVICE Place best_place(const Team& team, const Items& items, int left, int count,
                              Value limit, int old, Place& at_old) {
    draw_lots();
    const Place none{sequences::no_value<Value>(), ~0u, 0};
    Place best = none;
    at_old = none;
    const auto use = [&](int place, Value value) {
      if (kRelative && place == old) at_old = {value, 0, place};
      if (best.value < value) return;
      const Place found{value, lot(place), place};
      if (found < best) best = found;
    };
    ends.insertions(team, items, left, block, count, fixed, price, limit, use);
    looks += left - fixed + 1;
    if constexpr (kRelative) at_old = team.least(at_old);
    return team.least(best);
  }

  // Moves `count` items to their best place; returns whether that lowers the value.
  template <class Team>
  GLS_DEVICE bool reinsert(const Team& team, int place, int count) {
    if (place < fixed) return false;
    Place at_old;
    if constexpr (kRelative) {  // nothing has to be computed for the sequence without the items
      team.sync();
      team.each(count, [&](int k) { block[k] = order[place + k]; });
      team.sync();
      const Without others{order, place, count};
      const Place best = best_place(team, others, length - count, count,
                                    sequences::no_value<Value>(), place, at_old);
      const Value after = now + (best.value - at_old.value);
      if (!makes(after)) return false;
      erase(team, place, count);
      return inserted(team, best.place, count, after);
    }
    erase(team, place, count);
    ends.update(team, order, length);
    const Place best = best_place(team, order, length, count, now, place, at_old);
    if (makes(best.value)) return inserted(team, best.place, count, best.value);
    insert(team, place, count);
    return false;
  }

  // Puts the `count` items of `block` at their best place.
  template <class Team>
  GLS_DEVICE void insert_best(const Team& team, int count) {
    Place unused;
    ends.update(team, order, length);
    const Place best =
        best_place(team, order, length, count, sequences::no_value<Value>(), -1, unused);
    insert(team, best.place, count);
    now = best.value;
  }

  // Inserts the items behind the sequence in `order`, one after the other.
  template <class Team>
  GLS_DEVICE void insert_others(const Team& team) {
#pragma unroll 1
    while (length < n) {
      team.once([&] { block[0] = order[length]; });
      insert_best(team, 1);
    }
  }

  // Replaces the items from place `here` to the best other place; item k of them becomes
  // item(other, k). Returns whether that lowers the value.
  template <class Team, class Item>
  GLS_DEVICE bool rewrite(const Team& team, int here, Item item) {
    if (here < fixed) return false;
    ends.update(team, order, length);
    draw_lots();
    Place best{now, 0, here};
#pragma unroll 1
    for (int other = fixed + team.lane(); other < length; other += Team::kLanes) {
      const int i = other < here ? other : here, j = (other < here ? here : other) + 1;
      if (other == here) continue;
      const Value value = ends.window(
          order, length, i, j, [&](int k) { return item(other, k); }, price, now, best.value);
      const Place found{value, lot(other) | 1u, other};
      if (found < best) best = found;
    }
    looks += length - fixed;
    best = team.least(best);
    if (!makes(best.value)) return false;
    overwrite(team, here, best.place, [&](int k) { return item(best.place, k); });
    now = best.value;
    ++moves;
    return true;
  }

  // Replaces the items between two places, both included, by item(k) for each place k.
  template <class Team, class Item>
  GLS_DEVICE void overwrite(const Team& team, int here, int there, Item item) {
    const int i = here < there ? here : there, j = (here < there ? there : here) + 1;
    team.each(j - i, [&](int k) { spare[k] = item(i + k); });
    team.sync();
    team.each(j - i, [&](int k) { order[i + k] = spare[k], place_of[spare[k]] = i + k; });
    ends.changed(i, length - j);
    team.sync();
  }

  // Moves an item to another place, as a move that leads to a value.
  template <class Team>
  GLS_DEVICE void move_item(const Team& team, int from, int to, Value value) {
    overwrite(team, from, to, [&](int k) {
      return k == to ? order[from] : from < to ? order[k + 1] : order[k - 1];
    });
    now = value;
    ++moves;
  }

  // Looks at up to `count` items of the queue from `at` on at the same time, and makes the best
  // move of the first item that has one. The result is that of looks one after the other.
  template <class Team>
  GLS_DEVICE Looked look_ahead(const Team& team, int at, int most) {
    constexpr int kLooks = Team::kLanes > 1 ? Team::kLanes / Ends::kSide : 1;
    const int movable = length - fixed, items = most < kLooks ? most : kLooks;
    const auto place_at = [&](int k) {
      return place_of[queue[at + k < movable ? at + k : at + k - movable]];
    };
    auto& ahead = shared_slot<Ahead<kLooks>>(team);
    Place* const found = ahead.found;
    int* const turns = ahead.turns;
    ends.update(team, order, length);
    // Lanes of a warp wait for each other, so that neighbours get items with near places.
    team.each(items, [&](int k) {
      const int place = place_at(k);
      int turn = 0;
      for (int other = 0; other < items; ++other) turn += place_at(other) < place;
      turns[turn] = k;
    });
    team.sync();
    const int side = team.lane() / Ends::kSide, lane = team.lane() % Ends::kSide;
    if (side / 2 * 2 < items) {
      const int k = turns[side < items ? side : items - 1], here = place_at(k);
      const uint32 own_salt = salt_after(k + 1);
      Place best{sequences::no_value<Value>(), ~0u, 0};
      ends.reinsertions(lane, here, fixed, price, [&](int place, Value value) {
        if (best.value < value) return;
        const Place other{value, lot_of(place, own_salt), place};
        if (other < best) best = other;
      });
      if (lane == Ends::kHolder && side < items) found[k] = best;
    }
    team.sync();
    const int first = typename Team::Squad().least(
        items, items, [&](int k) { return lower(found[k].value, now) ? k : items; });
    const int looked = first < items ? first + 1 : items;
    salt = salt_after(looked);
    looks += int64(looked) * movable;
    if (first < items) move_item(team, place_at(first), found[first].place, found[first].value);
    return {looked, first < items};
  }

  // Inserts the `count` items of `block` as a move that leads to a value.
  template <class Team>
  GLS_DEVICE bool inserted(const Team& team, int place, int count, Value value) {
    insert(team, place, count);
    now = value;
    ++moves;
    return true;
  }

  // Returns whether to make a move that leads to a value.
  GLS_DEVICE bool makes(Value value) {
    if (only_looks && value < least) least = value;
    return !only_looks && lower(value, now) && !(wanted < value);
  }

  // Returns to the `length` items of `saved`, with their value.
  template <class Team>
  GLS_DEVICE void restore(const Team& team, const int* saved, Value value) {
    const int first =
        team.least(length, length, [&](int k) { return order[k] != saved[k] ? k : length; });
    const int after = team.least(length, length, [&](int k) {
      return order[length - 1 - k] != saved[length - 1 - k] ? k : length;
    });
    team.sync();
    team.each(length, [&](int k) { order[k] = saved[k], place_of[saved[k]] = k; });
    ends.changed(first, after);
    now = value;
    team.sync();
  }
};

// The progress of a descent, so that it can go on in a later launch.
struct Descent {
  int at = -1;   // place of the next item in the queue; -1 if there is no queue yet
  int idle = 0;  // looks since the last move
};

// Lists the items that may move, in random order.
template <class Team, class Search>
GLS_DEVICE void make_queue(const Team& team, Search& search, Philox& random, int64 step) {
  const int count = search.length - search.fixed;
  team.each(count, [&](int k) { search.queue[k] = search.order[search.fixed + k]; });
  random.seek(step);
  team.sync();
  team.once([&] {
    for (int k = count - 1; k > 0; --k) {
      const int other = int(random.below(uint32(k + 1))), item = search.queue[k];
      search.queue[k] = search.queue[other], search.queue[other] = item;
    }
  });
}

// Looks at the items of a queue in turn, again and again, until a look at each of them has found no
// move; makes the first move that lowers the value. Ends when no more looks are `left`, or if the
// search is spent; returns whether the sequence is a local optimum.
struct FirstImprovement {
  template <class... Moves, class Team, class Search>
  GLS_DEVICE static bool descend(const Team& team, Search& search, Philox& random, int64 step,
                                 int64& left, Descent& progress) {
    if constexpr (sizeof...(Moves) == 0) return true;
    const int count = search.length - search.fixed;
    if (progress.at < 0) make_queue(team, search, random, step), progress.at = 0;
#pragma unroll 1
    while (progress.idle < count) {
      if (left <= 0 || search.spent(team)) return false;
      int items = 1;
      bool moved;
      if constexpr (Search::template kForesees<Moves...>) {
        const int open = count - progress.idle;
        const auto looked = search.look_ahead(team, progress.at, open < left ? open : int(left));
        items = looked.items, moved = looked.moved;
      } else {
        moved = (Moves::improve(team, search, search.queue[progress.at]) || ...);
      }
      progress.at = progress.at + items < count ? progress.at + items : progress.at + items - count;
      progress.idle = moved ? 0 : progress.idle + items;
      left -= items;
    }
    return true;
  }
};

// Makes the best move of all items, again and again.
struct BestImprovement {
  template <class... Moves, class Team, class Search>
  GLS_DEVICE static bool descend(const Team& team, Search& search, Philox&, int64, int64& left,
                                 Descent&) {
    const int count = search.length - search.fixed;
    if constexpr (sizeof...(Moves) == 0) return true;
#pragma unroll 1
    for (;; left -= count) {
      if (left <= 0 || search.spent(team)) return false;
      int best = -1;
      search.only_looks = true, search.least = search.now;
      team.each(count, [&](int k) { search.queue[k] = search.order[search.fixed + k]; });
      team.sync();
#pragma unroll 1
      for (int k = 0; k < count; ++k) {
        const auto before = search.least;
        (Moves::improve(team, search, search.queue[k]), ...);
        if (search.least < before) best = search.queue[k];
      }
      search.only_looks = false;
      if (best < 0) return true;
      search.wanted = search.least;
      const bool made = (Moves::improve(team, search, best) || ...);
      search.wanted = sequences::no_value<typename Search::Value>();
      if (!made) return true;
    }
  }
};

}  // namespace gls
