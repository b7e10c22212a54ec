// Looks at cities and finds the move that a pivoting rule takes. The moves of a city are ranked by
// gain, then by (direction, candidate, variant).
#pragma once

#include "tours/engines/descent/work_queue.cuh"

namespace gls {

constexpr int kNowhere = 0x7fffffff;  // a rank that no move has

// An improving move: its rank, its number among the moves of its city, and its gain. The rank is
// the city's rank in the queue, or the Place defined below.
template <class LengthType>
struct Found {
  using Length = LengthType;
  int rank;  // kNowhere: no move was found
  int index;
  Length gain;
  GLS_DEVICE bool operator==(const Found& other) const {
    return rank == other.rank && index == other.index;
  }
};

// A move found by first improvement. Earlier places come first, then larger gains.
template <class Length>
struct FirstFound : Found<Length> {
  static constexpr bool kStops = true;  // at the first city with an improving move
  GLS_DEVICE bool operator<(const FirstFound& other) const {
    if (this->rank != other.rank) return this->rank < other.rank;
    if (this->gain != other.gain) return this->gain > other.gain;
    return this->index < other.index;
  }
};

// A move found by best improvement. Larger gains come first, then earlier places.
template <class Length>
struct BestFound : Found<Length> {
  static constexpr bool kStops = false;
  GLS_DEVICE bool operator<(const BestFound& other) const {
    if (this->gain != other.gain) return this->gain > other.gain;
    if (this->rank != other.rank) return this->rank < other.rank;
    return this->index < other.index;
  }
};

// Upper bound on the size of a found move in bytes, for all types of lengths.
constexpr int kFoundBytes = 16;
static_assert(sizeof(BestFound<int64>) == kFoundBytes && sizeof(BestFound<double>) == kFoundBytes &&
                  sizeof(BestFound<int>) <= kFoundBytes,
              "Python reserves kFoundBytes for a found move");

// The place of a move is what Found::rank contains: the rank of the move's city in the queue. If a
// search stops at the earliest first step with an improving move, the low bits of the place are the
// number of the step.
template <class Neighbourhood>
struct Place {
  static constexpr bool kStep = TakesFirstStep<Neighbourhood>::kValue;
  static constexpr int kBits = kStep ? 15 : 0;  // how many bits the number of a step has
  GLS_DEVICE static int of(int rank, int choice) {
    return kStep ? int(uint32(rank) << kBits | uint32(choice)) : rank;
  }
  GLS_DEVICE static int city(int place) { return place >> kBits; }
};

#ifdef __CUDACC__
GLS_DEVICE FirstFound<int> least_in_warp(FirstFound<int> own) {
#if __CUDA_ARCH__ >= 800
  const int rank = __reduce_min_sync(kAllLanes, own.rank);
  const int gain = __reduce_max_sync(kAllLanes, own.rank == rank ? own.gain : 0);
  const bool leads = own.rank == rank && own.gain == gain;
  return {{rank, __reduce_min_sync(kAllLanes, leads ? own.index : kNowhere), gain}};
#else
  return least_in_warp<FirstFound<int> >(own);
#endif
}
#endif

// Fast division by a number that is not known at compile time. The product of dividend and divisor
// must be below 2^31.
struct Divisor {
  int divisor;
  uint32 inverse;  // 2^31 / divisor, rounded up
  GLS_DEVICE explicit Divisor(int d) : divisor(d), inverse(0x7fffffffu / d + 1) {}
  GLS_DEVICE int quotient(int x) const { return int(multiply_high(2 * x, inverse)); }
};

// The moves of a city: first steps in one or two directions to the first `breadth` candidates, each
// with `variants` variants.
struct Choices {
  int directions;
  Divisor breadth, variants;
  GLS_DEVICE Choices(int directions, int breadth, int variants)
      : directions(directions), breadth(breadth), variants(variants) {}
};

// The first steps of a city to one of its candidates, backward and forward.
template <class Length>
struct FirstSteps {
  FirstStep<Length> in[2];
  bool gains[2];

  // This code has no branches, because some lane always needs the result.
  template <class View>
  GLS_DEVICE FirstSteps(const View& view, int directions, int city, int rank) {
    const auto entry = view.candidates.entry(city, rank);
    const Length added = view.candidates.length(entry);
    const int t3 = view.chosen(view.candidates.city(entry)), place = view.tour.place(city);
    const int next = view.tour.at(place + 1), before = view.tour.at(place - 1);
    const Length length = view.leaving(city, next), other = view.leaving(city, before);
    in[0] = {next, city, t3, 0, length, length - added};
    in[1] = {before, city, t3, 1, other, other - added};
    gains[0] = (in[0].gain > 0) & (t3 != before);
    gains[1] = (in[1].gain > 0) & (t3 != next) & (directions == 2);
  }
};

// Writes move number `index` of a city into `move`.
template <class Neighbourhood, class View>
GLS_DEVICE void make_move(const View& view, const Choices& choices, int city, int index,
                          Move& move) {
  const int variants = choices.variants.divisor, breadth = choices.breadth.divisor;
  const int choice = index / variants, forward = choice >= breadth;
  const FirstSteps<typename View::Length> first(view, choices.directions, city,
                                                choice - forward * breadth);
  Neighbourhood::gain(view, first.in[forward], index - choice * variants, move);
}

// Returns the exact gain of a move. The function is out of line, because it is rarely called.
template <class Neighbourhood, class View, class Length = typename View::Length>
GLS_RARE Length exact_gain(const View* view, const FirstStep<Length>* first, int variant,
                           Move* move) {
  return Neighbourhood::gain(*view, *first, variant, *move);
}

// Writes a found move into `move`.
template <class Neighbourhood, class View, class Length = typename View::Length>
GLS_DEVICE void write_found(const View& view, const FirstStep<Length>& first, int variant,
                            Move& move) {
#ifdef __CUDACC__
  Neighbourhood::gain(view, first, variant, move);
#else  // out of line; otherwise, compiling would take twice as long
  const View its_view = view;
  const FirstStep<Length> its_first = first;
  exact_gain<Neighbourhood>(&its_view, &its_first, variant, &move);
#endif
}

// Returns the gain of a move from estimated lengths or, if an estimate is too uncertain, from exact
// lengths.
template <class Neighbourhood, class View, class Length = typename View::Length>
GLS_DEVICE Length gain_of(const View& view, const FirstStep<Length>& first, int variant,
                          Move& move) {
  using Lengths = typename View::Lengths;
  if constexpr (Lengths::kQuick) {
    const auto quick = view.with(Tentative<Lengths>(view.length));
    const Length gain = Neighbourhood::gain(quick, first, variant, move);
    if (!quick.length.doubt()) return gain;
    const View its_view = view;
    const FirstStep<Length> its_first = first;
    Move its_move;
    const Length exact = exact_gain<Neighbourhood>(&its_view, &its_first, variant, &its_move);
    move = its_move;
    return exact;
  } else {
    return Neighbourhood::gain(view, first, variant, move);
  }
}

// Returns `best`, or the best move of a first step if that is better. The moves of the step are
// numbered from `index` on.
template <class Neighbourhood, class Found, class View, class Length = typename View::Length>
GLS_DEVICE Found best_of_step(const View& view, const FirstStep<Length>& first, int rank, int index,
                              Found best) {
  const auto take = [&](int variant, Length gain) {
    if (gain <= 0 || gain < best.gain) return;
    const Found other{{rank, index + variant, gain}};
    if (gain > best.gain || other < best) best = other;
  };
  if constexpr (SharesLengths<Neighbourhood>::kValue) {
    Neighbourhood::each_gain(view, first, take);
    return best;
  }
  const int variants = Neighbourhood::variants(view.candidates.degree);
#pragma unroll 1
  for (int variant = 0; variant < variants; ++variant) {
    Move unused;
    take(variant, Neighbourhood::gain(view, first, variant, unused));
  }
  return best;
}

// As `best_of_step`, but out of line.
template <class Neighbourhood, class Found, class View, class Length = typename View::Length>
GLS_RARE Found exact_best_of_step(const View& view, const FirstStep<Length>& first, int rank,
                                  int index, Found best) {
  return best_of_step<Neighbourhood>(view, first, rank, index, best);
}

// As `best_of_step`, but from estimated lengths or, if an estimate is too uncertain, exact ones.
template <class Neighbourhood, class Found, class View, class Length = typename View::Length>
GLS_DEVICE Found look_at_step(const View& view, const FirstStep<Length>& first, int rank, int index,
                              Found best) {
  using Lengths = typename View::Lengths;
  if constexpr (Lengths::kQuick) {
    const auto quick = view.with(Tentative<Lengths>(view.length));
    const Found found = best_of_step<Neighbourhood>(quick, first, rank, index, best);
    if (!quick.length.doubt()) return found;
    const View its_view = view;
    const FirstStep<Length> its_first = first;
    return exact_best_of_step<Neighbourhood>(its_view, its_first, rank, index, best);
  } else {
    return best_of_step<Neighbourhood>(view, first, rank, index, best);
  }
}

// A first step that gains: step number `choice`, below 2^15, of a city whose rank is below 2^16.
template <class Length>
struct alignas(8) Survivor {  // loaded two words at a time
  int t1, t2, t3;
  uint32 tag;  // rank, choice, forward
  Length length, gain;

  GLS_DEVICE void set(const FirstStep<Length>& first, int rank, int choice) {
    t1 = first.t1, t2 = first.t2, t3 = first.t3;
    tag = uint32(rank) << 16 | uint32(choice) << 1 | uint32(first.forward);
    length = first.length, gain = first.gain;
  }
  GLS_DEVICE FirstStep<Length> first() const { return {t1, t2, t3, int(tag & 1), length, gain}; }
  GLS_DEVICE int rank() const { return int(tag >> 16); }
  GLS_DEVICE int choice() const { return int(tag >> 1 & 0x7fff); }
};

// Memory that lanes share when they look together: the found move, and first steps that gain.
template <class Team, class Length>
struct ScoutMemory {
  Move move;
  Survivor<Length> survivors[2 * Team::kLanes];
};

// Base of searches whose blocks copy the sites of all cities into shared memory, if they fit.
template <class Memory, class Site>
struct LoadsSites {
  // Each block calls this once, before it searches its tours.
  template <class Team, class... Rest>
  GLS_DEVICE static void prepare(const Team&, const Instance& instance, const Rest&...) {
    Memory::template load_sites<Site>(static_cast<const Site*>(instance.sites), instance.n);
  }
};

// An array of cities, for functions that read a queue.
struct Cities {
  const int* cities;
  static constexpr int share = 0, shares = 1;
  GLS_DEVICE int operator[](int rank) const { return cities[rank]; }
};

// Looks at the cities of rank 0 to `end - 1`, one after the other. Writes the found move at the
// end, which is cheaper than keeping it up to date.
template <class Neighbourhood, class Found, class View, class Queue>
GLS_DEVICE Found look_alone(const View& view, const Queue& queue, Choices choices, int end,
                            Move& move) {
  using Length = typename View::Length;
  const auto& candidates = view.candidates;
  const int variants = Neighbourhood::variants(candidates.degree);
  const int breadth = choices.breadth.divisor;
  Found best{{kNowhere, 0, 0}};
  FirstStep<Length> first, its_first;
  using Place = gls::Place<Neighbourhood>;
  const auto done = [&](bool stops) { return stops && Found::kStops && best.rank != kNowhere; };
#pragma unroll 1
  for (int rank = 0; rank < end && !done(true); ++rank) {
    first.t2 = queue[rank];
    const int place = view.tour.place(first.t2);
    const auto row = candidates.entry(first.t2, 0);
#pragma unroll 1
    for (int begin = 0; begin < choices.directions * breadth && !done(Place::kStep);
         begin += breadth) {
      first.forward = begin > 0;
      first.t1 = view.tour.at(first.forward ? place - 1 : place + 1);
      first.length = view.leaving(first.t2, first.t1);
      const int neighbour = view.tour.at(first.forward ? place + 1 : place - 1);
#pragma unroll 1
      for (int choice = 0; choice < breadth && !done(Place::kStep); ++choice) {
        first.gain = first.length - candidates.length(row + choice);
        if (first.gain <= 0 && candidates.sorted) break;
        first.t3 = view.chosen(candidates.city(row + choice));
        if (first.gain <= 0 || first.t3 == neighbour) continue;
        const Found before = best;
        best = look_at_step<Neighbourhood>(view, first, Place::of(rank, begin + choice),
                                           (begin + choice) * variants, before);
        if (!(best == before)) its_first = first;
      }
    }
  }
  if (best.rank != kNowhere) {
    write_found<Neighbourhood>(view, its_first, best.index % variants, move);
  }
  return best;
}

#ifdef __CUDACC__

// Collects in `survivors` the first steps that gain, and returns how many. An item is a city and
// one of its candidates. The function starts at item number `item`, and stops as soon as it has
// found a step.
template <class Team, class View, class Queue, class Length = typename View::Length>
GLS_DEVICE int next_first_steps(const Team& team, const View& view, const Queue& queue,
                                const Choices& choices, int items, int& item,
                                Survivor<Length>* survivors) {
  constexpr int kLanes = Team::kLanes;
  const int lane = team.lane(), breadth = choices.breadth.divisor;
  int count = 0;
#pragma unroll 1
  for (; item < items && count == 0; item += kLanes) {
    const bool within = item + lane < items;
    const int number = (within ? item + lane : item) * queue.shares + queue.share;
    const int rank = choices.breadth.quotient(number), near = number - rank * breadth;
    const FirstSteps<Length> first(view, choices.directions, queue[rank], near);
    const bool backward = within & first.gains[0], forward = within & first.gains[1];
    const Compacted kept = team.compact(backward, forward);
    Survivor<Length>* to = &survivors[kept.place];
    if (backward) (to++)->set(first.in[0], rank, near);
    if (forward) to->set(first.in[1], rank, breadth + near);
    count = kept.total;
    if (count == 0) team.sync();  // before the next compaction
  }
  team.sync();
  return count;
}

// Returns how many of the items of the first `end` cities belong to the queue's share.
template <class Queue>
GLS_DEVICE int items_of(const Queue& queue, const Choices& choices, int end) {
  return (end * choices.breadth.divisor - queue.share + queue.shares - 1) / queue.shares;
}

// Evaluates a variant of a first step, if it `exists`; returns whether it becomes the lane's best
// move.
template <class Neighbourhood, class Found, class View, class Length = typename View::Length>
GLS_DEVICE bool try_move(const View& view, const Choices& choices, const Survivor<Length>& from,
                         int variant, bool exists, Move& move, Found& own) {
  const Length gain = gain_of<Neighbourhood>(view, from.first(), variant, move);
  bool leads = false;
  if (exists & (gain > 0)) {
    const Found other{{Place<Neighbourhood>::of(from.rank(), from.choice()),
                       from.choice() * choices.variants.divisor + variant, gain}};
    leads = other < own;
    if (leads) own = other;
  }
  return leads;
}

// Returns the best move of all lanes, and waits until all lanes have it.
template <class Team, class Found>
GLS_DEVICE Found least_of_all(const Team& team, const Found& own) {
  const Found best = team.least(own);
  team.sync();
  return best;
}

// As `look_alone`, but with all lanes of a team: they share the first steps of several cities,
// compact the steps that gain, and share the variants of these steps.
template <class Neighbourhood, class Found, class Team, class View, class Queue>
GLS_DEVICE Found look_together(const Team& team, const View& view, const Queue& queue,
                               Choices choices, int end,
                               ScoutMemory<Team, typename View::Length>& memory) {
  using Length = typename View::Length;
  constexpr int kLanes = Team::kLanes;
  Survivor<Length>* const survivors = memory.survivors;
  const int variants = choices.variants.divisor;
  int items = items_of(queue, choices, end), item = 0;
  Found best{{kNowhere, 0, 0}}, own = best;
#pragma unroll 1
  while (item < items) {
    const int count = next_first_steps(team, view, queue, choices, items, item, survivors);
    const int moves = count * variants;
#pragma unroll 1
    for (int base = 0; base < moves; base += kLanes) {
      const bool within = base + team.lane() < moves;
      const int number = within ? base + team.lane() : base;
      const int step = choices.variants.quotient(number), variant = number - step * variants;
      Move its_move;
      const bool leads =
          try_move<Neighbourhood>(view, choices, survivors[step], variant, within, its_move, own);
      if constexpr (Found::kStops) {
        if (!team.any(own.rank != kNowhere)) continue;
        // Stop, unless moves of the first city with an improving move are left to evaluate.
        best = team.least(own);
        if (leads && own == best) {
          memory.move = its_move;
          if constexpr (!OwnEnds<Neighbourhood>::kValue) {  // computes them again to save registers
            memory.move.start(survivors[choices.variants.quotient(number)].first());
          }
        }
        const int behind = base + kLanes;
        const int next = behind < moves ? survivors[choices.variants.quotient(behind)].rank()
                         : item < items ? choices.breadth.quotient(item)
                                        : kNowhere;
        if (next > Place<Neighbourhood>::city(best.rank)) {
          items = 0;
          break;
        }
      }
    }
    team.sync();
  }
  return Found::kStops ? best : least_of_all(team, own);
}

// As `look_each`, but with all lanes of a team.
template <class Neighbourhood, class Team, class View, class Length = typename View::Length>
GLS_DEVICE void look_each_together(const Team& team, const View& view, const Cities& queue,
                                   const Choices& choices, int end,
                                   ScoutMemory<Team, Length>& memory, FirstFound<Length>* found) {
  const FirstFound<Length> none{{kNowhere, 0, 0}};
  const Survivor<Length>* const survivors = memory.survivors;
  const int variants = choices.variants.divisor, items = end * choices.breadth.divisor;
  team.each(end, [&](int rank) { found[rank] = none; });
  int item = 0;
#pragma unroll 1
  while (item < items) {
    const int steps = next_first_steps(team, view, queue, choices, items, item, memory.survivors);
#pragma unroll 1
    for (int base = 0; base < steps; base += Team::kLanes) {
      const bool within = base + team.lane() < steps;
      const Survivor<Length>& from = survivors[within ? base + team.lane() : base];
      FirstFound<Length> own = look_at_step<Neighbourhood>(view, from.first(), from.rank(),
                                                           from.choice() * variants, none);
      if (!within) own = none;
      for (FirstFound<Length> best; (best = team.least(own)).rank != kNowhere;) {
        if (own.rank == best.rank) own = none;  // the next round is about another city
        team.once([&] {
          if (found[best.rank].rank == kNowhere || best < found[best.rank]) found[best.rank] = best;
        });
      }
    }
    team.sync();
  }
}

#endif

// Looks at each city of rank 0 to `end - 1` separately; the city's best move becomes found[rank].
template <class Neighbourhood, class Team, class View, class Length = typename View::Length>
GLS_DEVICE void look_each(const Team& team, const View& view, const int* cities,
                          const Choices& choices, int end, ScoutMemory<Team, Length>& memory,
                          FirstFound<Length>* found) {
#ifdef __CUDACC__
  look_each_together<Neighbourhood>(team, view, Cities{cities}, choices, end, memory, found);
#else
  for (int rank = 0; rank < end; ++rank) {
    found[rank] = look_alone<Neighbourhood, FirstFound<Length> >(view, Cities{cities + rank},
                                                                 choices, 1, memory.move);
  }
#endif
}

// Looks at the cities of rank 0 to `end - 1`. If the search stops at the first city with an
// improving move, it writes the found move into `memory`.
template <class Neighbourhood, class Found, class Team, class View, class Queue>
GLS_DEVICE Found look(const Team& team, const View& view, const Queue& queue, Choices choices,
                      int end, ScoutMemory<Team, typename View::Length>& memory) {
#ifdef __CUDACC__
  if constexpr (Team::kLanes > 1) {
    return look_together<Neighbourhood, Found>(team, view, queue, choices, end, memory);
  } else
#endif
    return look_alone<Neighbourhood, Found>(view, queue, choices, end, memory.move);
}

}  // namespace gls
