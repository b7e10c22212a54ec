// Instances side by side: the cities of all are those of one problem, and each instance is a part
// of it, whose cities have numbers of their own.
#pragma once

#include "tours/problem/lengths.cuh"

namespace gls {

// The nearest of the cities that were offered, by length and number.
template <class Length, int most>
struct NearestFew {
  Length lengths[most];
  int cities[most];
  int size = 0;

  GLS_DEVICE bool before(Length length, int city, int rank) const {
    return length < lengths[rank] || (!(lengths[rank] < length) && city < cities[rank]);
  }

  // Takes a city where it is one of the nearest `room`.
  GLS_DEVICE void offer(Length length, int city, int room) {
    if (room == 0 || (size == room && !before(length, city, size - 1))) return;
    int at = size < room ? size++ : room - 1;
    for (; at > 0 && before(length, city, at - 1); --at) {
      lengths[at] = lengths[at - 1];
      cities[at] = cities[at - 1];
    }
    lengths[at] = length;
    cities[at] = city;
  }
  GLS_DEVICE bool holds(int city) const {
    for (int rank = 0; rank < size; ++rank) {
      if (cities[rank] == city) return true;
    }
    return false;
  }
};

// 0 to 3, against the clock, each with the half line that it begins with; (0, 0) is in the first.
GLS_DEVICE int quadrant(double dx, double dy) {
  if (dy > 0) return dx <= 0;
  return dy == 0 && dx >= 0 ? 0 : 3 - (dx < 0);
}

// Candidates of one city among those of its instance: equally many nearest from each quadrant, then
// the nearest others, by length and number. A list that is too short repeats its last candidate.
template <class Team, class Metric, class Length, class Lists, int most>
struct InstanceLists {
  GLS_DEVICE static void run(const Team& team, int item, const void* metric_data, int total,
                             const double* points, int stride, int degree, const int* sizes,
                             const int* names, void* near, void* near_lengths) {
    const int part = item / stride, own = item % stride, n = sizes[part];
    if (own >= n) return;
    const Metric metric(metric_data, total);
    const int64 row = int64(part) * stride;
    const int first = names[row], each = degree / 4;
    const double x = points[2 * int64(first + own)], y = points[2 * int64(first + own) + 1];
    NearestFew<Length, most> nearest, listed;
    NearestFew<Length, most / 4> quadrants[4];
    for (int other = 0; other < n; ++other) {
      if (other == own) continue;
      const Length length = Length(metric(first + own, first + other));
      const double dx = points[2 * int64(first + other)] - x;
      const double dy = points[2 * int64(first + other) + 1] - y;
      nearest.offer(length, other, degree);
      quadrants[quadrant(dx, dy)].offer(length, other, each);
    }
    const auto in_quadrant = [&](int city) {
      return quadrants[0].holds(city) || quadrants[1].holds(city) || quadrants[2].holds(city) ||
             quadrants[3].holds(city);
    };
    for (int q = 0; q < 4; ++q) {
      for (int rank = 0; rank < quadrants[q].size; ++rank) {
        listed.offer(quadrants[q].lengths[rank], quadrants[q].cities[rank], degree);
      }
    }
    for (int rank = 0; rank < nearest.size && listed.size < degree; ++rank) {
      if (in_quadrant(nearest.cities[rank])) continue;
      listed.offer(nearest.lengths[rank], nearest.cities[rank], degree);
    }
    for (int rank = 0; rank < degree; ++rank) {
      const int taken = rank < listed.size ? rank : listed.size - 1;
      Lists::put(near, near_lengths, (row + own) * degree + rank, listed.cities[taken],
                 listed.lengths[taken]);
    }
  }
};

// What the tours of instances cost, of each of which there are `replicas`.
template <class Team, class Metric>
struct InstanceCost {
  using Length = typename Metric::Length;

  GLS_DEVICE static void run(const Team& team, int item, const void* metric_data, int total,
                             int stride, int replicas, const int* sizes, const int* names,
                             const int* tours, void* costs) {
    const Metric metric(metric_data, total);
    const int part = item / replicas, n = sizes[part];
    const int* own = names + int64(part) * stride;
    const int* tour = tours + int64(item) * stride;
    const Length cost = team.template sum<Length>(
        n, [&](int p) { return metric(own[tour[p]], own[tour[p + 1 == n ? 0 : p + 1]]); });
    team.once([&] { static_cast<Length*>(costs)[item] = cost; });
  }
};

}  // namespace gls
