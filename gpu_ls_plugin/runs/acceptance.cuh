// Acceptance rules: whether a chain continues from the tour after a kick and its repair.
//
//   static constexpr bool kNeverWorse      whether the rule rejects each rise of the cost
//   static bool takes(rise, level, random)
//
// takes() returns whether the chain continues from the new tour. `rise` is the change of the cost.
// `level`, which may change from kick to kick, is the rule's parameter in the unit of costs.
#pragma once

#include "backends/include/bits.cuh"
#include "backends/include/philox.cuh"

namespace gls {

struct Better {
  static constexpr bool kNeverWorse = true;
  template <class Cost>
  GLS_DEVICE static bool takes(Cost rise, float, Philox&) {
    return rise < 0;
  }
};

struct BetterOrEqual {
  static constexpr bool kNeverWorse = true;
  template <class Cost>
  GLS_DEVICE static bool takes(Cost rise, float, Philox&) {
    return rise <= 0;
  }
};

struct Always {
  static constexpr bool kNeverWorse = false;
  template <class Cost>
  GLS_DEVICE static bool takes(Cost, float, Philox&) {
    return true;
  }
};

struct Threshold {
  static constexpr bool kNeverWorse = false;
  template <class Cost>
  GLS_DEVICE static bool takes(Cost rise, float level, Philox&) {
    return float(rise) <= level;
  }
};

// Metropolis' rule: accepts a rise with probability exp(-rise / level).
struct Annealing {
  static constexpr bool kNeverWorse = false;
  template <class Cost>
  GLS_DEVICE static bool takes(Cost rise, float level, Philox& random) {
    return rise <= 0 || float(rise) < level * minus_log(random.next());
  }

  // -ln u for u in (0, 1] from 32 random bits, with an error of at most 1e-4. Unlike library
  // logarithms, it is the same on all processors.
  GLS_DEVICE static float minus_log(uint32 random) {
    const int bits = float_to_bits(float((random >> 8) + 1));  // u * 2^24, exact
    const float m = bits_to_float((bits & 0x7fffff) | 0x3f800000);
    const float log_m =
        (((-0.056570851f * m + 0.44717955f) * m - 1.4699568f) * m + 2.8212026f) * m - 1.7417939f;
    const float log_u = float((bits >> 23) - 127 - 24) * 0.69314718f + log_m;
    return log_u < 0 ? -log_u : 0.0f;
  }
};

}  // namespace gls
