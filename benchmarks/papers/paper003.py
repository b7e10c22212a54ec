"""The code versions of O'Neil and Burtscher (2015), paper003.cu, and their launches.

`matr_s`, `matr_g`, `matr_g_ro` and `calc` run a climb per thread; `intra`, `tile` and `tuned` run a
climb per block.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.helpers import common

PER_THREAD = ("matr_s", "matr_g", "matr_g_ro", "calc")
PER_BLOCK = ("intra", "tile", "tuned")
CAPACITIES = (128, 512, 1024, 2048, 4096)  # cities that a thread's local arrays hold
MATRIX_CITIES = 110  # the largest matrix in the paper's 48 KiB of shared memory
THREADS_ALONE = 128  # of a block of independent climbs
MAX_THREADS = 1024
RECORD = np.dtype(
    [
        ("cities", "u8"),
        ("starts", "u8"),
        ("start_count", "i4"),
        ("climbs", "i4"),
        ("n", "i4"),
        ("max_passes", "i4"),
        ("tolerance", "f4"),
        ("padding", "i4"),
    ]
)


@dataclass(frozen=True)
class Limits:
    """Limits of a device, from which launch configurations are computed (section 3.3)."""

    threads: int  # per multiprocessor
    blocks: int  # per multiprocessor
    registers: int  # per multiprocessor
    shared: int  # bytes per multiprocessor
    reserved: int = 0  # bytes of shared memory that the device adds for each block


def device_limits() -> Limits:
    """Read the limits of the current device."""
    import cupy

    attributes = cupy.cuda.Device().attributes
    return Limits(
        threads=attributes["MaxThreadsPerMultiProcessor"],
        blocks=attributes.get("MaxBlocksPerMultiprocessor", 16),
        registers=attributes["MaxRegistersPerMultiprocessor"],
        shared=attributes["MaxSharedMemoryPerMultiprocessor"],
        reserved=attributes.get("ReservedSharedMemoryPerBlock", 0),
    )


def tile_bytes(threads: int) -> int:
    """Return the shared memory of one block of `tile`: a point and an edge per thread."""
    return 8 * (threads + 1) + 4 * threads


def block_threads(n: int) -> int:
    """Return the threads of `intra` and `tile`: one per row of moves, 1,024 at most."""
    return min(MAX_THREADS, max(32, -(-(n - 2) // 32) * 32))


def tuned_threads(n: int, registers: int, limits: Limits) -> int:
    """Return the number of threads that keeps most threads of a multiprocessor at work.

    Every multiple of a warp is tried. The limits of threads, blocks, registers and shared memory
    give the resident blocks, and n gives the share of threads with a row to evaluate. Among those
    within 5 % of the best the largest block wins: fewer climbs share the caches.
    """

    def busy(threads: int) -> float:
        used = -(-registers // 8) * 8 * threads
        resident = min(
            limits.blocks,
            limits.threads // threads,
            limits.registers // used,
            limits.shared // (tile_bytes(threads) + limits.reserved),
        )
        rounds = -(-(n - 2) // threads)
        return resident * threads * (n - 2) / (rounds * threads)

    sizes = range(32, MAX_THREADS + 1, 32)
    enough = 0.95 * max(map(busy, sizes))
    return max(threads for threads in sizes if busy(threads) >= enough)


class Versions:
    """All code versions for one instance, on the current device.

    Parameters
    ----------
    coordinates : array, shape (n, 2)
    starts : array, shape (S, n), int32
        Climb c starts from row c % S.
    """

    def __init__(self, coordinates: Any, starts: Any) -> None:
        import cupy

        self.xp, self.n = cupy, len(coordinates)
        self.cities = cupy.asarray(coordinates, "float32")
        self.starts = cupy.asarray(starts, "int32")
        self.tolerance = float(np.ptp(coordinates, axis=0).max()) * 2.0**-16
        self.capacity = next((c for c in CAPACITIES if c >= self.n), None)
        names = ["fill_matrix", "intra", "tile"]
        if self.capacity is not None:
            c = self.capacity
            names += [f"matr_g<{c}, false>", f"matr_g<{c}, true>", f"calc<{c}>"]
            names += [f"matr_s<{c}>"] if self.n <= MATRIX_CITIES else []
        code = Path(__file__).with_suffix(".cu").read_text()
        options = ("--std=c++17", "-default-device")
        self._module = cupy.RawModule(code=code, options=options, name_expressions=names)
        self._names = names
        self._matrix: Any = None

    def available(self) -> list[str]:
        """Return the versions that can run this number of cities."""
        alone = [] if self.capacity is None else list(PER_THREAD)
        if self.n > MATRIX_CITIES and alone:
            alone.remove("matr_s")
        return alone + list(PER_BLOCK)

    def threads(self, version: str) -> int:
        """Return the threads per block of a version."""
        if version in PER_THREAD:
            return THREADS_ALONE
        if version == "tuned":
            registers = self._function("tile").num_regs
            return tuned_threads(self.n, registers, device_limits())
        return block_threads(self.n)

    def full_load(self, version: str) -> int:
        """Return the least number of climbs that occupies the whole device."""
        import cupy

        function, threads = self._function(version), self.threads(version)
        resident = cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor(
            function.kernel.ptr, threads, self._shared(version, threads)
        )
        blocks = resident * cupy.cuda.Device().attributes["MultiProcessorCount"]
        return int(blocks * (threads if version in PER_THREAD else 1))

    def run(self, version: str, climbs: int, max_passes: int) -> tuple[float, int, float]:
        """Run climbs; return the seconds, the number of passes and the shortest length found."""
        record = np.zeros(1, RECORD)
        record["cities"], record["starts"] = self.cities.data.ptr, self.starts.data.ptr
        record["start_count"], record["climbs"] = len(self.starts), climbs
        record["n"], record["max_passes"] = self.n, max_passes
        record["tolerance"] = self.tolerance
        problem = self.xp.asarray(record.view("u1"))
        outcome = self.xp.asarray(np.array([0, 0xFFFFFFFF], "u8"))
        function, threads = self._function(version), self.threads(version)
        given: list[Any] = [problem]
        if version in PER_BLOCK:
            given.append(self.xp.empty(3 * (self.n + 1) * climbs, "float32"))
        elif version.startswith("matr_g"):
            given.append(self._filled_matrix(problem))
        blocks = climbs if version in PER_BLOCK else -(-climbs // threads)
        shared = self._shared(version, threads)

        def launch() -> None:
            function((blocks,), (threads,), (*given, outcome), shared_mem=shared)

        seconds = common.seconds_of(launch, on_gpu=True)[0]
        passes, best = self.xp.asnumpy(outcome)
        return seconds, int(passes), float(np.array([best], "u8").view("f4")[0])

    def _shared(self, version: str, threads: int) -> int:
        if version == "matr_s":
            return 4 * self.n * self.n
        return tile_bytes(threads) if version in ("tile", "tuned") else 0

    def _function(self, version: str) -> Any:
        c = self.capacity
        name = {
            "matr_s": f"matr_s<{c}>",
            "matr_g": f"matr_g<{c}, false>",
            "matr_g_ro": f"matr_g<{c}, true>",
            "calc": f"calc<{c}>",
            "tuned": "tile",
        }.get(version, version)
        return self._module.get_function(name)

    def _filled_matrix(self, problem: Any) -> Any:
        if self._matrix is None:
            self._matrix = self.xp.empty((self.n, self.n), "float32")
            grid = (-(-self.n // 256), self.n)
            self._function("fill_matrix")(grid, (256,), (problem, self._matrix))
        return self._matrix
