"""The library's exhaustive climb with the interface of `paper003.Versions.run`."""

from __future__ import annotations

import math
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from benchmarks.helpers import common

if TYPE_CHECKING:
    from collections.abc import Iterator

FULL = 2**31 - 1  # passes of a complete climb
WARPS = 32  # climbs per multiprocessor that fill it, with a warp per climb


def search() -> Any:
    """Return the exhaustive 2-opt search with best improvement."""
    import gpu_ls_plugin as gls

    return gls.LocalSearch([gls.TwoOpt()], gls.All(), gls.Best())


class Ours:
    """Climbs of the library on one instance, from row c % S of `starts` as climb c.

    `call` measures a whole call: checks of the tours, counts and exact costs included. `kernel`
    measures the launches alone, as the paper does.
    """

    def __init__(self, problem: Any, starts: Any) -> None:
        import cupy

        self.problem, self.starts = problem, cupy.asarray(starts, "int32")

    def full_load(self) -> int:
        """Return a number of climbs that keeps every multiprocessor busy."""
        import cupy

        per_processor = WARPS if self.problem.n <= 2000 else WARPS // 4
        return per_processor * int(cupy.cuda.Device().attributes["MultiProcessorCount"])

    def call(self, climbs: int, max_passes: int = FULL) -> tuple[float, int, float]:
        """Run climbs; return the seconds, the number of passes and the shortest length found."""
        import gpu_ls_plugin as gls

        tours = self._tours(climbs)
        budget = None if max_passes >= FULL else gls.Budget(moves=max_passes)
        results: list[Any] = []

        def climb() -> None:
            results.append(search()(self.problem, tours, budget=budget, backend="cuda"))

        seconds = common.seconds_of(climb, on_gpu=True)[0]
        return seconds, results[0].statistics.passes, float(results[0].best_cost)

    def kernel(self, climbs: int, max_passes: int = FULL) -> tuple[float, int]:
        """Run climbs; return the seconds of the launches and the number of passes."""
        from gpu_ls_plugin.backends import get_backend
        from gpu_ls_plugin.core.budget import NO_LIMIT
        from gpu_ls_plugin.tours.engines.exhaustive.two_opt_climb import TwoOptClimb

        backend, tours = get_backend("cuda"), self._tours(climbs)
        engine = TwoOptClimb(backend, self.problem, tours, 1, NO_LIMIT)
        launch = lambda: engine.launch(max_passes, math.inf)  # noqa: E731
        seconds = common.seconds_of(launch, on_gpu=True)[0]
        return seconds, engine.made()[0]

    def _tours(self, climbs: int) -> Any:
        import cupy

        return self.starts[cupy.arange(climbs) % len(self.starts)]


def begin(problem: Any, climbs: int) -> None:
    """Begin to compile the kernel for a number of climbs on the GPU, in the background."""
    from gpu_ls_plugin.backends import get_backend
    from gpu_ls_plugin.tours.engines.exhaustive import two_opt_climb

    backend, metric = get_backend("cuda"), problem.metric
    given = problem.n, -(-climbs // backend.processors), backend.shared_memory, metric.fast_estimate
    backend.begin(two_opt_climb.climb_kernel(metric, two_opt_climb.fastest_shape(*given)))


@contextmanager
def layout(shape: Any) -> Iterator[None]:
    """Force a layout of the climb during a ``with`` block."""
    from gpu_ls_plugin.tours.engines.exhaustive import two_opt_climb

    with patch.object(two_opt_climb, "fastest_shape", lambda *_: shape):
        yield
