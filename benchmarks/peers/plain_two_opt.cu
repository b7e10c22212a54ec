// The plain kernel: best-improvement 2-opt climbs, one block per tour, a thread per row of moves,
// two square roots per move. It is what the library's exhaustive search is measured against.
//
// The moves are those of the library, in the same order: move (i, j), i < j, replaces the edges
// (t[i], t[i+1]) and (t[j], t[j+1]); among equal changes the smallest (i, j) wins; the shorter side
// of the tour is reversed. With an integer metric both return the same tours.
//
// Compiled by NVRTC with -default-device.

namespace plain {

using Key = unsigned long long;  // change in length (ordered as an integer), then i, then j
constexpr Key no_move = ~0ull;

__device__ float fast_root(float square) {
  float root;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(square));
  return root;
}

// Real Euclidean distance in float32.
struct Real {
  static __device__ float length(float dx, float dy) { return fast_root(fmaf(dx, dx, dy * dy)); }
};

// EUC_2D, exact for coordinates that are integers and distances below 2^22: the float32 root is
// within 2^-22.4 of its size, so only roots so near to a half must be taken again in float64.
struct Rounded {
  static __device__ float length(float dx, float dy) {
    constexpr float shift = 8388608.0f;  // 2^23: adding it rounds to an integer
    float const root = fast_root(fmaf(dx, dx, dy * dy));
    float const rounded = (root + shift) - shift;
    if (fmaf(root, 0x1p-22f, fabsf(root - rounded)) < 0.5f) {
      return rounded;
    }
    return exact(dx, dy);
  }

  static __device__ __noinline__ float exact(double dx, double dy) {
    return static_cast<float>(static_cast<int>(sqrt(dx * dx + dy * dy) + 0.5));
  }
};

__device__ Key make_key(float change, int i, int j, int n) {
  // A negative float grows as an unsigned integer when it falls, so its complement orders it.
  return static_cast<Key>(~__float_as_uint(change)) << 32 | (static_cast<unsigned>(i) * n + j);
}

__device__ Key block_minimum(Key key, Key* partial) {
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

// Reverses the shorter side of move (i, j) in the tour and in its coordinates.
__device__ void apply(float2* xy, int* tour, int i, int j, int n) {
  bool const inner = 2 * (j - i) <= n;
  int const first = inner ? i + 1 : j + 1;
  int const count = inner ? j - i : n - j + i;
  for (int k = threadIdx.x; k < count / 2; k += blockDim.x) {
    int a = first + k;
    int b = first + count - 1 - k;
    a = a < n ? a : a - n;
    b = b < n ? b : b - n;
    float2 const point = xy[a];
    xy[a] = xy[b];
    xy[b] = point;
    int const city = tour[a];
    tour[a] = tour[b];
    tour[b] = city;
  }
}

// Best move of row i, by descending j, so that the smaller j of equals is met last.
template <class Metric>
__device__ Key best_of_row(float2 const* xy, float const* edges, int i, int n, float threshold) {
  float2 const here = xy[i];
  float2 const next = xy[i + 1];
  int const last = i == 0 ? n - 2 : n - 1;  // (0, n - 1) are neighbours
  float best = 3.0e38f;
  int best_j = 0;
  float2 after = xy[last + 1];
#pragma unroll 4
  for (int j = last; j >= i + 2; --j) {
    float2 const there = xy[j];
    float const change = Metric::length(here.x - there.x, here.y - there.y) +
                         Metric::length(next.x - after.x, next.y - after.y) - edges[j];
    if (change <= best) {
      best = change;
      best_j = j;
    }
    after = there;
  }
  best -= edges[i];
  return best < threshold ? make_key(best, i, best_j, n) : no_move;
}

template <class Metric>
__device__ void climb(float2* xy, float* edges, float2 const* cities, int* tour, int n,
                      int max_passes, float threshold, Key* passes) {
  __shared__ Key partial[32];
  for (int p = threadIdx.x; p < n; p += blockDim.x) {
    xy[p] = cities[tour[p]];
  }
  __syncthreads();
  int const rows = n - 2;
  int done = 0;
  for (; done < max_passes; ++done) {
    if (threadIdx.x == 0) {
      xy[n] = xy[0];
    }
    __syncthreads();
    for (int p = threadIdx.x; p < n; p += blockDim.x) {
      edges[p] = Metric::length(xy[p].x - xy[p + 1].x, xy[p].y - xy[p + 1].y);
    }
    __syncthreads();
    // A long row and a short one make equal work for every thread.
    Key best = no_move;
    for (int r = threadIdx.x; r < (rows + 1) / 2; r += blockDim.x) {
      Key const top = best_of_row<Metric>(xy, edges, r, n, threshold);
      Key const bottom = best_of_row<Metric>(xy, edges, rows - 1 - r, n, threshold);
      best = top < best ? top : best;
      best = bottom < best ? bottom : best;
    }
    best = block_minimum(best, partial);
    if (best == no_move) {
      ++done;
      break;
    }
    unsigned const move = static_cast<unsigned>(best);
    apply(xy, tour, move / n, move % n, n);
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    atomicAdd(passes, static_cast<Key>(done));
  }
}

}  // namespace plain

// Climbs from each row of `tours` (P, n) in place, block b from row b, and counts the passes.
// Shared memory holds 3 (n + 1) floats a block; where it cannot, `scratch` holds 4 (n + 1), and it
// is null otherwise. A change in length improves the tour if it is below `threshold` (at most 0).
template <class Metric>
__global__ void __launch_bounds__(1024)
    plain_two_opt(float2 const* cities, int* tours, int n, int max_passes, float threshold,
                  float* scratch, unsigned long long* passes) {
  extern __shared__ float2 shared[];
  int* const tour = tours + static_cast<long long>(blockIdx.x) * n;
  // Two calls, so that the compiler knows which memory each of them reads.
  if (scratch == nullptr) {
    float* const edges = reinterpret_cast<float*>(shared + n + 1);
    plain::climb<Metric>(shared, edges, cities, tour, n, max_passes, threshold, passes);
  } else {
    float2* const xy = reinterpret_cast<float2*>(scratch + 4ll * (n + 1) * blockIdx.x);
    float* const edges = reinterpret_cast<float*>(xy + n + 1);
    plain::climb<Metric>(xy, edges, cities, tour, n, max_passes, threshold, passes);
  }
}
