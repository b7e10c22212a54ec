// An objective: the weighted Tchebycheff distance of a tour's costs from an ideal point.
#pragma once

#include "tours/problem/weighted_sum.cuh"
#include "tours/problem/objective.cuh"

namespace gls {

template <int kObjectives>
struct TchebycheffData {
  const void* metric_data[kObjectives];
  double weights[kObjectives];
  double ideal[kObjectives];
  double* sums;  // (2, kObjectives): lengths of the tour, then those that mark() saved
};

template <class... Metrics>
struct Tchebycheff {
  static constexpr int kObjectives = sizeof...(Metrics);
  using Data = TchebycheffData<kObjectives>;
  static constexpr int kWords = kWordsOf<Data>;
  static constexpr bool kFollows = true;

  Terms<0, Metrics...> terms;
  const double *weights, *ideal;
  double* sums;

  GLS_DEVICE Tchebycheff(const uint64* words, int n) : Tchebycheff(parameters_of<Data>(words), n) {}
  GLS_DEVICE Tchebycheff(const Data& data, int n)
      : terms(data.metric_data, data.weights, n),
        weights(data.weights),
        ideal(data.ideal),
        sums(data.sums) {}

  template <class Change, class Gain>
  GLS_DEVICE Gain gain(const Change& change, Gain shorter) const {
    double less[kObjectives];
    shortened(change, less);
    double before = -1e300, after = -1e300;
    GLS_UNROLL
    for (int m = 0; m < kObjectives; ++m) {
      before = fmax(before, weights[m] * (sums[m] - ideal[m]));
      after = fmax(after, weights[m] * (sums[m] - less[m] - ideal[m]));
    }
    return shorter + Gain(before - after);
  }
  template <class Team, class City>
  GLS_DEVICE bool feasible(const Team&, int, City) const {
    return true;
  }

  template <class Team, class City>
  GLS_DEVICE void begin(const Team& team, int n, City city) const {
    GLS_UNROLL
    for (int m = 0; m < kObjectives; ++m) {
      const double sum = team.template sum<double>(n, [&](int p) {
        double lengths[kObjectives];
        terms.each(city(p), city(p + 1 == n ? 0 : p + 1), lengths);
        return lengths[m];
      });
      team.once([&] { sums[m] = sum; });
    }
  }
  template <class Change>
  GLS_DEVICE void follow(const Change& change) const {
    double less[kObjectives];
    shortened(change, less);
    GLS_UNROLL
    for (int m = 0; m < kObjectives; ++m) sums[m] -= less[m];
  }
  GLS_DEVICE void mark() const {
    GLS_UNROLL
    for (int m = 0; m < kObjectives; ++m) sums[kObjectives + m] = sums[m];
  }
  GLS_DEVICE void restore() const {
    GLS_UNROLL
    for (int m = 0; m < kObjectives; ++m) sums[m] = sums[kObjectives + m];
  }

 private:
  // Computes how much shorter a change makes the tour in each objective.
  template <class Change>
  GLS_DEVICE void shortened(const Change& change, double* less) const {
    double lengths[kObjectives];
    GLS_UNROLL
    for (int m = 0; m < kObjectives; ++m) less[m] = 0;
#pragma unroll 1
    for (int edge = 0; edge < change.edges(); ++edge) {
      const Edge leaving = change.leaving(edge), coming = change.coming(edge);
      terms.each(leaving.from, leaving.to, lengths);
      GLS_UNROLL
      for (int m = 0; m < kObjectives; ++m) less[m] += lengths[m];
      terms.each(coming.from, coming.to, lengths);
      GLS_UNROLL
      for (int m = 0; m < kObjectives; ++m) less[m] -= lengths[m];
    }
  }
};

}  // namespace gls
