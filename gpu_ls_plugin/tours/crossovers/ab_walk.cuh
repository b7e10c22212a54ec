// Walks that find AB-cycles. A walk takes edges of parents A and B in turn and removes them. When
// it meets itself, it has closed a cycle.
#pragma once

#include "backends/include/philox.cuh"
#include "tours/crossovers/ab_cycle.cuh"
#include "tours/crossovers/neighbours.cuh"
#include "tours/kernels/tour_memory.cuh"

namespace gls {

// A window of a stream of random numbers; all lanes of a team draw its numbers in parallel.
struct NumberWindow {
  static constexpr int kNumbers = 128;

  uint32* numbers;
  Philox stream;
  int64 step;           // where the next window begins in the stream, in steps of four numbers
  int used = kNumbers;  // how many numbers of this window have been used

  template <class Memory>
  GLS_DEVICE NumberWindow(const Philox& stream, int64 step, Memory& memory)
      : numbers(memory.template take<uint32>(kNumbers)), stream(stream), step(step) {}

  GLS_DEVICE static int64 bytes() { return piece_bytes<uint32>(kNumbers); }

  // Draws the next window if all numbers are used.
  template <class Team>
  GLS_DEVICE void fill(const Team& team) {
    if (used < kNumbers) return;
    team.sync();  // all lanes have read the old numbers
    team.each(kNumbers / 4, [&](int block) {
      Philox own = stream;
      own.four(step + block, numbers + 4 * block);
    });
    step += kNumbers / 4;
    used = 0;
    team.sync();
  }

  // Returns a random number below `bound`, the same in all lanes.
  template <class Team>
  GLS_DEVICE int below(const Team& team, int bound) {
    fill(team);
    return int(multiply_high(numbers[used++], uint32(bound)));
  }
};

// Each step depends on the previous one, so a single lane walks. A step waits for only one read,
// that of a city's neighbours. If the edge to a neighbour has been taken or is common to both
// parents, the city itself is stored instead of the neighbour. When the walk leaves a city, a mark
// replaces the neighbour to which it goes.
template <class City>
struct AbWalk {
  int n;
  Neighbours<City>* a;
  Neighbours<City>* b;
  uint32* open;  // bit c: no walk has taken the edge of A from city c to its successor yet
  City* walk;    // edge i joins walk[i] and walk[i + 1] and belongs to A if i is even
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

  // Finds cycles of the parents `first` (A) and `second` (B) until it has `most` cycles or no edge
  // is left. After a cycle, the walk continues from the city where the cycle closed. A walk that
  // becomes too long is given up, and its edges are lost.
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
  static constexpr int kLost = -1;     // there is no next edge, or the walk is too long
  static constexpr int kNowhere = -2;  // more random numbers are needed

  // The state of a paused walk: the index in `walk` of the city that it met again, or kLost or
  // kNowhere; the number of edges of the walk; and how many random numbers have been used.
  struct Pause {
    int met, length, used;
  };

  GLS_DEVICE static int words(int n) { return (n + 31) / 32; }

  // `mark` returns the mark of the edge along which the walk left walk[i]. `marked` returns the
  // index i if `way` is such a mark; if `way` is a city, it returns a number that is at least
  // kMostEdges.
  GLS_DEVICE static City mark(int i) { return City(-1 - i); }
  GLS_DEVICE static uint32 marked(City way) { return uint32(City(-1)) - uint32(way); }

  // Stores in `a` and `b` the edges of each parent that the other parent lacks.
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

  // Starts a walk at the first city with an open edge of A, searching from `from` on. Returns false
  // if no edge of A is open.
  template <class Team>
  GLS_DEVICE bool start(const Team& team, int from) {
    const int city = first_open(team, from);
    if (city == kLost) return false;
    team.once([&] { walk[0] = City(city); });
    return true;
  }

  // Walks until a cycle closes, there is no next edge or no random number is left. Called by one
  // lane.
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
      // A branch takes as long as the rest of a step, so there is only this one.
      if (closed | ends | (used >= NumberWindow::kNumbers)) {
        const bool lost = at >= kMostEdges || used < NumberWindow::kNumbers;
        return {closed ? int(met) : lost ? kLost : kNowhere, at, used};
      }
      ways = there[next];  // loads early, to overlap with the rest
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

  // Keeps only the first `first` of the walk's `end` edges; removes the others from the parents.
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

  // Returns the first city with an open edge of A, in cyclic order from `from` on; kLost if no edge
  // of A is open.
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
