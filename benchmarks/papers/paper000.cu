// The local search that Schulz tunes (Efficient local search on the GPU, 2011, section 6), written
// from its description. One source with a macro for each choice, so that a variant is a set of
// numbers (paper000_ablation.py); it compiles for the GPU and, one thread after the other, for
// the CPU.
//
//   EDGES     2 or 3: edges that a move replaces; of 3-opt the four ways that 2-opt lacks
//   LEVELS    0 to 2: levels of stretches above the first one
//   INDEX     1 to 4: where a stretch lies among those of its part (`Level::entry`)
//   LAYOUT    0 array of structures, 1 structure of arrays
//   ALIGN     bytes to which a structure is padded; 4 or 8 pads nothing
//   HELD      pieces of a tour: 0 in local memory, 1 in registers (both before they are joined),
//             2 made when they are needed (the paper's kernel mode one)
//   SIZES     sizes of levels in 0 global memory, 1 shared memory, 2 parameters of the kernel
//   SHIFT     1 if parts have a power of two of edges, and shifts replace divisions
//   MAPPING   thread to move; 2-opt: 0 the root of formula (1), 1 cut triangle, 2 grid of pairs;
//             3-opt: 0 table, 1 Newton's method, 2 Newton's method from a cube root
//   ORDER     ways of 3-opt: 0 one after the other for each triple, 1 all triples of a way at once
//   SINK      0 change and feasibility of each move are stored and reduced later, 1 reduced at once
//   GROUPS    0 a kernel for each resource, 1 two of two resources, 2 one of all
//   Value     type of lengths and loads; lengths are rounded, so that both types give the same
#ifdef __CUDACC__
#define DEVICE __device__ __forceinline__
#else
#include <cmath>
#define DEVICE inline
#define __global__
#define __shared__ static
static struct {
  unsigned x, y, z;
} threadIdx, blockIdx, blockDim, gridDim;
inline void __syncthreads() {}
inline void atomicAdd(unsigned long long* sum, unsigned long long one) { *sum += one; }
#endif

typedef unsigned long long Key;  // change + 2^25, x, y, z and way: 26, 12, 12, 12 and 2 bits
const Key kNone = ~Key(0);
const int kPieces = EDGES + 1;

struct Site {  // a node at its position in the tour
  float x, y;
  int demand, service;  // a depot has demand -1
};

// Nodes are numbered along the level; a part is `part` edges and shares its last node with the next
// one. The last level is one part.
struct Level {
  int nodes, part, shift, first, size, starts;  // first entry; entries of a part; first start

  DEVICE int over(int a) const { return SHIFT ? a >> shift : a / part; }
  DEVICE int times(int a) const { return SHIFT ? a << shift : a * part; }
  DEVICE int end(int p) const { return min_of(part, nodes - 1 - p * part); }
  DEVICE static int min_of(int a, int b) { return a < b ? a : b; }

  // The entry of the stretch a..b of nodes of a part, or of b..a if `back`. INDEX 4 has rows of
  // one length; the others have triangles, whose rows begin where a table says.
  DEVICE int entry(const int* table, int p, int a, int b, int back) const {
    const int width = part + 1, base = first + p * size;
    if (INDEX == 4) return base + a * 2 * width + 2 * (b - a) + back;
    if (INDEX == 3) return base + 2 * (table[starts + a] + b - a) + back;
    const int half = base + back * (size / 2);
    if (INDEX == 2) return half + table[starts + a] + b - a;
    if (a == 0) return half + b;  // stretches at either end of the part lie together
    if (b == part) return half + width + a;
    return half + 2 * width + table[starts + a] + b - a;
  }
};

struct Batch {
  Level levels[3];
  const Level* level_memory;  // the same in global memory
  const int* starts;
  void* memory[4];  // stretches, by group of resources
  int entries;      // of each group
  int n;            // edges; positions 0 and n are the same depot
  Site *sites, *next_sites;
  int *order, *next_order;
  const unsigned short* table;  // (triples, 4): x, y, z and nothing
  Value* change;                // of each move
  unsigned char* feasible;
  Key *best, *found;
  Key* counts;  // 16: moves by what they are (`count`)
  long long moves;
  int capacity, route_limit, vehicles, length;
};

// ---- Resources along edges ----------------------------------------------------------------------

DEVICE int distance(const Site& a, const Site& b) {
  const double x = double(a.x) - b.x, y = double(a.y) - b.y;
  return int(sqrt(x * x + y * y) + 0.5);
}

struct Cost {
  Value length;

  DEVICE static Cost none() { return {0}; }
  DEVICE static Cost edge(const Site&, const Site&, int length) { return {Value(length)}; }
  DEVICE static Cost joined(const Cost& a, const Cost& b, const Batch&) {
    return {a.length + b.length};
  }
  DEVICE bool fits(const Batch&) const { return true; }
  DEVICE Value change(const Batch& b) const { return length - b.length; }
};

// Load (kind 0) or duration (kind 1) before the first depot of a stretch and after its last one.
template <int kind>
struct Bounded {
  Value head, tail;
  int flags;  // 1: has a depot behind its first node; 2: a route within is over the limit

  DEVICE static Value limit(const Batch& b) { return kind == 0 ? b.capacity : b.route_limit; }
  DEVICE static Bounded none() { return {0, 0, 0}; }
  DEVICE static Bounded edge(const Site&, const Site& to, int length) {
    const bool depot = to.demand < 0;
    const Value more = kind == 1 ? length + to.service : depot ? 0 : to.demand;
    return {more, depot ? Value(0) : more, depot};
  }
  DEVICE static Bounded joined(const Bounded& a, const Bounded& b, const Batch& batch) {
    const bool closed = a.flags & b.flags & 1 && a.tail + b.head > limit(batch);
    return {a.flags & 1 ? a.head : a.head + b.head, b.flags & 1 ? b.tail : a.tail + b.tail,
            a.flags | b.flags | (closed ? 2 : 0)};
  }
  DEVICE bool fits(const Batch& b) const {
    return !(flags & 2) && head <= limit(b) && tail <= limit(b);
  }
  DEVICE Value change(const Batch&) const { return 0; }
};

struct Vehicles {
  int routes;  // with customers, between depots of the stretch
  int flags;   // 1: has a depot; 2, 4: has customers before its first depot, after its last one

  DEVICE static Vehicles none() { return {0, 0}; }
  DEVICE static Vehicles edge(const Site&, const Site& to, int) {
    return {0, to.demand < 0 ? 1 : 6};
  }
  DEVICE static Vehicles joined(const Vehicles& a, const Vehicles& b, const Batch&) {
    const int head = a.flags & 1 ? a.flags & 2 : (a.flags | b.flags) & 2;
    const int tail = b.flags & 1 ? b.flags & 4 : (a.flags | b.flags) & 4;
    const bool route = a.flags & b.flags & 1 && ((a.flags & 4) || (b.flags & 2));
    return {a.routes + b.routes + route, ((a.flags | b.flags) & 1) | head | tail};
  }
  DEVICE bool fits(const Batch& b) const {
    return routes + (flags >> 1 & 1) + (flags >> 2 & 1) <= b.vehicles;
  }
  DEVICE Value change(const Batch&) const { return 0; }
};

typedef Bounded<0> Load;
typedef Bounded<1> Duration;

template <class... Resources>
struct alignas(ALIGN) Stretch : Resources... {
  DEVICE static Stretch none() {
    Stretch made;
    ((static_cast<Resources&>(made) = Resources::none()), ...);
    return made;
  }
  DEVICE static Stretch edge(const Site& a, const Site& b) {
    Stretch made;
    const int length = distance(a, b);
    ((static_cast<Resources&>(made) = Resources::edge(a, b, length)), ...);
    return made;
  }
  DEVICE Stretch then(const Stretch& b, const Batch& batch) const {
    Stretch made;
    ((static_cast<Resources&>(made) = Resources::joined(*this, b, batch)), ...);
    return made;
  }
  DEVICE bool fits(const Batch& batch) const { return (Resources::fits(batch) && ...); }
  DEVICE Value change(const Batch& batch) const { return (Resources::change(batch) + ...); }
};

// ---- Stretches of the tour, computed ahead ------------------------------------------------------

template <class S, int group>
struct Stretches {
  static constexpr int kWords = sizeof(S) / 4;
  const Batch& batch;
  const Level* levels;

  DEVICE S load(const Level& level, int p, int a, int b, int back) const {
    const int entry = level.entry(batch.starts, p, a, b, back);
    if constexpr (!LAYOUT) return static_cast<const S*>(batch.memory[group])[entry];
    S made;
#pragma unroll
    for (int k = 0; k < kWords; ++k) {
      words(made)[k] = static_cast<const int*>(batch.memory[group])[k * batch.entries + entry];
    }
    return made;
  }
  DEVICE void store(const Level& level, int p, int a, int b, int back, S& made) const {
    const int entry = level.entry(batch.starts, p, a, b, back);
    if (!LAYOUT) {
      static_cast<S*>(batch.memory[group])[entry] = made;
      return;
    }
#pragma unroll
    for (int k = 0; k < kWords; ++k) {
      static_cast<int*>(batch.memory[group])[k * batch.entries + entry] = words(made)[k];
    }
  }
  typedef int __attribute__((may_alias)) Word;
  DEVICE static Word* words(S& made) { return reinterpret_cast<Word*>(&made); }

  // The stretch between nodes a <= b of a level, from a to b, or from b to a if `back`.
  template <int at>
  DEVICE S path(int a, int b, int back) const {
    const Level& level = levels[at];
    if constexpr (at == LEVELS) {
      return load(level, 0, a, b, back);
    } else {
      const int first = level.over(a + level.part - 1), last = level.over(b);
      if (first > last)
        return load(level, last, a - level.times(last), b - level.times(last), back);
      S left = S::none(), middle = S::none(), right = S::none();
      if (level.times(first) != a) {
        left = load(level, first - 1, a - level.times(first - 1), level.part, back);
      }
      if (first < last) middle = path<at + 1>(first, last, back);
      if (level.times(last) != b) right = load(level, last, 0, b - level.times(last), back);
      return (back ? right : left).then(middle, batch).then(back ? left : right, batch);
    }
  }
  DEVICE S path(int from, int to) const {
    return from <= to ? path<0>(from, to, 0) : path<0>(to, from, 1);
  }

  // The edge or, above level 0, the whole part between neighbouring nodes a and a + 1 of a level.
  template <int at>
  DEVICE S unit(int a, int back) const {
    if constexpr (at == 0) {
      return S::edge(batch.sites[a + back], batch.sites[a + 1 - back]);
    } else {
      return load(batch.levels[at - 1], a, 0, batch.levels[at - 1].end(a), back);
    }
  }
};

// A thread makes all stretches of a part from one node on in one sense.
template <int group, int at, class S>
DEVICE void build(const Batch& batch) {
  const Level& level = batch.levels[at];
  const Stretches<S, group> kept{batch, batch.levels};
  const int i = blockIdx.x * blockDim.x + threadIdx.x, width = level.part + 1;
  if (i == 0) *batch.best = kNone;
  const int back = i & 1, p = i / 2 / width, v = i / 2 % width;
  if (p * level.part >= level.nodes - 1 || v > level.end(p)) return;
  const int base = p * level.part;
  S made = S::none();
  kept.store(level, p, v, v, back, made);
  if (!back) {
    for (int b = v + 1; b <= level.end(p); ++b) {
      made = made.then(kept.template unit<at>(base + b - 1, 0), batch);
      kept.store(level, p, v, b, 0, made);
    }
  } else {
    for (int a = v - 1; a >= 0; --a) {
      made = made.then(kept.template unit<at>(base + a, 1), batch);
      kept.store(level, p, a, v, 1, made);
    }
  }
}

// ---- Moves --------------------------------------------------------------------------------------

struct Move {
  int x, y, z, way;  // removed edges x < y < z, each named by its first position

  DEVICE Key key(Value change) const {
    const Key places = (Key(x) << 24 | Key(y) << 12 | Key(z)) << 2 | Key(way);
    return Key((long long)change + (1 << 25)) << 38 | places;
  }
  // Piece k of the old tour, as it is passed through in the new one, and its rank there.
  DEVICE int from(int k) const {
    if (k == 0) return 0;
    if (k == 1) return turned(1) ? y : x + 1;
    return EDGES == 3 && k == 2 ? (turned(2) ? z : y + 1) : (EDGES == 3 ? z : y) + 1;
  }
  DEVICE int to(int k, int n) const {
    if (k == 0) return x;
    if (k == 1) return turned(1) ? x + 1 : y;
    return EDGES == 3 && k == 2 ? (turned(2) ? y + 1 : z) : n;
  }
  // Ways of 3-opt: C B, C' B, C B' and B' C' between A and D, where ' means turned.
  DEVICE bool turned(int k) const { return EDGES == 2 || way == 3 || way == 3 - k; }
  DEVICE int at(int rank) const {
    return EDGES == 3 && way != 3 && (rank == 1 || rank == 2) ? 3 - rank : rank;
  }
};

DEVICE long long pairs(long long m) { return m * (m - 1) / 2; }
DEVICE long long triples(long long m) { return m * (m - 1) * (m - 2) / 6; }

DEVICE int of_pairs(long long rest) {  // the largest m with pairs(m) <= rest
  int m = int((sqrt(8.0 * double(rest) + 1.0) + 1.0) / 2.0);
  while (pairs(m) > rest) --m;
  while (pairs(m + 1) <= rest) ++m;
  return m;
}

// The triple of number i, in lexicographic order: i from the end is triples(a) + pairs(b) + c.
// Newton's method finds the root of t^3 - t = 6 i, where t = a - 1.
DEVICE Move decoded_triple(long long i, int n) {
  long long rest = triples(n) - 1 - i;
  double t = MAPPING == 2 ? cbrt(6.0 * double(rest)) + 1.0 : double(n), step;
  do {
    step = (t * t * t - t - 6.0 * double(rest)) / (3.0 * t * t - 1.0);
    t -= step;
  } while (step > 0.01);
  int a = int(t) + 1;
  while (triples(a) > rest) --a;
  while (triples(a + 1) <= rest) ++a;
  rest -= triples(a);
  const int b = of_pairs(rest);
  return {n - 1 - a, n - 1 - b, n - 1 - int(rest - pairs(b)), 0};
}

DEVICE Move decoded(const Batch& batch, long long i) {
  const int n = batch.n;
  if (EDGES == 3) {
    const long long all = batch.moves / 4, triple = ORDER ? i % all : i / 4;
    Move move;
    if (MAPPING == 0) {
      const unsigned short* const row = batch.table + 4 * triple;
      move = {row[0], row[1], row[2], 0};
    } else {
      move = decoded_triple(triple, n);
    }
    move.way = int(ORDER ? i / all : i % 4);
    return move;
  }
  if (MAPPING == 0) {
    const int x = n - 2 - int((sqrt(8.0 * double(pairs(n)) - 8.0 * double(i) - 7.0) - 1.0) / 2.0);
    return {x, int(1 + i - (long long)x * (n - 1) + (long long)x * (x + 1) / 2), 0, 0};
  }
  if (MAPPING == 2)
    return {int(unsigned(i) / n), int(unsigned(i) % n), 0, 0};  // exists where x < y
  // Rows r and n - 1 - r of the triangle, or r and n - 2 - r if n is odd, are one of the rectangle.
  const int odd = n & 1, columns = n - 1 + odd, r = int(unsigned(i) / unsigned(columns));
  const int c = int(i) - r * columns, row = n - 1 - r;
  return c < row ? Move{r, r + 1 + c, 0, 0} : Move{row - odd, row - odd + 1 + c - row, 0, 0};
}

// ---- Evaluation ---------------------------------------------------------------------------------

template <class S, int group>
DEVICE S whole(const Batch& batch, const Move& move, const Level* levels) {
  const Stretches<S, group> kept{batch, levels};
  const auto step = [&](S& tour, const S& piece, int last, int first) {
    const S edge = S::edge(batch.sites[last], batch.sites[first]);
    tour = tour.then(edge, batch).then(piece, batch);
  };
  const int n = batch.n;
  S tour;
  if (HELD == 0) {  // subscripts that are not constants: local memory
    S pieces[kPieces];
    int ranks[kPieces];
#pragma unroll 1
    for (int k = 0; k < kPieces; ++k) {
      pieces[k] = kept.path(move.from(k), move.to(k, n));
      ranks[k] = move.at(k);
    }
    tour = pieces[0];
#pragma unroll 1
    for (int k = 1; k < kPieces; ++k) {
      step(tour, pieces[ranks[k]], move.to(ranks[k - 1], n), move.from(ranks[k]));
    }
  } else if (HELD == 1) {
    S pieces[kPieces];
#pragma unroll
    for (int k = 0; k < kPieces; ++k) pieces[k] = kept.path(move.from(k), move.to(k, n));
    tour = pieces[0];
    if (move.at(1) != 1) {
      const S kept_second = pieces[1];
      pieces[1] = pieces[kPieces - 2];
      pieces[kPieces - 2] = kept_second;
    }
#pragma unroll
    for (int k = 1; k < kPieces; ++k) {
      step(tour, pieces[k], move.to(move.at(k - 1), n), move.from(move.at(k)));
    }
  } else {
    tour = kept.path(0, move.x);
#pragma unroll
    for (int k = 1; k < kPieces; ++k) {
      const int now = move.at(k), from = move.from(now);
      step(tour, kept.path(from, move.to(now, n)), move.to(move.at(k - 1), n), from);
    }
  }
  return tour;
}

DEVICE void note(const Batch& batch, Key key) {
#ifdef __CUDACC__
  for (int aside = 16; aside > 0; aside /= 2) {
    const Key other = __shfl_xor_sync(~0u, key, aside);
    if (other < key) key = other;
  }
  if ((threadIdx.x & 31) == 0 && key < *(volatile Key*)batch.best) atomicMin(batch.best, key);
#else
  if (key < *batch.best) *batch.best = key;
#endif
}

DEVICE long long thread_number() { return (long long)blockIdx.x * blockDim.x + threadIdx.x; }

DEVICE bool exists(const Batch& batch, long long i, const Move& move) {
  return i < batch.moves && (EDGES == 3 || MAPPING != 2 || move.x < move.y);
}

template <int group, class S>
DEVICE void evaluate(const Batch& batch) {
  __shared__ Level shared[3];
  const Level* levels = SIZES == 2 ? batch.levels : batch.level_memory;
  if (SIZES == 1) {
    for (int k = threadIdx.x; k <= LEVELS; k += blockDim.x) shared[k] = levels[k];
    __syncthreads();
    levels = shared;
  }
  const long long i = thread_number();
  const Move move = i < batch.moves ? decoded(batch, i) : Move{0, 0, 0, 0};
  Key key = kNone;
  if (exists(batch, i, move)) {
    const S tour = whole<S, group>(batch, move, levels);
    const Value change = tour.change(batch);
    if (SINK) {
      if (change < 0 && tour.fits(batch)) key = move.key(change);
    } else {
      if (change != 0) batch.change[i] += change;
      if (!tour.fits(batch)) batch.feasible[i] = 0;
    }
  }
  if (SINK) note(batch, key);
}

#define KERNEL(name, call) \
  extern "C" __global__ void name(const Batch batch) { call(batch); }
#define KERNELS(name, group, ...)                                     \
  typedef Stretch<__VA_ARGS__> name##_stretch;                        \
  static_assert(sizeof(name##_stretch) == 4 * name##_words, "words"); \
  KERNEL(name, (evaluate<group, name##_stretch>))                     \
  KERNEL(name##_0, (build<group, 0, name##_stretch>))                 \
  KERNEL(name##_1, (build < group, LEVELS ? 1 : 0, name##_stretch >)) \
  KERNEL(name##_2, (build<group, LEVELS, name##_stretch>))

#if GROUPS == 0
KERNELS(load, 0, Load)
KERNELS(cost, 1, Cost)
KERNELS(vehicles, 2, Vehicles)
KERNELS(duration, 3, Duration)
#elif GROUPS == 1
KERNELS(load_vehicles, 0, Load, Vehicles)
KERNELS(cost_duration, 1, Cost, Duration)
#else
KERNELS(all, 0, Cost, Load, Duration, Vehicles)

// Counts moves by whether they make the tour shorter (1), exceed the capacity (2), the route limit
// (4) or the number of vehicles (8).
extern "C" __global__ void count(const Batch batch) {
  const long long i = thread_number();
  if (i >= batch.moves) return;
  const Move move = decoded(batch, i);
  if (!exists(batch, i, move)) return;
  typedef Stretch<Cost, Load, Duration, Vehicles> All;
  const All tour = whole<All, 0>(batch, move, batch.level_memory);
  const int kind = (tour.length < batch.length) | !tour.Load::fits(batch) << 1 |
                   !tour.Duration::fits(batch) << 2 | !tour.Vehicles::fits(batch) << 3;
  atomicAdd(batch.counts + kind, 1ULL);
}
#endif

extern "C" __global__ void clear(const Batch batch) {
  const long long i = thread_number();
  if (i >= batch.moves) return;
  batch.change[i] = 0;
  batch.feasible[i] = 1;
}

extern "C" __global__ void reduce(const Batch batch) {
  const long long i = thread_number();
  Key key = kNone;
  if (i < batch.moves && batch.feasible[i] && batch.change[i] < 0) {
    key = decoded(batch, i).key(batch.change[i]);
  }
  note(batch, key);
}

// Makes the best move; a thread copies one position.
extern "C" __global__ void apply(const Batch batch) {
  const int q = int(thread_number()), n = batch.n;
  if (q > n) return;
  const Key key = *batch.best;
  if (q == 0) *batch.found = key;
  const Move move{int(key >> 26 & 4095), int(key >> 14 & 4095), int(key >> 2 & 4095), int(key & 3)};
  int from = q;
  for (int rank = 0, before = 0; key != kNone && rank < kPieces; ++rank) {
    const int a = move.from(move.at(rank)), b = move.to(move.at(rank), n);
    const int count = (a < b ? b - a : a - b) + 1, within = q - before;
    if (within >= 0 && within < count) from = a <= b ? a + within : a - within;
    before += count;
  }
  batch.next_sites[q] = batch.sites[from];
  batch.next_order[q] = batch.order[from];
}

// Lists all triples in lexicographic order.
extern "C" __global__ void fill_table(const Batch batch) {
  const long long i = thread_number();
  if (EDGES != 3 || i >= batch.moves / 4) return;
  const Move move = decoded_triple(i, batch.n);
  unsigned short* const row = const_cast<unsigned short*>(batch.table) + 4 * i;
  row[0] = (unsigned short)move.x, row[1] = (unsigned short)move.y, row[2] = (unsigned short)move.z;
}
