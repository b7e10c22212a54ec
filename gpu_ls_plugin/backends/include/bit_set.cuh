// A set of numbers below n, stored as one bit per number.
#pragma once

#include "backends/include/pieces.cuh"

namespace gls {

struct BitSet {
  int n;
  uint32* bits;

  template <class Memory>
  GLS_DEVICE BitSet(int n, Memory& memory) : n(n), bits(memory.template take<uint32>(words(n))) {}

  GLS_DEVICE static int64 bytes(int n) { return piece_bytes<uint32>(words(n)); }

  // Replaces the contents with number(i) for i in [0, count).
  template <class Team, class Number>
  GLS_DEVICE void fill(const Team& team, int count, Number number) {
    team.each(words(n), [&](int word) { bits[word] = 0; });
    team.sync();
    team.each(count, [&](int i) { team.set_bit(bits, number(i)); });
    team.sync();
  }
  GLS_DEVICE bool has(int number) const { return bits[number / 32] >> number % 32 & 1; }

 private:
  GLS_DEVICE static int words(int n) { return (n + 31) / 32; }
};

}  // namespace gls
