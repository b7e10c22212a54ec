// Chains of an iterated search on sequences: kick, descend, accept or undo; one team a chain.
#pragma once

#include "runs/acceptance.cuh"
#include "sequences/kernels/chain_state.cuh"
#include "sequences/kicks/block_swap.cuh"
#include "sequences/kicks/destroy_repair.cuh"
#include "sequences/moves/sequence_moves.cuh"

namespace gls {

// Arguments of all kernels of sequences. If `until` is -1, a kernel only writes the size of a
// chain's memory in bytes to `look_counts`.
struct SequenceBatch {
  uint64 seed;
  int64 first_row;      // number of the first row in a larger batch
  int64 until;          // number of kicks after which a chain stops
  int64 looks;          // maximum number of looks at items of a chain in this launch
  int64 most_moves;     // maximum number of moves of a chain
  int64 scratch_bytes;  // of a chain
  char* scratch;        // shape (P, scratch_bytes); not read if the memory is shared
  int* rows;            // shape (P, n): the sequences
  int* bests;           // shape (P, n): the best sequence of each chain
  void* best_values;    // shape (P,)
  int* saved;           // shape (P, n): the sequence before a kick that has not ended
  void* values;         // shape (P,): their values; between kicks, those of `rows`
  int* queues;          // shape (P, n): of descents that have not ended
  int* states;          // shape (P, 5): a ChainState for each chain
  int64* kick_counts;   // shape (P,)
  int64* move_counts;   // shape (P,)
  int64* look_counts;   // shape (P,): how many values were computed
  // shape (P,): what the level of the acceptance rule is multiplied by: the mean cost of an item in
  // the first local optimum; -1 before that.
  float* units;
  double price;         // of a unit of violation
  float heat, cooling;  // the level is heat - cooling * kick
  int n;                // items
  int fixed;            // how many items at the front stay there
  int strength;         // of kicks: number of items that are removed
};

#ifdef __CUDACC__
extern __shared__ __align__(16) char sequence_memory[];

// The memory of a block with one team.
struct SequenceShared {
  GLS_DEVICE static char* of(const SequenceBatch&, int) { return sequence_memory; }
};
#endif

struct SequenceScratch {
  GLS_DEVICE static char* of(const SequenceBatch& all, int item) {
    return all.scratch + item * all.scratch_bytes;
  }
};

template <class Objective, class Memory, class Accept, class Kick, class Pivot, class... Moves>
struct SequenceChain {
  using Search = WorkingSequence<Objective>;
  using Value = typename Search::Value;

  template <class Team>
  GLS_DEVICE static void run(const Team& team, int item, SequenceBatch all, const uint64* words) {
    const int n = all.n;
    if (all.until < 0) return team.once([&] { all.look_counts[item] = Search::bytes(n); });
    const Objective objective(words);
    Search search(objective, n, all.fixed, Value(all.price), Pieces{Memory::of(all, item)});
    int* const row = all.rows + int64(item) * n;
    int* const best_row = all.bests + int64(item) * n;
    int* const saved = all.saved + int64(item) * n;
    int* const queue = all.queues + int64(item) * n;
    Value& best = static_cast<Value*>(all.best_values)[item];
    Value& before = static_cast<Value*>(all.values)[item];
    Philox random(all.seed, Purpose::kSequence, all.first_row + item);
    ChainState& stored = reinterpret_cast<ChainState*>(all.states)[item];
    ChainState state = stored;
    int64 kicks = all.kick_counts[item], looks = all.looks;
    Value least = best, now_before = before;
    Descent descent{state.at, state.idle};
    search.salt = state.salt;
    search.moves = all.move_counts[item], search.most_moves = all.most_moves;
    team.each(n, [&](int k) { search.queue[k] = queue[k]; });
    search.begin(team, row, state.length);

    const auto keep_best = [&] {
      if (state.phase == kPartialDescent || !search.lower(search.now, least)) return;
      least = search.now;
      team.each(n, [&](int k) { best_row[k] = search.order[k]; });
    };
#pragma unroll 1
    for (;;) {
      const int64 first_step = (kicks + (state.phase != kFirstDescent)) * kStepsOfKick;
      if (state.phase == kNextKick) {
        if (search.moves >= all.most_moves) kicks = all.until;
        if (kicks >= all.until || search.spent(team)) break;
        now_before = search.now;
        team.each(n, [&](int k) { saved[k] = search.order[k]; });
        random.seek(first_step + kTieDraws * kSteps);
        search.salt = random.next();
        team.sync();
        Kick::begin(team, search, random, first_step + kRemovalDraws * kSteps, all.strength);
        state.phase = Kick::kDescends ? kPartialDescent : kDescent;
        if (!Kick::kDescends) Kick::end(team, search);
        descent = Descent();
      }
      const int draws = state.phase == kFirstDescent     ? kFirstQueueDraws
                        : state.phase == kPartialDescent ? kPartialQueueDraws
                                                         : kQueueDraws;
      const bool ended = Pivot::template descend<Moves...>(
          team, search, random, first_step + draws * kSteps, looks, descent);
      if (!ended && search.moves < all.most_moves) break;
      descent = Descent();
      if (state.phase == kPartialDescent) {
        Kick::end(team, search);
        state.phase = kDescent;
        continue;
      }
      keep_best();
      if (state.phase == kDescent) {
        random.seek(first_step + kAcceptDraws * kSteps);
        const float level = (all.heat - all.cooling * float(kicks)) * all.units[item];
        if (!Accept::takes(search.now - now_before, level, random)) {
          search.restore(team, saved, now_before);
        }
        ++kicks;
      } else if (all.units[item] < 0) {
        team.sync();
        team.once([&] { all.units[item] = unit(search.now, n); });
      }
      state.phase = kNextKick;
    }
    keep_best();
    team.sync();
    team.each(n, [&](int k) { row[k] = search.order[k], queue[k] = search.queue[k]; });
    team.once([&] {
      stored = {state.phase, descent.at, descent.idle, search.length, search.salt};
      all.kick_counts[item] = kicks;
      all.move_counts[item] = search.moves;
      all.look_counts[item] += search.looks;
      before = state.phase == kNextKick ? search.now : now_before;
      best = least;
    });
  }

 private:
  GLS_DEVICE static float unit(Value value, int n) {
    const double mean = double(value) / n;
    return float(mean < 0 ? -mean : mean);
  }
};

// Changes each row once.
template <class Objective, class Memory, class Change>
struct ChangeRow {
  template <class Team>
  GLS_DEVICE static void run(const Team& team, int item, SequenceBatch all, const uint64* words) {
    using Search = WorkingSequence<Objective>;
    if (all.until < 0) return team.once([&] { all.look_counts[item] = Search::bytes(all.n); });
    const Objective objective(words);
    Search search(objective, all.n, all.fixed, typename Search::Value(all.price),
                  Pieces{Memory::of(all, item)});
    int* const row = all.rows + int64(item) * all.n;
    Philox random(all.seed, Purpose::kSequence, all.first_row + item);
    search.salt = random.next();
    search.begin(team, row, Change::kOfAll ? all.n : all.fixed);
    Change::change(team, search, random, all.strength);
    team.sync();
    team.each(all.n, [&](int k) { row[k] = search.order[k]; });
  }
};

// Builds a sequence: inserts the items in their order, each at its best place (Nawaz, Enscore and
// Ham 1983).
struct Insert {
  static constexpr bool kOfAll = false;

  template <class Team, class Search>
  GLS_DEVICE static void change(const Team& team, Search& search, Philox&, int) {
    search.insert_others(team);
  }
};

template <class Kick, class Pivot, class... Moves>
struct KickOnce {
  static constexpr bool kOfAll = true;

  template <class Team, class Search>
  GLS_DEVICE static void change(const Team& team, Search& search, Philox& random, int strength) {
    Kick::begin(team, search, random, kStepsOfKick + kRemovalDraws * kSteps, strength);
    if constexpr (Kick::kDescends) {
      Descent descent;
      int64 looks = kNoLimit;
      Pivot::template descend<Moves...>(team, search, random,
                                        kStepsOfKick + kPartialQueueDraws * kSteps, looks, descent);
    }
    Kick::end(team, search);
  }
};

}  // namespace gls
