// Moves that lengths let gain, of many that an objective is asked about: of a lane's own, few.
//
// Lanes count those of the variants that they look at, and share what all of them have: each finds
// one by its number and asks the objective about it. So all lanes ask at the same place, and all of
// them have something to ask.
#pragma once

#include "neighbourhoods/move.cuh"

namespace gls {

// Of one variant: how many there are, and the lengths of the one that is looked for.
template <class Length>
struct Listed {
  int count = 0;
  Length removed = 0, added = 0;
};

// A view that says of one move that it gains, that of number `wanted`, and of no other.
template <class View>
struct ListingView : View {
  using typename View::Length;
  int wanted;
  mutable Listed<Length> listed;

  GLS_DEVICE ListingView(const View& view, int wanted) : View(view), wanted(wanted) {}

  template <class Write>
  GLS_DEVICE Length gain(Write, Length removed, Length added, bool exists = true) const {
    if (!exists || this->may_not_gain(removed, added)) return 0;
    if (listed.count++ != wanted) return 0;
    listed.removed = removed, listed.added = added;
    return 1;
  }
  GLS_DEVICE Length gain(const Move&, Length removed, Length added) const {
    return gain([](Move&) {}, removed, added);
  }
};

template <class Neighbourhood, class View, class Length = typename View::Length>
GLS_OUT_OF_LINE Listed<Length> exact_list(const View* view, const FirstStep<Length>* first,
                                          int variant, int wanted, Move* move) {
  const ListingView<View> exact(*view, wanted);
  Neighbourhood::gain(exact, *first, variant, *move);
  return exact.listed;
}

// Counts the moves of a variant, and writes that of number `wanted` into `move`.
template <class Neighbourhood, class View, class Length = typename View::Length>
GLS_DEVICE Listed<Length> list_moves(const View& view, const FirstStep<Length>& first, int variant,
                                     int wanted, Move& move) {
  using Lengths = typename View::Lengths;
  if constexpr (Lengths::kQuick) {
    using Quick = decltype(view.with(Tentative<Lengths>(view.length)));
    const ListingView<Quick> quick(view.with(Tentative<Lengths>(view.length)), wanted);
    Neighbourhood::gain(quick, first, variant, move);
    if (!quick.length.doubt()) return quick.listed;
    const View its_view = view;
    const FirstStep<Length> its_first = first;
    Move its_move;
    const auto exact = exact_list<Neighbourhood>(&its_view, &its_first, variant, wanted, &its_move);
    move = its_move;
    return exact;
  } else {
    const ListingView<View> exact(view, wanted);
    Neighbourhood::gain(exact, first, variant, move);
    return exact.listed;
  }
}

}  // namespace gls
