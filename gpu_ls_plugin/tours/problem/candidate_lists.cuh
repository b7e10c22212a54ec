// Candidate lists: the candidates of each city, best first, with the lengths of the edges to them.
#pragma once

#include "backends/include/team.cuh"

namespace gls {

// Numbers the entries of all lists consecutively; there are fewer than 2^32. `sorted` says whether
// each list is sorted by length.
struct Entries {
  int degree;
  bool sorted;

  GLS_DEVICE uint32 entry(int city, int rank) const { return uint32(city) * degree + rank; }
};

template <class Length>
struct CandidateLists : Entries {
  const int* cities;
  const Length* lengths;

  GLS_DEVICE CandidateLists(const void* cities, const void* lengths, int degree, bool sorted,
                            int64 first = 0)
      : Entries{degree, sorted},
        cities(static_cast<const int*>(cities) + first),
        lengths(static_cast<const Length*>(lengths) + first) {}

  GLS_DEVICE int city(uint32 entry) const { return cities[entry]; }
  GLS_DEVICE Length length(uint32 entry) const { return lengths[entry]; }

  static constexpr Length kFar = Length(int64(1) << (sizeof(Length) == 4 ? 28 : 59));
  GLS_DEVICE static void put(void* cities, void* lengths, int64 entry, int city, Length length) {
    static_cast<int*>(cities)[entry] = city;
    static_cast<Length*>(lengths)[entry] = length;
  }
};

// Candidate lists that pack a city and the length of the edge to it, 16 bits each, into one word.
template <class Length>
struct PackedLists : Entries {
  const uint32* words;

  GLS_DEVICE PackedLists(const void* words, const void*, int degree, bool sorted, int64 first = 0)
      : Entries{degree, sorted}, words(static_cast<const uint32*>(words) + first) {}

  GLS_DEVICE int city(uint32 entry) const { return int(words[entry] & 0xffff); }
  GLS_DEVICE Length length(uint32 entry) const { return Length(words[entry] >> 16); }

  static constexpr Length kFar = 0xffff;
  GLS_DEVICE static void put(void* words, void*, int64 entry, int city, Length length) {
    static_cast<uint32*>(words)[entry] = uint32(length) << 16 | uint32(city);
  }
};

// Writes the candidates of a city that are in a part of the problem, starting at entry `own`.
// `number` maps a city to its number in the part, or to a negative number if the part does not
// contain it. If candidates are dropped, the end of the list repeats its beginning. If no
// candidate is left, the list holds `neighbour`, at a length that no move would accept.
template <class Lists, class Number>
GLS_DEVICE void keep_inside(const Lists& lists, int city, Number number, int neighbour, void* near,
                            void* near_lengths, int64 own) {
  int inside = 0;
  for (int rank = 0; rank < lists.degree; ++rank) {
    const auto entry = lists.entry(city, rank);
    const int other = number(lists.city(entry));
    if (other >= 0) Lists::put(near, near_lengths, own + inside++, other, lists.length(entry));
  }
  const Lists made(near, near_lengths, lists.degree, false, own);
  for (int rank = inside; rank < lists.degree; ++rank) {
    const int again = rank - inside;
    Lists::put(near, near_lengths, own + rank, inside > 0 ? made.city(again) : neighbour,
               inside > 0 ? made.length(again) : Lists::kFar);
  }
}

}  // namespace gls
