"""Engine of the exhaustive 3-opt climb.

A GPU evaluates all triples of all tours at once; a block evaluates a bar of triples
(triple_tiles.cuh). On a CPU, each thread climbs with one tour.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.backends.composition import parse_parameters
from gpu_ls_plugin.backends.structs import constant, struct_of
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.tours.engines.engine import NO_SITES, RANKED_BYTES, Engine, require_symmetric
from gpu_ls_plugin.tours.problem.device_data import metric_data
from gpu_ls_plugin.tours.problem.metric_kernel import metric_kernel

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.tours.problem.metrics import Metric
    from gpu_ls_plugin.tours.problem.tsp import TSP

HEADER = "tours/engines/exhaustive/three_opt_climb.cuh"
LARGEST = 3000  # maximum number of cities; a pass evaluates about 4 n**3 / 6 moves
HOST_PARAMETERS = (
    struct_of("tours/problem/instance.cuh", "Instance"),
    struct_of("tours/engines/descent/descent_batch.cuh", "DescentBatch"),
)
TILES_PARAMETERS = (*HOST_PARAMETERS, *parse_parameters("void* best"))
MOVES_PARAMETERS = (*HOST_PARAMETERS, *parse_parameters("const void* best"))

LONGEST_INT = 2.0**29  # maximum length for gls::ThreeOptStep<Metric, int>
DISTRUST = 2.0**-22  # minimum relative error; with it, no estimate of 2**22 or more is trusted

# Edge and depth of bars, as gls::TripleTiles defines them. The first pair that gives each
# multiprocessor at least ENOUGH bars is used.
BARS = ((64, 4), (64, 2), (64, 1), (32, 1))
ENOUGH = 3
# Threads per multiprocessor, by the type of lengths; a thread has 128 or 255 registers.
RESIDENT = {"int": 512, "gls::int64": 256, "double": 256}
SQUARE = constant("tours/engines/exhaustive/triple_tiles.cuh", "kSquare")  # positions
STEP_THREADS = 512  # threads of the block that applies a move
MOST_BARS = 1 << 20  # maximum number of bars per launch; each has 16 bytes for its best pair

# Upper bounds in seconds.
CUDA_SECONDS_PER_TRIPLE = 1e-9  # per multiprocessor
CPU_SECONDS_PER_TRIPLE = 1e-8  # per thread


def host_kernel(metric: Metric, value: str) -> Kernel:
    """Compose the climb with one CPU thread per tour; lengths have the C++ type `value`."""
    body = f"gls::ThreeOptClimb<{{metric}}, {value}>"
    header = "tours/engines/exhaustive/three_opt_climb_host.cuh"
    return metric_kernel("three_opt_climb", metric, header, body, HOST_PARAMETERS, "gls::Host")


def tiles_kernel(metric: Metric, value: str, edge: int, depth: int) -> Kernel:
    """Compose the evaluation, with one block for each bar of each tour."""
    threads = (edge // SQUARE) ** 2
    body = f"gls::ThreeOptTiles<{edge}, {depth}, {{metric}}, {value}>"
    team = f"gls::Block<{threads}>"
    kernel = metric_kernel("three_opt_tiles", metric, HEADER, body, TILES_PARAMETERS, team)
    return replace(kernel, blocks_per_multiprocessor=RESIDENT[value] // threads)


def moves_kernel(metric: Metric, value: str, edge: int, depth: int) -> Kernel:
    """Compose the step after an evaluation: one block per tour applies the best move."""
    body = f"gls::ThreeOptMoves<{edge}, {depth}, {{team}}, {{metric}}, {value}>"
    team = f"gls::Block<{STEP_THREADS}>"
    return metric_kernel("three_opt_moves", metric, HEADER, body, MOVES_PARAMETERS, team)


class ThreeOptClimb(Engine):
    """A batch of exhaustive best-improvement 3-opt climbs on a backend.

    A pass evaluates the complete neighbourhood, as Schulz (2013, sections 3 and 6) does on a GPU:
    the four pure reconnections of all n (n - 1) (n - 2) / 6 triples of edges. Triples with
    neighbouring edges give the 2-opt moves and the insertions of one city. A pass applies the best
    move in the order (delta, i, j, k, way). Both backends make the same moves. Problems must be
    symmetric and have at most 3,000 cities.
    """

    def __init__(self, backend: Backend, problem: TSP, tours: Any, max_moves: int) -> None:
        require_symmetric(problem, "exhaustive 3-opt")
        check_size(problem)
        super().__init__(backend, problem, tours)
        size, n = tours.shape
        self._arguments: dict[str, Any] = {
            "metric_data": metric_data(backend, problem),
            "n": n,
            **NO_SITES,
            "max_moves": max_moves,
            "passes": 1,
            "scratch": None,
            **self.arrays,
        }
        value = value_type(problem)
        if backend.name == "cpu":
            self._host = host_kernel(problem.metric, value)
            return
        self._together = max(1, min(size, int(tuning.LAUNCH_SECONDS / self._seconds_of_pass())))
        bar = _bar(n, self._together / backend.processors)
        self._tiles = tiles_kernel(problem.metric, value, *bar)
        self._moves = moves_kernel(problem.metric, value, *bar)
        self._bars = bar_count(n, *bar)
        self._together = max(1, min(self._together, MOST_BARS // self._bars))  # tours per launch
        absolute, relative = problem.metric.estimate_error(problem.values)
        self._arguments |= {
            "error_absolute": absolute,
            "error_relative": max(relative, DISTRUST),
            "best": backend.xp.empty((self._together * self._bars, RANKED_BYTES), "uint8"),
        }

    @staticmethod
    def bytes_per_tour(n: int) -> int:
        """Return how many bytes a tour needs, not counting a CPU thread's table of lengths."""
        return 4 * n + 64

    def launch(self, passes: int, seconds: float) -> None:
        if self.backend.name == "cpu":
            arguments = self._arguments | {"passes": passes}
            self.backend.launch(self._host, len(self.tours), arguments, seconds=seconds)
            return
        for _, own in self.slices(self._together, seconds):
            arguments, count = self._arguments | own, len(own["tours"])
            for _ in range(min(passes, arguments["max_moves"] + 1)):  # a pass makes one move
                self.backend.launch(self._tiles, count * self._bars, arguments)
                self.backend.launch(self._moves, count, arguments)

    def _seconds_of_pass(self) -> float:
        """Return an upper bound, in seconds, on a pass of one tour alone on a GPU or CPU thread."""
        triples = math.comb(self.problem.n, 3)
        if self.backend.name == "cpu":
            return CPU_SECONDS_PER_TRIPLE * triples + 1e-6
        return CUDA_SECONDS_PER_TRIPLE * triples / self.backend.processors + 1e-6

    def first_passes(self) -> int:
        size = len(self.tours)
        if self.backend.name == "cpu":
            seconds = self._seconds_of_pass() * -(-size // self.backend.processors)
        else:  # launches take time even if all tours are finished
            seconds = self._seconds_of_pass() * size + 1e-3
        return max(1, int(tuning.LAUNCH_SECONDS / seconds))

    def moves_per_evaluation(self) -> int:
        """Return the size of the neighbourhood: four reconnections of each triple of edges."""
        return 4 * math.comb(self.problem.n, 3)


def bar_count(n: int, edge: int, depth: int) -> int:
    """Return the number of bars for n positions, as gls::TripleTiles::count does."""
    layers = (n - 1) // (edge * depth)
    return sum(math.comb(depth * m + 1, 2) for m in range(1, layers + 1)) + math.comb(
        -(-n // edge) + 1, 2
    )


def _bar(n: int, tours: float) -> tuple[int, int]:
    """Return the edge and depth of bars, for `tours` tours per multiprocessor.

    Deep bars spend less time on points and on lengths that do not depend on k, but there are fewer
    of them, which may leave multiprocessors idle.
    """
    enough = (bar for bar in BARS if bar_count(n, *bar) * tours >= ENOUGH)
    return next(enough, BARS[-1])


def check_size(problem: TSP) -> None:
    """Raise UnsupportedProblemError if there are more than 3,000 cities: a pass would be slow."""
    if problem.n > LARGEST:
        raise UnsupportedProblemError(
            f"problem: the exhaustive 3-opt neighbourhood of {problem.n:,} cities has "
            f"{4 * math.comb(problem.n, 3):.1e} moves; the limit is {LARGEST:,} cities; use "
            "candidates=Nearest(10) instead of All()"
        )


def value_type(problem: TSP) -> str:
    """Return the C++ type of lengths and changes."""
    if not problem.integer:
        return "double"
    return "int" if problem.metric.longest(problem.values) <= LONGEST_INT else "gls::int64"
