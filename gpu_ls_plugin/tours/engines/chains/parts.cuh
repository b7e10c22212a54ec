// Cuts parts out of tours as small problems, and joins them again.
//
// A part is one segment of a tour, or two. A fixed edge replaces each path of the tour outside the
// part; the two ends of a fixed edge are called mates. A part numbers its cities in the order of
// the tour: segment one has the numbers 0 .. length1 - 1, and segment two has the next ones. The
// first and the last city are mates.
#pragma once

#include "tours/problem/lengths.cuh"

namespace gls {

struct Segments {
  // Row of the tour; first place and length of each segment. A single segment has length2 = 0.
  int tour, begin1, length1, begin2, length2;

  GLS_DEVICE int size() const { return length1 + length2; }
  GLS_DEVICE int place(int number) const {
    return number < length1 ? begin1 + number : begin2 + number - length1;
  }
  // The number of the city at a place; -1 if it is not in the part.
  GLS_DEVICE int number(int place) const {
    if (place >= begin1 && place < begin1 + length1) return place - begin1;
    if (place >= begin2 && place < begin2 + length2) return place - begin2 + length1;
    return -1;
  }
  // The other end of the fixed edge of a city, or the city itself.
  GLS_DEVICE int mate(int number) const {
    const int last = size() - 1;
    if (number == 0 || number == last) return last - number;
    if (number == length1 - 1 || number == length1) return 2 * length1 - 1 - number;
    return number;
  }
};

// Tours and their parts; parts are in rows of `stride` cities.
struct CutTours {
  // Number of cities of a tour, and of the largest part; number of candidates per city.
  int n, stride, degree;
  const void* segments;  // Segments of each part
  const int* tours;      // in rows
  const int* places;     // of each city in its tour
  // Candidates of the cities of the whole problem, and the lengths to them.
  const int* candidates;
  const void* candidate_lengths;
  int *sizes, *names, *mates;  // size of each part; number in the problem, and mate, of each city
  void *near, *near_lengths;   // candidates of each city, as numbers in the part; their lengths

  GLS_DEVICE const Segments& part(int item) const {
    return static_cast<const Segments*>(segments)[item];
  }
};

// Writes the names, mates and candidates of the cities of a part.
template <class Team, class Lists>
struct MakePart {
  GLS_DEVICE static void run(const Team& team, int item, CutTours cut) {
    const Segments part = cut.part(item);
    const int64 tour = int64(part.tour) * cut.n, first = int64(item) * cut.stride;
    const Lists lists(cut.candidates, cut.candidate_lengths, cut.degree, false);
    team.each(part.size(), [&](int number) {
      const int city = cut.tours[tour + part.place(number)];
      cut.names[first + number] = city;
      cut.mates[first + number] = part.mate(number);
      keep_inside(
          lists, city, [&](int other) { return part.number(cut.places[tour + other]); },
          number > 0 ? number - 1 : 1, cut.near, cut.near_lengths, (first + number) * cut.degree);
    });
    team.once([&] { cut.sizes[item] = part.size(); });
  }
};

// The best tour of a part, read as a path from the part's first city to its last.
struct Unrolled {
  int begin;   // place of the first city
  int step;    // direction, 1 or -1; 0 if the tour lacks a fixed edge, so that the path is void
  int split;   // number of cities before the fixed edge between the segments
  int turned;  // whether the path runs backwards through that edge
};

// A stretch of a part's path: `count` cities from `from` on are written to the places from `to` on,
// in reverse order if `turned`.
struct Piece {
  int part, from, count, turned, to;
};

// The results of the chains on parts, and the joined tours.
struct JoinedParts {
  const int* rings;    // best tours of all chains, in rows
  const int* winners;  // best chain of each part
  void* unrolled;      // path of that chain, as Unrolled
  const void* pieces;  // as Piece
  int* joined;         // tours, in rows
};

// Reads the best tour of a part as a path.
template <class Team>
struct UnrollPart {
  GLS_DEVICE static void run(const Team& team, int item, CutTours cut, JoinedParts found) {
    const Segments part = cut.part(item);
    const int size = part.size();
    const int* ring = found.rings + int64(found.winners[item]) * cut.stride;
    const auto at = [&](int place) { return ring[place < 0 ? place + size : place % size]; };
    Unrolled path{
        team.least(size, size, [&](int place) { return ring[place] == 0 ? place : size; }), 0, size,
        0};
    if (at(path.begin - 1) == size - 1)
      path.step = 1;
    else if (at(path.begin + 1) == size - 1)
      path.step = -1;
    if (part.length2 > 0) {
      const int end1 = part.length1 - 1;
      path.split = team.least(size, size, [&](int step) {
        const int here = at(path.begin + path.step * step % size);
        const int next = at(path.begin + path.step * (step + 1) % size);
        const bool leaves =
            (here == end1 && next == end1 + 1) || (here == end1 + 1 && next == end1);
        return leaves && step + 1 < size ? step + 1 : size;
      });
      if (path.split == size) path.step = 0;
      const int last = at(path.begin + path.step * (path.split - 1) % size);
      path.turned = last == end1 + 1;
    }
    team.once([&] { static_cast<Unrolled*>(found.unrolled)[item] = path; });
  }
};

// Writes a piece into the joined tour.
template <class Team>
struct WritePiece {
  GLS_DEVICE static void run(const Team& team, int item, CutTours cut, JoinedParts found) {
    const Piece piece = static_cast<const Piece*>(found.pieces)[item];
    const Segments part = cut.part(piece.part);
    const Unrolled path = static_cast<const Unrolled*>(found.unrolled)[piece.part];
    const int size = part.size();
    const int* ring = found.rings + int64(found.winners[piece.part]) * cut.stride;
    team.each(piece.count, [&](int t) {
      const int along = piece.from + (piece.turned ? piece.count - 1 - t : t);
      const int place = path.begin + path.step * along % size;
      const int number = path.step == 0 ? along : ring[place < 0 ? place + size : place % size];
      found.joined[int64(part.tour) * cut.n + piece.to + t] =
          cut.names[int64(piece.part) * cut.stride + number];
    });
  }
};

}  // namespace gls
