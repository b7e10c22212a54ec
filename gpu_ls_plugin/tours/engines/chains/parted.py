"""Chains on parts of large tours.

A round cuts each tour into segments. A part is one segment, or two segments that are neighbours in
space. Fixed edges replace the rest of the tour, so a part is a small problem that fits into shared
memory. All parts are searched at the same time, each by several chains with different random
numbers. At the end of the round, the best tours of the parts are joined. The next round cuts
elsewhere.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.composition import Kernel
from gpu_ls_plugin.backends.structs import struct_of
from gpu_ls_plugin.core.budget import NO_LIMIT, Stopwatch, now
from gpu_ls_plugin.tours.engines.chains import chain_layouts
from gpu_ls_plugin.tours.engines.chains.chain_kernel import ChainState, chain_layout
from gpu_ls_plugin.tours.engines.chains.chains import Chains
from gpu_ls_plugin.tours.engines.chains.part_search import PartSearch, TourParts
from gpu_ls_plugin.tours.engines.descent.best_sweep import positions_of
from gpu_ls_plugin.tours.kernels.evaluation import tour_costs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.composition import Parameter
    from gpu_ls_plugin.runs.acceptance import Acceptance
    from gpu_ls_plugin.tours.engines.chains.start import Start
    from gpu_ls_plugin.tours.kicks.base import Perturbation
    from gpu_ls_plugin.tours.moves.composed import CandidateMoves

HEADER = "tours/engines/chains/parts.cuh"
SEGMENT_DTYPE, PATH_DTYPE, PIECE_DTYPE = (
    struct_of(HEADER, name).items for name in ("Segments", "Unrolled", "Piece")
)
CUT, JOINED = (struct_of(HEADER, "CutTours"),), (struct_of(HEADER, "JoinedParts"),)
KICKS_PER_CITY = 2  # kicks of each chain in a round, per city of a part
SMALLEST_SEGMENT = 8  # minimum number of cities per segment
# Links of several tours are counted at once if the tours have at most this many cities in total.
CITIES_TOGETHER = {"cpu": 1, "cuda": 2**20}
KEY_STEP = 0x9E3779B97F4A7C15  # odd, so that distinct first rows have distinct keys


def make_part_kernel(lists: str, team: str) -> Kernel:
    """Compose the kernel that makes parts; `lists` is the C++ type of candidate lists."""
    return _kernel("make_part", f"gls::MakePart<{team}, {lists}>", CUT, team)


def unroll_kernel(team: str) -> Kernel:
    """Compose the kernel that reads the best tours of parts as paths."""
    return _kernel("unroll_part", f"gls::UnrollPart<{team}>", CUT + JOINED, team)


def write_kernel(team: str) -> Kernel:
    """Compose the kernel that joins parts."""
    return _kernel("write_piece", f"gls::WritePiece<{team}>", CUT + JOINED, team)


def _kernel(name: str, body: str, parameters: tuple[Parameter, ...], team: str) -> Kernel:
    return Kernel(name, HEADER, body, parameters, team, parts=(name,))


class PartedTours(Chains):
    """Chains on parts of about `size` cities.

    Each tour counts as one chain, and its kicks are those of all chains on its parts.
    """

    divisible = False  # a launch is a whole round

    parts: CandidateMoves

    def __init__(
        self,
        start: Start,
        accept: Acceptance,
        parts: CandidateMoves,
        perturbation: Perturbation,
        size: int,
    ) -> None:
        super().__init__(start, accept, None, parts, len(parts.moves.names))
        backend, (tours, n) = start.backend, start.tours.shape
        self.best_costs = self.costs
        self._perturbation = perturbation
        self._segment = max(SMALLEST_SEGMENT, min(size, n) // 2)
        self._round = 0
        self._random = np.random.default_rng([start.seed, start.first_row])
        self._stride = 2 * -(-n // max(2, n // self._segment))
        count = max(1, tours * n // (2 * self._segment))
        layout = chain_layout(backend, parts.needs, self._stride, chain_layouts.part_shape)
        # Parts need many random streams, so the first row is part of the key, not of the stream.
        key = (start.seed + start.first_row * KEY_STEP) % 2**64
        numbered = replace(start, seed=key)
        self._search = PartSearch(numbered, accept, parts, perturbation, self._stride, layout)
        slots = backend.processors * layout.teams * layout.blocks
        self._replicas = max(1, slots // count)
        warp = backend.warp()
        self._make = make_part_kernel(parts.moves.lists, warp)
        self._unroll, self._write = unroll_kernel(warp), write_kernel(warp)
        self._kicks = max(1, KICKS_PER_CITY * self._stride)  # kicks of each chain in a round
        share = -(-self._replicas * count // backend.processors)  # chains on a processor
        self._pace = chain_layouts.SECONDS_PER_KICK[backend.name] * share  # seconds per kick
        self._unit = float(backend.to_numpy(self.costs).mean()) / n

    @property
    def current_is_best(self) -> bool:
        """True: a round never makes a part worse."""
        return True

    def state(self) -> dict[str, Any]:
        own = {"round": self._round, "random": self._random.bit_generator.state, "unit": self._unit}
        return super().state() | own

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        self._round, self._unit = state["round"], state["unit"]
        self._random.bit_generator.state = state["random"]

    def advance(self, until: int, heat: float, cooling: float, seconds: float) -> None:
        """Make one round, with fewer kicks if a full round would exceed `until` or `seconds`."""
        level = max(0.0, heat - cooling * int(self.kicks.min()))
        # A fifth of the time is reserved for cutting and joining.
        in_time = min(0.8 * seconds / self._pace, NO_LIMIT)
        begin = now()
        kicks = self._make_round(until, level, max(1, min(self._kicks, int(in_time))), seconds)
        self._pace = (now() - begin) / kicks

    def first_kicks(self) -> int:
        """Return how many kicks a round makes on one tour."""
        parts: int = max(1, self.start.problem.n // self._stride)
        kicks: int = self._kicks * self._replicas * parts
        return kicks

    def moves_per_look(self) -> int:
        return self.parts.neighbours

    def _make_round(self, until: int, level: float, most: int, seconds: float) -> int:
        """Cut the tours, search the parts and join them; return the number of kicks per chain.

        `most` is the maximum number of kicks per chain.
        """
        watch = Stopwatch.of(seconds)
        xp, tours = self.start.backend.xp, len(self.tours)
        segments, cut, arrays = self._cut()
        chains = len(segments) * self._replicas
        per_tour = chains // tours
        kicks: int = max(1, min(most, -(-(until - int(self.kicks.max())) // per_tour)))
        rings = xp.empty((chains, self._stride), "int32")
        rings[:] = xp.arange(self._stride, dtype="int32")
        found = self._search.run(
            cut,
            rings,
            xp.full(chains, self._unit, "float32"),
            kicks=kicks,
            level=level,
            window=self._perturbation.window(min(self._stride, int(segments["length1"].min()))),
            first_row=(self._round + 1) << 32,
            seconds=watch.left,
        )
        before = None if self.start.problem.objective.length_alone else self.tours.copy()
        self._join(segments, arrays, found)
        if before is not None:
            self._keep_feasible(before)
        self.costs[:] = tour_costs(self.start.backend, self.start.problem, self.tours)
        self.kicks += kicks * per_tour
        self.accepted += found.accepted.sum() // tours
        self.looks += found.looks.sum() // tours
        self.moves += found.moves.sum() // tours
        self.moves_by += found.moves_by
        self._round += 1
        return kicks

    def _keep_feasible(self, before: Any) -> None:
        """Restore, from `before`, each tour that was feasible and has become infeasible."""
        backend, problem = self.start.backend, self.start.problem
        feasible, was_feasible = (
            problem.objective.feasible(problem, backend.to_numpy(tours))
            for tours in (self.tours, before)
        )
        lost = backend.xp.asarray(was_feasible & ~feasible)
        self.tours[lost] = before[lost]

    def _cut(self) -> tuple[NDArray[Any], TourParts, dict[str, Any]]:
        """Return the segments of each part, the parts, and the arguments of the kernels."""
        backend, arguments = self.start.backend, self.parts.arguments
        xp, n = backend.xp, self.start.problem.n
        self.tours[:] = xp.roll(self.tours, -int(self._random.integers(n)), axis=1)
        places = positions_of(backend, self.tours)
        cuts = np.linspace(0, n, max(2, n // self._segment) + 1).astype(np.int64)
        segments = self._pair_up(places, cuts)
        count, stride, degree = len(segments), self._stride, arguments["degree"]
        cut = TourParts.empty(xp, count, stride, arguments)
        arrays = {
            "n": n,
            "stride": stride,
            "degree": degree,
            "segments": _bytes(xp, segments),
            "tours": self.tours,
            "places": places,
            "candidates": arguments["candidates"],
            "candidate_lengths": arguments["candidate_lengths"],
            **vars(cut),
        }
        backend.launch(self._make, count, arrays)
        return segments, cut, arrays

    def _pair_up(self, places: Any, cuts: NDArray[np.int64]) -> NDArray[Any]:
        """Return the parts of all tours: single segments, and pairs of neighbours in space."""
        tours, count = len(places), len(cuts) - 1
        segments = np.zeros(tours * count, SEGMENT_DTYPE)
        segments["tour"] = np.arange(tours).repeat(count)
        segments["begin1"] = np.tile(cuts[:-1], tours)
        segments["length1"] = np.tile(np.diff(cuts), tours)
        first, second, links = self._links(places, cuts)
        # Pairs of consecutive segments matter less, because other rounds cut the tour elsewhere.
        weight = links * self._random.random(len(first))
        weight[(second - first == 1)] *= 0.5
        taken = [False] * len(segments)
        pairs = []
        by_weight = np.lexsort((-weight, first // count))
        for a, b in zip(first[by_weight].tolist(), second[by_weight].tolist(), strict=True):
            if not (taken[a] or taken[b]):
                taken[a] = taken[b] = True
                pairs.append((a, b))
        chosen = np.array(pairs, np.int64).reshape(-1, 2)
        double, others = segments[chosen[:, 0]], segments[chosen[:, 1]]
        double["begin2"], double["length2"] = others["begin1"], others["length1"]
        parts = np.concatenate([segments[~np.array(taken)], double])
        return parts[np.argsort(parts["tour"], kind="stable")]

    def _links(self, places: Any, cuts: NDArray[np.int64]) -> tuple[NDArray[Any], ...]:
        """Return the pairs of segments that candidates link, as three arrays (L,).

        They contain the lower segment of each pair, the higher one, and the number of links.
        Segments are numbered consecutively through all tours.
        """
        backend, count = self.start.backend, len(cuts) - 1
        xp, together = backend.xp, max(1, CITIES_TOGETHER[backend.name] // places.shape[1])
        cities = self.parts.cities.reshape(-1, self.parts.arguments["degree"])
        ends = xp.asarray(cuts[1:])
        found = []
        for tour in range(0, len(places), together):
            own = xp.searchsorted(ends, places[tour : tour + together], side="right")
            own += xp.arange(tour, tour + len(own))[:, None] * count
            others = own[:, cities]
            low, high = xp.minimum(own[..., None], others), xp.maximum(own[..., None], others)
            keys, links = xp.unique((low << 32 | high)[low < high], return_counts=True)
            found.append(backend.to_numpy(xp.stack([keys >> 32, keys & 0xFFFFFFFF, links])))
        return tuple(np.concatenate(found, axis=1))

    def _join(self, segments: NDArray[Any], arrays: dict[str, Any], found: ChainState) -> None:
        """Write the best tours of the parts into the tours."""
        backend, count, rings = self.start.backend, len(segments), found.best_tours
        xp = backend.xp
        of_part = backend.to_numpy(found.best_costs).reshape(count, self._replicas)
        first = np.arange(count) * self._replicas
        joined = {
            **arrays,
            "rings": rings,
            "winners": xp.asarray((first + of_part.argmin(axis=1)).astype("int32")),
            "unrolled": xp.empty(count * PATH_DTYPE.itemsize, "uint8"),
            "pieces": None,
            "joined": self.tours.copy(),
        }
        backend.launch(self._unroll, count, joined)
        paths = backend.to_numpy(joined["unrolled"]).view(PATH_DTYPE)
        gained = of_part.min(axis=1)
        pieces = joined_pieces(segments, paths, gained)
        if (paths["step"] == 0).any():
            joined["unrolled"] = _bytes(xp, paths)
        joined["pieces"] = _bytes(xp, pieces)
        backend.launch(self._write, len(pieces), joined)
        self.tours[:] = joined["joined"]


def joined_pieces(
    segments: NDArray[Any], paths: NDArray[Any], gained: NDArray[Any]
) -> NDArray[Any]:
    """Return the pieces of all tours, in the order of their places; parts are in order of tours.

    If the path of a part runs backwards through the fixed edge between its two segments, the tour
    between the segments is reversed. Two such parts must not cross each other; if they do, the one
    that gains less keeps its old path. A part whose path is void also keeps its old path. The
    function changes `paths` accordingly.
    """
    turning = np.flatnonzero(
        (segments["length2"] > 0) & (paths["turned"] != 0) & (paths["step"] != 0)
    )
    turned = _uncrossed(segments, turning[np.argsort(gained[turning], kind="stable")])
    paths["step"][np.setdiff1d(turning, turned)] = 0
    void = paths["step"] == 0
    paths["split"][void], paths["turned"][void] = segments["length1"][void], 0
    # One or two stretches of each part, in the order of the tours.
    (double,) = np.nonzero(segments["length2"])
    part = np.concatenate([np.arange(len(segments)), double])
    stretches = np.zeros(len(part), PIECE_DTYPE)
    split, size = paths["split"], segments["length1"] + segments["length2"]
    stretches["part"] = part
    stretches["from"][len(segments) :] = split[double]
    stretches["count"] = np.concatenate([split, (size - split)[double]])
    begins = np.concatenate([segments["begin1"], segments["begin2"][double]])
    order = np.lexsort((begins, segments["tour"][part]))
    stretches, rank = stretches[order], np.argsort(order)
    second = np.zeros(len(segments), np.int64)
    second[double] = rank[len(segments) :]
    # Inner parts come first: an outer part then reverses the stretches of an inner part as a whole.
    width = segments["begin2"] - segments["begin1"]
    turned = turned[np.argsort(width[turned], kind="stable")]
    between = np.stack([rank[turned] + 1, second[turned]], axis=1)
    tours = segments["tour"][stretches["part"]]
    firsts = np.flatnonzero(np.diff(tours, prepend=-1))
    moved, flipped = _reversed_within(firsts, len(stretches), between, segments["tour"][turned])
    stretches["turned"] = flipped
    pieces = stretches[moved]
    ends = np.cumsum(pieces["count"])
    pieces["to"][1:] = ends[:-1]
    pieces["to"] -= pieces["to"][firsts].repeat(np.diff(firsts, append=len(pieces)))
    return pieces


def _ranks(groups: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the rank of each item among the items of its group, in the order given."""
    order = np.argsort(groups, kind="stable")
    begins = np.flatnonzero(np.diff(groups[order], prepend=-1))
    ranks = np.empty(len(groups), np.int64)
    ranks[order] = np.arange(len(groups)) - begins.repeat(np.diff(begins, append=len(groups)))
    return ranks


def _uncrossed(segments: NDArray[Any], parts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return those of the parts, the best first, that no better kept part of the tour crosses."""
    if not len(parts):
        return parts
    begin, end = segments["begin1"][parts], segments["begin2"][parts]
    _, tour = np.unique(segments["tour"][parts], return_inverse=True)
    ranks = _ranks(tour)
    kept = np.zeros((2, tour.max() + 1, ranks.max() + 1), np.int64)  # an empty pair crosses none
    keeps = np.zeros(len(parts), np.bool_)
    for rank in range(ranks.max() + 1):
        (own,) = np.nonzero(ranks == rank)
        a, b = begin[own, None], end[own, None]
        low, high = kept[:, tour[own], :rank]
        crossed = ((low < a) & (a < high)) != ((low < b) & (b < high))
        keeps[own] = ~crossed.any(axis=1)
        kept[:, tour[own], rank] = np.where(keeps[own], (begin[own], end[own]), 0)
    return parts[keeps]


def _reversed_within(
    firsts: NDArray[np.int64], count: int, between: NDArray[np.int64], tours: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Reverse ranges of the numbers below `count`, one after the other, in each tour.

    A tour has the numbers from its entry of `firsts` on; `between` (T, 2) are ranges of the tours
    `tours`. Return the numbers in their new order, and which numbers were reversed an odd number of
    times.
    """
    sizes = np.diff(firsts, append=count)
    columns = np.arange(sizes.max(initial=0))
    order = firsts[:, None] + columns
    flipped = np.zeros(order.shape, np.bool_)
    ranks = _ranks(tours)
    for rank in range(ranks.max(initial=-1) + 1):
        (own,) = np.nonzero(ranks == rank)
        rows = np.searchsorted(firsts, between[own, 0], side="right") - 1
        low, high = (between[own] - firsts[rows, None]).T[:, :, None]
        inside = (columns >= low) & (columns < high)
        source = np.where(inside, low + high - 1 - columns, columns)
        order[rows] = np.take_along_axis(order[rows], source, axis=1)
        flipped[rows] ^= inside
    real = columns < sizes[:, None]
    return order[real], flipped[real]


def _bytes(xp: Any, records: NDArray[Any]) -> Any:
    return xp.asarray(np.ascontiguousarray(records).view(np.uint8))
