// The walks that find AB-cycles. They take edges away, and close where they meet themselves.
#pragma once

#include "tours/crossovers/ab_cycle.cuh"
#include "tours/crossovers/neighbours.cuh"
#include "tours/crossovers/number_window.cuh"
#include "tours/kernels/tour_memory.cuh"

namespace gls {

// A step depends on the one before it, so that one lane walks, and all that a step waits for is one
// read: the neighbours of a city. The city itself stands for one that is taken, or in both parents,
// and a mark for the one to which the walk went on from there.
template <class City>
struct AbWalk {
  int n;
  Neighbours<City>* a;
  Neighbours<City>* b;
  uint32* open;  // bit c: the edge of A behind city c has been in no walk yet
  City* walk;    // edge i joins cities i and i + 1, and belongs to A where i is even
  NumberWindow random;
  int length = 0;

  template <class Memory>
  GLS_DEVICE AbWalk(int n, const Philox& stream, int64 step, Memory& memory)
      : n(n),
        a(memory.template take<Neighbours<City>>(n)),
        b(memory.template take<Neighbours<City>>(n)),
        open(memory.template take<uint32>(words(n))),
        walk(memory.template take<City>(kMostEdges + 1)),
        random(stream, step, memory) {}

  GLS_DEVICE static int64 bytes(int n) {
    return 2 * piece_bytes<Neighbours<City>>(n) + piece_bytes<uint32>(words(n)) +
           piece_bytes<City>(kMostEdges + 1) + NumberWindow::bytes();
  }

  // Finds cycles of parents A and B until there are `most`, or no edge is left. A walk goes on from
  // where a cycle has been found; one that becomes too long is left, its edges lost.
  template <class Team>
  GLS_DEVICE void find(const Team& team, const int* first, const int* second, int most,
                       AbCycles<City>& found) {
    begin(team, first, second);
    found.clear(team, n);
    Pause& pause = shared_slot<Pause>(team);
    int from = random.below(team, n);
#pragma unroll 1
    while (found.count < most) {
      random.fill(team);
      if (length == 0 && !start(team, from)) return;
      team.once([&] { pause = go_on(); });
      const int met = pause.met, end = pause.length;
      random.used = pause.used;
      length = end;
      if (met == kNowhere) continue;
      if (met >= 0) found.append(team, end - met, met % 2, [&](int i) { return walk[met + i]; });
      length = met > 0 ? met : 0;
      forget(team, length, end);
      if (length == 0) from = random.below(team, n);
    }
  }

 private:
  static constexpr int kLost = -1;     // no edge leads on, or there are too many
  static constexpr int kNowhere = -2;  // it needs more random numbers

  // Where a walk pauses: which of its cities it has met again, or why it has not; its edges; and
  // how many random numbers are used.
  struct Pause {
    int met, length, used;
  };

  GLS_DEVICE static int words(int n) { return (n + 31) / 32; }

  // What stands for the edge by which the walk left its city i, and which city such a mark is of:
  // kMostEdges or more where it is none.
  GLS_DEVICE static City mark(int i) { return City(-1 - i); }
  GLS_DEVICE static uint32 marked(City way) { return uint32(City(-1)) - uint32(way); }

  // Notes the parents, and all edges that only one of them has.
  template <class Team>
  GLS_DEVICE void begin(const Team& team, const int* first, const int* second) {
    note_neighbours(team, n, first, a);
    note_neighbours(team, n, second, b);
    team.each(words(n), [&](int word) { open[word] = 0; });
    team.sync();
    team.each(n, [&](int city) {
      const Neighbours<City> of_a = a[city], of_b = b[city];
      a[city] = of_a.without(of_b, city);
      b[city] = of_b.without(of_a, city);
      if (!of_b.has(int(of_a.after))) team.set_bit(open, city);
    });
    team.sync();
  }

  // Starts a walk at the first city from a given one on that has an open edge of A behind it.
  template <class Team>
  GLS_DEVICE bool start(const Team& team, int from) {
    const int city = first_open(team, from);
    if (city == kLost) return false;
    team.once([&] { walk[0] = City(city); });
    return true;
  }

  // Walks until a cycle is closed, no edge leads on or no random number is left. One lane calls it.
  GLS_DEVICE Pause go_on() const {
    int city = int(walk[length]), at = length, used = random.used;
    Neighbours<City>*here = at % 2 == 0 ? a : b, *there = at % 2 == 0 ? b : a;
    Neighbours<City> ways = here[city];
    uint32 number = random.numbers[used];
#pragma unroll 1
    while (true) {
      const uint32 b_met = marked(ways.before), a_met = marked(ways.after);
      const uint32 met = b_met < a_met ? b_met : a_met;
      const bool before = int(ways.before) != city, behind = int(ways.after) != city;
      const bool both = before && behind, turn = both ? (number & 1) != 0 : behind;
      const int next = int(turn ? ways.after : ways.before);
      const bool closed = met < uint32(kMostEdges), ends = at >= kMostEdges || next == city;
      // A branch takes as long as all of this, so that there is one.
      if (closed | ends | (used >= NumberWindow::kNumbers)) {
        const bool lost = at >= kMostEdges || used < NumberWindow::kNumbers;
        return {closed ? int(met) : lost ? kLost : kNowhere, at, used};
      }
      ways = there[next];  // on their way while the rest is done
      used += both;
      number = random.numbers[uint32(used) % NumberWindow::kNumbers];
      *(turn ? &here[city].after : &here[city].before) = mark(at);
      *(turn ? &here[next].before : &here[next].after) = City(next);
      walk[++at] = City(next);
      city = next;
      Neighbours<City>* const left = here;
      here = there;
      there = left;
    }
  }

  // Forgets where the walk was, but for its first cities: what was left from there is taken.
  template <class Team>
  GLS_DEVICE void forget(const Team& team, int first, int end) {
    team.each(end - first, [&](int k) {
      const int i = first + k, city = int(walk[i]);
      Neighbours<City>& ways = (i % 2 == 0 ? a : b)[city];
      const bool turn = ways.after == mark(i);
      *(turn ? &ways.after : &ways.before) = City(city);
      if (i % 2 == 0) team.clear_bit(open, turn ? city : int(walk[i + 1]));
    });
    team.sync();
  }

  // The first city from a given one on, in the order of their numbers, with an open edge of A
  // behind it.
  template <class Team>
  GLS_DEVICE int first_open(const Team& team, int from) const {
    constexpr uint32 kNone = ~0u;
    const int count = words(n), skipped = from / 32;
#pragma unroll 1
    for (int base = 0; base <= count; base += Team::kLanes) {
      const int turn = base + team.lane();
      uint32 found = kNone;
      if (turn <= count) {
        const int word = (skipped + turn) % count;
        uint32 bits = open[word];
        if (turn == 0) bits &= ~0u << from % 32;
        if (bits != 0) found = uint32(turn * 32 + lowest_bit(bits));
      }
      found = team.least(found);
      if (found != kNone) return (skipped + int(found / 32)) % count * 32 + int(found % 32);
    }
    return kLost;
  }
};

}  // namespace gls
