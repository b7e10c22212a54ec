"""Neighbourhoods composed into one C++ type, and the arguments that their kernels share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.structs import struct_of
from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.core.origins import sources_of
from gpu_ls_plugin.core.trust import foreign
from gpu_ls_plugin.tours.kernels import tour_layouts
from gpu_ls_plugin.tours.kernels.sites import DTYPES, GRID_BYTES, Sites, metric_type
from gpu_ls_plugin.tours.problem.metric_kernel import metric_kernel
from gpu_ls_plugin.tours.problem.metric_with_objective import RowsUnder, Under, search_metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Kernel, Parameter
    from gpu_ls_plugin.tours.candidates.base import Candidates
    from gpu_ls_plugin.tours.moves.base import Neighbourhood
    from gpu_ls_plugin.tours.problem.metrics import Metric
    from gpu_ls_plugin.tours.problem.tsp import TSP

PARAMETERS = tuple(
    struct_of("tours/problem/instance.cuh", name) for name in ("Instance", "Candidates")
)
EITHER, CHECKED = "tours/moves/either.cuh", "tours/moves/checked.cuh"
REGISTERS = ("few", "some", "many", "most")  # see `ChainNeeds`
LONGEST_LIST = (
    800  # maximum number of candidates per city, so that 32 bits can count a city's moves
)


@dataclass(frozen=True)
class Moves:
    """A list of neighbourhoods, composed for one kind of problem."""

    functor: str  # C++ type of the moves at a city
    headers: tuple[str, ...]  # headers that define `functor`
    sources: tuple[str, ...]  # C++ source that defines `functor`
    length: str  # C++ type of sums of lengths
    names: tuple[str, ...]  # registered names of the neighbourhoods
    grid: str = ""  # see `Sites`
    checked: tuple[str, ...] = ()  # names of third-party parts, whose gains are verified

    @classmethod
    def of(
        cls,
        neighbourhoods: Sequence[Neighbourhood],
        *,
        symmetric: bool,
        length: str,
        grid: str = "",
        by_step: bool = False,
    ) -> Moves:
        """Compose neighbourhoods; ties go to the one that comes first.

        With `by_step`, first improvement takes the best move of a first step, not that of a city.
        """
        checked: list[str] = []

        def functor_of(part: Neighbourhood) -> str:
            if not foreign(part):
                return part.functor(symmetric)
            checked.append(part.name)
            return f"gls::Checked<{part.functor(symmetric)}, {len(checked)}>"

        functors = [functor_of(part) for part in neighbourhoods]
        functor = functors[-1]
        for first in reversed(functors[:-1]):
            functor = f"gls::Either<{first}, {functor}>"
        return cls(
            f"gls::ByStep<{functor}>" if by_step else functor,
            (EITHER, *[CHECKED][: len(checked)], *(part.header for part in neighbourhoods)),
            sources_of(*neighbourhoods),
            length,
            tuple(part.name for part in neighbourhoods),
            grid,
            tuple(checked),
        )

    @property
    def length_bytes(self) -> int:
        """Size of the type `length` in bytes."""
        return np.dtype(DTYPES[self.length]).itemsize

    @property
    def lists(self) -> str:
        """C++ type of the candidate lists."""
        kind = "Packed" if self.grid == "fine" else "Candidate"
        return f"gls::{kind}Lists<{self.length}>"

    def kernel(
        self,
        name: str,
        metric: Metric,
        header: str,
        body: str,
        parameters: tuple[Parameter, ...],
        team: str,
    ) -> Kernel:
        """Compose a kernel; types replace ``{length}``, ``{moves}`` and ``{metric}`` in `body`."""
        body = body.replace("{length}", self.length).replace("{moves}", self.functor)
        body = body.replace("{metric}", metric_type(metric, self.grid))
        kernel = metric_kernel(name, metric, header, body, parameters, team)
        return replace(
            kernel,
            functors=(*kernel.functors, *self.sources),
            headers=(*kernel.headers, *self.headers),
            parts=(*kernel.parts, *self.names),
            checked=self.checked,
        )


def chain_needs(
    metric: Metric, moves: Moves, neighbourhoods: Sequence[Neighbourhood]
) -> tour_layouts.ChainNeeds:
    """Return the registers and memory that chains of these moves need."""
    deep, grid = any(part.deep for part in neighbourhoods), bool(moves.grid)
    level = 1 if deep == grid else 0 if grid else 2
    if moves.length == "float":
        level = 0
    if isinstance(metric, Under) and not metric.objective.by_edges:
        level += 1
    return tour_layouts.ChainNeeds(
        GRID_BYTES.get(moves.grid, metric.site_bytes),
        moves.length_bytes,
        len(moves.names),
        "many" if isinstance(metric, RowsUnder) else REGISTERS[level],
    )


class CandidateMoves:
    """Neighbourhoods and candidates for a problem on a backend.

    `arguments` are the kernel arguments of `PARAMETERS`. A city has `steps` first steps and
    `neighbours` moves; `cities` (n * degree,) lists the candidates of each city. `needs` are the
    registers and memory that chains need. For `grid`, see `Sites`.
    """

    def __init__(
        self,
        backend: Backend,
        problem: TSP,
        neighbourhoods: Sequence[Neighbourhood],
        candidates: Candidates,
        by_step: bool = False,
    ) -> None:
        for part in neighbourhoods:
            part.check_backend(backend)
        cities, lengths, degree = _lists(backend, problem, candidates)
        sites = Sites.of(backend, problem, table=True)
        breadth = max(part.first_breadth(degree) for part in neighbourhoods)
        directions = 2 if problem.symmetric else 1
        self.moves = Moves.of(
            neighbourhoods,
            symmetric=problem.symmetric,
            length=sites.length,
            grid=sites.grid,
            by_step=by_step,
        )
        self.steps = directions * breadth
        self.neighbours = self.steps * sum(
            part.variants(degree, problem.symmetric) for part in neighbourhoods
        )
        self.cities = cities
        self.needs = chain_needs(search_metric(problem), self.moves, neighbourhoods)
        self.grid = sites.grid
        if sites.grid == "fine":  # a candidate and its distance share a word
            cities = backend.made_once(problem, candidates, partial(_packed, cities, lengths))
            lengths = None
        else:
            lengths = lengths.astype(sites.dtype, copy=False)
        self.arguments: dict[str, Any] = {
            **sites.arguments,
            "candidates": cities,
            "candidate_lengths": lengths,
            "degree": degree,
            "sorted": int(problem.rows is None and candidates.of(problem).sorted),
            "directions": directions,
            "breadth": breadth,
        }


def _packed(cities: Any, lengths: Any) -> Any:
    return cities.astype("uint32") | lengths.astype("uint32") << 16


def _lists(backend: Backend, problem: TSP, candidates: Candidates) -> tuple[Any, Any, int]:
    longest = candidates.most(problem)  # refuses lists that are too long before making them
    lists = candidates.on(backend, problem) if longest <= LONGEST_LIST else (None, None, longest)
    if lists[2] > LONGEST_LIST:
        raise InvalidParameterError(
            f"candidates: {candidates!r} lists {lists[2]:,} cities for each city, but the limit is "
            f"{LONGEST_LIST}; use fewer, such as Nearest(10), or pivoting=Best() with All()"
        )
    return lists
