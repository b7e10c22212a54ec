// Two neighbourhoods combined: variant v covers variant v of both. Ties go to the first
// neighbourhood.
#pragma once

#include "tours/moves/move.cuh"

namespace gls {

template <class First, class Second>
struct Either {
  static constexpr int kParts = PartsOf<First>::kValue + PartsOf<Second>::kValue;
  static constexpr bool kOwnEnds = OwnEnds<First>::kValue || OwnEnds<Second>::kValue;
  static constexpr int kMostEdges = MostEdges<First>::kValue > MostEdges<Second>::kValue
                                        ? MostEdges<First>::kValue
                                        : MostEdges<Second>::kValue;

  GLS_DEVICE static int variants(int degree) {
    const int first = First::variants(degree), second = Second::variants(degree);
    return first > second ? first : second;
  }

  template <class View, class Length>
  GLS_DEVICE static Length gain(const View& view, const FirstStep<Length>& first, int variant,
                                Move& move) {
    const int degree = view.candidates.degree;
    Length best = 0;
    if (variant < First::variants(degree)) {
      best = First::gain(view, first, variant, move);
      if constexpr (PartsOf<First>::kValue == 1) move.part = 0;
    }
    if (variant < Second::variants(degree)) {
      Move other;
      other.part = 0;
      const Length gain = Second::gain(view, first, variant, other);
      if (gain > best) {
        best = gain, move = other;
        move.part += PartsOf<First>::kValue;
      }
    }
    return best;
  }

  static constexpr bool kSharesLengths = true;
  template <class View, class Length, class Take>
  GLS_DEVICE static void each_gain(const View& view, const FirstStep<Length>& first, Take take) {
    each_gain_of<First>(view, first, take);
    each_gain_of<Second>(view, first, take);
  }

 private:
  template <class Part, class View, class Length, class Take>
  GLS_DEVICE static void each_gain_of(const View& view, const FirstStep<Length>& first, Take take) {
    if constexpr (SharesLengths<Part>::kValue) {
      Part::each_gain(view, first, take);
    } else {
      const int variants = Part::variants(view.candidates.degree);
      for (int variant = 0; variant < variants; ++variant) {
        Move unused;
        take(variant, Part::gain(view, first, variant, unused));
      }
    }
  }
};

}  // namespace gls
