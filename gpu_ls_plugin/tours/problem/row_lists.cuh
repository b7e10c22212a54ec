// Metrics with separate data for each row of a batch: `Metric::kRowBytes` bytes per row, row after
// row. The data of a row begin with RowData.
#pragma once

#include "tours/problem/metric.cuh"
#include "backends/include/optional_constant.cuh"
#include "backends/include/words.cuh"

namespace gls {

struct RowData {
  int64 cities;  // number of cities
  int64 lists;   // index of the candidate lists that the row uses
};

// Size of a row's data in bytes; 0 if all rows share the data.
GLS_OPTIONAL_CONSTANT(RowBytes, kRowBytes, int, 0);

// The metric data of a row.
template <class Metric>
GLS_DEVICE const void* row_data(const void* data, int row) {
  if constexpr (RowBytes<Metric>::kValue == 0)
    return data;
  else
    return static_cast<const char*>(data) + int64(row) * RowBytes<Metric>::kValue;
}

// Candidate lists of a row. Lengths are computed, not stored: they depend on the row's weights.
template <class Metric>
struct RowLists {
  struct Entry {
    int city;
    uint32 place;
    GLS_DEVICE Entry operator+(int rank) const { return {city, place + rank}; }
  };

  int degree;
  static constexpr bool sorted = false;
  Metric metric;
  const int* cities;

  // `data` are the metric data of the row.
  GLS_DEVICE RowLists(const void* lists, const void* data, int degree, bool, int64 = 0)
      : degree(degree),
        metric(data, int(static_cast<const RowData*>(data)->cities)),
        cities(static_cast<const int*>(lists) +
               of_row(*static_cast<const RowData*>(data), degree)) {}

  GLS_DEVICE Entry entry(int city, int rank) const { return {city, uint32(city) * degree + rank}; }
  GLS_DEVICE int city(const Entry& entry) const { return cities[entry.place]; }
  GLS_DEVICE double length(const Entry& entry) const { return metric(entry.city, city(entry)); }

 private:
  // The index of the first entry of the row's lists.
  GLS_DEVICE static int64 of_row(const RowData& data, int degree) {
    return data.cities * data.lists * degree;
  }
};

}  // namespace gls
