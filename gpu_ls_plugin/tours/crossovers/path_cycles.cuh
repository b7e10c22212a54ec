// The cycles that paths form when edges join them end to end.
#pragma once

#include "backends/include/team.cuh"

namespace gls {

constexpr int kMostPaths = 256;  // see "most_cuts" in benchmarks/results/iterated_trials.json

// For a path, the two paths that are a given number of steps away, one in each direction. Each is
// stored as the side at which it is entered.
struct PathLink {
  static constexpr uint32 kSides = 2 * kMostPaths;
  uint32 word;  // the lowest path number between them, and both sides

  GLS_DEVICE static PathLink of(uint32 least, uint32 first, uint32 second) {
    return {(least * kSides + second) * kSides + first};
  }
  GLS_DEVICE uint32 side(uint32 which) const {
    return (which != 0 ? word / kSides : word) % kSides;
  }
  GLS_DEVICE uint32 least() const { return word / kSides / kSides; }
};

// Sets the owner of each path to the lowest path of its cycle, and returns the number of cycles.
// `following` has the side that follows each side. Links double their length until nothing changes;
// `from` and `to` are two buffers for links.
template <class Team, class City>
GLS_DEVICE int name_cycles(const Team& team, int size, const City* following, PathLink* from,
                           PathLink* to, City* owner) {
  team.each(size, [&](int path) {
    from[path] =
        PathLink::of(uint32(path), uint32(following[2 * path]), uint32(following[2 * path + 1]));
  });
  team.sync();
  bool changed = true;
#pragma unroll 1
  for (int reach = 1; 2 * reach - 1 < size && team.any(changed); reach *= 2) {
    changed = false;
    each_ahead(
        team, size,
        [&](int path) {
          const PathLink own = from[path];
          const PathLink first = from[own.side(0) / 2], second = from[own.side(1) / 2];
          const uint32 one = first.least(), other = second.least(), before = own.least();
          const uint32 near = one < other ? one : other, least = near < before ? near : before;
          changed |= least < before;
          return PathLink::of(least, first.side(own.side(0) % 2), second.side(own.side(1) % 2));
        },
        [&](int path, const PathLink& doubled) { to[path] = doubled; });
    team.sync();
    PathLink* const old = from;
    from = to;
    to = old;
  }
  int own = 0;
  team.each(size, [&](int path) {
    const int least = int(from[path].least());
    owner[path] = City(least);
    own += least == path;
  });
  const int count = team.stacked(own).total;
  team.sync();
  return count;
}

// Does the same with a single lane, which follows each cycle.
template <class City>
GLS_DEVICE int name_cycles(const Host&, int size, const City* following, PathLink*, PathLink*,
                           City* owner) {
  constexpr City kNone = City(-1);
  int count = 0;
  for (int path = 0; path < size; ++path) owner[path] = kNone;
  for (int path = 0; path < size; ++path) {
    if (owner[path] != kNone) continue;
    ++count;
    int side = 2 * path;
    do {
      owner[side / 2] = City(path);
      side = int(following[side]);
    } while (side != 2 * path);
  }
  return count;
}

// Finds the cycles of `size` paths and returns how many there are. Edge e joins the ends 2 e and
// 2 e + 1; end i belongs to path_of(i), which is stored in `paths`. `following` has 2 * size
// entries, and `words` has 3 * kMostPaths.
//
// The end with the lower number is at side 2 * path, the other end at side 2 * path + 1. A path
// that is entered at one side is left at the other side.
template <class Team, class Path, class City>
GLS_DEVICE int number_cycles(const Team& team, int size, Path path_of, City* paths, City* following,
                             uint32* words, City* owner) {
  uint32* const sums = words;  // sum of the numbers of both ends of each path
  auto* const links = reinterpret_cast<PathLink*>(words + kMostPaths);
  team.each(size, [&](int path) { sums[path] = 0; });
  team.sync();
  each_ahead(team, 2 * size, path_of, [&](int end, int path) {
    paths[end] = City(path);
    add(team, &sums[path], uint32(end));
  });
  team.sync();
  struct Sides {
    int own, next;
  };
  each_ahead(
      team, 2 * size,
      [&](int end) {
        const int own = int(paths[end]), other = int(sums[own]) - end, entered = other ^ 1;
        const int next = int(paths[entered]), left = int(sums[next]) - entered;
        return Sides{2 * own + (end > other), 2 * next + (entered > left)};
      },
      [&](int, const Sides& sides) { following[sides.own] = City(sides.next); });
  team.sync();
  return name_cycles(team, size, following, links, links + kMostPaths, owner);
}

}  // namespace gls
