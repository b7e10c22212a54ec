// Generalised assignment: jobs that agents do at a cost, and with a resource of which they have
// only so much.
//
// Kept is by how much the load of each agent exceeds its capacity; negative, where there is room.
#pragma once

#include "assignment/problem/assignment.cuh"

namespace gls {

struct GeneralisedAssignmentData {
  const void* prices;       // Prices, job by job
  const int64* capacities;  // of the agents
  int64 agents;
  const int64* rates;    // what a unit of an agent's capacity is worth
  const int* begins;     // of what is likely for each job
  const void* likelies;  // Likelies, job by job
};

template <class Number>
struct GeneralisedAssignment : AnyVariable, SwapsByAssigning<GeneralisedAssignment<Number>> {
  // What an agent takes for a job; of -1, no agent, nothing.
  struct Price {
    Number cost, resource;
  };

  // An agent that is worth a try for a job.
  struct Likely {
    int variable, value;
  };

  const Price* prices;  // job by job
  const int64* capacities;
  int agents;
  const int64* rates;      // what a unit of an agent's capacity is worth
  const int* begins;       // of what is likely for each job
  const Likely* likelies;  // job by job

  GLS_DEVICE explicit GeneralisedAssignment(const uint64* words)
      : GeneralisedAssignment(parameters_of<GeneralisedAssignmentData>(words)) {}
  GLS_DEVICE explicit GeneralisedAssignment(const GeneralisedAssignmentData& data)
      : prices(static_cast<const Price*>(data.prices)),
        capacities(data.capacities),
        agents(int(data.agents)),
        rates(data.rates),
        begins(data.begins),
        likelies(static_cast<const Likely*>(data.likelies)) {}

  template <class Team>
  GLS_DEVICE void begin(const Team& team, const State& state) const {
    team.each(agents, [&](int agent) { over(state)[agent] = -capacities[agent]; });
    team.sync();
    team.each(state.m, [&](int job) {
      const int agent = state.values[job];
      if (agent >= 0) add(team, &over(state)[agent], price(job, agent).resource);
    });
    team.sync();
  }
  template <class Team>
  GLS_DEVICE Worth worth(const Team& team, const State& state) const {
    const auto cost = [&](int job) { return int64(price(job, state.values[job]).cost); };
    const auto excess = [&](int agent) { return positive(over(state)[agent]); };
    return {team.template sum<int64>(state.m, cost), team.template sum<int64>(agents, excess)};
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
      if (former >= 0) over(state)[former] -= price(job, former).resource;
      if (agent >= 0) over(state)[agent] += price(job, agent).resource;
    });
  }
  // Near are jobs that fit into each other's place: by how little loads differ after a swap.
  GLS_DEVICE int64 related(const State& state, int first, int second) const {
    const auto differs = [&](int agent) {
      const int64 more = int64(price(first, agent).resource) - price(second, agent).resource;
      return more < 0 ? more : -more;
    };
    return differs(state.values[first]) + differs(state.values[second]);
  }

  // What ejection chains ask.
  GLS_DEVICE Price price(int job, int agent) const {
    return agent < 0 ? Price{0, 0} : prices[int64(job) * agents + agent];
  }
  GLS_DEVICE static int64 over(const State& state, int agent) { return over(state)[agent]; }
  GLS_DEVICE int64 rate(int agent) const { return rates[agent]; }
  GLS_DEVICE int likely_begin(int job) const { return begins[job]; }
  GLS_DEVICE Likely likely(int number) const { return likelies[number]; }

 private:
  GLS_DEVICE static int64* over(const State& state) { return reinterpret_cast<int64*>(state.kept); }
  GLS_DEVICE static int64 positive(int64 number) { return number > 0 ? number : 0; }

  // By how much an agent's excess grows with its load.
  GLS_DEVICE static int64 grown(const State& state, int agent, int64 more) {
    if (agent < 0) return 0;
    const int64 before = over(state)[agent];
    return positive(before + more) - positive(before);
  }
};

}  // namespace gls
