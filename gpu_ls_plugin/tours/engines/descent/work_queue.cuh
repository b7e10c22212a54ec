// The cities that are still to be looked at, first in first out; each is in the queue at most once
// (Bentley's don't-look bits, turned round).
#pragma once

#include "tours/kernels/ring_tour.cuh"

namespace gls {

template <class City>
struct WorkQueue {
  City* ring;
  uint32* queued;  // one bit a city
  int room;        // of the ring; the number of cities is always enough
  int head, size;
  static constexpr int share = 0, shares = 1;  // of the first steps of its cities: all

  GLS_DEVICE int operator[](int rank) const { return int(ring[place(rank)]); }

  // Makes the queue of n cities empty, whatever was in its memory.
  template <class Team>
  GLS_DEVICE void clear(const Team& team, int n) {
    team.each((n + 31) / 32, [&](int word) { queued[word] = 0; });
    team.sync();
    head = 0;
    size = 0;
  }

  // Makes the queue of `count` of n cities: city(0), city(1), ...
  template <class Team, class F>
  GLS_DEVICE void fill(const Team& team, int n, int count, F city) {
    clear(team, n);
    size = count;
    team.each(count, [&](int rank) {
      const int c = city(rank);
      ring[rank] = City(c);
      team.set_bit(queued, c);
    });
    team.sync();
  }

  // Takes `count` cities from the front.
  template <class Team>
  GLS_DEVICE void drop(const Team& team, int count) {
    team.each(count, [&](int rank) { team.clear_bit(queued, (*this)[rank]); });
    team.sync();
    head += count;
    if (head >= room) head -= room;
    size -= count;
  }

  // Appends those of `count` cities that are not queued, in their order.
  template <class Team>
  GLS_DEVICE void push(const Team& team, const int* cities, int count) {
    size += team.append_new(queued, cities, count,
                            [&](int rank, int city) { ring[place(size + rank)] = City(city); });
  }

 private:
  GLS_DEVICE int place(int rank) const { return on_ring(head + rank, head + rank - room); }
};

}  // namespace gls
