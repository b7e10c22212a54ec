// Prepares states for successor generation. Either a rule releases variables of a state, or the
// state is mixed with another one. If values must be distinct, mixing releases a variable whose
// value would otherwise be used twice.
#pragma once

#include "assignment/problem/assignment.cuh"
#include "backends/include/philox.cuh"

namespace gls {

// Arguments of the kernel that releases variables.
struct ReleaseBatch {
  uint64 seed;
  int64 first_row;
  int64 round;
  const int* elites;       // the best state of each row
  const int* bases;        // for each new state, the row whose best state it is made from
  const int* mates;        // for each new state, the row whose best state it may be mixed with
  int64 mixed;             // probability of mixing, times 2^32
  int64 released;          // a state that is not mixed releases from 1 to this many variables
  const int64* penalties;  // cost of a unit of excess, in kUnit-ths of a unit of cost
  int* sources;            // written: the states, with -1 for released variables
  unsigned char* active;   // written: whether each variable is released
  int64* scores;           // scratch, shape (P, m)
  int* owners;             // scratch, shape (P, most)
  char* kept;
  int64 kept_bytes;
  int m;     // number of variables
  int most;  // the largest number of values of a variable
};

// Release rules. Variables with the highest scores are released; ties are broken at random. If
// `kNeedsKept` is true, the rule needs the problem's kept data.
struct RandomRelease {
  static constexpr bool kNeedsKept = false;
  template <class Problem>
  GLS_DEVICE static int64 score(const Problem&, const State&, int, int, int64, uint32) {
    return 0;
  }
};

// Releases the most expensive variables: a score is the cost that the state would save without the
// variable, times a random factor.
struct WorstRelease {
  static constexpr bool kNeedsKept = true;
  template <class Problem>
  GLS_DEVICE static int64 score(const Problem& problem, const State& state, int variable, int,
                                int64 penalty, uint32 random) {
    const Worth saved = problem.assigned(state, variable, -1);
    return -(saved.cost * kUnit + saved.excess * penalty) / kUnit * (random >> 24);
  }
};

// Releases the variables most related to a random one, as measured by the functor's
// `related(state, a, b)`. Without that member, variables with the same value are related.
struct RelatedRelease {
  static constexpr bool kNeedsKept = true;
  template <class Problem>
  GLS_DEVICE static int64 score(const Problem& problem, const State& state, int variable, int drawn,
                                int64, uint32) {
    return variable == drawn ? int64(1) << 62 : relation(problem, state, drawn, variable, 0);
  }

 private:
  template <class Problem>
  GLS_DEVICE static auto relation(const Problem& problem, const State& state, int a, int b, int)
      -> decltype(problem.related(state, a, b)) {
    return problem.related(state, a, b);
  }
  template <class Problem>
  GLS_DEVICE static int64 relation(const Problem&, const State& state, int a, int b, long) {
    return state.values[a] == state.values[b];
  }
};

template <class Problem, class Rule, bool kDistinct>
struct ReleaseVariables {
  template <class Team>
  GLS_DEVICE static void run(const Team& team, int item, ReleaseBatch all, const uint64* words) {
    const int m = all.m;
    const int* const own = all.elites + int64(all.bases[item]) * m;
    int* const values = all.sources + int64(item) * m;
    Philox random(all.seed, Purpose::kRelease, all.first_row + item);
    random.seek(all.round << 32);
    const uint32 kind = random.next(), count = random.next(), seed = random.next();
    const int* const mate = all.elites + int64(all.mates[item]) * m;
    const bool mixes = int64(kind) < all.mixed && differ(team, own, mate, m);
    const auto lot = [&](int variable) {
      random.seek((all.round << 32) + 1 + variable);
      return random.next();
    };
    if (mixes) {
      mix(team, own, mate, values, all.owners + int64(item) * all.most, all, lot);
    } else {
      team.each(m, [&](int v) { values[v] = own[v]; });
      team.sync();
      const State state{m, own, values, all.kept + item * all.kept_bytes};
      const Problem problem(words);
      if constexpr (Rule::kNeedsKept) {
        problem.begin(team, state);
        team.sync();
      }
      release(team, problem, state, all.scores + int64(item) * m,
              1 + int(multiply_high(count, uint32(all.released))),
              int(multiply_high(seed, uint32(m))), all.penalties[item], lot);
    }
    team.sync();
    team.each(m, [&](int v) { all.active[int64(item) * m + v] = values[v] < 0; });
  }

 private:
  template <class Team>
  GLS_DEVICE static bool differ(const Team& team, const int* a, const int* b, int m) {
    bool mine = false;
    for (int v = team.lane(); v < m; v += Team::kLanes) mine |= a[v] != b[v];
    return team.any(mine);
  }

  // Gives each variable its value in one of the two states. If values must be distinct and
  // another variable keeps that value, the variable gets -1.
  template <class Team, class Lot>
  GLS_DEVICE static void mix(const Team& team, const int* own, const int* mate, int* values,
                             int* owners, const ReleaseBatch& all, Lot lot) {
    const auto keeps = [&](int v) { return own[v] == mate[v] || lot(v) >> 31; };
    if constexpr (kDistinct) {
      team.each(all.most, [&](int value) { owners[value] = -1; });
      team.sync();
      team.each(all.m, [&](int v) {
        if (own[v] >= 0) owners[own[v]] = v;
      });
      team.sync();
    }
    team.each(all.m, [&](int v) {
      int value = keeps(v) ? own[v] : mate[v];
      if constexpr (kDistinct) {
        if (value >= 0 && owners[value] >= 0 && owners[value] != v && keeps(owners[value])) {
          value = -1;
        }
      }
      values[v] = value;
    });
  }

  template <class Team, class Lot>
  GLS_DEVICE static void release(const Team& team, const Problem& problem, const State& state,
                                 int64* scores, int count, int drawn, int64 penalty, Lot lot) {
    constexpr int64 kReleased = -(int64(1) << 62);  // score of a variable without a value
    team.each(state.m, [&](int v) {
      scores[v] = state.values[v] < 0
                      ? kReleased
                      : Rule::score(problem, state, v, drawn, penalty, lot(v) * 0x9E3779B1u);
    });
    team.sync();
#pragma unroll 1
    for (int k = 0; k < count; ++k) {
      Ranked<int64> first{-kReleased, 0};
      for (int v = team.lane(); v < state.m; v += Team::kLanes) {
        const Ranked<int64> candidate{-scores[v], int64(uint64(lot(v)) << 31 | uint32(v))};
        if (candidate < first) first = candidate;
      }
      first = team.least(first);
      if (first.value == -kReleased) return;
      team.once([&] {
        const int v = int(first.index & 0x7fffffff);
        state.values[v] = -1, scores[v] = kReleased;
      });
    }
  }
};

}  // namespace gls
