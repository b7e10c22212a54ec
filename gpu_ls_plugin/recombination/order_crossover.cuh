// Order crossover (Davis 1985): a section of the first parent stays where it is; behind it, around
// the end, the other cities follow in the order in which the second parent has them from there on.
#pragma once

#include "recombination/cross_pairs.cuh"
#include "recombination/in_order.cuh"
#include "recombination/section.cuh"

namespace gls {

template <class City>
struct OrderCrossover {
  int n;
  uint32* kept;  // bit c: city c is in the section

  template <class Memory>
  GLS_DEVICE OrderCrossover(int n, Memory& memory)
      : n(n), kept(memory.template take<uint32>(words(n))) {}

  GLS_DEVICE static int64 bytes(int n) { return piece_bytes<uint32>(words(n)); }

  template <class Team, class Child>
  GLS_DEVICE void cross(const Team& team, const int* first, const int* second, Philox& random,
                        Child child) {
    const Section section = Section::drawn(random, n), rest = section.rest();
    team.each(words(n), [&](int word) { kept[word] = 0; });
    team.sync();
    team.each(section.cities, [&](int i) {
      const int p = section.place(i), city = first[p];
      child(p, city);
      team.set_bit(kept, city);
    });
    team.sync();
    put_kept(
        team, n,
        [&](int i) {
          const int city = second[rest.place(i)];
          return !(kept[city / 32] >> city % 32 & 1);
        },
        [&](int rank, int i) { child(rest.place(rank), second[rest.place(i)]); });
  }

 private:
  GLS_DEVICE static int words(int n) { return (n + 31) / 32; }
};

}  // namespace gls
