// Chains of an iterated search on sequences: kick, descend, accept or undo; one team a chain.
#pragma once

#include "runs/acceptance.cuh"
#include "sequences/kicks/destroy_repair.cuh"
#include "sequences/moves/sequence_moves.cuh"

namespace gls {

// Arguments of all kernels of sequences. If `kicks` is -1, a kernel only writes the size of a
// chain's memory in bytes to `look_counts`.
struct SequenceBatch {
  uint64 seed;
  int64 first_row;       // number of the first row in a larger batch
  int64 kick;            // number of the first kick of this launch
  int64 kicks;           // number of kicks
  int64 looks;           // maximum number of looks at items of a descent that has not ended
  int64 most_moves;      // maximum number of moves of a chain
  int64 scratch_bytes;   // of a chain
  char* scratch;         // shape (P, scratch_bytes); not read if the memory is shared
  int* rows;             // shape (P, n): the sequences
  int* bests;            // shape (P, n): the best sequence of each chain
  void* values;          // shape (P,): values of `rows`
  void* best_values;     // shape (P,)
  int* saved;            // scratch, shape (P, n)
  int* queues;           // shape (P, n): of descents that have not ended
  int* progress;         // shape (P, 3): of these descents, and their salt
  unsigned char* ended;  // shape (P,): whether the first descent has ended
  int64* move_counts;    // shape (P,)
  int64* look_counts;    // shape (P,): how many values were computed
  float* units;          // shape (P,): what the level of the acceptance rule is multiplied by
  double price;          // of a unit of violation
  float heat, cooling;   // the level is heat - cooling * kick
  int n;                 // items
  int fixed;             // how many items at the front stay there
  int strength;          // of kicks: number of items that are removed
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
    if (all.kicks < 0) return team.once([&] { all.look_counts[item] = Search::bytes(n); });
    const Objective objective(words);
    Search search(objective, n, all.fixed, Value(all.price), Pieces{Memory::of(all, item)});
    int* const row = all.rows + int64(item) * n;
    int* const best_row = all.bests + int64(item) * n;
    int* const saved = all.saved + int64(item) * n;
    Value& best = static_cast<Value*>(all.best_values)[item];
    Philox random(all.seed, Purpose::kSequence, all.first_row + item);
    search.begin(team, row, n);
    search.moves = all.move_counts[item], search.most_moves = all.most_moves;
    Value least = best;

    const auto keep_best = [&] {
      if (!search.lower(search.now, least)) return;
      least = search.now;
      team.each(n, [&](int k) { best_row[k] = search.order[k]; });
    };
    bool ready = all.ended[item];
    if (!ready) {
      ready = first_descent(team, search, random, all, item);
      keep_best();
    }
#pragma unroll 1
    for (int64 kick = all.kick; ready && kick < all.kick + all.kicks; ++kick) {
      if (search.spent(team)) break;
      const Value before = search.now;
      const int64 first_step = (kick + 1) * kStepsOfKick;
      team.each(n, [&](int k) { saved[k] = search.order[k]; });
      random.seek(first_step + kTieDraws * kSteps);
      search.salt = random.next();
      team.sync();
      Kick::template kick<Pivot, Moves...>(team, search, random, first_step, all.strength);
      Descent progress;
      Pivot::template descend<Moves...>(team, search, random, first_step + kQueueDraws * kSteps,
                                        kNoLimit, progress);
      keep_best();
      random.seek(first_step + kAcceptDraws * kSteps);
      const float level = (all.heat - all.cooling * float(kick)) * all.units[item];
      if (!Accept::takes(search.now - before, level, random)) search.restore(team, saved, before);
    }
    team.sync();
    team.each(n, [&](int k) { row[k] = search.order[k]; });
    team.once([&] {
      static_cast<Value*>(all.values)[item] = search.now;
      best = least;
      all.ended[item] = ready || search.moves >= all.most_moves;
      all.move_counts[item] = search.moves;
      all.look_counts[item] += search.looks;
    });
  }

 private:
  // Goes on with the first descent of a chain; returns whether it has ended.
  template <class Team>
  GLS_DEVICE static bool first_descent(const Team& team, Search& search, Philox& random,
                                       const SequenceBatch& all, int item) {
    int* const queue = all.queues + int64(item) * all.n;
    int* const stored = all.progress + 3 * int64(item);
    Descent progress{stored[0], stored[1]};
    search.salt = uint32(stored[2]);
    team.each(all.n, [&](int k) { search.queue[k] = queue[k]; });
    team.sync();
    const int64 step = all.kick * kStepsOfKick + kFirstQueueDraws * kSteps;
    const bool ended =
        Pivot::template descend<Moves...>(team, search, random, step, all.looks, progress);
    team.sync();
    team.each(all.n, [&](int k) { queue[k] = search.queue[k]; });
    team.once(
        [&] { stored[0] = progress.at, stored[1] = progress.idle, stored[2] = int(search.salt); });
    return ended;
  }
};

// Builds sequences: the items of each row are inserted in their order, each at its best place
// (Nawaz, Enscore and Ham 1983).
template <class Objective, class Memory>
struct BuildSequence {
  template <class Team>
  GLS_DEVICE static void run(const Team& team, int item, SequenceBatch all, const uint64* words) {
    using Search = WorkingSequence<Objective>;
    if (all.kicks < 0) return team.once([&] { all.look_counts[item] = Search::bytes(all.n); });
    const Objective objective(words);
    Search search(objective, all.n, all.fixed, typename Search::Value(all.price),
                  Pieces{Memory::of(all, item)});
    int* const row = all.rows + int64(item) * all.n;
    Philox random(all.seed, Purpose::kSequence, all.first_row + item);
    search.salt = random.next();
    search.begin(team, row, all.fixed);
#pragma unroll 1
    for (int k = all.fixed; k < all.n; ++k) {
      team.once([&] { search.block[0] = row[k]; });
      search.insert_best(team, 1);
    }
    team.sync();
    team.each(all.n, [&](int k) { row[k] = search.order[k]; });
  }
};

// Kicks each row once.
template <class Objective, class Memory, class Kick, class Pivot, class... Moves>
struct KickSequence {
  template <class Team>
  GLS_DEVICE static void run(const Team& team, int item, SequenceBatch all, const uint64* words) {
    using Search = WorkingSequence<Objective>;
    if (all.kicks < 0) return team.once([&] { all.look_counts[item] = Search::bytes(all.n); });
    const Objective objective(words);
    Search search(objective, all.n, all.fixed, typename Search::Value(all.price),
                  Pieces{Memory::of(all, item)});
    int* const row = all.rows + int64(item) * all.n;
    Philox random(all.seed, Purpose::kSequence, all.first_row + item);
    search.salt = random.next();
    search.begin(team, row, all.n);
    Kick::template kick<Pivot, Moves...>(team, search, random, kStepsOfKick, all.strength);
    team.sync();
    team.each(all.n, [&](int k) { row[k] = search.order[k]; });
  }
};

}  // namespace gls
