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
    from gpu_ls_plugin.searches.successors.plan import Plan

NO_TARGET = -(2**63)
UNIT = 4096  # gls::kUnit
WHOLE = 256  # fixed point of the tenure
WORD = 2**32
RIVALS = 2**31  # rounds later, so that rows are compared with others than they are mixed with
GOLDEN = 0x9E3779B97F4A7C15  # rounds draw numbers of their own


class Population:
    """States that are searched, the best of each row, and what takes them from round to round.

    Parameters
    ----------
    plan : Plan
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
    released : bool array, shape (P, m)
        Variables that were assigned anew when the round began.

    Raises
    ------
    InsufficientMemoryError
        They do not fit.
    """

    def __init__(
        self,
        plan: Plan,
        backend: Backend,
        problem: Assignment,
        states: Any,
        seed: int,
        first_row: int,
        target: float | None,
        memory: int,
    ) -> None:
        xp, size, m, most = backend.xp, len(states), problem.n, int(problem.sizes.max())
        self.plan, self.backend, self.problem = plan, backend, problem
        self.layout = Layout.of(backend, problem)
        fitting = backend.rows_that_fit(self.layout.bytes_per_state(m, most), 0, memory)
        if fitting < size:
            raise InsufficientMemoryError(
                f"memory_limit: {fitting:,} of {size:,} states fit; search fewer at once"
            )
        self.round = self.step = 0
        self.states, self.elites = states, states.copy()
        self.costs = xp.full(size, 2**62, "int64")
        self.excesses = xp.full(size, 2**62, "int64")
        self.move_counts = xp.zeros(size, "int64")
        self._memory, self._seed, self._first_row = memory, seed, first_row
        self._partners = Partners(xp, size, seed, first_row) if size > 1 else None
        self._bests = xp.empty_like(states)
        self._best_costs, self._best_excesses = xp.empty(size, "int64"), xp.empty(size, "int64")
        self.released = xp.empty(states.shape, "bool")
        self._words = kept_words(xp, problem.words())
        self._tabu = tabu_kernel(problem, self.layout.team)
        self._release = release_kernel(problem, plan.release, self.layout.team)
        kept = xp.empty(size * self.layout.kept_bytes, "uint8")
        self._common = {
            "seed": seed,
            "first_row": first_row,
            "kept": kept,
            "kept_bytes": self.layout.kept_bytes,
            "m": m,
            "most": most,
            "penalties": xp.full(size, max(1, round(UNIT * problem.penalty)), "int64"),
            "problem_words": packed_words(xp, self._words, backend.address),
        }
        self._of_tabu = {
            "target": NO_TARGET if target is None else int(target // 1),
            "sample": plan.sample,
            "tenure": plan.tenure.least,
            "spread": plan.tenure.spread,
            "per_variable": round(WHOLE * plan.tenure.per_variable),
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
            "mixed": min(WORD - 1, round(WORD * plan.mixing)) if size > 1 else 0,
            "released": plan.released,
            "sources": xp.empty_like(states),
            "active": self.released,
            "scores": xp.empty((size, m), "int64"),
            "owners": xp.empty((size, most), "int32"),
        }

    def advance(self, steps: int, seconds: float) -> None:
        """Make some steps of the round, at most those that it still has; note what was found."""
        steps = min(steps, self.plan.steps - self.step)
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
        return self.step >= self.plan.steps

    def renew(self) -> None:
        """Begin the next round with successors of the best states."""
        self.round, self.step = self.round + 1, 0
        arguments = self._common | self._of_release
        arguments |= {
            "round": self.round,
            "mates": self.mates_of(self.round),
            "bases": self._bases(),
        }
        self.backend.launch(self._release, len(self.states), arguments)
        self._assign(self._of_release["sources"], self.released)

    def mates_of(self, number: int) -> Any:
        """Return the row that each is mixed with in a round, or compared with."""
        xp = self.backend.xp
        if self._partners is None:
            return xp.zeros(1, "int32")
        return xp.ascontiguousarray(self._partners.of(number))

    def _bases(self) -> Any:
        """Return the row that each goes on from: its own, or now and then a better one."""
        xp = self.backend.xp
        own = xp.arange(len(self.states), dtype="int32")
        if self.round % self.plan.migration:
            return own
        rivals = self.mates_of(self.round + RIVALS)
        excesses, costs = self.excesses[rivals], self.costs[rivals]
        better = excesses < self.excesses
        better |= (excesses == self.excesses) & (costs < self.costs)
        return xp.where(better, rivals, own).astype("int32")

    def _assign(self, sources: Any, active: Any) -> None:
        """Let the states be successors of some, in which active variables have no value yet."""
        if self.plan.generation is None:
            self.states[:] = sources  # the first steps begin with random values
            return
        self.states[:] = self.plan.generation(
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
