// Stretches of a giant tour, computed ahead in levels, so that any of them is known from a few
// joins (Schulz 2013, sections 4.3 and 6.10; Irnich 2008).
#pragma once

#include "routes/problem/resources/resource.cuh"

namespace gls {

// What routes within a stretch use too much; where the way that they are run matters, both ways.
template <class Amount, bool turns>
struct InnerExcess {
  Amount there;

  GLS_DEVICE Amount back() const { return there; }
  GLS_DEVICE void add(Amount its_there, Amount) { there += its_there; }
  GLS_DEVICE InnerExcess turned() const { return *this; }
};
template <class Amount>
struct InnerExcess<Amount, true> {
  Amount there, its_back;

  GLS_DEVICE Amount back() const { return its_back; }
  GLS_DEVICE void add(Amount its_there, Amount back) { there += its_there, its_back += back; }
  GLS_DEVICE InnerExcess turned() const { return {its_back, there}; }
};

// Some places of a giant tour, one after the other. A resource begins anew at each copy of the
// depot: what counts is the path to the first of them (head), that from the last one on (tail), and
// what complete routes between use too much. Without a copy, head and tail are the whole path.
template <class Resource>
struct Stretch {
  using Segment = typename Resource::Segment;
  using Amount = typename Resource::Amount;
  static_assert(alignof(Segment) <= 8, "segments are kept one behind the other");

  static constexpr int kNoDepot = -1;

  Segment head, tail;
  InnerExcess<Amount, Resource::kTurns> excess;
  int routes;  // complete ones that visit customers; kNoDepot where there is no copy

  GLS_DEVICE bool has_depot() const { return routes != kNoDepot; }
  GLS_DEVICE int complete() const { return routes > 0 ? routes : 0; }
};

// The algebra of stretches of a resource.
template <class Resource>
struct Stretches {
  using Kept = Stretch<Resource>;

  const Resource& resource;
  int customers;

  GLS_DEVICE Kept at(int node) const {
    const auto segment = resource.at(node);
    return {segment, segment, {}, is_depot(node, customers) ? 0 : Kept::kNoDepot};
  }

  // Of two stretches, of which the first ends at a node `a`, and the second begins at `b`.
  template <class Edge>
  GLS_DEVICE Kept join(const Kept& first, const Kept& second, int a, int b,
                       const Edge& edge) const {
    const auto middle = resource.join(first.tail, second.head, edge);
    const bool closes = first.has_depot() && second.has_depot();
    Kept both = second;
    both.head = first.has_depot() ? first.head : middle;
    both.tail = second.has_depot() ? second.tail : middle;
    both.excess.add(first.excess.there, first.excess.back());
    if (first.has_depot()) both.routes = first.routes + second.complete();
    if (closes) close(both, middle, a, b);
    return both;
  }
  // A route that has become complete counts, unless it is empty.
  GLS_DEVICE void close(Kept& stretch, const typename Resource::Segment& route, int a,
                        int b) const {
    if (is_depot(a, customers) && is_depot(b, customers)) return;
    stretch.excess.add(resource.excess(route), excess_back(route));
    ++stretch.routes;
  }
  GLS_DEVICE Kept turned(const Kept& stretch) const {
    return {resource.turned(stretch.tail), resource.turned(stretch.head), stretch.excess.turned(),
            stretch.routes};
  }

 private:
  GLS_DEVICE typename Resource::Amount excess_back(const typename Resource::Segment& route) const {
    if constexpr (Resource::kTurns) return resource.excess(resource.turned(route));
    return 0;
  }
};

GLS_DEVICE constexpr int64 pairs_in(int64 size) { return size * (size + 1) / 2; }

// The number of a pair a <= b of 0 .. size - 1, those of equal a side by side.
GLS_DEVICE int64 pair_number(int64 a, int64 b, int64 size) {
  return a * (2 * size - a + 1) / 2 + (b - a);
}

// The stretches of equal first unit a, up to that before `end`, to their places from `to` on.
template <class Kept, class Unit, class Join>
GLS_DEVICE void make_row(Kept* to, int a, int end, int scale, Unit unit, Join join) {
  Kept row = unit(a);
  *to = row;
#pragma unroll 1
  for (int b = a + 1; b < end; ++b) {
    row = join(row, unit(b), b << scale);
    *++to = row;
  }
}

// Units from the first on: places, or the parts of the level below. The top level keeps the stretch
// between any two of them; each other one does so within parts of 2^shift units, which are the
// units of the level above. Stretches are numbered; `scale` says of how many places a unit is,
// 2^scale.
template <int level>
struct Levels {
  int units, shift;
  Levels<level - 1> above;

  GLS_DEVICE Levels(int units, const uint64* shifts)
      : units(units),
        shift(int(shifts[0])),
        above((units + (1 << shift) - 1) >> shift, shifts + 1) {}

  GLS_DEVICE int64 own() const { return above.units * pairs_in(1 << shift); }
  GLS_DEVICE int64 stretches() const { return own() + above.stretches(); }
  GLS_DEVICE int64 number(int a, int b) const {  // of the same part
    const int mask = (1 << shift) - 1;
    return (a >> shift) * pairs_in(1 << shift) + pair_number(a & mask, b & mask, 1 << shift);
  }
  GLS_DEVICE int end_of(int part) const {
    const int end = (part + 1) << shift;
    return end < units ? end : units;
  }

  // From unit a to unit b; join(first, second, place), where the second begins at a place.
  template <class Kept, class Join>
  GLS_DEVICE Kept between(const Kept* kept, int a, int b, int scale, Join join) const {
    const int from = a >> shift, to = b >> shift;
    if (from == to) return kept[number(a, b)];
    Kept all = kept[number(a, end_of(from) - 1)];
    if (to - from > 1) {
      all = join(all, above.between(kept + own(), from + 1, to - 1, scale + shift, join),
                 end_of(from) << scale);
    }
    return join(all, kept[number(to << shift, b)], to << shift << scale);
  }

  // Makes all stretches; all lanes. unit(x) is that of one unit.
  template <class Team, class Kept, class Unit, class Join>
  GLS_DEVICE void make(const Team& team, Kept* kept, int scale, Unit unit, Join join) const {
    team.each(units, [&](int a) {
      make_row(kept + number(a, a), a, end_of(a >> shift), scale, unit, join);
    });
    team.sync();
    const auto part = [&](int x) { return kept[number(x << shift, end_of(x) - 1)]; };
    above.make(team, kept + own(), scale + shift, part, join);
  }
};

template <>
struct Levels<0> {
  int units;

  GLS_DEVICE Levels(int units, const uint64*) : units(units) {}

  GLS_DEVICE int64 stretches() const { return pairs_in(units); }

  template <class Kept, class Join>
  GLS_DEVICE Kept between(const Kept* kept, int a, int b, int, Join) const {
    return kept[pair_number(a, b, units)];
  }

  template <class Team, class Kept, class Unit, class Join>
  GLS_DEVICE void make(const Team& team, Kept* kept, int scale, Unit unit, Join join) const {
    team.each(units, [&](int a) {
      make_row(kept + pair_number(a, a, units), a, units, scale, unit, join);
    });
    team.sync();
  }
};

}  // namespace gls
