// Sets of paths that edges join: trees in which a path knows a lesser one, and a root itself.
#pragma once

#include "include/team.cuh"

namespace gls {

struct PathSets {
  uint32* parent;

  // Every path for itself.
  template <class Team>
  GLS_DEVICE void open(const Team& team, int size) const {
    team.each(size, [&](int path) { parent[path] = uint32(path); });
  }

  // The least path of a set. Paths to roots are halved; lanes may do so side by side, and join sets
  // meanwhile: all that is written is in the same set, or will be when they have joined them.
  GLS_DEVICE uint32 root(uint32 path) const {
    uint32 up = read(&parent[path]);
    while (up != path) {
      const uint32 next = read(&parent[up]);
      if (next == up) return up;
      parent[path] = next;
      path = next;
      up = read(&parent[path]);
    }
    return path;
  }

  // Makes two sets one.
  GLS_DEVICE void join(uint32 a, uint32 b) const {
    while (true) {
      a = root(a), b = root(b);
      if (a == b) return;
      const uint32 low = a < b ? a : b, high = a < b ? b : a;
      const uint32 above = lower_parent(high, low);
      if (above == high) return;
      a = above;  // it was no root any more: what was above it comes into the set of the other one
      b = low;
    }
  }

 private:
  // Lowers a parent, and returns what it was.
  GLS_DEVICE uint32 lower_parent(uint32 path, uint32 to) const {
#ifdef __CUDACC__
    return atomicMin(&parent[path], to);
#else
    const uint32 before = parent[path];
    if (to < before) parent[path] = to;
    return before;
#endif
  }
};

}  // namespace gls
