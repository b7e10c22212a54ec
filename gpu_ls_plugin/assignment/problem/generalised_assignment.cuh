// Generalised assignment: each job is given to an agent at a cost, and takes a part of the agent's
// capacity. Overload counts as excess.
//
// The functor keeps each agent's overload: its load minus its capacity, negative if there is room.
#pragma once

#include "assignment/problem/assignment.cuh"

namespace gls {

struct GeneralisedAssignmentData {
  const void* prices;       // Price for each job and agent, job by job
  const int64* capacities;  // of each agent
  int64 agents;
  const int64* rates;    // price of a unit of each agent's capacity, in kUnit-ths of a unit of cost
  const int* begins;     // index of each job's first likely agent, and one entry for the end
  const void* likelies;  // Likely, job by job
};

template <class Number>
struct GeneralisedAssignment : AnyVariable, SwapsByAssigning<GeneralisedAssignment<Number>> {
  // The cost of giving a job to an agent, and the capacity that the job takes.
  struct Price {
    Number cost, resource;
  };

  // A job and an agent that ejection chains try for the job.
  struct Likely {
    int variable, value;
  };

  const GeneralisedAssignmentData data;

  GLS_DEVICE explicit GeneralisedAssignment(const uint64* words)
      : data(parameters_of<GeneralisedAssignmentData>(words)) {}

  template <class Team>
  GLS_DEVICE void begin(const Team& team, const State& state) const {
    team.each(agents(), [&](int agent) { overs(state)[agent] = -data.capacities[agent]; });
    team.sync();
    team.each(state.m, [&](int job) {
      const int agent = state.values[job];
      if (agent >= 0) add(team, &overs(state)[agent], price(job, agent).resource);
    });
    team.sync();
  }
  template <class Team>
  GLS_DEVICE Worth worth(const Team& team, const State& state) const {
    const auto cost = [&](int job) { return int64(price(job, state.values[job]).cost); };
    const auto excess = [&](int agent) { return positive(over(state, agent)); };
    return {team.template sum<int64>(state.m, cost), team.template sum<int64>(agents(), excess)};
  }
  GLS_DEVICE Worth assigned(const State& state, int job, int agent) const {
    const int former = state.values[job];
    const Price from = price(job, former), to = price(job, agent);
    return {int64(to.cost) - from.cost,
            grown(state, former, -int64(from.resource)) + grown(state, agent, to.resource)};
  }
  GLS_DEVICE Worth swapped(const State& state, int first, int second) const {
    const int mine = state.values[first], its = state.values[second];
    const Price mine_out = price(first, mine), mine_in = price(second, mine);
    const Price its_out = price(second, its), its_in = price(first, its);
    return {int64(mine_in.cost) - mine_out.cost + its_in.cost - its_out.cost,
            grown(state, mine, int64(mine_in.resource) - mine_out.resource) +
                grown(state, its, int64(its_in.resource) - its_out.resource)};
  }
  template <class Team>
  GLS_DEVICE void assign(const Team& team, const State& state, int job, int agent) const {
    const int former = state.values[job];
    team.once([&] {
      if (former >= 0) overs(state)[former] -= price(job, former).resource;
      if (agent >= 0) overs(state)[agent] += price(job, agent).resource;
    });
  }
  // Two jobs are closely related if a swap of their agents would hardly change the loads.
  GLS_DEVICE int64 related(const State& state, int first, int second) const {
    const auto differs = [&](int agent) {
      const int64 more = int64(price(first, agent).resource) - price(second, agent).resource;
      return more < 0 ? more : -more;
    };
    return differs(state.values[first]) + differs(state.values[second]);
  }

  // The members below are for ejection chains (assignment/engines/chain_scout.cuh).
  GLS_DEVICE Price price(int job, int agent) const {
    return agent < 0 ? Price{0, 0}
                     : static_cast<const Price*>(data.prices)[int64(job) * agents() + agent];
  }
  GLS_DEVICE static int64 over(const State& state, int agent) { return overs(state)[agent]; }
  GLS_DEVICE int64 rate(int agent) const { return data.rates[agent]; }
  GLS_DEVICE int likely_begin(int job) const { return data.begins[job]; }
  GLS_DEVICE Likely likely(int number) const {
    return static_cast<const Likely*>(data.likelies)[number];
  }

 private:
  GLS_DEVICE int agents() const { return int(data.agents); }
  GLS_DEVICE static int64* overs(const State& state) {
    return reinterpret_cast<int64*>(state.kept);
  }
  GLS_DEVICE static int64 positive(int64 number) { return number > 0 ? number : 0; }

  // Change of an agent's excess when its load grows by `more`.
  GLS_DEVICE static int64 grown(const State& state, int agent, int64 more) {
    if (agent < 0) return 0;
    const int64 before = over(state, agent);
    return positive(before + more) - positive(before);
  }
};

}  // namespace gls
