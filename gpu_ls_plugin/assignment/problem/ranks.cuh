// What penalties are counted in.
#pragma once

#include "assignment/problem/assignment.cuh"

namespace gls {

constexpr int64 kUnit = 4096;  // of a penalty or a rank: a unit of cost

}  // namespace gls
