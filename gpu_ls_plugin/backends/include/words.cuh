// Parameters of parts as 8-byte words: integers, doubles or addresses, as `words` of a part's
// Python face returns them.
//
// A functor reads them one by one, as address<const int>(words[0]) and int(words[1]), or through a
// struct that has a field of 8 bytes for each, in the same order:
//
//   struct MyData {
//     const int* weights;
//     int64 bins;
//   };
//   explicit MyPart(const uint64* words) : weights(parameters_of<MyData>(words).weights) {}
//
// The library's own parts do the latter, and their Python faces give values by the fields' names
// (`in_order` of backends/structs.py).
#pragma once

#include "backends/include/team.cuh"

namespace gls {

template <class T>
GLS_DEVICE T* address(uint64 word) {
  return reinterpret_cast<T*>(word);
}

// The parameters of a functor.
template <class Data>
GLS_DEVICE const Data& parameters_of(const uint64* words) {
  static_assert(sizeof(Data) % sizeof(uint64) == 0 && alignof(Data) == alignof(uint64),
                "fields of 8 bytes");
  return *reinterpret_cast<const Data*>(words);
}

// How many words such a struct is.
template <class Data>
constexpr int kWordsOf = int(sizeof(Data) / sizeof(uint64));

// What follows such a struct: the words of another functor.
template <class Data>
GLS_DEVICE const uint64* words_behind(const uint64* words) {
  return words + kWordsOf<Data>;
}

// A word as a number of a type that a template argument says.
template <class Number>
GLS_DEVICE Number number_in(const uint64& word) {
  return *reinterpret_cast<const Number*>(&word);
}

}  // namespace gls
