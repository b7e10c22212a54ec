// Metrics whose data each row of a batch has for itself: `Metric::kRowBytes` of them, one row after
// the other, which begin with RowData.
#pragma once

#include "tours/problem/metric.cuh"
#include "backends/include/words.cuh"

namespace gls {

struct RowData {
  int64 cities;  // how many there are
  int64 lists;   // which candidate lists the row has
};

template <class Metric, class = void>
struct RowBytes {
  enum : int { kCount = 0 };
};
template <class Metric>
struct RowBytes<Metric, decltype(void(Metric::kRowBytes))> {
  enum : int { kCount = Metric::kRowBytes };
};

// What a row's metric reads: what all read, as a rule.
template <class Metric>
GLS_DEVICE const void* row_data(const void* data, int row) {
  if constexpr (RowBytes<Metric>::kCount == 0)
    return data;
  else
    return static_cast<const char*>(data) + int64(row) * RowBytes<Metric>::kCount;
}

// Candidates of a row, of whose lengths none is stored: those of edges depend on the row's weights.
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

  // `data` are the row's.
  GLS_DEVICE RowLists(const void* lists, const void* data, int degree, bool, int64 = 0)
      : degree(degree),
        metric(data, int(static_cast<const RowData*>(data)->cities)),
        cities(static_cast<const int*>(lists) +
               of_row(*static_cast<const RowData*>(data), degree)) {}

  GLS_DEVICE Entry entry(int city, int rank) const { return {city, uint32(city) * degree + rank}; }
  GLS_DEVICE int city(const Entry& entry) const { return cities[entry.place]; }
  GLS_DEVICE double length(const Entry& entry) const { return metric(entry.city, city(entry)); }

 private:
  // Where the lists of a row begin.
  GLS_DEVICE static int64 of_row(const RowData& data, int degree) {
    return data.cities * data.lists * degree;
  }
};

}  // namespace gls
