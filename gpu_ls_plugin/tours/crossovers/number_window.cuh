// Random numbers in the order of their stream, drawn by all lanes of a team together.
#pragma once

#include "backends/include/philox.cuh"
#include "tours/kernels/tour_memory.cuh"

namespace gls {

struct NumberWindow {
  static constexpr int kNumbers = 128;

  uint32* numbers;
  Philox stream;
  int64 step;           // of the stream, four numbers each, with which the next window begins
  int used = kNumbers;  // of this one

  template <class Memory>
  GLS_DEVICE NumberWindow(const Philox& stream, int64 step, Memory& memory)
      : numbers(memory.template take<uint32>(kNumbers)), stream(stream), step(step) {}

  GLS_DEVICE static int64 bytes() { return piece_bytes<uint32>(kNumbers); }

  // Sees to it that there is a number at least.
  template <class Team>
  GLS_DEVICE void fill(const Team& team) {
    if (used < kNumbers) return;
    team.sync();  // all have read those before
    team.each(kNumbers / 4, [&](int block) {
      Philox own = stream;
      own.four(step + block, numbers + 4 * block);
    });
    step += kNumbers / 4;
    used = 0;
    team.sync();
  }

  // The same for all lanes.
  template <class Team>
  GLS_DEVICE int below(const Team& team, int bound) {
    fill(team);
    return int(multiply_high(numbers[used++], uint32(bound)));
  }
};

}  // namespace gls
