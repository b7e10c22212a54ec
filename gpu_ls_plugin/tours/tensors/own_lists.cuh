// Candidate lists of many instances, each with metric data of its own.
#pragma once

#include "tours/candidates/nearest_few.cuh"
#include "tours/engines/scopes.cuh"

namespace gls {

// The lists of all instances: the result.
struct OwnedLists {
  const unsigned char* usable;  // of each instance; others get no lists
  int degree;                   // number of candidates per city
  void* candidates;             // (instances, n, degree), in the format of `Lists`
  void* candidate_lengths;      // their lengths, in the format of `Lists`
};

// Lists the candidates of one city within its instance: the nearest ones, or in the plane also
// those of each quadrant. A list that is too short repeats its last candidate.
template <class Team, class Metric, class Length, class Lists, int most, bool quadrants>
struct OwnLists {
  GLS_DEVICE static void run(const Team&, int item, const Instance& instance,
                             const OwnInstances& problems, const OwnedLists& lists) {
    const int n = instance.n, own = item % n;
    if (!lists.usable[item / n]) return;
    const Metric metric = OwnInstance::metric<Metric>(instance, problems, item / n);
    put_nearest<Lists>(chosen(metric, own, n, lists.degree), lists.degree,
                       int64(item) * lists.degree, lists.candidates, lists.candidate_lengths);
  }

 private:
  using OwnLengths = Lengths<Metric, Length>;

  GLS_DEVICE static NearestFew<Length, most> chosen(const Metric& metric, int own, int n,
                                                    int degree) {
    if constexpr (quadrants) {
      NearestInQuadrants<Length, most> found;
      for (int other = 0; other < n; ++other) {
        if (other == own) continue;
        found.offer(OwnLengths::between(metric, own, other), other, metric.dx(other, own),
                    metric.dy(other, own), degree);
      }
      return found.chosen(degree);
    } else {
      NearestFew<Length, most> found;
      for (int other = 0; other < n; ++other) {
        if (other != own) found.offer(OwnLengths::between(metric, own, other), other, degree);
      }
      return found;
    }
  }
};

}  // namespace gls
