// The tour after a change, as segments of the tour before it. Objectives that depend on the order
// of the cities, such as the loads of routes, need it.
#pragma once

#include "tours/problem/objective.cuh"

namespace gls {

constexpr int kMostSegments = 8;  // maximum number of edges that a move removes

// Places `first` to `last` of a tour, traversed forwards or backwards. `last` may be n or more:
// the segment then continues at place 0.
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
  Segment segments[kMostSegments];  // in the order of the new tour, unchanged segment first
  int size;

  // By default, the longest segment counts as unchanged. If the direction of the tour matters
  // (`kDirected`), pass change.place(0) as `fixed`: moves never reverse the segment that contains
  // this place. If another segment counted as unchanged, the result might be the reversed tour.
  template <class Change>
  GLS_DEVICE explicit TourSegments(const Change& change, int fixed = -1) : size(change.edges()) {
    const int n = change.cities();
    int before[kMostSegments];                        // the place before each cut, sorted
    int fronts[kMostSegments], backs[kMostSegments];  // both ends of each cut
    for (int edge = 0; edge < size; ++edge) {
      const Edge cut = change.ends_out(edge);
      const int from = change.place(cut.from), to = change.place(cut.to);
      const bool forward = to == (from + 1 < n ? from + 1 : 0);
      const int place = forward ? from : to;
      int at = edge;
      for (; at > 0 && before[at - 1] > place; --at) {
        before[at] = before[at - 1], fronts[at] = fronts[at - 1], backs[at] = backs[at - 1];
      }
      before[at] = place;
      fronts[at] = forward ? cut.from : cut.to, backs[at] = forward ? cut.to : cut.from;
    }
    const auto known = [&](int x) {
      return Segment{before[x] + 1, x + 1 < size ? before[x + 1] : before[0] + n, true};
    };
    int first = 0;
    for (int x = 0; x < size; ++x) {
      const Segment segment = known(x);
      const auto holds = [&](int place) { return segment.first <= place && place <= segment.last; };
      const bool leads =
          fixed < 0 ? segment.length() > known(first).length() : holds(fixed) || holds(fixed + n);
      if (leads) first = x;
    }
    segments[0] = known(first);
    int left = fronts[first + 1 < size ? first + 1 : 0];  // the end at which the tour leaves it
    for (int x = 1; x < size; ++x) {
      const int entered = linked(change, left);
      for (int next = 0; next < size; ++next) {
        const int ahead = next + 1 < size ? next + 1 : 0;
        const bool forward = backs[next] == entered;
        if (!forward && fronts[ahead] != entered) continue;
        segments[x] = known(next);
        segments[x].forward = forward;
        left = forward ? fronts[ahead] : backs[next];
        break;
      }
    }
  }

 private:
  // The other end of the added edge at `end`.
  template <class Change>
  GLS_DEVICE static int linked(const Change& change, int end) {
    for (int edge = 0; edge < change.edges(); ++edge) {
      const Edge link = change.ends_in(edge);
      if (link.from == end) return link.to;
      if (link.to == end) return link.from;
    }
    return end;
  }
};

}  // namespace gls
