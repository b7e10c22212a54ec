// Philox 4x32-10, a counter-based generator (Salmon et al. 2011).
//
// Numbers depend only on seed, purpose, tour and step, not on batch size, launch or device.
#pragma once

#include "backends/include/team.cuh"

namespace gls {

// The purpose of a stream of random numbers. Streams of different purposes are disjoint.
enum class Purpose : uint32 {
  kRandomTours = 1,
  kNearestNeighbour = 2,
  kGreedy = 3,
  kDoubleBridge = 4,
  kRandomK = 5,
  kKick = 6,
  kFilter = 7,
  kPartner = 8,  // on the host: runs/partners.py
  kOffspring = 9,
  kSavings = 10,
  kInsertion = 11,
  kRuin = 12,
  kSuccessor = 13,
  kVariableOrder = 14,
  kLots = 15,
  kTabu = 16,
  kRelease = 17,
  kCompletion = 18,
  kChainKick = 19,
  kProposal = 20,
  kSequence = 21
};

struct Philox {
  static constexpr int kRounds = 10;  // of the published generator

  uint32 key[2];
  uint32 counter[4];  // step (low), purpose and step (high), tour (low, high)
  uint32 block[4];
  int used = 4;

  GLS_DEVICE Philox(uint64 seed, Purpose purpose, int64 tour)
      : key{uint32(seed), uint32(seed >> 32)},
        counter{0, uint32(purpose), uint32(tour), uint32(uint64(tour) >> 32)} {}

  // Moves to a step of the stream, which has 2^56 steps of four numbers each.
  GLS_DEVICE void seek(int64 step) {
    counter[0] = uint32(step);
    counter[1] = (counter[1] & 0xff) | uint32(step >> 32) << 8;
    used = 4;
  }

  // The next 32 random bits.
  GLS_DEVICE uint32 next() {
    if (used == 4) {
      refill();
      ++counter[0];
      used = 0;
    }
    // Rotates the array, since an array in registers cannot be indexed by a variable.
    const uint32 bits = block[0];
    block[0] = block[1];
    block[1] = block[2];
    block[2] = block[3];
    ++used;
    return bits;
  }

  // A uniform integer in [0, bound), with a bias below bound / 2^32.
  GLS_DEVICE uint32 below(uint32 bound) { return multiply_high(next(), bound); }

  // Tells generators that draw in advance how many numbers are needed next; does nothing here.
  GLS_DEVICE static void ahead(int) {}

  // The four numbers of a step. For many steps, unrolled rounds are faster.
  template <int kUnrolled = 1>
  GLS_DEVICE void four(int64 step, uint32* numbers) {
    seek(step);
    refill<kUnrolled>();
    GLS_UNROLL
    for (int i = 0; i < 4; ++i) numbers[i] = block[i];
  }

 private:
  template <int kUnrolled = 1>  // rarely executed code should be short, to spare the cache
  GLS_DEVICE void refill() {
    uint32 c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32 k0 = key[0], k1 = key[1];
#pragma unroll kUnrolled
    for (int round = 0; round < kRounds; ++round) {
      const uint32 high0 = multiply_high(0xD2511F53u, c0), low0 = 0xD2511F53u * c0;
      const uint32 high1 = multiply_high(0xCD9E8D57u, c2), low1 = 0xCD9E8D57u * c2;
      c0 = high1 ^ c1 ^ k0;
      c1 = low1;
      c2 = high0 ^ c3 ^ k1;
      c3 = low0;
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    block[0] = c0;
    block[1] = c1;
    block[2] = c2;
    block[3] = c3;
  }
};

}  // namespace gls
