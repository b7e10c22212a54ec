// The random numbers of the kicks of a chain; all lanes of a team draw them together.
#pragma once

#include "backends/include/philox.cuh"
#include "tours/kernels/chain_sizes.cuh"

namespace gls {

constexpr int kDrawsPerKick = 1024;  // number of steps of the random stream that each kick reserves

// The numbers that a team has drawn: the first eight numbers of each of kKicks consecutive
// kicks (most kicks need no more), or later numbers of a single kick.
template <class Team>
struct DrawnNumbers {
  static constexpr int kKicks = Team::kLanes > 1 ? 4 : 1, kOfKick = 8, kAll = kOfKick * kKicks;
  uint32 numbers[kAll];
  int group;  // lower bits of kick / kKicks; -1: later numbers of a single kick, or no numbers
};

// The random stream of one kick, the same for all lanes.
template <class Team>
class KickNumbers {
  using Drawn = DrawnNumbers<Team>;
  static_assert(sizeof(Drawn) <= kDrawnBytes, "Python reserves kDrawnBytes for DrawnNumbers");

 public:
  GLS_DEVICE KickNumbers(const Team& team, const Philox& stream, int64 kick, Drawn& drawn)
      : team(team), stream(stream), drawn(drawn), step(kick * kDrawsPerKick) {
    const int group = int(kick / Drawn::kKicks & 0x7fffffff), own = int(kick % Drawn::kKicks);
    base = Drawn::kOfKick * own;
    end = base + Drawn::kOfKick;
    if (drawn.group != group) {
      constexpr int kBlocks = Drawn::kOfKick / 4;
      draw(group, [&](int block) {
        return step + (block / kBlocks - own) * kDrawsPerKick + block % kBlocks;
      });
    }
  }

  // Draws the next `count` numbers, unless they have already been drawn.
  GLS_DEVICE void ahead(int count) {
    if (base + taken + count <= end) return;
    const int first = taken / 4;
    draw(-1, [&](int block) { return step + first + block; });
    base = -4 * first;
    end = Drawn::kAll;
  }

  GLS_DEVICE uint32 below(uint32 bound) {
    return multiply_high(drawn.numbers[base + taken++], bound);
  }

 private:
  template <class Step>
  GLS_DEVICE void draw(int group, Step step_of) {
    team.sync();  // all lanes have read the previous numbers
    team.each(Drawn::kAll / 4, [&](int block) {
      Philox own = stream;
      own.four(step_of(block), &drawn.numbers[4 * block]);
    });
    team.once([&] { drawn.group = group; });
  }

  const Team& team;
  const Philox& stream;
  Drawn& drawn;
  const int64 step;
  int base, end;  // indices in `drawn`: of the kick's first number, and one past its last
  int taken = 0;
};

}  // namespace gls
