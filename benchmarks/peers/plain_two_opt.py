"""The plain GPU kernel (plain_two_opt.cu) as a function of a batch of tours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.helpers import common

FUNCTORS = {"EUC": "plain::Real", "EUC_2D": "plain::Rounded"}
THREADS = (128, 256, 512, 1024)
TRIAL_PASSES = 4
NO_LIMIT = 2**31 - 1


class PlainTwoOpt:
    """Climbs on the current device.

    Parameters
    ----------
    coordinates : array, shape (n, 2)
        For "EUC_2D" integers below 2**22.
    metric : {"EUC", "EUC_2D"}
    """

    def __init__(self, coordinates: Any, metric: str) -> None:
        import cupy

        name = f"plain_two_opt<{FUNCTORS[metric]}>"
        code = Path(__file__).with_suffix(".cu").read_text()
        options = ("--std=c++17", "-default-device")
        module = cupy.RawModule(code=code, options=options, name_expressions=[name])
        self.kernel = module.get_function(name)
        self.xp, self.n = cupy, len(coordinates)
        moved = np.asarray(coordinates) - np.asarray(coordinates).min(axis=0)
        self.cities = cupy.asarray(moved, "float32")
        # Smaller changes may be rounding errors; with integers any improvement is at least 1.
        self.threshold = -0.5 if metric == "EUC_2D" else -float(moved.max()) * 2.0**-19
        self.threads = 0  # chosen by `tune`
        self.shared = 12 * (self.n + 1)
        limit = cupy.cuda.Device().attributes["MaxSharedMemoryPerBlockOptin"]
        self.fits = self.shared + 1024 <= limit
        if self.fits and self.shared > 40 << 10:
            self.kernel.max_dynamic_shared_size_bytes = self.shared

    def tune(self, tours: Any) -> int:
        """Choose the fastest number of threads on a few passes over a copy of the tours."""
        most = max(THREADS[0], -(-(self.n - 1) // 2 // 32) * 32)
        seconds = {}
        for threads in (t for t in THREADS if t <= 2 * most):
            self.threads = threads
            self.climb(tours.copy(), TRIAL_PASSES)
            trial = tours.copy()
            call = common.seconds_of(lambda t=trial: self.climb(t, TRIAL_PASSES), on_gpu=True)
            seconds[threads] = call[0]
        self.threads = min(seconds, key=lambda threads: seconds[threads])
        return self.threads

    def climb(self, tours: Any, max_passes: int = NO_LIMIT) -> int:
        """Improve tours (P, n), int32, on the device in place; return the number of passes."""
        passes = self.xp.zeros(1, "uint64")
        scratch: Any = np.uint64(0)
        if not self.fits:
            scratch = self.xp.empty(4 * (self.n + 1) * len(tours), "float32")
        given = (
            self.cities,
            tours,
            np.int32(self.n),
            np.int32(max_passes),
            np.float32(self.threshold),
            scratch,
            passes,
        )
        shared = self.shared if self.fits else 0
        self.kernel((len(tours),), (self.threads,), given, shared_mem=shared)
        return int(passes[0])
