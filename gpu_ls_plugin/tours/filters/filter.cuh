// Filters decide which moves of a complete neighbourhood are evaluated.
//
// A filter is a struct with a template
//
//   struct On<Space, PlacedTour>                        the filter for a neighbourhood and a tour
//     static constexpr int kWords                       words of parameters; kWordsOf<Data> if a
//                                                       struct Data declares them
//     static int64 state_words(int n)                   words of state per tour
//     static constexpr int kRotations                   see below
//     On(const PlacedTour& tour, const uint64* parameters, uint64* state)
//     Test at(const Opening<Space::Move>& opening)      the test of an opening:
//       bool any()                                      whether it may keep moves of the opening
//       bool keeps(int position)                        whether it keeps the move that has
//                                                       `position` as its open position
//     void found(const Space::Move&)                    called if a kept move improves the tour
//     void refresh(team, bool complete)                 called after the tour has changed;
//                                                       `complete`: all kept moves were evaluated
//
// A rotation determines which position of a move is open (complete.cuh). So a move belongs to one
// opening in each rotation of the neighbourhood. `any` may return true for an opening without kept
// moves. For a kept move, `any` must be true for its opening in at least one of the first
// kRotations rotations; if kRotations is 1, it must be true in all rotations. A word is an integer,
// a double or an address; a struct can read them (backends/include/words.cuh). If a filter has no
// state, `On` derives from Stateless.
//
// PlacedTour is the current tour: `length(p, q)` between positions, `edges[p]` to the next
// position, `next(p)`, `city(p)`, `n`, and `row` and `pass` for random numbers.
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

// Whether `found` must be called for each kept move that improves the tour.
template <class Test>
GLS_DEVICE constexpr bool hears() {
  return !__is_base_of(Stateless, Test);
}

// Keeps all moves.
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

// Keeps moves that both filters keep (`both`) or that at least one keeps. If both must keep a move
// and each needs more than one rotation, only the first filter tests openings.
template <class First, class Second, bool both>
struct TwoFilters {
  template <class Space, class PlacedTour>
  struct On {
    using A = typename First::template On<Space, PlacedTour>;
    using B = typename Second::template On<Space, PlacedTour>;
    static constexpr int kWords = A::kWords + B::kWords;
    static constexpr int kRotations =
        A::kRotations > (both ? 1 : B::kRotations) ? A::kRotations : B::kRotations;
    static constexpr bool kSecondTests = A::kRotations == 1 || B::kRotations == 1;
    const A first;
    const B second;

    GLS_DEVICE static int64 state_words(int n) { return A::state_words(n) + B::state_words(n); }
    GLS_DEVICE On(const PlacedTour& tour, const uint64* parameters, uint64* state)
        : first(tour, parameters, state),
          second(tour, parameters + A::kWords, state + A::state_words(tour.n)) {}

    struct Test {
      const typename A::Test first;
      const typename B::Test second;
      GLS_DEVICE bool any() const {
        return both ? first.any() && (!kSecondTests || second.any()) : first.any() || second.any();
      }
      GLS_DEVICE bool keeps(int position) const {
        return both ? first.keeps(position) && second.keeps(position)
                    : first.keeps(position) || second.keeps(position);
      }
    };
    GLS_DEVICE Test at(const Opening<typename Space::Move>& opening) const {
      return {first.at(opening), second.at(opening)};
    }

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
};
template <class First, class Second>
using Both = TwoFilters<First, Second, true>;
template <class First, class Second>
using OneOf = TwoFilters<First, Second, false>;

// Keeps moves that the filter drops.
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
