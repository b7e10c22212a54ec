// RoutePieces describes a change of up to four edges, which cuts routes into pieces and links these
// pieces in another way.
//
// A cut has two ends: the city before it and the one after it. From each end, a piece of the route
// leads either to a copy of the depot or to an end of another cut, which is called the mate of the
// first end. Ends are numbers of four bits, so a 32-bit word holds the mates of all eight ends.
#pragma once

#include "tours/problem/tour_segments.cuh"

namespace gls {

constexpr int kMostPieces = 4;  // maximum number of edges in a change

struct RoutePieces {
  static constexpr int kNone = 15;  // the mate if the piece leads to the depot
  uint32 linked, inner;             // for each end: the end it is linked to, and its mate
  uint32 front;                     // a bit for each end: whether it is before its cut
  uint32 fresh;                     // a bit for each cut: whether no cut before it is in its route

  // route(place) returns the route of a place; offset(place, route) returns the number of steps
  // from the beginning of the route to the place.
  template <class Change, class Route, class Offset>
  GLS_DEVICE RoutePieces(const Change& change, Route route, Offset offset)
      : linked(0), inner(0xffffffffu), front(0), fresh(0) {
    const int n = change.cities(), size = change.edges();
    int routes[kMostPieces], offsets[kMostPieces];  // of the place before each cut
    int ends[kMostPieces];                          // the end before each cut | after it << 4
    GLS_UNROLL
    for (int c = 0; c < kMostPieces; ++c) {
      routes[c] = -1 - c, offsets[c] = 0, ends[c] = 0;
      if (c >= size) continue;
      const Edge cut = change.ends_out(c), link = change.ends_in(c);
      linked |= uint32(link.to) << 4 * link.from | uint32(link.from) << 4 * link.to;
      const int from = change.place(cut.from), to = change.place(cut.to);
      const bool forward = to == (from + 1 < n ? from + 1 : 0);
      const int place = forward ? from : to;
      ends[c] = forward ? cut.from | cut.to << 4 : cut.to | cut.from << 4;
      front |= 1u << (ends[c] & 15);
      routes[c] = route(place), offsets[c] = offset(place, routes[c]);
    }
    GLS_UNROLL
    for (int c = 0; c < kMostPieces; ++c) {
      if (c >= size) continue;
      bool first = true;
      int next = -1;  // the next cut in the route: offset << 8, and its front end
      GLS_UNROLL
      for (int other = 0; other < kMostPieces; ++other) {
        if (other == c) continue;
        const bool same = routes[other] == routes[c];
        first &= !(same & (other < c));
        if (same && offsets[other] > offsets[c] && (next < 0 || offsets[other] < (next >> 8))) {
          next = offsets[other] << 8 | (ends[other] & 15);
        }
      }
      fresh |= uint32(first) << c;
      if (next < 0) continue;
      const int behind = ends[c] >> 4, ahead = next & 255;
      inner = (inner & ~(15u << 4 * behind)) | uint32(ahead) << 4 * behind;
      inner = (inner & ~(15u << 4 * ahead)) | uint32(behind) << 4 * ahead;
    }
  }

  GLS_DEVICE int link(int end) const { return int(linked >> 4 * end & 15); }
  GLS_DEVICE int mate(int end) const { return int(inner >> 4 * end & 15); }
  GLS_DEVICE bool leads_to_depot(int end) const { return mate(end) == kNone; }
  GLS_DEVICE bool in_front(int end) const { return (front >> end & 1) != 0; }
};

}  // namespace gls
