// Records each move that a neighbourhood offers in a tour, and the gain that it claims.
//
// Offers are indexed by city, rank of the candidate, direction and variant. Edges may be fixed, as
// in parts of tours; `mates` has the other end of each city's fixed edge, or the city itself.
#pragma once

#include "tours/engines/descent/scout.cuh"

namespace gls {

constexpr int kOfferInts = 3 + 2 * kDeepestExchange;  // shape, direction, number of edges, ends

// The tours, and what the functor returns for each of them.
struct Probes {
  int variants;  // number of ways to continue a first step; -1 to count them only
  int* tours;
  int* positions;
  const int* mates;
  int* variant_counts;
  void* gains;
  void* shared_gains;  // from `each_gain`
  int* offers;
};

template <class Team, class Metric, class Length, class Neighbourhood>
struct ProbeMoves {
  using Lengths = gls::Lengths<Metric, Length>;
  using ProbedView = View<Lengths, int, FixedEdges<int>>;

  GLS_DEVICE static void run(const Team& team, int item, Instance instance, Candidates lists,
                             Probes probes) {
    const int n = instance.n, breadth = lists.breadth, variants = probes.variants;
    const int64 row = int64(item) * n;
    const auto free = view_of<Lengths, int>(
        {probes.tours + row, probes.positions + row, n}, instance,
        static_cast<const typename Lengths::City*>(instance.sites), lists, item);
    const ProbedView view{free.tour, free.length, free.candidates, {probes.mates + row}};
    const int found = Neighbourhood::variants(lists.degree);
    team.once([&] { probes.variant_counts[item] = found; });
    if (found != variants) return;
    team.each(n * breadth, [&](int look) {
      const int city = look / breadth, rank = look % breadth;
      const FirstSteps<Length> first(view, lists.directions, city, rank);
      for (int forward = 0; forward < lists.directions; ++forward) {
        if (!first.gains[forward]) continue;
        const int64 own = ((int64(item) * n * breadth + look) * 2 + forward) * variants;
        offer(view, first.in[forward], variants, static_cast<Length*>(probes.gains) + own,
              static_cast<Length*>(probes.shared_gains) + own, probes.offers + own * kOfferInts);
      }
    });
  }

 private:
  GLS_DEVICE static void offer(const ProbedView& view, const FirstStep<Length>& first, int variants,
                               Length* gains, Length* shared_gains, int* offers) {
    for (int variant = 0; variant < variants; ++variant) {
      Move move{};
      gains[variant] = shared_gains[variant] = Neighbourhood::gain(view, first, variant, move);
      int* const numbers = offers + variant * kOfferInts;
      numbers[0] = int(move.shape), numbers[1] = move.forward, numbers[2] = move.edges;
      for (int end = 0; end < 2 * kMaxExchange; ++end) numbers[3 + end] = move.t[end];
    }
    if constexpr (SharesLengths<Neighbourhood>::kValue) {
      for (int variant = 0; variant < variants; ++variant) shared_gains[variant] = 0;
      Neighbourhood::each_gain(view, first, [&](int variant, Length gain) {
        if (gain > shared_gains[variant]) shared_gains[variant] = gain;
      });
    }
  }
};

}  // namespace gls
