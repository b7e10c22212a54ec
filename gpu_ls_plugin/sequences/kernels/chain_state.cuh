// The state of a chain between two launches; exchanges between chains set it, too.
#pragma once

#include "backends/include/team.cuh"

namespace gls {

// The next step of a chain. A launch may end within a kick.
enum Phase : int { kFirstDescent, kNextKick, kPartialDescent, kDescent };

// The state of a chain between two launches.
struct ChainState {
  int phase;    // a Phase
  int at;       // see Descent
  int idle;     // see Descent
  int length;   // items in the sequence; the others follow it in the row
  uint32 salt;  // see WorkingSequence
};

}  // namespace gls
