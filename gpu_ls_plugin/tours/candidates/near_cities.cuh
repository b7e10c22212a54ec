// Candidate lists of cities in the plane: nearest or quadrant neighbours, found with a grid of
// cells.
//
// The kernel runs on the host. One thread searches the cells around a city's cell, ring by ring.
#pragma once

#include "tours/problem/metric.cuh"

namespace gls {

// Cities in the plane, sorted into wide x high square cells. Row r is city `cities[r]` in cell
// `cells[r]`. The rows of cell c are `members[starts[c]]` to `members[starts[c + 1] - 1]`.
struct CellGrid {
  int rows, wide, high;
  const double* bounds;  // cities beyond ring r are at least bounds[r] away
  const int *cities, *cells, *starts, *members;
};

// Which cities to list: `each` from every quadrant, then the nearest others, `width` in all. They
// are chosen from the `first_look` nearest cities. If these do not fill the quadrants, the choice
// is repeated with the `second_look` and, if necessary, the `last_look` nearest cities.
struct NearChoice {
  int each, width;
  int first_look, second_look, last_look;
};

constexpr int kMostLooked = 256;  // maximum number of nearest cities to choose from

// The quadrant of the vector (dx, dy), 0 to 3, counterclockwise. Each quadrant includes the half
// axis at which it begins, and quadrant 0 includes (0, 0). `tours/candidates/quadrant.py` defines
// the same quadrants.
GLS_DEVICE int quadrant(double dx, double dy) {
  if (dy > 0) return dx <= 0;
  return dy == 0 && dx >= 0 ? 0 : 3 - (dx < 0);
}

// Each item makes the lists of `kRows` cities.
template <class Team, class Metric>
struct NearCities {
  using Length = typename Metric::Length;
  static constexpr int kRows = 256;

  GLS_DEVICE static void run(const Team& team, int item, const void* metric_data, int n,
                             CellGrid grid, NearChoice choice, int* near_cities, void* lengths) {
    const Metric metric(metric_data, n);
    team.once([&] {
      Near near[kMostLooked];
      bool chosen[kMostLooked];
      const int end = (item + 1) * kRows < grid.rows ? (item + 1) * kRows : grid.rows;
      for (int row = item * kRows; row < end; ++row) {
        const int city = grid.cities[row];
        int looks[3] = {choice.first_look, choice.second_look, choice.last_look};
        int count = 0;
        for (int look = 0; look < 3; ++look) {
          if (look > 0 && looks[look] == looks[look - 1]) continue;
          count = looks[look];
          nearest(metric, grid, row, count, near);
          if (choose(metric, city, near, count, choice, chosen)) break;
        }
        const int64 first = int64(row) * choice.width;
        int written = 0;
        for (int r = 0; r < count; ++r) {
          if (!chosen[r]) continue;
          near_cities[first + written] = near[r].city;
          static_cast<Length*>(lengths)[first + written++] = near[r].length;
        }
      }
    });
  }

 private:
  struct Near {
    Length length;
    int city;
    GLS_DEVICE bool operator<(const Near& other) const {
      return length < other.length || (length == other.length && city < other.city);
    }
  };

  // Finds the `count` cities nearest to the city of a row, sorted by length, then by number.
  GLS_DEVICE static void nearest(const Metric& metric, const CellGrid& grid, int row, int count,
                                 Near* near) {
    const int cell = grid.cells[row], x = cell % grid.wide, y = cell / grid.wide;
    const int most = grid.wide > grid.high ? grid.wide : grid.high;
    int found = 0;
    for (int ring = 0; ring < most; ++ring) {
      const int low_y = y - ring < 0 ? 0 : y - ring;
      const int high_y = y + ring >= grid.high ? grid.high - 1 : y + ring;
      for (int cy = low_y; cy <= high_y; ++cy) {
        const bool edge = cy == y - ring || cy == y + ring;
        const int step = edge || ring == 0 ? 1 : 2 * ring;
        for (int cx = x - ring; cx <= x + ring; cx += step) {
          if (cx < 0 || cx >= grid.wide) continue;
          const int its_cell = cy * grid.wide + cx;
          for (int m = grid.starts[its_cell]; m < grid.starts[its_cell + 1]; ++m) {
            if (grid.members[m] != row) add(metric, grid, row, grid.members[m], count, near, found);
          }
        }
      }
      if (found == count && near[count - 1].length < Length(grid.bounds[ring])) return;
    }
  }

  GLS_DEVICE static void add(const Metric& metric, const CellGrid& grid, int row, int other,
                             int count, Near* near, int& found) {
    const int city = grid.cities[other];
    const Near added{metric(grid.cities[row], city), city};
    if (found == count && !(added < near[count - 1])) return;
    int place = found < count ? found++ : count - 1;
    for (; place > 0 && added < near[place - 1]; --place) near[place] = near[place - 1];
    near[place] = added;
  }

  // Marks the cities to list; returns whether every quadrant has at least `each` cities.
  GLS_DEVICE static bool choose(const Metric& metric, int city, const Near* near, int count,
                                const NearChoice& choice, bool* chosen) {
    int of_quadrant[4] = {0, 0, 0, 0}, total = 0;
    for (int r = 0; r < count; ++r) {
      const int other = near[r].city;
      const int its = quadrant(metric.dx(other, city), metric.dy(other, city));
      chosen[r] = choice.each > 0 && ++of_quadrant[its] <= choice.each;
      total += chosen[r];
    }
    for (int r = 0; r < count && total < choice.width; ++r) {
      total += !chosen[r];
      chosen[r] = true;
    }
    bool complete = true;
    for (int q = 0; q < 4; ++q) complete &= of_quadrant[q] >= choice.each;
    return complete;
  }
};

}  // namespace gls
