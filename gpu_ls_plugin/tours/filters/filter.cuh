// Filters: which moves of a complete neighbourhood are evaluated at all.
//
// A filter is a struct with
//
//   template <class Space, class PlacedTour> struct On       the filter on a neighbourhood and a
//   tour
//     static constexpr int kWords                          of its parameters; kWordsOf<Data> where
//                                                          a struct has them
//     static int64 state_words(int n)                      of what it keeps of each tour
//     static constexpr int kRotations                      see below
//     On(const PlacedTour& tour, const uint64* parameters, uint64* state)
//     Test at(const Opening<Space::Move>& opening)         what it knows before a move is closed:
//       bool any()                                         whether the opening's moves matter
//       bool keeps(int position)                           whether the move closed there is kept
//     void found(const Space::Move&)                       a kept move improves the tour
//     void refresh(team, bool complete)                    the tour has changed; `complete` where
//                                                          all kept moves have been evaluated
//
// A move is met through each of the neighbourhood's rotations. `any` may be true in vain; of every
// move that is kept it has to be true for one of the first kRotations rotations, for all of them
// where kRotations is 1. A word is an integer, a double or an address, and may be read through a
// struct (backends/include/words.cuh). Derive from Stateless where nothing is kept of a tour.
//
// PlacedTour is the tour as it stands: `length(p, q)` between positions, `edges[p]` to the next
// one, `next(p)`, `city(p)`, `n`, and `row` and `pass` for random numbers.
#pragma once

#include "backends/include/words.cuh"
#include "tours/moves/complete.cuh"

namespace gls {

struct Stateless {
  GLS_DEVICE static int64 state_words(int) { return 0; }
  template <class Move>
  GLS_DEVICE void found(const Move&) const {}
  template <class Team>
  GLS_DEVICE void refresh(const Team&, bool) const {}
};

// Whether a filter on a neighbourhood has to hear of every kept move that improves the tour.
template <class Test>
GLS_DEVICE constexpr bool hears() {
  return !__is_base_of(Stateless, Test);
}

// All moves.
struct Everything {
  template <class Space, class PlacedTour>
  struct On : Stateless {
    static constexpr int kWords = 0, kRotations = 1;
    GLS_DEVICE On(const PlacedTour&, const uint64*, uint64*) {}

    struct Test {
      GLS_DEVICE bool any() const { return true; }
      GLS_DEVICE bool keeps(int) const { return true; }
    };
    GLS_DEVICE Test at(const Opening<typename Space::Move>&) const { return {}; }
  };
};

// What two filters have in common, however they are combined.
template <class First, class Second, class Space, class PlacedTour>
struct TwoFilters {
  using A = typename First::template On<Space, PlacedTour>;
  using B = typename Second::template On<Space, PlacedTour>;
  static constexpr int kWords = A::kWords + B::kWords;
  const A first;
  const B second;

  GLS_DEVICE static int64 state_words(int n) { return A::state_words(n) + B::state_words(n); }
  GLS_DEVICE TwoFilters(const PlacedTour& tour, const uint64* parameters, uint64* state)
      : first(tour, parameters, state),
        second(tour, parameters + A::kWords, state + A::state_words(tour.n)) {}

  GLS_DEVICE void found(const typename Space::Move& move) const {
    first.found(move);
    second.found(move);
  }
  template <class Team>
  GLS_DEVICE void refresh(const Team& team, bool complete) const {
    first.refresh(team, complete);
    second.refresh(team, complete);
  }
};

// Moves that both filters keep. Where each needs several rotations, the first one's count.
template <class First, class Second>
struct Both {
  template <class Space, class PlacedTour>
  struct On : TwoFilters<First, Second, Space, PlacedTour> {
    using Base = TwoFilters<First, Second, Space, PlacedTour>;
    using Base::Base;
    using A = typename Base::A;
    using B = typename Base::B;
    static constexpr int kRotations = A::kRotations > 1 ? A::kRotations : B::kRotations;
    static constexpr bool kSecondTests = A::kRotations == 1 || B::kRotations == 1;

    struct Test {
      const typename A::Test first;
      const typename B::Test second;
      GLS_DEVICE bool any() const { return first.any() && (!kSecondTests || second.any()); }
      GLS_DEVICE bool keeps(int position) const {
        return first.keeps(position) && second.keeps(position);
      }
    };
    GLS_DEVICE Test at(const Opening<typename Space::Move>& opening) const {
      return {this->first.at(opening), this->second.at(opening)};
    }
  };
};

// Moves that at least one of two filters keeps.
template <class First, class Second>
struct OneOf {
  template <class Space, class PlacedTour>
  struct On : TwoFilters<First, Second, Space, PlacedTour> {
    using Base = TwoFilters<First, Second, Space, PlacedTour>;
    using Base::Base;
    using A = typename Base::A;
    using B = typename Base::B;
    static constexpr int kRotations = A::kRotations > B::kRotations ? A::kRotations : B::kRotations;

    struct Test {
      const typename A::Test first;
      const typename B::Test second;
      GLS_DEVICE bool any() const { return first.any() || second.any(); }
      GLS_DEVICE bool keeps(int position) const {
        return first.keeps(position) || second.keeps(position);
      }
    };
    GLS_DEVICE Test at(const Opening<typename Space::Move>& opening) const {
      return {this->first.at(opening), this->second.at(opening)};
    }
  };
};

// Moves that the filter does not keep.
template <class Filter>
struct Not {
  template <class Space, class PlacedTour>
  struct On : Filter::template On<Space, PlacedTour> {
    using Base = typename Filter::template On<Space, PlacedTour>;
    using Base::Base;
    static constexpr int kRotations = 1;

    struct Test {
      const typename Base::Test test;
      GLS_DEVICE bool any() const { return true; }
      GLS_DEVICE bool keeps(int position) const { return !test.keeps(position); }
    };
    GLS_DEVICE Test at(const Opening<typename Space::Move>& opening) const {
      return {Base::at(opening)};
    }
  };
};

}  // namespace gls
