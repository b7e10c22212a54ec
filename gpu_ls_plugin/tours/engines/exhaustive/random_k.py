"""Engine of random-k-best improvement (Delevacq, Delisle and Krajecki 2012).

One kernel makes all steps of a launch: a CPU thread, a block or a cluster of blocks per tour.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.backends.structs import constant, struct_of
from gpu_ls_plugin.backends.tuning import padded
from gpu_ls_plugin.tours.engines.engine import NO_SITES, PersistentEngine, require_symmetric
from gpu_ls_plugin.tours.kernels.sites import float32_above
from gpu_ls_plugin.tours.kernels.tour_layouts import SITE_BYTES, HostShape
from gpu_ls_plugin.tours.problem.device_data import search_data
from gpu_ls_plugin.tours.problem.metric_kernel import metric_kernel
from gpu_ls_plugin.tours.problem.metric_with_objective import search_metric

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.tours.problem.metrics import Metric
    from gpu_ls_plugin.tours.problem.tsp import TSP

HEADER = "tours/engines/exhaustive/random_k.cuh"
RULES = (
    struct_of("tours/problem/instance.cuh", "Instance"),
    struct_of(HEADER, "RandomKRules"),
)
PARAMETERS = (*RULES, struct_of("tours/engines/descent/descent_batch.cuh", "DescentBatch"))

WAYS = "tours/moves/reconnection.cuh"
RECONNECTIONS, PURE_RECONNECTIONS = (
    constant(WAYS, name) for name in ("kReconnections", "kPureReconnections")
)
FEW_LANES, MANY_LANES = 512, 256  # of a block, if each has a multiprocessor to itself or not
# Resident blocks of MANY_LANES per multiprocessor, by whether the metric needs few registers.
RESIDENT_BLOCKS = {True: 3, False: 2}
SLOT_BYTES = 8 << 10  # room for the static shared memory of a block
LEAST_SHARE = 64  # minimum number of samples for each block of a cluster

# Upper bounds in seconds. A CPU thread takes "sample" per sample, and "city" per city of the tour
# to apply a move. A multiprocessor takes "sample" per sample; the barriers of a step, and the
# change of the tour per lane and city, take "step" and "city".
CPU_SECONDS = {"sample": 1e-6, "city": 1e-8, "step": 0.0}
CUDA_SECONDS = {"sample": 2e-9, "city": 2e-10, "step": 4e-6}


@dataclass(frozen=True)
class RandomKShape:
    """The launch layout of random-k-best improvement."""

    team: str  # C++ type of the team that works on a tour
    memory: str  # C++ type of the memory of a tour
    blocks: int  # blocks that share the samples of a tour
    own_bytes: int  # memory of each of these blocks
    resident: int = 1  # blocks per multiprocessor

    @property
    def in_shared(self) -> bool:
        """Whether the tour is in shared memory."""
        return self.memory.startswith("gls::SharedMemory")

    @property
    def shared_bytes(self) -> int:
        """How many bytes of dynamic shared memory a block needs."""
        return self.own_bytes if self.in_shared else 0

    def scratch(self, backend: Backend, tours: int) -> Any:
        """Return the memory for tours that are not in shared memory; None if none is needed."""
        if self.in_shared or backend.name == "cpu":
            return None
        return backend.xp.empty((tours * self.blocks, self.own_bytes), "uint8")

    @classmethod
    def of(cls, backend: Backend, metric: Metric, n: int, tours: int, k: int) -> RandomKShape:
        """Return the layout for a batch of tours of n cities, with k samples per step."""
        if backend.name == "cpu":
            return cls("gls::Host", HostShape.of(n).memory, 1, 0)
        blocks = blocks_of_a_tour(tours, k, backend.processors, backend.largest_cluster)
        lanes = FEW_LANES if tours * blocks <= backend.processors else MANY_LANES
        resident = RESIDENT_BLOCKS[metric.fast_estimate] if lanes == MANY_LANES else 1
        team = f"gls::Cluster<{lanes}, {blocks}>" if blocks > 1 else f"gls::Block<{lanes}>"
        own = sampled_bytes(n, 2, metric.site_bytes)
        if own + SLOT_BYTES <= backend.shared_memory and n <= tuning.LARGEST_SHORT:
            return cls(team, "gls::SharedMemory<false>", blocks, own, resident)
        return cls(team, "gls::GlobalMemory", blocks, sampled_bytes(n, 4, SITE_BYTES), resident)


def sampled_bytes(n: int, city_bytes: int, site_bytes: int) -> int:
    """Return at least the bytes of a tour with sites, and of a copy of its order."""
    return 2 * padded(n * city_bytes) + padded(n * site_bytes)


def blocks_of_a_tour(tours: int, k: int, processors: int, most: int) -> int:
    """Return the number of blocks, a power of 2 up to `most`, that share the samples of a tour."""
    blocks = 1
    while 2 * blocks <= most and 2 * blocks * tours <= processors and 2 * blocks * LEAST_SHARE <= k:
        blocks *= 2
    return blocks


def seconds_of_step(backend: Backend, n: int, tours: int, k: int, blocks: int) -> float:
    """Return an upper bound on the seconds of a step of all tours."""
    cpu = backend.name == "cpu"
    rates = CPU_SECONDS if cpu else CUDA_SECONDS
    turns = -(-tours * blocks // backend.processors)
    return turns * (rates["sample"] * k / blocks + rates["city"] * n + rates["step"])


def random_k_rules(problem: TSP, k: int, seed: int, first_row: int) -> dict[str, Any]:
    """Return the arguments that say what to sample, by the names of kernel parameters."""
    return {
        "n": problem.n,
        **NO_SITES,
        # The error of six estimates, minus the least gain: 1 for integers.
        "slack": float32_above(6 * problem.metric.slack(problem.values) - problem.integer),
        "samples": k,
        "seed": seed,
        "first_row": first_row,
    }


def first_way(three_opt: bool) -> int:
    """Return the number of the first reconnection to evaluate."""
    return 0 if three_opt else PURE_RECONNECTIONS


def random_k_kernel(metric: Metric, way: int, shape: RandomKShape) -> Kernel:
    """Compose the search with the reconnections from `way` on."""
    body = f"gls::RandomKDescent<{{team}}, {{metric}}, {way}, {shape.memory}>"
    kernel = metric_kernel("random_k", metric, HEADER, body, PARAMETERS, shape.team)
    return replace(kernel, blocks_per_multiprocessor=shape.resident)


class RandomKSteps(PersistentEngine):
    """A batch of random-k-best searches on a backend.

    A pass is a step of Delevacq et al. (2012, section 4.2): it draws k triples of distinct edges
    uniformly, evaluates all reconnections of each, and applies the best move in the order (delta,
    sample, way). If no move gains, the search of the tour ends. The samples depend only on the
    seed (64 bits), the row of the tour and the number of the pass, so both backends make the same
    moves in batches of any size.

    With `three_opt`, a pass evaluates all seven reconnections; otherwise it evaluates the three
    that change two edges. Distances must be symmetric, because most reconnections reverse paths.
    """

    def __init__(
        self,
        backend: Backend,
        problem: TSP,
        tours: Any,
        k: int,
        seed: int,
        max_moves: int,
        *,
        first_row: int = 0,
        three_opt: bool = True,
    ) -> None:
        require_symmetric(problem, "RandomK")
        super().__init__(backend, problem, tours)
        size, n = tours.shape
        metric = search_metric(problem)
        self._k, self._first_way = k, first_way(three_opt)
        self._shape = RandomKShape.of(backend, metric, n, size, k)
        self._kernel = random_k_kernel(metric, self._first_way, self._shape)
        self._shared_bytes = self._shape.shared_bytes
        self._arguments = {
            "metric_data": search_data(backend, problem),
            **random_k_rules(problem, k, seed, first_row),
            "max_moves": max_moves,
            "scratch": self._shape.scratch(backend, size),
            **self.arrays,
        }

    @staticmethod
    def bytes_per_tour(n: int, k: int) -> int:
        """Return how many bytes of device memory a tour needs."""
        return 4 * n + 64 + sampled_bytes(n, 4, SITE_BYTES)

    def first_passes(self) -> int:
        size, blocks = len(self.tours), self._shape.blocks
        seconds = seconds_of_step(self.backend, self.problem.n, size, self._k, blocks)
        return max(1, int(tuning.LAUNCH_SECONDS / seconds))

    def moves_per_evaluation(self) -> int:
        return self._k * (RECONNECTIONS - self._first_way)
