"""Engine of random-k-best improvement (Delevacq, Delisle and Krajecki 2012).

A GPU runs two kernels for each step. On a CPU, one thread makes all steps of a tour.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.backends.composition import parse_parameters
from gpu_ls_plugin.backends.structs import constant, struct_of
from gpu_ls_plugin.tours.engines.engine import NO_SITES, RANKED_BYTES, Engine, require_symmetric
from gpu_ls_plugin.tours.kernels.sites import float32_above
from gpu_ls_plugin.tours.kernels.tour_layouts import POINT_BYTES
from gpu_ls_plugin.tours.problem.device_data import search_data
from gpu_ls_plugin.tours.problem.metric_kernel import metric_kernel
from gpu_ls_plugin.tours.problem.metric_with_objective import search_metric
from gpu_ls_plugin.tours.problem.metrics import ROOTLESS

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.tours.problem.metrics import Metric
    from gpu_ls_plugin.tours.problem.tsp import TSP

HEADER = "tours/engines/exhaustive/random_k.cuh"
HOST_PARAMETERS = (
    struct_of("tours/problem/instance.cuh", "Instance"),
    struct_of(HEADER, "RandomKRules"),
    struct_of("tours/engines/descent/descent_batch.cuh", "DescentBatch"),
)
EVALUATION_PARAMETERS = (*HOST_PARAMETERS, *parse_parameters("void* best"))
REPLACEMENT_PARAMETERS = (*HOST_PARAMETERS, *parse_parameters("const void* best"))

WAYS = "tours/moves/reconnection.cuh"
RECONNECTIONS, PURE_RECONNECTIONS = (
    constant(WAYS, name) for name in ("kReconnections", "kPureReconnections")
)
EVALUATION_THREADS, REPLACEMENT_THREADS = 256, 256  # per block
# Resident blocks per multiprocessor, by whether the metric needs few registers.
RESIDENT_BLOCKS = {True: 3, False: 2}
ENOUGH_BLOCKS = 3  # number of blocks that keep a multiprocessor busy in an evaluation
COPY_COST = 0.3  # number of samples that can be evaluated while a point is copied to shared memory

# Upper bounds in seconds. A CPU thread takes "sample" per sample, and "city" per city of the tour
# to apply a move. A multiprocessor takes "sample" per sample; the launches of a step take "step".
CPU_SECONDS = {"sample": 1e-6, "city": 1e-8}
CUDA_SECONDS = {"sample": 2e-9, "step": 1e-4}


def host_kernel(metric: Metric, first_way: int) -> Kernel:
    """Compose the search with one CPU thread per tour and the reconnections from `first_way` on."""
    body = f"gls::RandomKSearch<{{metric}}, {first_way}>"
    return metric_kernel("random_k", metric, HEADER, body, HOST_PARAMETERS, "gls::Host")


def evaluation_kernel(metric: Metric, first_way: int, in_shared: bool) -> Kernel:
    """Compose the kernel that evaluates samples with one or more blocks per tour.

    If `in_shared`, a block first copies the points of its tour into shared memory.
    """
    points = "gls::PointsInShared" if in_shared else "gls::PointsOfTour"
    body = f"gls::RandomKEvaluation<{{metric}}, {first_way}, {points}<{{metric}}>>"
    team = f"gls::Block<{EVALUATION_THREADS}>"
    kernel = metric_kernel("random_k_evaluation", metric, HEADER, body, EVALUATION_PARAMETERS, team)
    # Lengths without a root need more registers if points are in shared memory.
    few = metric.fast_estimate and not (in_shared and metric.name in ROOTLESS)
    return replace(kernel, blocks_per_multiprocessor=RESIDENT_BLOCKS[few])


def replacement_kernel(metric: Metric) -> Kernel:
    """Compose the replacement: one block per tour applies the best move of the evaluation."""
    name, body = "random_k_replacement", "gls::RandomKReplacement<{metric}::Length>"
    team = f"gls::Block<{REPLACEMENT_THREADS}>"
    return metric_kernel(name, metric, HEADER, body, REPLACEMENT_PARAMETERS, team)


def shares_of_a_step(tours: int, k: int, processors: int) -> int:
    """Return the number of blocks that share the samples of a tour."""
    enough = -(-processors * ENOUGH_BLOCKS // max(1, tours))
    return max(1, min(enough, k // EVALUATION_THREADS))


def copies_points(n: int, samples: int, shared_memory: int) -> bool:
    """Return whether a block should copy the points of its tour into shared memory."""
    fits = n * POINT_BYTES + tuning.BLOCK_OVERHEAD <= shared_memory
    return fits and samples >= COPY_COST * n


class RandomKSteps(Engine):
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
        self._k = k
        self._first_way = 0 if three_opt else PURE_RECONNECTIONS
        self._arguments: dict[str, Any] = {
            "metric_data": search_data(backend, problem),
            "n": n,
            **NO_SITES,
            # The error of six estimates, minus the least gain: 1 for integers.
            "slack": float32_above(6 * problem.metric.slack(problem.values) - problem.integer),
            "samples": k,
            "shares": 1,
            "seed": seed,
            "first_row": first_row,
            "max_moves": max_moves,
            "passes": 1,
            "scratch": None,
            **self.arrays,
        }
        if backend.name == "cpu":
            self._host = host_kernel(search_metric(problem), self._first_way)
            return
        at_once = int(tuning.LAUNCH_SECONDS / self._seconds_of_step())
        self._together = max(1, min(size, at_once))  # number of tours per launch
        shares = shares_of_a_step(self._together, k, backend.processors)
        in_shared = copies_points(n, k // shares, backend.shared_memory)
        self._shared_bytes = n * POINT_BYTES if in_shared else 0
        self._evaluation = evaluation_kernel(search_metric(problem), self._first_way, in_shared)
        self._replacement = replacement_kernel(problem.metric)
        best = backend.xp.empty((self._together * shares, RANKED_BYTES), "uint8")
        self._arguments |= {"shares": shares, "best": best}

    @staticmethod
    def bytes_per_tour(n: int, k: int) -> int:
        """Return how many bytes of device memory a tour needs."""
        return 4 * n + 64 + 2 * RANKED_BYTES

    def launch(self, passes: int, seconds: float) -> None:
        if self.backend.name == "cpu":
            arguments = self._arguments | {"passes": passes}
            self.backend.launch(self._host, len(self.tours), arguments, seconds=seconds)
            return
        for begin, own in self.slices(self._together, seconds):
            first_row = self._arguments["first_row"] + begin
            arguments, count = self._arguments | own | {"first_row": first_row}, len(own["tours"])
            blocks = count * self._arguments["shares"]
            evaluate = self.backend.bound(
                self._evaluation, blocks, arguments, shared_bytes=self._shared_bytes
            )
            replace = self.backend.bound(self._replacement, count, arguments)
            for _ in range(passes):
                evaluate()
                replace()

    def _seconds_of_step(self) -> float:
        """Return an upper bound, in seconds, on a step of one tour alone on a GPU or CPU thread."""
        if self.backend.name == "cpu":
            return CPU_SECONDS["sample"] * self._k + CPU_SECONDS["city"] * self.problem.n
        return CUDA_SECONDS["sample"] * self._k / self.backend.processors + 1e-9

    def first_passes(self) -> int:
        size, seconds = len(self.tours), self._seconds_of_step()
        if self.backend.name == "cpu":
            seconds *= -(-size // self.backend.processors)
        else:
            seconds = seconds * size + CUDA_SECONDS["step"]
        return max(1, int(tuning.LAUNCH_SECONDS / seconds))

    def moves_per_evaluation(self) -> int:
        return self._k * (RECONNECTIONS - self._first_way)
