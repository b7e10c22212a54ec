// Several resources with their prices as a list: the first one, and a list of the rest.
#pragma once

#include "routes/problem/resources/resource.cuh"

namespace gls {

// The parameters of a resource in a list. The words of the resource follow, then the next
// ResourceData.
struct ResourceData {
  uint64 weight;  // a Weight: the price of a unit of excess
};

template <class Weight, class... Resources>
struct ResourceList {
  static constexpr int kWords = 0, kOrders = 0;
  static constexpr bool kAny = false, kTurns = false, kTimed = false;
  // The segments of a path, one for each resource.
  struct Segment {};

  GLS_DEVICE explicit ResourceList(const uint64*) {}

  template <class Use>
  GLS_DEVICE void each(Use) const {}
  GLS_DEVICE Segment at(int) const { return {}; }
  template <class Length>
  GLS_DEVICE Segment join(const Segment&, const Segment&, Length) const {
    return {};
  }
  GLS_DEVICE Weight price(const Segment&) const { return 0; }
  GLS_DEVICE double rank(int, int) const { return 0; }
  GLS_DEVICE Weight end(const Segment&) const { return 0; }
  GLS_DEVICE Weight deadline(int) const { return 0; }
};

template <class Weight, class First, class... Others>
struct ResourceList<Weight, First, Others...> {
  using Resource = First;
  using Rest = ResourceList<Weight, Others...>;
  static constexpr int kOwnWords = kWordsOf<ResourceData> + Resource::kWords;
  static constexpr int kWords = kOwnWords + Rest::kWords;
  static constexpr bool kAny = true;
  static constexpr bool kTurns = Resource::kTurns || !Resource::kAdds || Rest::kTurns;
  static constexpr bool kTimed = Timed<Resource>::kValue || Rest::kTimed;
  static constexpr int kOwnOrders = Orders<Resource>::kValue;
  static constexpr int kOrders = kOwnOrders + Rest::kOrders;
  struct Segment : Rest::Segment {
    typename Resource::Segment own;

    Segment() = default;
    GLS_DEVICE Segment(const typename Rest::Segment& rest, const typename Resource::Segment& own)
        : Rest::Segment(rest), own(own) {}
  };

  Weight weight;
  Resource resource;
  Rest rest;

  GLS_DEVICE explicit ResourceList(const uint64* words)
      : weight(number_in<Weight>(parameters_of<ResourceData>(words).weight)),
        resource(words_behind<ResourceData>(words)),
        rest(words + kOwnWords) {}

  // Calls use(resource, its price) for each resource.
  template <class Use>
  GLS_DEVICE void each(Use use) const {
    use(resource, weight);
    rest.each(use);
  }

  // These functions are as those of a resource.
  GLS_DEVICE Segment at(int node) const { return {rest.at(node), resource.at(node)}; }
  template <class Length>
  GLS_DEVICE Segment join(const Segment& a, const Segment& b, Length edge) const {
    return {rest.join(a, b, edge), resource.join(a.own, b.own, edge)};
  }
  // The price of the excess of a route.
  GLS_DEVICE Weight price(const Segment& route) const {
    return weight * Weight(resource.excess(route.own)) + rest.price(route);
  }
  GLS_DEVICE double rank(int node, int order) const {
    if constexpr (kOwnOrders > 0) {
      if (order < kOwnOrders) return resource.rank(node, order);
    }
    return rest.rank(node, order - kOwnOrders);
  }
  // The time of the first resource that has one.
  GLS_DEVICE Weight end(const Segment& path) const {
    if constexpr (Timed<Resource>::kValue) return Weight(resource.end(path.own));
    return rest.end(path);
  }
  GLS_DEVICE Weight deadline(int node) const {
    if constexpr (Timed<Resource>::kValue) return Weight(resource.deadline(node));
    return rest.deadline(node);
  }
};

}  // namespace gls
