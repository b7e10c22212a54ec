// The walks that find AB-cycles. They take edges away, and close where they meet themselves.
#pragma once

#include "include/philox.cuh"
#include "recombination/ab_cycle.cuh"
#include "recombination/neighbours.cuh"
#include "tours/tour_memory.cuh"

namespace gls {

// A step depends on the one before it, so that one lane walks, and what it reads is close by: the
// neighbours of a city, of which itself stands for one that is taken, or in both parents; and where
// the walk was at it, which is hashed.
template <class City>
struct AbWalk {
  int n;
  Neighbours<City>* a;
  Neighbours<City>* b;
  uint32* open;   // bit c: the edge of A behind city c is in no walk yet
  City* walk;     // edge i joins cities i and i + 1, and belongs to A where i is even
  City* earlier;  // entry i + 1 of city i of the walk: the entry before it in its list, or 0
  City* latest;   // last entry of a list
  int length = 0;

  template <class Memory>
  GLS_DEVICE AbWalk(int n, Memory& memory)
      : n(n),
        a(memory.template take<Neighbours<City>>(n)),
        b(memory.template take<Neighbours<City>>(n)),
        open(memory.template take<uint32>(words(n))),
        walk(memory.template take<City>(kMostEdges + 1)),
        earlier(memory.template take<City>(kMostEdges + 2)),
        latest(memory.template take<City>(kLists)) {}

  GLS_DEVICE static int64 bytes(int n) {
    return 2 * piece_bytes<Neighbours<City>>(n) + piece_bytes<uint32>(words(n)) +
           piece_bytes<City>(kMostEdges + 1) + piece_bytes<City>(kMostEdges + 2) +
           piece_bytes<City>(kLists);
  }

  // Finds cycles of parents A and B until there are `most`, or no edge is left. A walk goes on from
  // where a cycle has been found; one that becomes too long is left, its edges lost.
  template <class Team>
  GLS_DEVICE void find(const Team& team, const int* first, const int* second, int most,
                       Philox& random, AbCycles<City>& found) {
    begin(team, first, second);
    found.clear(team, n);
    Ended& ended = shared_slot<Ended>(team);
    int from = int(random.below(n));
#pragma unroll 1
    while (found.count < most) {
      if (length == 0 && !start(team, from)) return;
      team.once([&] { ended = go_on(random); });
      const int met = ended.met, end = ended.length;
      from = ended.from;
      if (met >= 0) found.append(team, end - met, met % 2, [&](int i) { return walk[met + i]; });
      length = met > 0 ? met : 0;
      forget(team, length > 0 ? length + 1 : 0, end + 1);
    }
  }

 private:
  static constexpr uint32 kNowhere = ~0u;
  static constexpr int kNone = -1;
  static constexpr int kLists = 256;

  // How a walk has ended: its edges, where it was at its last city before, and where to start
  // another one.
  struct Ended {
    int met, length, from;
  };

  GLS_DEVICE static int words(int n) { return (n + 31) / 32; }
  GLS_DEVICE static int list_of(int city, int parity) {
    return int(uint32(2 * city + parity) * 0x9E3779B1u >> 24);
  }

  // Notes the parents, and all edges that only one of them has.
  template <class Team>
  GLS_DEVICE void begin(const Team& team, const int* first, const int* second) {
    note_neighbours(team, n, first, a);
    note_neighbours(team, n, second, b);
    team.each(words(n), [&](int word) { open[word] = 0; });
    team.each(kLists, [&](int list) { latest[list] = 0; });
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
    const uint32 city = first_open(team, from);
    if (city == kNowhere) return false;
    team.once([&] {
      walk[0] = City(city);
      const int list = list_of(int(city), 0);
      enter(0, list, int(latest[list]));
    });
    return true;
  }

  // Puts city i of the walk before the entry that has been the last one of its list.
  GLS_DEVICE void enter(int i, int list, int entry) {
    earlier[i + 1] = City(entry);
    latest[list] = City(i + 1);
  }

  // Walks until a cycle is closed, or no edge leads on. One lane calls it.
  GLS_DEVICE Ended go_on(Philox& random) {
    int city = int(walk[length]), at = length, met = kNone;
    Neighbours<City> ways = (at % 2 == 0 ? a : b)[city];
#pragma unroll 1
    while (met == kNone && at < kMostEdges) {
      const bool of_a = at % 2 == 0, turn = chosen(ways, city, random);
      const int next = int(turn ? ways.after : ways.before);
      if (next == city) break;      // what was lost is missing
      ways = (of_a ? b : a)[next];  // on their way while the rest is done
      ++at;
      const int list = list_of(next, at % 2), entry = int(latest[list]);
      take(of_a ? a : b, city, next, turn);
      if (of_a) clear_bit(turn ? city : next);
      met = visited(entry, at % 2, next);
      walk[at] = City(next);
      enter(at, list, entry);
      city = next;
    }
    return {met, at, met > 0 ? 0 : int(random.below(n))};
  }

  // Which open edge of a city is taken: that behind it, or else that before it.
  GLS_DEVICE static bool chosen(const Neighbours<City>& ways, int city, Philox& random) {
    const bool behind = int(ways.after) != city;
    return behind && int(ways.before) != city ? random.next() & 1 : behind;
  }

  // Takes the edge from a city to the next one away from a parent; it lies behind the city at a
  // `turn`.
  GLS_DEVICE static void take(Neighbours<City>* parent, int city, int next, bool turn) {
    *(turn ? &parent[city].after : &parent[city].before) = City(city);
    *(turn ? &parent[next].before : &parent[next].after) = City(next);
  }

  GLS_DEVICE void clear_bit(int city) {
    const uint32 others = ~(1u << city % 32);
#ifdef __CUDACC__
    atomicAnd(&open[city / 32], others);  // for which nobody waits
#else
    open[city / 32] &= others;
#endif
  }

  // Where the walk was at a city in the same way, on its side of an edge of A: in a list from its
  // last entry on.
  GLS_DEVICE int visited(int entry, int parity, int city) const {
    while (entry != 0) {
      const int i = entry - 1;
      if (int(walk[i]) == city && i % 2 == parity) return i;
      entry = int(earlier[entry]);
    }
    return kNone;
  }

  // Takes the walk's cities i out of their lists where `begin` <= i < `end`.
  template <class Team>
  GLS_DEVICE void forget(const Team& team, int begin, int end) {
    team.each(end - begin, [&](int k) {
      const int i = begin + k, older = int(earlier[i + 1]);
      if (older <= begin) latest[list_of(int(walk[i]), i % 2)] = City(older);
    });
    team.sync();
  }

  // The first city from a given one on, in the order of their numbers, with an open edge of A
  // behind it.
  template <class Team>
  GLS_DEVICE uint32 first_open(const Team& team, int from) const {
    const int count = words(n), skipped = from / 32;
#pragma unroll 1
    for (int base = 0; base <= count; base += Team::kLanes) {
      const int turn = base + team.lane();
      uint32 found = kNowhere;
      if (turn <= count) {
        const int word = (skipped + turn) % count;
        uint32 bits = open[word];
        if (turn == 0) bits &= ~0u << from % 32;
        if (bits != 0) found = uint32(turn * 32 + lowest_bit(bits));
      }
      found = team.least(found);
      if (found != kNowhere) return (skipped + found / 32) % count * 32 + found % 32;
    }
    return kNowhere;
  }
};

}  // namespace gls
