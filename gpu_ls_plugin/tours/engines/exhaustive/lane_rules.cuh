// Parameters of exhaustive 2-opt climbs by groups of lanes.
#pragma once

namespace gls {

struct LaneRules {
  float slack;        // bound on the error of a move's estimated change, with estimated edges
  int climbs;         // number of tours
  int climbs_a_warp;  // number of consecutive tours that a warp climbs with
  int stride;         // number of points in shared memory for each climb at a time
};

}  // namespace gls
