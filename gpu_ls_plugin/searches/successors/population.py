"""A population of states on its way through rounds of tabu search and successor generation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends.words import kept_words, packed_words
from gpu_ls_plugin.exceptions import InsufficientMemoryError
from gpu_ls_plugin.recombination.partners import Partners
from gpu_ls_plugin.searches.successors.kernels import Layout, release_kernel, tabu_kernel

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.problems.assignment import Assignment
    from gpu_ls_plugin.searches.successors.successor_search import SuccessorSearch

NO_TARGET = -(2**63)
WHOLE = 256  # fixed point of penalties and of the tenure
WORD = 2**32
GOLDEN = 0x9E3779B97F4A7C15  # rounds draw numbers of their own


class Population:
    """States that are searched, the best of each row, and what takes them from round to round.

    Parameters
    ----------
    search : SuccessorSearch
    backend, problem
        Where and what.
    states : array of the backend, shape (P, m), int32
        Changed in place.
    seed, first_row : int
    target : int or None
        Cost at which a feasible state is good enough.
    memory : int
        Bytes that may be used.

    Attributes
    ----------
    elites : array, shape (P, m), int32
        The best state of each row.
    costs, excesses : arrays, shape (P,), int64
        Of the elites, as the problem's functor says.
    round, step : int
        How many rounds are over, and steps of the one that is not.
    move_counts : array, shape (P,), int64

    Raises
    ------
    InsufficientMemoryError
        They do not fit.
    """

    def __init__(
        self,
        search: SuccessorSearch,
        backend: Backend,
        problem: Assignment,
        states: Any,
        seed: int,
        first_row: int,
        target: float | None,
        memory: int,
    ) -> None:
        xp, size, m, most = backend.xp, len(states), problem.n, int(problem.sizes.max())
        self.search, self.backend, self.problem = search, backend, problem
        self.layout = Layout.of(backend, problem)
        fitting = backend.rows_that_fit(self.layout.bytes_per_state(m, most), 0, memory)
        if fitting < size:
            raise InsufficientMemoryError(
                f"memory_limit: {fitting:,} of {size:,} states fit; search fewer at once"
            )
        self.round = self.step = 0
        crosses = size > 1 and not problem.interchangeable
        self.states, self.elites = states, states.copy()
        self.costs = xp.full(size, 2**62, "int64")
        self.excesses = xp.full(size, 2**62, "int64")
        self.move_counts = xp.zeros(size, "int64")
        self._memory, self._seed, self._first_row = memory, seed, first_row
        self._partners = Partners(xp, size, seed, first_row) if size > 1 else None
        self._bests = xp.empty_like(states)
        self._best_costs, self._best_excesses = xp.empty(size, "int64"), xp.empty(size, "int64")
        self._active = xp.empty(states.shape, "bool")
        self._words = kept_words(xp, problem.words())
        self._tabu = tabu_kernel(problem, self.layout.team)
        self._release = release_kernel(problem, search.release, self.layout.team)
        tenure = search.tenure_of(problem)
        released = max(1, round(2 * search.share * m))
        kept = xp.empty(size * self.layout.kept_bytes, "uint8")
        self._common = {
            "seed": seed,
            "first_row": first_row,
            "kept": kept,
            "kept_bytes": self.layout.kept_bytes,
            "m": m,
            "most": most,
            "penalties": xp.full(size, max(1, round(WHOLE * problem.penalty)), "int64"),
            "problem_words": packed_words(xp, self._words, backend.address),
        }
        self._of_tabu = {
            "target": NO_TARGET if target is None else int(target // 1),
            "sample": search.sample,
            "tenure": tenure.least,
            "spread": tenure.spread,
            "per_variable": round(WHOLE * tenure.per_variable),
            "sizes": xp.asarray(problem.sizes),
            "states": states,
            "bests": self._bests,
            "best_costs": self._best_costs,
            "best_excesses": self._best_excesses,
            "move_counts": self.move_counts,
            "tabu": xp.empty((size, m, most), "int32"),
            "listed": xp.empty((size, m), "int32"),
        }
        if bool((states < 0).any()):
            self._assign(states, states < 0)
        self._of_release = {
            "elites": self.elites,
            "mixed": min(WORD - 1, round(WORD * search.mixing)) if crosses else 0,
            "released": released,
            "sources": xp.empty_like(states),
            "active": self._active,
            "scores": xp.empty((size, m), "int64"),
            "owners": xp.empty((size, most), "int32"),
        }

    def advance(self, steps: int, seconds: float) -> None:
        """Make some steps of the round, at most those that it still has; note what was found."""
        steps = min(steps, self.search.steps_of(self.problem) - self.step)
        arguments = self._common | self._of_tabu
        if self.layout.shared_bytes:
            arguments["kept"] = None
        arguments |= {"round": self.round, "step": self.step, "steps": steps}
        self.backend.launch(
            self._tabu,
            len(self.states),
            arguments,
            shared_bytes=self.layout.shared_bytes,
            seconds=seconds,
        )
        self.step += steps
        self._absorb()

    @property
    def round_is_over(self) -> bool:
        """Whether the round has made all its steps."""
        return self.step >= self.search.steps_of(self.problem)

    def renew(self) -> None:
        """Begin the next round with successors of the best states."""
        xp = self.backend.xp
        self.round, self.step = self.round + 1, 0
        if self._partners is None:
            mates = xp.zeros(1, "int32")
        else:
            mates = xp.ascontiguousarray(self._partners.of(self.round))
        own = xp.arange(len(self.states), dtype="int32")
        if self._partners is not None and self.round % self.search.migration == 0:
            rivals = xp.ascontiguousarray(self._partners.of(self.round + 2**31))
            better = self.excesses[rivals] < self.excesses
            better |= (self.excesses[rivals] == self.excesses) & (self.costs[rivals] < self.costs)
            own = xp.where(better, rivals, own).astype("int32")
        arguments = self._common | self._of_release
        arguments |= {"round": self.round, "mates": mates, "bases": own}
        self.backend.launch(self._release, len(self.states), arguments)
        self._assign(self._of_release["sources"], self._active)

    def _assign(self, sources: Any, active: Any) -> None:
        """Let the states be successors of some, in which active variables have no value yet."""
        if self.search.heuristic is None:
            self.states[:] = sources  # the first steps begin with random values
            return
        self.states[:] = self.search.generation(
            self.problem,
            sources,
            active=active,
            order="shuffled",
            seed=(self._seed + self.round * GOLDEN) % 2**64,
            backend=self.backend,
            memory_limit=self._memory,
            first_row=self._first_row,
        )

    def _absorb(self) -> None:
        """Replace the elites by what is better."""
        xp, excesses, costs = self.backend.xp, self._best_excesses, self._best_costs
        better = excesses < self.excesses
        better |= (excesses == self.excesses) & (costs < self.costs)
        xp.copyto(self.elites, self._bests, where=better[:, None])
        xp.copyto(self.costs, costs, where=better)
        xp.copyto(self.excesses, excesses, where=better)
