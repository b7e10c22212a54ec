// Iterated greedy for the makespan of the permutation flow shop by the book, on one core.
//
// Ruiz and Stuetzle (2007): a start by NEH; then, again and again, some random jobs are removed and
// each is inserted at its best place, a descent by insertions follows, and the result is accepted
// by a constant temperature. A best insertion evaluates all places of a job in O(jobs x machines)
// by heads and tails (Taillard 1990). Dubois-Lacoste, Pagnozzi and Stuetzle (2017) remove two jobs
// and also descend on the partial sequence.
//
//   book_iterated_greedy solve FILE SECONDS SEED [removed=4] [temperature=0.4] [partial=0]
//   book_iterated_greedy insertions JOBS MACHINES SECONDS SEED
//
// FILE holds the numbers of jobs and machines, then a line of times for each machine. `insertions`
// only counts: a random job of a sequence is taken out, all its places are evaluated, and it goes
// to the best one. Seconds are CPU seconds. Prints one JSON object.
#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Sequence = std::vector<int>;

struct FlowShop {
  int jobs, machines;
  std::vector<int> times;  // job by job

  const int* job(int number) const { return &times[size_t(number) * machines]; }
};

FlowShop read(const char* path) {
  std::ifstream file(path);
  FlowShop shop{};
  if (!(file >> shop.jobs >> shop.machines)) throw std::runtime_error("cannot read the file");
  shop.times.resize(size_t(shop.jobs) * shop.machines);
  for (int machine = 0; machine < shop.machines; ++machine)
    for (int job = 0; job < shop.jobs; ++job)
      if (!(file >> shop.times[size_t(job) * shop.machines + machine]))
        throw std::runtime_error("the file has too few times");
  return shop;
}

FlowShop generated(int jobs, int machines, std::mt19937& random) {
  FlowShop shop{jobs, machines, std::vector<int>(size_t(jobs) * machines)};
  std::uniform_int_distribution<int> time(1, 99);
  for (int& entry : shop.times) entry = time(random);
  return shop;
}

// The makespan from scratch.
int makespan(const FlowShop& shop, const Sequence& sequence) {
  std::vector<int> completion(shop.machines);
  for (int job : sequence) {
    int before = 0;
    for (int machine = 0; machine < shop.machines; ++machine)
      before = completion[machine] = std::max(before, completion[machine]) + shop.job(job)[machine];
  }
  return completion.back();
}

// ---- Best insertion -----------------------------------------------------------------------------

constexpr int kLanes = 8;
typedef int Lanes __attribute__((vector_size(kLanes * sizeof(int))));  // 8 positions in a row

Lanes load(const int* from) {
  Lanes lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

void store(int* to, const Lanes& lanes) { std::memcpy(to, &lanes, sizeof lanes); }

template <class T>
T larger(T a, T b) {
  return a > b ? a : b;
}

struct Insertion {
  int place, makespan;
};

// Evaluates the insertion of a job at all places of a sequence.
//
// heads[machine][i]: when the machine completes the first i jobs. tails[machine][i]: from the start
// of the job at position i on the machine to the end of the schedule. They lie machine by machine,
// so that eight places are evaluated at once; eight jobs pass a machine before the next one, so
// that the additions of different jobs overlap.
class BestInsertion {
 public:
  explicit BestInsertion(const FlowShop& shop)
      : shop_(shop),
        width_(odd_lines(shop.jobs + 1 + 2 * kLanes)),
        heads_(size_t(width_) * shop.machines + kLanes),
        tails_(heads_.size()),
        makespans_(width_) {}

  // The first of the best places.
  Insertion find(const Sequence& sequence, int job) {
    ++count;
    compute_heads(sequence);
    compute_tails(sequence);
    evaluate(shop_.job(job), int(sequence.size()));
    const auto best =
        std::min_element(makespans_.begin(), makespans_.begin() + sequence.size() + 1);
    return {int(best - makespans_.begin()), *best};
  }

  long long count = 0;  // calls of `find`

 private:
  // A row of as many numbers that fills an odd number of cache lines: rows share no cache sets.
  static int odd_lines(int numbers) {
    const int line = 16;
    return ((numbers + line - 1) / line | 1) * line;
  }

  int* row(std::vector<int>& table, int machine) { return &table[machine * width_ + kLanes]; }

  void compute_heads(const Sequence& sequence) {
    const int size = int(sequence.size());
    for (int machine = 0; machine < shop_.machines; ++machine) row(heads_, machine)[0] = 0;
    for (int first = 0; first < size; first += kLanes) {
      const int* times[kLanes];
      for (int k = 0; k < kLanes; ++k)  // past the end: the last job again, for results without use
        times[k] = shop_.job(sequence[std::min(first + k, size - 1)]);
      add_jobs<1>(times, row(heads_, 0) + first);
    }
  }

  void compute_tails(const Sequence& sequence) {
    const int size = int(sequence.size()), last = shop_.machines - 1;
    for (int machine = 0; machine <= last; ++machine) row(tails_, machine)[size] = 0;
    for (int first = size; first > 0; first -= kLanes) {
      const int* times[kLanes];
      for (int k = 0; k < kLanes; ++k)
        times[k] = shop_.job(sequence[std::max(first - 1 - k, 0)]) + last;
      add_jobs<-1>(times, row(tails_, last) + first);
    }
  }

  // Computes heads of the next eight jobs (Step 1) or tails of the eight jobs before (Step -1).
  // `edge` is the last known entry of the first machine, or of the last machine for tails.
  template <int Step>
  void add_jobs(const int* const (&times)[kLanes], int* edge) {
    int c[kLanes] = {};  // completion times
    const int machines = shop_.machines, stride = Step * width_;
    for (int machine = 0; machine < machines; ++machine, edge += stride) {
      int before = *edge;
      for (int k = 0; k < kLanes; ++k)
        before = c[k] = larger(c[k], before) + times[k][Step * machine];
      if constexpr (Step > 0)
        store(edge + 1, Lanes{c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]});
      else
        store(edge - kLanes, Lanes{c[7], c[6], c[5], c[4], c[3], c[2], c[1], c[0]});
    }
  }

  void evaluate(const int* times, int size) {
    for (int place = 0; place <= size; place += kLanes) {
      const int *head = row(heads_, 0) + place, *tail = row(tails_, 0) + place;
      Lanes completion{}, longest{};
      for (int machine = 0; machine < shop_.machines; ++machine) {
        completion = larger(completion, load(head)) + times[machine];
        longest = larger(longest, completion + load(tail));
        head += width_, tail += width_;
      }
      store(&makespans_[place], longest);
    }
  }

  const FlowShop& shop_;
  int width_;
  std::vector<int> heads_, tails_, makespans_;
};

// ---- Iterated greedy ----------------------------------------------------------------------------

double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

struct Settings {
  double seconds;
  int removed = 4;
  double temperature = 0.4;  // in tenths of the mean time
  bool partial = false;      // whether the partial sequence descends, too
};

struct Solution {
  Sequence sequence;
  int makespan;
};

class IteratedGreedy {
 public:
  IteratedGreedy(const FlowShop& shop, const Settings& settings, unsigned seed)
      : insertions(shop),
        shop_(shop),
        settings_(settings),
        temperature_(settings.temperature * mean(shop.times) / 10),
        end_(cpu_seconds() + settings.seconds),
        random_(seed) {}

  Solution run() {
    Solution current = neh();
    descend(current);
    Solution best = current;
    while (!over()) {
      Solution next = current;
      destroy_and_construct(next);
      descend(next);
      if (next.makespan < best.makespan) best = next;
      if (accepted(next.makespan - current.makespan)) current = std::move(next);
    }
    return best;
  }

  BestInsertion insertions;

 private:
  static double mean(const std::vector<int>& times) {
    return std::accumulate(times.begin(), times.end(), 0.0) / double(times.size());
  }

  Solution neh() {
    std::vector<long long> work(shop_.jobs);
    for (int job = 0; job < shop_.jobs; ++job)
      work[job] = std::accumulate(shop_.job(job), shop_.job(job) + shop_.machines, 0LL);
    Sequence order = numbers();
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return work[a] > work[b]; });
    Solution start{{order[0]}, int(work[order[0]])};
    for (size_t k = 1; k < order.size(); ++k) insert(start, order[k]);
    return start;
  }

  Sequence numbers() const {
    Sequence all(shop_.jobs);
    std::iota(all.begin(), all.end(), 0);
    return all;
  }

  void insert(Solution& solution, int job) {
    const Insertion best = insertions.find(solution.sequence, job);
    solution.sequence.insert(solution.sequence.begin() + best.place, job);
    solution.makespan = best.makespan;
  }

  void destroy_and_construct(Solution& solution) {
    Sequence removed(std::min(settings_.removed, shop_.jobs - 1));
    for (int& job : removed) {
      const auto place = solution.sequence.begin() + long(random_() % solution.sequence.size());
      job = *place;
      solution.sequence.erase(place);
    }
    if (settings_.partial) {
      solution.makespan = makespan(shop_, solution.sequence);
      descend(solution);
    }
    for (int job : removed) insert(solution, job);
  }

  // Moves each job, in random order, to its best place if that is better, until none is.
  void descend(Solution& solution) {
    Sequence order = solution.sequence;
    for (bool improved = true; improved;) {
      improved = false;
      std::shuffle(order.begin(), order.end(), random_);
      for (int job : order) {
        if (over()) return;
        improved |= move(solution, job);
      }
    }
  }

  bool move(Solution& solution, int job) {
    Sequence& sequence = solution.sequence;
    const auto place = std::find(sequence.begin(), sequence.end(), job) - sequence.begin();
    sequence.erase(sequence.begin() + place);
    const Insertion best = insertions.find(sequence, job);
    const bool better = best.makespan < solution.makespan;
    sequence.insert(sequence.begin() + (better ? best.place : place), job);
    if (better) solution.makespan = best.makespan;
    return better;
  }

  bool accepted(int difference) {
    if (difference <= 0) return true;
    return std::uniform_real_distribution<>()(random_) < std::exp(-difference / temperature_);
  }

  // Whether time is over; looks at the clock once in 32 calls.
  bool over() {
    if (!over_ && ++calls_ % 32 == 0) over_ = cpu_seconds() >= end_;
    return over_;
  }

  const FlowShop& shop_;
  const Settings settings_;
  const double temperature_, end_;
  std::mt19937 random_;
  unsigned calls_ = 0;
  bool over_ = false;
};

// ---- Modes --------------------------------------------------------------------------------------

void solve(const FlowShop& shop, const Settings& settings, unsigned seed) {
  const double begin = cpu_seconds();
  IteratedGreedy search(shop, settings, seed);
  const Solution best = search.run();
  const double seconds = cpu_seconds() - begin;
  if (makespan(shop, best.sequence) != best.makespan) throw std::logic_error("a wrong makespan");
  const long long count = search.insertions.count;
  std::printf("{\"makespan\": %d, \"insertions\": %lld, \"insertions_per_second\": %.1f, ",
              best.makespan, count, double(count) / seconds);
  std::printf("\"seconds\": %.3f, \"sequence\": [", seconds);
  for (size_t i = 0; i < best.sequence.size(); ++i)
    std::printf(i ? ", %d" : "%d", best.sequence[i]);
  std::printf("]}\n");
}

void count_insertions(int jobs, int machines, double limit, unsigned seed) {
  std::mt19937 random(seed);
  const FlowShop shop = generated(jobs, machines, random);
  BestInsertion insertions(shop);
  Sequence sequence(jobs);
  std::iota(sequence.begin(), sequence.end(), 0);
  const double begin = cpu_seconds();
  double seconds = 0;
  for (int reached = INT_MAX; seconds < limit; seconds = cpu_seconds() - begin) {
    for (int repeat = 0; repeat < 32; ++repeat) {
      const auto place = sequence.begin() + long(random() % sequence.size());
      const int job = *place;
      sequence.erase(place);
      const Insertion best = insertions.find(sequence, job);
      sequence.insert(sequence.begin() + best.place, job);
      if (best.makespan > reached) throw std::logic_error("a best insertion got worse");
      reached = best.makespan;
    }
  }
  const double rate = double(insertions.count) / seconds;
  std::printf("{\"insertions\": %lld, \"insertions_per_second\": %.1f, \"seconds\": %.3f}\n",
              insertions.count, rate, seconds);
}

int run(const std::vector<std::string>& given) {
  const auto number = [&](size_t index, double otherwise) {
    return index < given.size() ? std::stod(given[index]) : otherwise;
  };
  if (given.size() >= 4 && given[0] == "solve") {
    const Settings usual{number(2, 0)};
    const Settings settings{usual.seconds, int(number(4, usual.removed)),
                            number(5, usual.temperature), number(6, usual.partial) != 0};
    solve(read(given[1].c_str()), settings, unsigned(number(3, 1)));
  } else if (given.size() == 5 && given[0] == "insertions") {
    count_insertions(int(number(1, 0)), int(number(2, 0)), number(3, 0), unsigned(number(4, 1)));
  } else {
    throw std::invalid_argument(
        "solve FILE SECONDS SEED [removed temperature partial], or "
        "insertions JOBS MACHINES SECONDS SEED");
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return run({arguments + 1, arguments + count});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "book_iterated_greedy: %s\n", error.what());
    return 1;
  }
}
