// Lists of promising moves. A move is promising if it may gain, judging by lengths alone. The
// objective decides whether it does.
//
// Few moves of a variant are promising. Each lane counts the promising moves of its variants. Then
// the lanes share all promising moves: a lane finds a move by its number, and asks the objective
// about it. So all lanes ask the objective at the same time, and about equally often.
#pragma once

#include "tours/moves/move.cuh"

namespace gls {

// How many moves a lane has listed in each turn. In a turn, a lane takes one variant.
struct ListedByTurn {
  static constexpr int kTurns = 8;  // number of turns; each has a byte of `counts`
  static constexpr int kMost = 31;  // maximum number of moves per turn; their sum fits into a byte
  uint64 counts = 0;

  GLS_DEVICE void set(int turn, int count) { counts |= uint64(count) << 8 * turn; }
  GLS_DEVICE int size() const { return int(counts * 0x0101010101010101ull >> 56); }
  // Returns the turn of move `number`; `number` becomes its number among the moves of that turn.
  GLS_DEVICE int turn_of(int& number) const {
    int turn = 0;
    for (uint64 left = counts; number >= int(left & 255); left >>= 8, ++turn) {
      number -= int(left & 255);
    }
    return turn;
  }
};

// The number of promising moves of a variant, and the lengths of the edges of the wanted move.
template <class Length>
struct Listed {
  int count = 0;
  Length removed = 0, added = 0;
};

constexpr int kNotWanted = -1;  // a number that no move has

// A view that counts promising moves. In it, no move gains, except the promising move `wanted`.
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

// Returns how many moves of a variant are promising.
template <class Neighbourhood, class View, class Length = typename View::Length>
GLS_DEVICE int count_moves(const View& view, const FirstStep<Length>& first, int variant) {
  using Lengths = typename View::Lengths;
  Move unused;
  if constexpr (Lengths::kQuick) {
    const auto tentative = view.with(Tentative<Lengths>(view.length));
    const ListingView quick(tentative, kNotWanted);
    Neighbourhood::gain(quick, first, variant, unused);
    if (!quick.length.doubt()) return quick.listed.count;
  }
  const ListingView exact(view, kNotWanted);
  Neighbourhood::gain(exact, first, variant, unused);
  return exact.listed.count;
}

// Writes promising move `number` of a variant, and returns its gain. The function is out of line,
// because it is rarely called: few moves are listed.
template <class Neighbourhood, class View, class Length = typename View::Length>
GLS_OUT_OF_LINE Length gain_of_listed(const View* view, const FirstStep<Length>* first, int variant,
                                      int number, Move* move) {
  const ListingView exact(*view, number);
  Neighbourhood::gain(exact, *first, variant, *move);
  return view->template gain_of<MostEdges<Neighbourhood>::kValue>(*move, exact.listed.removed,
                                                                  exact.listed.added);
}

}  // namespace gls
