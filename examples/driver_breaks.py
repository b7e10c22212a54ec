"""Drivers rest in time: a resource of your own, beside the capacity and the length of a shift.

The script prints routes of 80 customers, in which a star marks a rest, and the longest time that a
driver drives without one.
"""

from itertools import pairwise

import numpy as np

import gpu_ls_plugin as gls
from gpu_ls_plugin.extend import Resource, UnsupportedProblemError

FUNCTOR = """
// Rests divide a route into stretches of driving. The depot is a rest, too.
struct Breaks {
  static constexpr int kWords = 3;
  static constexpr bool kTurns = true, kAdds = false;  // segments have a direction and are no sums
  using Amount = gls::int64;
  struct Segment {
    Amount first, last;  // driving before the first rest and behind the last one
    Amount excess;       // of all stretches between two rests
    int rests;           // number of rests; if there is none, `first` and `last` are all driving
  };
  const int* rests;  // whether the driver rests at each node
  int customers;
  Amount most;

  GLS_DEVICE explicit Breaks(const gls::uint64* words)
      : rests(gls::address<const int>(words[0])), customers(int(words[1])), most(words[2]) {}
  GLS_DEVICE Segment at(int node) const {
    return {0, 0, 0, rests[gls::is_depot(node, customers) ? 0 : node]};
  }
  GLS_DEVICE Segment join(const Segment& a, const Segment& b, Amount edge) const {
    const Amount stretch = a.last + edge + b.first;
    const bool ended = a.rests && b.rests && stretch > most;
    return {a.rests ? a.first : stretch, b.rests ? b.last : stretch,
            a.excess + b.excess + (ended ? stretch - most : 0), a.rests + b.rests};
  }
  GLS_DEVICE Amount excess(const Segment& route) const { return route.excess; }
};
"""


class Breaks(Resource):
    """A limit on the minutes of driving without a rest; each long stop is a rest."""

    name = "breaks"

    def __init__(self, rests, most):
        self.rests, self.most = np.asarray(rests, bool), int(most)
        self.rests[0] = True

    def check(self, problem):
        if not problem.integer or len(self.rests) != problem.customers + 1:
            raise UnsupportedProblemError("problem: minutes must be integers, a rest for each node")

    def of_nodes(self, nodes):  # lets large problems be searched in parts
        return Breaks(self.rests[nodes], self.most)

    def functor(self, problem):
        return "Breaks"

    def source(self):
        return FUNCTOR

    def segment_bytes(self, problem):
        return 32

    def words(self, backend, problem):
        return [backend.xp.asarray(self.rests.astype("int32")), problem.customers, self.most]

    def weight(self, problem):  # a minute too long costs more than any detour
        return int(4 * problem.longest + 1)

    def excess(self, problem, rows):
        return np.maximum(self.stretches(problem, rows) - self.most, 0).sum(axis=1)

    def stretches(self, problem, rows):
        """Return the minutes of driving that end at each step of giant tours, or 0."""
        nodes = np.where(rows > problem.customers, 0, rows)
        places = (nodes == 0).argmax(axis=1)[:, None] + np.arange(problem.n + 1)
        nodes = np.take_along_axis(nodes, places % problem.n, axis=1)  # from depot to depot
        driven, ended = np.zeros(len(rows), np.int64), []
        for a, b in pairwise(nodes.T):
            driven = driven + problem.nodes.lengths(a, b)
            ended.append(np.where(self.rests[b], driven, 0))
            driven = np.where(self.rests[b], 0, driven)
        return np.stack(ended, axis=1)


def instance(customers, seed=1):
    """Return a random problem, in minutes; one customer in four takes the time of a rest."""
    rng = np.random.default_rng(seed)
    places = np.vstack([[120, 120], rng.integers(0, 240, (customers, 2))])  # the depot comes first
    demands = np.r_[0, rng.integers(1, 10, customers)]
    service = np.r_[0, rng.choice([10, 45], customers, p=[0.75, 0.25])]
    problem = gls.CVRP(places, demands, 70, service_times=service, route_limit=720)
    return problem.with_resources(Breaks(service >= 45, 200))


if __name__ == "__main__":
    problem = instance(80)
    (breaks,) = problem.resources
    result = gls.solve(problem, seconds=2, seed=1)
    for route in result.routes:
        print(" ".join(f"{stop}*" if breaks.rests[stop] else str(stop) for stop in route))
    longest = breaks.stretches(problem, result.best_tour[np.newaxis]).max()
    print(f"{result.best_cost} minutes of driving, all limits hold: {result.best_feasible}")
    print(f"at most {longest} of {breaks.most} minutes without a rest")
