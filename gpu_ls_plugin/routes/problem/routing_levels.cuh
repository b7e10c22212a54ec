// The constraints of vehicle routing, by stretches of the tour that are computed ahead: the tour
// after a change is joined from those between its cuts, however the resources are made.
#pragma once

#include "routes/problem/routing.cuh"
#include "routes/problem/resources/hierarchy.cuh"

namespace gls {

// Beside what `Routing` keeps of a tour: for each resource, its stretches in levels 0 to `level`.
template <int level, class Metric, class Weight, bool hard, class... Resources>
struct RoutingByLevels : Routing<Metric, Weight, hard, Resources...> {
  using Base = Routing<Metric, Weight, hard, Resources...>;
  using List = typename Base::List;
  static constexpr bool kKeepsPlaces = false;

  const Levels<level> levels;

  // Behind the words of `Routing`, how many units make one of the level above, as powers of two.
  GLS_DEVICE RoutingByLevels(const uint64* words, int n)
      : Base(words, n), levels(n, Base::resource_words(words) + List::kWords) {}

  template <class Team, class City>
  GLS_DEVICE void keep(const Team& team, int n, City city) const {
    Base::keep(team, n, city);
    each_kept(n, [&](const auto& resource, const auto&, Weight, auto* kept) {
      const auto stretches = stretches_of(resource);
      levels.make(
          team, kept, 0, [&](int place) { return stretches.at(city(place)); },
          [&](const auto& a, const auto& b, int place) {
            return joined(stretches, a, b, city(place - 1), city(place));
          });
    });
  }

  template <class Change, class Gain>
  GLS_DEVICE Gain gain(const Change& change, Gain shorter) const {
    const int n = change.cities();
    const KeptRoutes routes = this->kept_routes(n);
    const TourSegments tour(change, Base::kTurns ? change.place(0) : -1);
    bool worse = false;
    Weight saved = 0;
    int used = 0;
    each_kept(n, [&](const auto& resource, const auto& its, Weight weight, const auto* kept) {
      const auto before = this->excess_of_cut(resource, its, routes, change);
      const auto after = stretch_after(stretches_of(resource), kept, change, tour);
      worse |= after.excess.there > before;
      saved += weight * Weight(before - after.excess.there);
      used = after.routes;
    });
    if (this->fleet < this->copies) {
      this->charge_vehicles(used - *this->used_place(), worse, saved);
    }
    return hard && worse ? forbidden<Gain>() : shorter + Gain(saved);
  }

  // use(resource, stretch) of the places from `first` to `last`, beyond the end where that is n or
  // more, of the tour of city(0), ... city(n - 1).
  template <class City, class Use>
  GLS_DEVICE void each_stretch(int n, City city, int first, int last, Use use) const {
    each_kept(n, [&](const auto& resource, const auto&, Weight, const auto* kept) {
      use(resource, between(stretches_of(resource), kept, city, first, last));
    });
  }

 private:
  template <class Resource>
  GLS_DEVICE Stretches<Resource> stretches_of(const Resource& resource) const {
    return {resource, this->customers};
  }

  // use(resource, its kept data, its weight, its stretches)
  template <class Use>
  GLS_DEVICE void each_kept(int n, Use use) const {
    char* at = this->kept_resources(n) + List::bytes(n, this->copies);
    this->each(n, [&](const auto& resource, const auto& its, Weight weight) {
      auto* const kept = first_at(resource, at);
      use(resource, its, weight, kept);
      at += (levels.stretches() * int64(sizeof(*kept)) + 15) / 16 * 16;
    });
  }
  template <class Resource>
  GLS_DEVICE static Stretch<Resource>* first_at(const Resource&, char* at) {
    return reinterpret_cast<Stretch<Resource>*>(at);
  }

  // Of stretches of which one ends at a city a and the other begins at b.
  template <class Resource, class Kept>
  GLS_DEVICE Kept joined(const Stretches<Resource>& stretches, const Kept& first,
                         const Kept& second, int a, int b) const {
    TwoWay<typename Metric::Length> link{0, 0};
    if constexpr (!ByNodes<Resource>::kValue) link = this->edge(a, b);
    return stretches.join(first, second, a, b, link);
  }

  template <class Resource, class City>
  GLS_DEVICE Stretch<Resource> between(const Stretches<Resource>& stretches,
                                       const Stretch<Resource>* kept, City city, int first,
                                       int last) const {
    const int n = levels.units;
    const auto join = [&](const auto& a, const auto& b, int place) {
      return joined(stretches, a, b, city((place > 0 ? place : n) - 1), city(place));
    };
    if (first >= n) first -= n, last -= n;
    Stretch<Resource> all = {};
#pragma unroll 1
    for (int begin = first; begin <= last;) {  // twice beyond the end
      const int end = begin < n && last >= n ? n - 1 : last, beyond = begin < n ? 0 : n;
      const auto its = levels.between(kept, begin - beyond, end - beyond, 0, join);
      all = begin == first ? its : join(all, its, 0);
      begin = end + 1;
    }
    return all;
  }

  // All of the tour after a change, closed. Of routes that lie within a segment that is not turned
  // nothing is added up: they use what they used, and sums of real numbers are rounded.
  template <class Resource, class Change>
  GLS_DEVICE Stretch<Resource> stretch_after(const Stretches<Resource>& stretches,
                                             const Stretch<Resource>* kept, const Change& change,
                                             const TourSegments& tour) const {
    const int n = levels.units;
    const auto city = [&](int place) { return change.city(place); };
    const auto stretch_of = [&](const Segment& segment) {
      auto its = between(stretches, kept, city, segment.first, segment.last);
      const auto excess = its.excess;
      if (!segment.forward) its = stretches.turned(its);
      its.excess = {};
      if (!segment.forward) its.excess.there = excess.back() - excess.there;
      return its;
    };
    const int first = city(this->from(tour.segments[0], n));
    Stretch<Resource> all = {};
    int left = first;
#pragma unroll 1
    for (int x = 0; x < tour.size; ++x) {
      const int entered = city(this->from(tour.segments[x], n));
      const auto its = stretch_of(tour.segments[x]);
      all = x == 0 ? its : joined(stretches, all, its, left, entered);
      left = city(this->to(tour.segments[x], n));
    }
    TwoWay<typename Metric::Length> link{0, 0};
    if constexpr (!ByNodes<Resource>::kValue) link = this->edge(left, first);
    stretches.close(all, stretches.resource.join(all.tail, all.head, link), left, first);
    return all;
  }
};

}  // namespace gls
