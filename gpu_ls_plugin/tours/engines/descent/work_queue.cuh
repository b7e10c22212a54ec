// A first-in, first-out queue of the cities to be looked at. A city is in the queue at most once:
// one bit per city, the inverse of Bentley's don't-look bit, says whether the city is queued.
#pragma once

#include "tours/kernels/ring_tour.cuh"

namespace gls {

template <class City>
struct WorkQueue {
  City* ring;
  uint32* queued;  // a bit for each city
  int room;        // capacity of the ring; the number of cities always suffices
  int head, size;
  static constexpr int share = 0, shares = 1;  // a team takes all first steps of the cities

  GLS_DEVICE int operator[](int rank) const { return int(ring[place(rank)]); }

  // Initialises an empty queue for n cities.
  template <class Team>
  GLS_DEVICE void clear(const Team& team, int n) {
    team.each((n + 31) / 32, [&](int word) { queued[word] = 0; });
    team.sync();
    head = 0;
    size = 0;
  }

  // Initialises a queue of n cities with city(0), ..., city(count - 1).
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

  // Removes the first `count` cities.
  template <class Team>
  GLS_DEVICE void drop(const Team& team, int count) {
    team.each(count, [&](int rank) { team.clear_bit(queued, (*this)[rank]); });
    team.sync();
    head += count;
    if (head >= room) head -= room;
    size -= count;
  }

  // Appends those of the given cities that are not queued yet, in the given order.
  template <class Team>
  GLS_DEVICE void push(const Team& team, const int* cities, int count) {
    size += team.append_new(queued, cities, count,
                            [&](int rank, int city) { ring[place(size + rank)] = City(city); });
  }

 private:
  GLS_DEVICE int place(int rank) const { return on_ring(head + rank, head + rank - room); }
};

}  // namespace gls
