// Parameters of functors as 8-byte words: integers, doubles or addresses. In Python, the method
// `words` of a part returns them.
//
// A functor reads each word, as in address<const int>(words[0]) and int(words[1]), or it reads all
// words through a struct with an 8-byte field for each word, in the same order:
//
//   struct MyData {
//     const int* weights;
//     int64 bins;
//   };
//   explicit MyPart(const uint64* words) : weights(parameters_of<MyData>(words).weights) {}
//
// With a struct, Python can set the fields by name (`in_order` of backends/structs.py).
#pragma once

#include "backends/include/team.cuh"

namespace gls {

template <class T>
GLS_DEVICE T* address(uint64 word) {
  return reinterpret_cast<T*>(word);
}

// The parameters of a functor as a struct.
template <class Data>
GLS_DEVICE const Data& parameters_of(const uint64* words) {
  static_assert(sizeof(Data) % sizeof(uint64) == 0 && alignof(Data) == alignof(uint64),
                "each field must have 8 bytes");
  return *reinterpret_cast<const Data*>(words);
}

// The size of such a struct in words.
template <class Data>
constexpr int kWordsOf = int(sizeof(Data) / sizeof(uint64));

// The words after such a struct, which belong to another functor.
template <class Data>
GLS_DEVICE const uint64* words_behind(const uint64* words) {
  return words + kWordsOf<Data>;
}

// The bits of a word as a number of another type.
template <class Number>
GLS_DEVICE Number number_in(const uint64& word) {
  return *reinterpret_cast<const Number*>(&word);
}

}  // namespace gls
