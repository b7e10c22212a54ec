// The tour that a change makes, as segments of the tour before it: for objectives that depend on
// the order of the cities, such as the loads of routes.
#pragma once

#include "objectives/objective.cuh"

namespace gls {

constexpr int kMostSegments = 8;  // as many as a move has edges

// Places of a tour from `first` to `last`, perhaps beyond its end, passed through forward or back.
struct Segment {
  int first, last;
  bool forward;

  GLS_DEVICE int length() const { return last - first + 1; }
  GLS_DEVICE int place(int step, int n) const {
    const int place = forward ? first + step : last - step;
    return place < n ? place : place - n;
  }
};

struct TourSegments {
  Segment segments[kMostSegments];  // in the order of the tour after; the longest comes first
  int size;

  template <class Change>
  GLS_DEVICE explicit TourSegments(const Change& change) : size(change.edges()) {
    const int n = change.cities();
    int before[kMostSegments];  // the places before the cuts, in order
    for (int edge = 0; edge < size; ++edge) {
      const Edge cut = change.cut(edge);
      const int place = cut.to == (cut.from + 1 < n ? cut.from + 1 : 0) ? cut.from : cut.to;
      int at = edge;
      for (; at > 0 && before[at - 1] > place; --at) before[at] = before[at - 1];
      before[at] = place;
    }
    Segment known[kMostSegments];
    int longest = 0;
    for (int x = 0; x < size; ++x) {
      known[x] = {before[x] + 1, x + 1 < size ? before[x + 1] : before[0] + n, true};
      if (known[x].length() > known[longest].length()) longest = x;
    }
    uint32 passed = 0;  // links
    segments[0] = known[longest];
    for (int x = 1; x < size; ++x) {
      const int from = segments[x - 1].place(segments[x - 1].length() - 1, n);
      const int to = follow(change, from, passed);
      for (int next = 0; next < size; ++next) {
        Segment segment = known[next];
        if (segment.place(0, n) == to) {
          segments[x] = segment;
          break;
        }
        segment.forward = false;
        if (segment.place(0, n) == to) segments[x] = segment;
      }
    }
  }

 private:
  // The other end of a link at a place, which is passed then.
  template <class Change>
  GLS_DEVICE static int follow(const Change& change, int from, uint32& passed) {
    for (int edge = 0; edge < change.edges(); ++edge) {
      const Edge link = change.link(edge);
      if ((passed >> edge & 1) || (link.from != from && link.to != from)) continue;
      passed |= 1u << edge;
      return link.from == from ? link.to : link.from;
    }
    return from;
  }
};

}  // namespace gls
