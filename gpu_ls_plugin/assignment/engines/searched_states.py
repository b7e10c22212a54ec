"""A population of states on its way through rounds of tabu search and successor generation."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.assignment.engines.found_states import (
    NOTHING,
    BestStates,
    completed,
    quick_state,
)
from gpu_ls_plugin.assignment.engines.improvements import first_penalty
from gpu_ls_plugin.assignment.engines.kernels import Layout, release_kernel
from gpu_ls_plugin.assignment.problem.assignment import require_enough_values
from gpu_ls_plugin.backends.functor_words import kept_words, packed_words
from gpu_ls_plugin.core.exceptions import InsufficientMemoryError, UnsupportedProblemError
from gpu_ls_plugin.runs.partners import Partners

if TYPE_CHECKING:
    from gpu_ls_plugin.assignment.engines.improvements import RoundPlan
    from gpu_ls_plugin.assignment.problem.assignment import Assignment
    from gpu_ls_plugin.backends.base import Backend

MOST_MOVES = 2**31  # kernels number them in 32 bits
NO_TARGET = -(2**63)
WORD = 2**32
RIVALS = 2**31  # rounds later, so that rows are compared with others than they are mixed with
PATIENCE = 20  # rounds without anything better, after which rows that are alike begin anew
ALIKE = 0.95  # of the variables have the same value in two rows
FEW = 450  # variables times values with which no round leaves values out
RELAXED_EVERY = 8  # round of larger problems leaves none out, and ...
STANDING, RELAXED_OFTEN = 8, 2  # ... every second one after rounds without a better state
GOLDEN = 0x9E3779B97F4A7C15  # rounds draw numbers of their own


class SearchedStates:
    """States (P, m) that are searched, the best of each row, and what goes on from round to round.

    Attributes
    ----------
    elites : BestStates
        The best state of each row since it began anew, from which the next round begins.
    found : BestStates
        The best state of each row, complete from the beginning.
    round, step : int
        How many rounds are over, and steps of the one that is not.
    move_counts, look_counts : arrays, shape (P,), int64
        Moves that were made, and looked at.
    released : bool array, shape (P, m)
        Variables that were assigned anew when the round began.
    """

    def __init__(
        self,
        plan: RoundPlan,
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
        require_enough_values(problem)
        if max(m, most) * m >= MOST_MOVES:
            raise UnsupportedProblemError(
                f"problem: {m:,} variables with up to {most:,} values have {MOST_MOVES:,} moves or "
                "more; search parts of it"
            )
        steps = plan.improvement
        self.layout = Layout.of(backend, problem, steps.team(backend), steps.resident(problem))
        needed = self.layout.bytes_per_state(m, most) + steps.state_bytes(m, most)
        fitting = backend.rows_that_fit(needed, 0, memory)
        if fitting < size:
            raise InsufficientMemoryError(
                f"memory_limit: {fitting:,} of {size:,} states fit; search fewer at once"
            )
        self.round = self.step = 0
        self.states = states
        self.elites = BestStates(xp, states)
        self._idle = xp.zeros(size, "int64")  # rounds in which a row has found nothing better
        self.move_counts, self.look_counts = (xp.zeros(size, "int64") for _ in range(2))
        self._memory, self._seed, self._first_row = memory, seed, first_row
        self._partners = Partners(xp, size, seed, first_row) if size > 1 else None
        self._bests = BestStates(xp, states)  # of the round
        self.released = xp.empty(states.shape, "bool")
        self._words = kept_words(xp, problem.words())
        self._few, self._standing, self._best = m * most <= FEW, 0, (NOTHING, NOTHING)
        self._steps = steps.kernel(problem, self.layout.team, self.layout.memory)
        self._release = release_kernel(problem, plan.release, self.layout.team)
        kept = xp.empty(size * self.layout.kept_bytes, "uint8")
        self._common = {
            "seed": seed,
            "first_row": first_row,
            "kept": kept,
            "kept_bytes": self.layout.kept_bytes,
            "m": m,
            "most": most,
            "penalties": xp.full(size, first_penalty(problem), "int64"),
            "problem_words": packed_words(xp, self._words, backend.address),
        }
        self._of_steps = {
            "target": _whole(NO_TARGET if target is None else target),
            "sizes": xp.asarray(problem.sizes),
            "states": states,
            "bests": self._bests.states,
            "best_costs": self._bests.costs,
            "best_excesses": self._bests.excesses,
            "move_counts": self.move_counts,
            "look_counts": self.look_counts,
            **steps.numbers(problem),
            **steps.memory(problem, xp, size),
        }
        self._found, self._all_known = self._first_found(), False
        if bool((states < 0).any()):
            self._assign(states, states < 0)
        self._of_release = {
            "elites": self.elites.states,
            "mixed": min(WORD - 1, round(WORD * plan.mixing)) if size > 1 else 0,
            "released": plan.released,
            "sources": xp.empty_like(states),
            "active": self.released,
            "scores": xp.empty((size, m), "int64"),
            "owners": xp.empty((size, most), "int32"),
        }

    def advance(self, steps: int, seconds: float) -> None:
        """Make some steps of the round, at most those that it still has; note what was found."""
        begins, steps = self.step == 0, min(steps, self.plan.steps - self.step)
        arguments = self._common | self._of_steps | self.plan.improvement.numbers_of(self.round)
        arguments |= {"round": self.round, "step": self.step, "steps": steps}
        arguments |= self._words_of(self.round)
        ended = self.backend.launch(
            self._steps,
            len(self.states),
            arguments,
            shared_bytes=self.layout.shared_bytes,
            seconds=seconds,
        )
        if ended or not begins:  # else the time was over before some rows have begun the round
            self.step += steps
        self._idle[self.elites.take(self._bests)] = -1  # 0 when the round is over
        self._found.take(self._bests)

    def _words_of(self, number: int) -> dict[str, Any]:
        """Return the problem's words in a round, if these are not the usual ones.

        Values that look bad may be the only ones that fit: now and then none is left out.
        """
        every = RELAXED_OFTEN if self._standing >= STANDING else RELAXED_EVERY
        if (not self._few and (number + 1) % every) or self._relaxed is None:
            return {}
        return {"problem_words": self._relaxed[1]}

    @cached_property
    def _relaxed(self) -> tuple[list[Any], Any] | None:
        """The words of rounds that leave no value out, and these words packed."""
        words = self.problem.relaxed_words()
        if words is None:
            return None
        kept = kept_words(self.backend.xp, words)
        return kept, packed_words(self.backend.xp, kept, self.backend.address)

    def adopt(self, states: Any, costs: Any) -> None:
        """Let the worst rows begin their next round from better states (K, m), int32.

        They break no constraint, cost (K,), and are no more than there are rows; the first is for
        the worst one.
        """
        xp, guests = self.backend.xp, BestStates(self.backend.xp, self.found.states)
        worst = xp.lexsort(xp.stack([self.found.costs, self.found.excesses]))[::-1][: len(costs)]
        guests.states[worst], guests.costs[worst], guests.excesses[worst] = states, costs, 0
        for own in (self.elites, self.found):
            self._idle[own.take(guests)] = 0

    @property
    def found(self) -> BestStates:
        """The best state of each row; where no kernel looked at it, its excess is 0 or NOTHING."""
        found = self._found
        if not self._all_known:
            to_numpy, xp = self.backend.to_numpy, self.backend.xp
            rows = np.flatnonzero(to_numpy(found.costs) == NOTHING)
            if len(rows):
                states = to_numpy(found.states)[rows]
                excesses = np.where(self.problem.feasible(states), 0, NOTHING)
                found.costs[rows] = xp.asarray(self.problem.cost(states))
                found.excesses[rows] = xp.asarray(excesses)
            self._all_known = True
        return found

    def _first_found(self) -> BestStates:
        """Return complete states; the very first row, if it is empty, is a quick one (in place)."""
        xp, first_row = self.backend.xp, self._first_row
        rows = self.backend.to_numpy(self.states)
        if first_row == 0 and (rows[0] < 0).all():
            rows = rows.copy()
            rows[0] = quick_state(self.problem, self.backend, self._seed)
            self.states[:1] = xp.asarray(rows[:1])
        return BestStates(xp, xp.asarray(completed(self.problem, rows, self._seed, first_row)))

    @property
    def round_is_over(self) -> bool:
        """Whether the round has made all its steps."""
        return self.step >= self.plan.steps

    def renew(self) -> None:
        """Begin the next round with successors of the best states."""
        self.round, self.step = self.round + 1, 0
        self._idle += 1
        self._stand()
        arguments = self._common | self._of_release
        arguments |= {
            "round": self.round,
            "mates": self.mates_of(self.round),
            "bases": self._bases(),
        }
        self.backend.launch(self._release, len(self.states), arguments)
        if self._stagnates():
            self._restart()
        self._assign(self._of_release["sources"], self.released)

    def _stand(self) -> None:
        """Count the rounds since the best state of all was found."""
        best = self.found.excesses, self.found.costs
        first = int(self.backend.xp.lexsort(self.backend.xp.stack(best[::-1]))[0])
        excess, cost = (int(of[first]) for of in best)
        self._standing = 0 if (excess, cost) < self._best else self._standing + 1
        self._best = min(self._best, (excess, cost))

    def mates_of(self, number: int) -> Any:
        """Return the row that each is mixed with in a round, or compared with."""
        xp = self.backend.xp
        if self._partners is None:
            return xp.zeros(1, "int32")
        return xp.ascontiguousarray(self._partners.of(number))

    def _bases(self) -> Any:
        """Return the row that each goes on from: its own, or a better one after idle rounds."""
        xp = self.backend.xp
        rivals = self.mates_of(self.round + RIVALS)
        moves = (self._idle >= self.plan.migration) & self.elites.worse_than(self.elites, rivals)
        self._idle[moves] = 0
        return xp.where(moves, rivals, xp.arange(len(self.states), dtype="int32")).astype("int32")

    def _stagnates(self) -> bool:
        """Whether rows have become alike, and none has found anything better for some rounds."""
        if len(self.states) == 1 or int(self._idle.min()) < PATIENCE:
            return False
        states = self.elites.states
        return float((states == states[self.mates_of(self.round)]).mean()) >= ALIKE

    def _restart(self) -> None:
        """Let all rows begin anew; what was found is kept."""
        self._of_release["sources"][:] = -1
        self.released[:] = True
        self.elites.forget()
        self._idle[:] = 0

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


def _whole(target: float) -> int:
    """Return the cost that is not above a target, as kernels hold it."""
    return int(min(max(target, NO_TARGET), NOTHING) // 1)
