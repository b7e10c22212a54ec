"""Chains on instances side by side: each searches one, several where there are few instances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.acceptance import Annealing
from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.budget import NO_LIMIT, now
from gpu_ls_plugin.exceptions import InvalidParameterError
from gpu_ls_plugin.neighbourhoods import LinKernighan, OrOpt, TwoOpt
from gpu_ls_plugin.perturbations import DoubleBridge
from gpu_ls_plugin.searches.chains import chain_layouts
from gpu_ls_plugin.searches.chains.chain_kernel import chain_layout
from gpu_ls_plugin.searches.chains.part_search import PartSearch
from gpu_ls_plugin.searches.chains.start import Start
from gpu_ls_plugin.searches.driver import paced, progress
from gpu_ls_plugin.searches.instances.crossing import Crossing
from gpu_ls_plugin.searches.instances.instances import DEGREE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.budget import Stopwatch
    from gpu_ls_plugin.neighbourhoods import Neighbourhood
    from gpu_ls_plugin.neighbourhoods.composed import CandidateMoves
    from gpu_ls_plugin.searches.chains.part_search import TourParts
    from gpu_ls_plugin.searches.instances.instances import Instances

NEIGHBOURHOODS = (LinKernighan(3),)
# Where a CPU's seconds count: what fewer moves miss, kicks and crossings find.
NARROW, NARROW_DEGREE = (OrOpt(3), TwoOpt()), 5
PERTURBATION = DoubleBridge(segment=100)
# Of annealing: a chain on few cities makes more kicks for each, and has the time to cool down.
FEW_CITIES, HEAT_OF_FEW, HEAT = 300, 1.2, 0.6
# On a CPU several chains of an instance are crossed after these shares of its time: all that are
# crossed sooner would become alike. Each chain needs some time for each city.
CROSSED_AFTER = (0.5, 0.75, 1.0)
MOST_CROSSED, SECONDS_OF_CHAIN = 8, 3e-6


def moves_of(backend: Backend, kicks: int | None) -> tuple[Sequence[Neighbourhood], int]:
    """Return the neighbourhoods of chains, and how many candidates a city has.

    They suit the backend, unless `kicks` says when chains stop: then all backends make the same.
    """
    if backend.name == "cpu" and kicks is None:
        return NARROW, NARROW_DEGREE
    return NEIGHBOURHOODS, DEGREE


def bytes_per_instance(n: int) -> int:
    """Return the memory of an instance with one chain at most, without its coordinates."""
    return n * (12 * DEGREE + 32) + 128


def slots_of(backend: Backend, parts: CandidateMoves, n: int) -> int:
    """Return how many chains on n cities a backend works on at a time; 0 if it cannot."""
    try:
        layout = chain_layout(backend, parts, n, chain_layouts.part_shape)
    except InvalidParameterError:
        return 0
    return backend.processors * layout.teams * layout.blocks


def replicas_of(
    backend: Backend, slots: int, count: int, fit: int, cities: int, seconds: float | None
) -> int:
    """Return how many chains each of `count` instances should have.

    Parameters
    ----------
    backend : Backend
    slots : int
        Chains that it works on at a time.
    count : int
    fit : int
        Chains that there is memory for.
    cities : int
        Of all instances that share the time.
    seconds : float, optional
        That they share, where kicks do not say when chains stop.
    """
    busy = max(1, min(slots, fit) // count)
    if backend.name != "cpu" or seconds is None or not np.isfinite(seconds):
        return busy
    crossed = int(seconds * backend.processors / (cities * SECONDS_OF_CHAIN))
    return max(busy, min(crossed, MOST_CROSSED, fit // count))


@dataclass(frozen=True)
class _Schedule:
    """When chains begin and end, in seconds of a watch and in kicks."""

    watch: Stopwatch
    begin: float
    end: float
    kicks: int | None

    def progress(self, done: int, elapsed: float) -> float:
        """Return the share that is over after so many kicks and seconds."""
        return progress(done, self.kicks, elapsed, self.begin, self.end)


class SideBySide:
    """Chains on some instances, all in each launch.

    Parameters
    ----------
    backend : Backend
    instances : Instances
    parts : CandidateMoves
        Neighbourhoods on the backend.
    chosen : int array, shape (K,)
        Which of the instances.
    cut : TourParts
        What `Instances.parts` made of these.
    tours : array of the backend, shape (K, m), int32
        Where they begin.
    replicas : int
        Chains of each.
    seed, first_row : int
        Chain c has the random numbers of row `first_row` + c.
    """

    def __init__(
        self,
        backend: Backend,
        instances: Instances,
        parts: CandidateMoves,
        chosen: NDArray[np.int64],
        cut: TourParts,
        tours: Any,
        replicas: int,
        seed: int,
        first_row: int,
    ) -> None:
        self._backend, self._first_row, self._replicas = backend, first_row, replicas
        self._cut, stride = cut, tours.shape[1]
        self._accept = Annealing(HEAT_OF_FEW if stride <= FEW_CITIES else HEAT)
        layout = chain_layout(backend, parts, stride, chain_layouts.part_shape)
        start = Start(backend, instances.whole, None, seed)
        self._search = PartSearch(start, self._accept, parts, PERTURBATION, stride, layout)
        self._window = PERTURBATION.window(int(instances.sizes[chosen].min()))
        rings = tours.repeat(replicas, axis=0)
        costs = instances.costs(backend, parts, self._cut, rings)
        units = (costs / backend.xp.asarray(instances.sizes[chosen]).repeat(replicas)).astype("f4")
        self.state = self._search.begin(rings, costs, units)
        self._neighbours, self.launches = parts.neighbours, 0
        self._done = self._step = 0  # kicks: of each chain, and of a launch

        def crossing() -> Crossing:
            metric, state = instances.metric, self.state
            return Crossing(backend, metric, parts, cut, state, seed, first_row)

        self._crossing = crossing

    def drive(
        self, watch: Stopwatch, end: float, kicks: int | None, after: Callable[[], None]
    ) -> str:
        """Launch until every chain has made its kicks or the time is up; return which.

        Where seconds count, a CPU crosses the chains of each instance.

        Parameters
        ----------
        watch : Stopwatch
        end : float
            Seconds of `watch` at which no launch begins.
        kicks : int, optional
            Of each chain.
        after : callable
            Called after each launch.
        """
        schedule = _Schedule(watch, watch.elapsed, end, kicks)
        if kicks is not None or self._replicas == 1 or self._backend.name != "cpu":
            return self._kick(schedule, end, after)
        crossing, taken = self._crossing(), 0.0
        for share in CROSSED_AFTER:
            stop = schedule.begin + share * (end - schedule.begin)
            self._kick(schedule, min(stop, end - taken), after)
            begun = now()
            crossing.cross_all(end - watch.elapsed)
            taken = now() - begun
            after()
        return "seconds"

    def _kick(self, schedule: _Schedule, stop: float, after: Callable[[], None]) -> str:
        """Launch until every chain has made its kicks or the time is `stop`; return which."""
        watch, until = schedule.watch, NO_LIMIT if schedule.kicks is None else schedule.kicks
        step = self._step or self._first_kicks()
        while self._done < until:
            elapsed, begun = watch.elapsed, now()
            if elapsed >= stop:
                return "seconds"
            to = min(until, self._done + step)
            ahead = min(schedule.end, elapsed + tuning.LAUNCH_SECONDS)
            high = self._accept.level(schedule.progress(self._done, elapsed))
            low = self._accept.level(schedule.progress(to, ahead))
            cooling = (high - low) / (to - self._done)
            self._search.advance(
                self._cut,
                self.state,
                until=to,
                heat=high + cooling * self._done,
                cooling=cooling,
                window=self._window,
                first_row=self._first_row,
                seconds=stop - elapsed,
            )
            self.launches += 1
            behind = int(self.state.kicks.min()) < to  # waits for the GPU
            seconds = now() - begun
            after()
            self._step = step = paced(to - self._done, seconds, stop - watch.elapsed, most=8 * step)
            self._done = self._done if behind else to
        return "kicks"

    def best_costs(self) -> NDArray[Any]:
        """Return the cost of each instance's best tour, on the host; float64 sums nearly."""
        costs: NDArray[Any] = self._backend.to_numpy(self._of_instances().min(axis=1))
        return costs

    def best_tours(self) -> NDArray[np.int32]:
        """Return each instance's best tour, on the host, shape (K, m)."""
        costs = self._of_instances()
        rows = self._backend.xp.arange(len(costs)) * self._replicas + costs.argmin(axis=1)
        tours: NDArray[np.int32] = self._backend.to_numpy(self.state.best_tours[rows])
        return tours

    def evaluations(self) -> int:
        """Return how many moves were evaluated."""
        return int(self.state.looks.sum()) * self._neighbours

    def _of_instances(self) -> Any:
        return self.state.best_costs.reshape(-1, self._replicas)

    def _first_kicks(self) -> int:
        """Return a number of kicks that surely takes less than a launch should."""
        backend = self._backend
        share = -(-len(self.state.tours) // backend.processors)
        seconds = chain_layouts.SECONDS_PER_KICK[backend.name] * share
        return max(1, int(tuning.LAUNCH_SECONDS / seconds))
