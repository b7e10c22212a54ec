// The code versions that O'Neil and Burtscher compare (Rethinking the parallelization of
// random-restart hill climbing, GPGPU-8, 2015, section 5), written from their description.
//
//   matr_s   thread per climb, distance matrix in shared memory
//   matr_g   thread per climb, distance matrix in global memory, optionally by the read-only path
//   calc     thread per climb, distances computed from coordinates that lie in tour order
//   intra    block per climb, rows of moves shared out among its threads, all in global memory
//   tile     the same, with the columns of moves brought through shared memory tile by tile
//   tuned    `tile` with the number of threads computed from the device (bench_paper003.py)
//
// Climb c starts from tour c % start_count, so that every version does the same work, and ends at
// the local optimum or after max_passes passes. All write the number of passes, summed, and the
// shortest length found (bits of a non-negative float, which order like it). Distances are real
// and float32; a change must be below -tolerance, which keeps rounding from ending in a circle.

struct Problem {
  float2 const* cities;  // (n)
  int const* starts;     // (start_count, n)
  int start_count;
  int climbs;
  int n;
  int max_passes;
  float tolerance;
};

struct Outcome {
  unsigned long long passes;
  unsigned best;
};

namespace paper {

struct Move {
  float change;
  int i;
  int j;

  // Adding and subtracting the removed edge row by row may round the tolerance away.
  __device__ bool improves() const { return j > 0 && change < 0.0f; }
};

__device__ float root(float square) {
  float value;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(value) : "f"(square));
  return value;
}

__device__ float distance(float2 a, float2 b) {
  float const dx = a.x - b.x;
  float const dy = a.y - b.y;
  return root(fmaf(dx, dx, dy * dy));
}

template <class Item>
__device__ void exchange(Item& a, Item& b) {
  Item const kept = a;
  a = b;
  b = kept;
}

__device__ void record(Outcome* outcome, int passes, float length) {
  atomicAdd(&outcome->passes, static_cast<unsigned long long>(passes));
  atomicMin(&outcome->best, __float_as_uint(length));
}

// ---- Thread per climb ---------------------------------------------------------------------------

// The sequential climb of sections 2.1 and 5.4: `length(a, b)` measures between positions,
// `reverse(a, b)` turns positions a..b round. The removed edge (i, i + 1) is kept in a register.
template <class Length, class Reverse>
__device__ int climb_alone(Problem const& problem, Length length, Reverse reverse) {
  int const n = problem.n;
  for (int passes = 0; passes < problem.max_passes; ++passes) {
    Move best{-problem.tolerance, 0, 0};
    for (int i = 0; i < n - 2; ++i) {
      float const removed = length(i, i + 1);
      best.change += removed;
      for (int j = i + 2; j < n; ++j) {
        float const change = length(i, j) + length(i + 1, j + 1) - length(j, j + 1);
        if (change < best.change) {
          best = {change, i, j};
        }
      }
      best.change -= removed;
    }
    if (!best.improves()) {
      return passes + 1;
    }
    reverse(best.i + 1, best.j);
  }
  return problem.max_passes;
}

template <class Length>
__device__ float tour_length(int n, Length length) {
  float sum = 0.0f;
  for (int p = 0; p < n; ++p) {
    sum += length(p, p + 1);
  }
  return sum;
}

template <int capacity, class Distance>
__device__ void climb_over_matrix(Problem const& problem, Distance distance, Outcome* outcome) {
  int const climb = blockIdx.x * blockDim.x + threadIdx.x;
  if (climb >= problem.climbs) {
    return;
  }
  int const n = problem.n;
  int const* const start = problem.starts + static_cast<long long>(climb % problem.start_count) * n;
  int city[capacity + 1];
  for (int p = 0; p <= n; ++p) {
    city[p] = start[p % n];
  }
  auto const length = [&](int a, int b) { return distance(city[a], city[b]); };
  auto const reverse = [&](int a, int b) {
    for (; a < b; ++a, --b) {
      exchange(city[a], city[b]);
    }
    city[n] = city[0];
  };
  int const passes = climb_alone(problem, length, reverse);
  record(outcome, passes, tour_length(n, length));
}

}  // namespace paper

template <int capacity>
__global__ void matr_s(Problem const* given, Outcome* outcome) {
  Problem const problem = *given;
  extern __shared__ float matrix[];
  int const n = problem.n;
  for (int k = threadIdx.x; k < n * n; k += blockDim.x) {
    matrix[k] = paper::distance(problem.cities[k / n], problem.cities[k % n]);
  }
  __syncthreads();
  auto const distance = [&](int a, int b) { return matrix[a * n + b]; };
  paper::climb_over_matrix<capacity>(problem, distance, outcome);
}

__global__ void fill_matrix(Problem const* given, float* matrix) {
  Problem const problem = *given;
  int const n = problem.n;
  int const column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column < n) {
    matrix[static_cast<long long>(blockIdx.y) * n + column] =
        paper::distance(problem.cities[blockIdx.y], problem.cities[column]);
  }
}

template <int capacity, bool read_only>
__global__ void matr_g(Problem const* given, float const* matrix, Outcome* outcome) {
  Problem const problem = *given;
  int const n = problem.n;
  auto const distance = [=](int a, int b) {
    float const* const entry = matrix + static_cast<long long>(a) * n + b;
    return read_only ? __ldg(entry) : __ldcg(entry);
  };
  paper::climb_over_matrix<capacity>(problem, distance, outcome);
}

template <int capacity>
__global__ void calc(Problem const* given, Outcome* outcome) {
  Problem const problem = *given;
  int const climb = blockIdx.x * blockDim.x + threadIdx.x;
  if (climb >= problem.climbs) {
    return;
  }
  int const n = problem.n;
  int const* const start = problem.starts + static_cast<long long>(climb % problem.start_count) * n;
  float x[capacity + 1];
  float y[capacity + 1];
  for (int p = 0; p <= n; ++p) {
    float2 const city = problem.cities[start[p % n]];
    x[p] = city.x;
    y[p] = city.y;
  }
  auto const length = [&](int a, int b) {
    return paper::distance(make_float2(x[a], y[a]), make_float2(x[b], y[b]));
  };
  auto const reverse = [&](int a, int b) {
    for (; a < b; ++a, --b) {
      paper::exchange(x[a], x[b]);
      paper::exchange(y[a], y[b]);
    }
    x[n] = x[0];
    y[n] = y[0];
  };
  int const passes = paper::climb_alone(problem, length, reverse);
  paper::record(outcome, passes, paper::tour_length(n, length));
}

// ---- Block per climb ----------------------------------------------------------------------------

namespace paper {

// A climber in global memory: coordinates in tour order, the first city again at position n, and
// the lengths of the edges (p, p + 1).
struct Climber {
  float* x;
  float* y;
  float* edge;
  int n;

  __device__ float2 city(int p) const { return make_float2(x[p], y[p]); }
};

using Key = unsigned long long;  // change in length (ordered as an integer), then i and j

__device__ Key make_key(Move move, int n) {
  return static_cast<Key>(~__float_as_uint(move.change)) << 32 |
         (static_cast<unsigned>(move.i) * n + move.j);
}

__device__ Key block_minimum(Key key) {
  __shared__ Key partial[32];
  for (int step = 16; step > 0; step /= 2) {
    Key const other = __shfl_xor_sync(0xffffffffu, key, step);
    key = other < key ? other : key;
  }
  if (threadIdx.x % 32 == 0) {
    partial[threadIdx.x / 32] = key;
  }
  __syncthreads();
  for (unsigned warp = 0; warp < blockDim.x / 32; ++warp) {
    key = partial[warp] < key ? partial[warp] : key;
  }
  return key;
}

// Section 3.1: all columns from global memory.
__device__ Move best_by_global(Climber const& climber, float tolerance) {
  int const n = climber.n;
  Move best{-tolerance, 0, 0};
  for (int i = threadIdx.x; i < n - 2; i += blockDim.x) {
    float2 const here = climber.city(i);
    float2 const next = climber.city(i + 1);
    best.change += climber.edge[i];
    for (int j = i + 2; j < n; ++j) {
      float const change =
          distance(here, climber.city(j)) + distance(next, climber.city(j + 1)) - climber.edge[j];
      if (change < best.change) {
        best = {change, i, j};
      }
    }
    best.change -= climber.edge[i];
  }
  return best;
}

// Section 3.2: columns from the last to the first, a tile of as many as there are threads at a
// time, so that the rows of all threads begin in the same tile.
__device__ Move best_by_tiles(Climber const& climber, float tolerance) {
  extern __shared__ float2 tile[];  // blockDim + 1 points, then blockDim edges
  int const size = blockDim.x;
  float* const tile_edge = reinterpret_cast<float*>(tile + size + 1);
  int const n = climber.n;
  Move best{-tolerance, 0, 0};
  for (int first = 0; first < n - 2; first += blockDim.x) {
    int const i = min(first + static_cast<int>(threadIdx.x), n - 1);  // rows n - 2, n - 1: none
    float2 const here = climber.city(i);
    float2 const next = climber.city(i + 1);
    float const removed = climber.edge[i];
    best.change += removed;
    for (int top = n - 1; top >= first + 2; top -= size) {
      int const low = max(top - size + 1, first + 2);
      __syncthreads();
      for (int p = low + threadIdx.x; p <= top + 1; p += blockDim.x) {
        tile[p - low] = climber.city(p);
        if (p <= top) {
          tile_edge[p - low] = climber.edge[p];
        }
      }
      __syncthreads();
      int const end = max(low, i + 2);
      float2 after = tile[top + 1 - low];
      for (int j = top; j >= end; --j) {
        float2 const there = tile[j - low];
        float const change = distance(here, there) + distance(next, after) - tile_edge[j - low];
        if (change < best.change) {
          best = {change, i, j};
        }
        after = there;
      }
    }
    best.change -= removed;
  }
  return best;
}

template <bool tiled>
__device__ void climb_as_block(Problem problem, float* scratch, Outcome* outcome) {
  int const n = problem.n;
  float* const own = scratch + 3ll * (n + 1) * blockIdx.x;
  Climber const climber{own, own + n + 1, own + 2 * (n + 1), n};
  int const* const start =
      problem.starts + static_cast<long long>(blockIdx.x % problem.start_count) * n;
  for (int p = threadIdx.x; p <= n; p += blockDim.x) {
    float2 const city = problem.cities[start[p % n]];
    climber.x[p] = city.x;
    climber.y[p] = city.y;
  }
  __syncthreads();
  int passes = 0;
  while (passes < problem.max_passes) {
    for (int p = threadIdx.x; p < n; p += blockDim.x) {
      climber.edge[p] = distance(climber.city(p), climber.city(p + 1));
    }
    __syncthreads();
    Move const mine = tiled ? best_by_tiles(climber, problem.tolerance)
                            : best_by_global(climber, problem.tolerance);
    Key const best = block_minimum(mine.improves() ? make_key(mine, n) : ~0ull);
    ++passes;
    if (best == ~0ull) {
      break;
    }
    unsigned const move = static_cast<unsigned>(best);
    int const low = move / n + 1;
    int const high = move % n;
    for (int k = threadIdx.x; k < (high - low + 1) / 2; k += blockDim.x) {
      exchange(climber.x[low + k], climber.x[high - k]);
      exchange(climber.y[low + k], climber.y[high - k]);
    }
    __syncthreads();  // position 0 never moves: its copy at n stays right
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    auto const length = [&](int a, int b) { return distance(climber.city(a), climber.city(b)); };
    record(outcome, passes, tour_length(n, length));
  }
}

}  // namespace paper

__global__ void __launch_bounds__(1024)
    intra(Problem const* given, float* scratch, Outcome* outcome) {
  paper::climb_as_block<false>(*given, scratch, outcome);
}

__global__ void __launch_bounds__(1024)
    tile(Problem const* given, float* scratch, Outcome* outcome) {
  paper::climb_as_block<true>(*given, scratch, outcome);
}
