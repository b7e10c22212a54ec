"""What engines of composed moves share: the moves' C++ type, and what every kernel reads."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.backends.composition import Kernel, metric_kernel
from gpu_ls_plugin.exceptions import InvalidParameterError

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
    "int sorted, int directions, int breadth, "
)
NARROW = 2.0**27  # sums of the lengths of a move, each below this, fit into 32 bits
ROUNDED_BY_SHIFT = 2.0**22  # float32 estimates below this are rounded in a few instructions
GRID_METRICS = ("EUC_2D", "CEIL_2D")
GRID_BACKENDS = ("cuda",)  # on a CPU, vectors of float32 estimates are twice as fast
GRID_BYTES = {"fine": 4, "wide": 8}  # of a city
GRIDS = {"fine": "false", "wide": "true"}  # OnGrid's `wide`
WIDTH_OF_GRID, LARGEST_SHORT = 2**15, 2**16  # of a fine one, and its cities
LONGEST_LIST = 800  # candidates of a city: moves of a city are counted in 32 bits
DTYPES = {"int": "int32", "gls::int64": "int64", "double": "float64"}


@dataclass(frozen=True)
class Moves:
    """A list of neighbourhoods, composed for one kind of problem.

    Attributes
    ----------
    functor : str
        C++ type of the moves at a city.
    headers, sources : tuple of str
        Files and texts that define it.
    length : str
        C++ type in which a move's lengths are added up.
    names : tuple of str
        Names of the neighbourhoods.
    """

    functor: str
    headers: tuple[str, ...]
    sources: tuple[str, ...]
    length: str
    names: tuple[str, ...]
    grid: str = ""

    @classmethod
    def of(
        cls,
        neighbourhoods: Sequence[Neighbourhood],
        *,
        symmetric: bool,
        length: str,
        grid: str = "",
    ) -> Moves:
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
            grid,
        )

    @property
    def lists(self) -> str:
        """C++ type of the candidate lists."""
        kind = "Packed" if self.grid == "fine" else "Candidate"
        return f"gls::{kind}Lists<{self.length}>"

    def kernel(
        self, name: str, metric: Metric, *, header: str, body: str, parameters: str, team: str
    ) -> Kernel:
        """Compose a kernel of these moves, which `body` names ``{length}`` and ``{moves}``."""
        body = body.replace("{length}", self.length).replace("{moves}", self.functor)
        body = body.replace("{metric}", metric_type(metric, self.grid))
        kernel = metric_kernel(
            name, metric, header=header, body=body, parameters=parameters, team=team
        )
        return replace(
            kernel,
            functors=(*kernel.functors, *self.sources),
            headers=self.headers,
            parts=(*kernel.parts, *self.names),
        )


def length_type(metric: Metric, longest: float) -> str:
    """Return the C++ type in which the lengths of a move are added up."""
    if not metric.integer:
        return "double"
    return "int" if longest < NARROW else "gls::int64"


def metric_type(metric: Metric, grid: str) -> str:
    """Return the C++ type of a metric, of its variant for integer coordinates if `grid`."""
    return f"gls::OnGrid<{metric.functor}, {GRIDS[grid]}>" if grid else metric.functor


def grid_of(problem: TSP) -> str:
    """Return "fine" or "wide" where lengths can be had from integer coordinates, else ""."""
    points = problem.coordinates
    if problem.metric.name not in GRID_METRICS or points is None:
        return ""
    if not (points == np.floor(points)).all() or problem.metric.longest(problem) > ROUNDED_BY_SHIFT:
        return ""
    fine = np.ptp(points, axis=0).max() < WIDTH_OF_GRID and problem.n <= LARGEST_SHORT
    return "fine" if fine else "wide"


def registers_for(neighbourhoods: Sequence[Neighbourhood], grid: str) -> str:
    """Return whether chains of these moves need "few", "some" or "many" registers."""
    deep = any(part.deep for part in neighbourhoods)
    return "some" if deep == bool(grid) else "few" if grid else "many"


def sites_kernel(metric: Metric, team: str, grid: str = "") -> Kernel:
    """Compose the kernel that turns cities into what lengths are computed from."""
    return metric_kernel(
        "make_sites",
        metric,
        header="make_sites.cuh",
        body=f"gls::MakeSites<{{team}}, {metric_type(metric, grid)}>",
        parameters="const void* metric_data, int n, float left, float low, void* sites",
        team=team,
    )


class Composed:
    """Neighbourhoods and candidates on a problem and backend: the arguments of `PARAMETERS`.

    Attributes
    ----------
    moves : Moves
    arguments : dict
        By name.
    steps : int
        First steps of a city.
    neighbours : int
        Moves of a city.
    site_bytes : int
        What is kept of a city.
    registers : str
        As `registers_for` returns it.
    cities, lengths : arrays of the backend, shape (n * degree,)
        Candidates of all cities.

    Raises
    ------
    InvalidParameterError
        The candidate lists are too long.
    """

    def __init__(
        self,
        backend: Backend,
        problem: TSP,
        neighbourhoods: Sequence[Neighbourhood],
        candidates: Candidates,
    ) -> None:
        metric, n = problem.metric, problem.n
        cities, lengths, degree = _lists(backend, problem, candidates)
        longest = metric.longest(problem)
        length = length_type(metric, longest)
        absolute, relative = metric.estimate_error(problem)
        breadth = max(part.first_breadth(degree) for part in neighbourhoods)
        directions = 2 if problem.symmetric else 1
        grid = grid_of(problem) if backend.name in GRID_BACKENDS else ""
        self.moves = Moves.of(neighbourhoods, symmetric=problem.symmetric, length=length, grid=grid)
        self.steps = directions * breadth
        self.neighbours = self.steps * sum(
            part.variants(degree, problem.symmetric) for part in neighbourhoods
        )
        self.cities, self.lengths = cities, lengths
        self.site_bytes = GRID_BYTES.get(grid, metric.site_bytes)
        self.registers = registers_for(neighbourhoods, grid)
        self._grid, self._dtype = grid, DTYPES[length]
        self.arguments: dict[str, Any] = {
            "metric_data": backend.metric_data(problem),
            "n": n,
            "sites": backend.xp.empty((n, tuning.SITE_BYTES), "uint8"),
            "error_absolute": absolute if longest < ROUNDED_BY_SHIFT else 1.0,
            "error_relative": relative,
            **dict(
                zip(("candidates", "candidate_lengths"), self.packed(cities, lengths), strict=True)
            ),
            "left": 0.0,
            "low": 0.0,
            "degree": degree,
            "sorted": int(candidates.of(problem).sorted),
            "directions": directions,
            "breadth": breadth,
        }
        if grid == "fine":
            # What the sites' float32 points are counted from, so that none is negative.
            points = problem.coordinates
            assert points is not None
            corner = points.min(axis=0) - points[0]
            self.arguments |= {"left": corner[0], "low": corner[1]}
        backend.launch(sites_kernel(metric, backend.block(1024), grid), 1, self.arguments)

    @property
    def far(self) -> int:
        """Length of a candidate that no move gains by."""
        return 0xFFFF if self._grid == "fine" else 1 << (28 if self._dtype == "int32" else 59)

    def packed(self, cities: Any, lengths: Any) -> tuple[Any, Any]:
        """Return candidates as the kernels read them: one array of words, or two arrays."""
        if self._grid == "fine":
            return cities.astype("uint32") | lengths.astype("uint32") << 16, None
        return cities, lengths.astype(self._dtype, copy=False)


def _lists(backend: Backend, problem: TSP, candidates: Candidates) -> tuple[Any, Any, int]:
    longest = candidates.most(problem)  # known before the lists are made, where they are long
    lists = candidates.on(backend, problem) if longest <= LONGEST_LIST else (None, None, longest)
    if lists[2] > LONGEST_LIST:
        raise InvalidParameterError(
            f"candidates: {candidates!r} lists {lists[2]:,} cities for each city, the limit is "
            f"{LONGEST_LIST}; use fewer, such as Nearest(10), or pivoting=Best() with All()"
        )
    return lists
