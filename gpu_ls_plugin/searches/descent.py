"""Engine of the search by a work queue: one thread, warp or block per tour."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.backends.composition import Kernel, metric_kernel, parse_parameters, paste
from gpu_ls_plugin.searches.engine import Engine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.candidates import Candidates
    from gpu_ls_plugin.neighbourhoods import Neighbourhood
    from gpu_ls_plugin.problems.metrics import Metric
    from gpu_ls_plugin.problems.tsp import TSP

PARAMETERS = (
    "const void* metric_data, int n, const void* sites, float error_absolute, "
    "float error_relative, const int* candidates, const void* candidate_lengths, int degree, "
    "int directions, int breadth, int ahead, int passes, gls::int64 max_moves, int* tours, "
    "unsigned char* states, gls::int64* pass_counts, gls::int64* move_counts, int* queues, "
    "int* queue_sizes, char* scratch"
)
NARROW = 2.0**27  # sums of the lengths of a move, each below this, fit into 32 bits
ROUNDED_BY_SHIFT = 2.0**22  # float32 estimates below this are rounded in a few instructions
LARGEST_SHORT = 2**16  # cities with 16-bit numbers
SITE_FLOATS = {2: 2, 3: 3}  # of a city in the float32 world


@dataclass(frozen=True)
class Moves:
    """A list of neighbourhoods, composed for one kind of problem.

    `functor` is the C++ type, `sources` the texts of functors that no header of ours defines,
    `headers` the files of the others, `length` the C++ type of lengths.
    """

    functor: str
    headers: tuple[str, ...]
    sources: tuple[str, ...]
    length: str
    names: tuple[str, ...]

    @classmethod
    def of(cls, neighbourhoods: Sequence[Neighbourhood], *, symmetric: bool, length: str) -> Moves:
        """Compose neighbourhoods; ties between them go to the first."""
        functors = [part.functor(symmetric) for part in neighbourhoods]
        functor = functors[-1]
        for first in reversed(functors[:-1]):
            functor = f"gls::Either<{first}, {functor}>"
        return cls(
            functor,
            ("either.cuh", *(part.header for part in neighbourhoods)),
            tuple(filter(None, (part.source() for part in neighbourhoods))),
            length,
            tuple(part.name for part in neighbourhoods),
        )


def length_type(metric: Metric, longest: float) -> str:
    """Return the C++ type in which a move's lengths are added up."""
    if not metric.integer:
        return "double"
    return "int" if longest < NARROW else "gls::int64"


def descent_kernel(metric: Metric, moves: Moves, team: str, memory: str, blocks: int = 1) -> Kernel:
    """Compose the search of one tour per team."""
    kernel = metric_kernel(
        "descent",
        metric,
        header="descent.cuh",
        body=f"gls::Descent<{{team}}, {{metric}}, {moves.length}, {memory}, {moves.functor}>",
        parameters=PARAMETERS,
        team=team,
    )
    return replace(
        kernel,
        functors=(*kernel.functors, *moves.sources),
        headers=moves.headers,
        parts=(*kernel.parts, *moves.names),
        blocks_per_multiprocessor=blocks,
        prepared=team != "gls::Host",
    )


def sites_kernel(metric: Metric, team: str) -> Kernel:
    """Compose the kernel that turns cities into float32 points."""
    return metric_kernel(
        "make_sites",
        metric,
        header="descent.cuh",
        body="gls::MakeSites<{team}, {metric}>",
        parameters="const void* metric_data, int n, void* sites",
        team=team,
    )


class Descent(Engine):
    """A batch of descents in progress on a backend.

    Parameters
    ----------
    backend, problem, tours
        As for every engine.
    neighbourhoods : sequence of Neighbourhood
        Moves to try, all of them at each city.
    candidates : Candidates
        Cities to link a city to.
    max_moves : int
        Moves after which a tour stops.
    layout : str
        "auto", or one of `tuning.LAYOUTS`.
    """

    def __init__(
        self,
        backend: Backend,
        problem: TSP,
        tours: Any,
        neighbourhoods: Sequence[Neighbourhood],
        candidates: Candidates,
        max_moves: int,
        layout: str = "auto",
    ) -> None:
        super().__init__(backend, problem, tours)
        xp, metric, n = backend.xp, problem.metric, problem.n
        size = len(tours)
        longest = metric.longest(problem)
        length = length_type(metric, longest)
        moves = Moves.of(neighbourhoods, symmetric=problem.symmetric, length=length)
        cities, lengths, degree = candidates.on(backend, problem)
        absolute, relative = metric.estimate_error(problem)
        breadth = max((part.first_breadth(degree) for part in neighbourhoods), default=degree)
        directions = 2 if problem.symmetric else 1
        self._neighbours = directions * breadth * sum(
            part.variants(degree, problem.symmetric) for part in neighbourhoods
        )
        self._arguments: dict[str, Any] = {
            "metric_data": backend.metric_data(problem),
            "n": n,
            "sites": None,
            "error_absolute": absolute if longest < ROUNDED_BY_SHIFT else 1.0,
            "error_relative": relative,
            "candidates": cities,
            "candidate_lengths": lengths.astype(
                {"int": "int32", "double": "float64"}.get(length, "int64"), copy=False
            ),
            "degree": degree,
            "directions": directions,
            "breadth": breadth,
            "ahead": 1,
            "max_moves": max_moves,
            "tours": tours,
            "states": self.states,
            "pass_counts": self.pass_counts,
            "move_counts": self.move_counts,
            "queues": xp.empty((size, n), "int32"),
            "queue_sizes": xp.full(size, -1, "int32"),
            "scratch": None,
        }
        self._shared_bytes = 0
        if backend.name == "cpu":
            city = "gls::uint16" if n <= LARGEST_SHORT else "int"
            self._kernel = descent_kernel(metric, moves, "gls::Host", f"gls::HostMemory<{city}>")
        else:
            shape = tuning.descent_shape(
                n, -(-size // backend.processors), backend.shared_memory, layout
            )
            self._kernel = descent_kernel(metric, moves, shape.team, shape.memory, shape.blocks)
            self._shared_bytes = shape.shared_bytes(n)
            sites = xp.empty((n, tuning.SITE_BYTES), "uint8")
            self._arguments.update(sites=sites, ahead=shape.ahead)
            backend.launch(
                sites_kernel(metric, "gls::Block<1024>"),
                1,
                {"metric_data": self._arguments["metric_data"], "n": n, "sites": sites},
            )
            if not shape.in_shared:
                self._arguments["scratch"] = xp.empty((size, tuning.tour_bytes(n, 4)), "uint8")

    @staticmethod
    def bytes_per_tour(n: int) -> int:
        """Return the device memory of one tour in bytes."""
        return 4 * n + 4 * n + tuning.tour_bytes(n, 4) + 64

    def launch(self, passes: int, seconds: float) -> None:
        """Let every unfinished tour look at up to about `passes` cities."""
        self.backend.launch(
            self._kernel,
            len(self.tours),
            {**self._arguments, "passes": passes},
            shared_bytes=self._shared_bytes,
            seconds=seconds,
        )

    def first_passes(self) -> int:
        """Return a number of cities that surely takes less than a launch should."""
        share = -(-len(self.tours) // self.backend.processors)
        if self.backend.name == "cpu":
            seconds = tuning.CPU_SECONDS_PER_LOOK * share
        else:
            seconds = tuning.CUDA_SECONDS_PER_LOOK
        return max(1, int(tuning.LAUNCH_SECONDS / seconds))

    def moves_per_evaluation(self) -> int:
        """Return how many moves looking at one city stands for."""
        return self._neighbours
