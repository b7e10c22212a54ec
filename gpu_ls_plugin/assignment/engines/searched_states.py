"""The states of a search, which alternates between rounds of steps and successor generation."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.assignment.engines.class_crossover import children_of
from gpu_ls_plugin.assignment.engines.found_states import (
    NOTHING,
    BestStates,
    completed,
    quick_state,
)
from gpu_ls_plugin.assignment.engines.improvements import first_penalty, most_penalty
from gpu_ls_plugin.assignment.engines.kernels import release_kernel
from gpu_ls_plugin.assignment.engines.state_layouts import Layout
from gpu_ls_plugin.assignment.problem.assignment import require_enough_values
from gpu_ls_plugin.backends.structs import kept_words, packed_words
from gpu_ls_plugin.core.exceptions import InsufficientMemoryError, UnsupportedProblemError
from gpu_ls_plugin.runs.partners import Partners

if TYPE_CHECKING:
    from gpu_ls_plugin.assignment.engines.improvements import RoundPlan
    from gpu_ls_plugin.assignment.problem.assignment import Assignment
    from gpu_ls_plugin.backends.base import Backend

MOST_MOVES = 2**31  # a problem must have fewer, since kernels number moves in 32 bits
NO_TARGET = -(2**63)  # a cost that no state reaches
WORD = 2**32  # probabilities are passed to kernels as integers below this
RIVALS = 2**31  # added to a round's number to draw rivals (`_bases`) and mates independently
PATIENCE = 20  # rows that are alike restart after this many rounds without a better state
ALIKE = 0.95  # rows are alike if at least this share of all values equals those of the mates
FEW = 450  # if variables times values is at most this, every round considers all values
RELAXED_EVERY = 8  # in larger problems, every 8th round considers all values, ...
STALLED, RELAXED_OFTEN = 8, 2  # ... and every 2nd after 8 rounds without a better state
GOLDEN = 0x9E3779B97F4A7C15  # 2**64 / golden ratio; spreads the seeds of rounds


class SearchedStates:
    """States (P, m) of a search, and the best state of each row.

    `states`, an int32 array of the backend, is changed in place. `memory` is a limit in bytes.

    Attributes
    ----------
    elites : BestStates
        The best state of each row since its last restart. The next round begins from these.
    found : BestStates
        The best state of each row; always complete.
    round, step : int
        Number of finished rounds, and number of finished steps of the current round.
    idle : array, shape (P,), int64
        For how many rounds each row has found no better state.
    best : tuple of int
        Excess and cost of the best state of all rows.
    move_counts, look_counts : arrays, shape (P,), int64
        How many moves each row has made, and how many it has evaluated.
    released : bool array, shape (P, m)
        Which variables were released and reassigned when the round began.
    arguments : dict
        Arguments of all kernels by name: arrays, and numbers that do not change.
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
        self.layout, steps = _layout(plan, backend, problem, size, memory), plan.improvement
        self.round = self.step = 0
        self.states = states
        self.elites = BestStates(xp, states)
        self.idle = xp.zeros(size, "int64")
        self.move_counts, self.look_counts = (xp.zeros(size, "int64") for _ in range(2))
        self._memory, self._seed, self._first_row = memory, seed, first_row
        self._partners = Partners(xp, size, seed, first_row) if size > 1 else None
        self._bests = BestStates(xp, states)  # the best states of the current round
        self.released = xp.empty(states.shape, "bool")
        self._words = kept_words(xp, problem.words())
        self._few, self._stalled, self.best = m * most <= FEW, 0, (NOTHING, NOTHING)
        layout = self.layout
        self._steps = steps.kernel(problem, layout.team, layout.memory, layout.resident)
        self._release = release_kernel(problem, plan.release, layout.team)
        self.arguments = {
            "seed": seed,
            "first_row": first_row,
            "kept": xp.empty(size * self.layout.kept_bytes, "uint8"),
            "kept_bytes": self.layout.kept_bytes,
            "m": m,
            "most": most,
            "penalties": xp.full(size, first_penalty(problem), "int64"),
            "most_penalty": most_penalty(problem),
            "problem_words": packed_words(xp, self._words, backend.address),
            "target": _whole(NO_TARGET if target is None else target),
            "sizes": xp.asarray(problem.sizes),
            "states": states,
            "bests": self._bests.states,
            "best_costs": self._bests.costs,
            "best_excesses": self._bests.excesses,
            "move_counts": self.move_counts,
            "look_counts": self.look_counts,
            **steps.numbers(),
            **steps.memory(problem, xp, size),
        }
        kinds = problem.kinds
        trades = problem.distinct and most == m and len(np.unique(kinds)) < m
        self._kinds = xp.asarray(kinds) if trades else None
        self._found, self._all_known = self._first_found(), False
        if int(states.min()) < 0:
            self._assign(states, states < 0)
        self._sources = xp.empty_like(states)
        mixing = plan.mixing if size > 1 else 0.0
        crossable = problem.interchangeable and int(problem.sizes.min()) == most <= m
        self._crossed = mixing if crossable else 0.0  # share of the states
        self.arguments |= {
            "elites": self.elites.states,
            "mixed": 0 if problem.interchangeable else min(WORD - 1, round(WORD * mixing)),
            "released": plan.released,
            "sources": self._sources,
            "active": self.released,
            "scores": xp.empty((size, m), "int64"),
            "owners": xp.empty((size, most), "int32"),
        }

    def advance(self, steps: int, seconds: float) -> None:
        """Make up to `steps` steps of the round, for up to `seconds`, and keep the best states."""
        begins, steps = self.step == 0, min(steps, self.plan.steps - self.step)
        arguments = self.arguments | self.plan.improvement.numbers_of(self.round)
        arguments |= {"round": self.round, "step": self.step, "steps": steps}
        if self.is_relaxed(self.round):
            arguments["problem_words"] = self._relaxed[1]
        ended = self.backend.launch(
            self._steps,
            len(self.states),
            arguments,
            shared_bytes=self.layout.shared_bytes,
            seconds=seconds,
        )
        if ended or not begins:  # otherwise begin the round again: some rows may not have begun
            self.step += steps
        self.idle[self.elites.take(self._bests)] = -1  # `renew` makes it 0
        self._found.take(self._bests)

    def is_relaxed(self, number: int) -> bool:
        """Return whether a round considers all values, as good states may need unlikely ones."""
        every = RELAXED_OFTEN if self._stalled >= STALLED else RELAXED_EVERY
        return (self._few or (number + 1) % every == 0) and bool(self._relaxed)

    @cached_property
    def _relaxed(self) -> tuple[Any, ...]:
        """The parameters of relaxed rounds, as arrays and packed; empty if there are none."""
        words = self.problem.relaxed_words()
        if words is None:
            return ()
        kept = kept_words(self.backend.xp, words)
        return kept, packed_words(self.backend.xp, kept, self.backend.address)

    def adopt(self, states: Any, costs: Any) -> None:
        """Let the worst rows begin their next round from `states` where these are better.

        `states` (K, m), int32, K <= P, are feasible; `costs` has shape (K,). The first state is
        offered to the worst row.
        """
        xp, guests = self.backend.xp, BestStates(self.backend.xp, self.found.states)
        worst = xp.lexsort(xp.stack([self.found.costs, self.found.excesses]))[::-1][: len(costs)]
        guests.states[worst], guests.costs[worst], guests.excesses[worst] = states, costs, 0
        for own in (self.elites, self.found):
            self.idle[own.take(guests)] = 0

    @property
    def found(self) -> BestStates:
        """The best state of each row.

        The excess of a state that no kernel has evaluated is 0 or, if it is infeasible, NOTHING.
        """
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
        """Return completed copies of the rows.

        If row 0 of the search is empty, it is first replaced with a quick state.
        """
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
        """Begin the next round, with successors of the best states."""
        self.round, self.step = self.round + 1, 0
        self.idle += 1
        self._count_stalled_rounds()
        arguments = self.arguments | {
            "round": self.round,
            "mates": self.mates_of(self.round),
            "bases": self._bases(),
        }
        if self._kinds is not None:
            own, mates = self.elites.states, arguments["mates"]
            alike = relabelled(self.backend.xp, own[mates], own[arguments["bases"]], self._kinds)
            arguments["elites"] = self.backend.xp.concatenate([own, alike])
            arguments["mates"] = self.backend.xp.arange(len(own), 2 * len(own), dtype="int32")
        self.backend.launch(self._release, len(self.states), arguments)
        if self._crossed:
            self._cross(arguments["bases"], arguments["mates"])
        if self._stagnates():
            self._restart()
        self._assign(self._sources, self.released)

    def _cross(self, bases: Any, mates: Any) -> None:
        """Replace some new states with children, which also replace their rows' best states."""
        xp, elites = self.backend.xp, self.elites.states
        rng = np.random.default_rng((self._seed, self._first_row, self.round))
        rows = xp.asarray(np.flatnonzero(rng.random(len(elites)) < self._crossed))
        pairs = elites[bases[rows]], elites[mates[rows]]
        children = children_of(xp, *pairs, self.arguments["most"], rng)
        self._sources[rows], self.released[rows] = children, children < 0
        self.elites.forget(rows)

    def _count_stalled_rounds(self) -> None:
        """Count the rounds since the best state of all rows was found."""
        best = self.found.excesses, self.found.costs
        first = int(self.backend.xp.lexsort(self.backend.xp.stack(best[::-1]))[0])
        excess, cost = (int(of[first]) for of in best)
        self._stalled = 0 if (excess, cost) < self.best else self._stalled + 1
        self.best = min(self.best, (excess, cost))

    def mates_of(self, number: int) -> Any:
        """Return the row that each row is mixed or compared with in round `number`."""
        xp = self.backend.xp
        if self._partners is None:
            return xp.zeros(1, "int32")
        return xp.ascontiguousarray(self._partners.of(number))

    def _bases(self) -> Any:
        """Return the row each row continues from: itself or, after idle rounds, a better rival."""
        xp = self.backend.xp
        rivals = self.mates_of(self.round + RIVALS)
        moves = (self.idle >= self.plan.migration) & self.elites.worse_than(self.elites, rivals)
        self.idle[moves] = 0
        return xp.where(moves, rivals, xp.arange(len(self.states), dtype="int32")).astype("int32")

    def _stagnates(self) -> bool:
        """Return whether rows are alike and none found a better state for `PATIENCE` rounds.

        Children of states with the same classes have nearly all of their variables.
        """
        if self._crossed:
            if self._stalled < PATIENCE:
                return False
            return float(self.backend.to_numpy(self.released).mean()) <= 1 - ALIKE
        if len(self.states) == 1 or int(self.idle.min()) < PATIENCE:
            return False
        states = self.elites.states
        alike = self.backend.to_numpy(states == states[self.mates_of(self.round)])
        return float(alike.mean()) >= ALIKE

    def _restart(self) -> None:
        """Restart all rows from empty states; `found` keeps the best ones."""
        self._sources[:] = -1
        self.released[:] = True
        self.elites.forget()
        self.idle[:] = 0

    def _assign(self, sources: Any, active: Any) -> None:
        """Replace the states with successors of `sources`, where active variables have value -1."""
        if self.plan.generation is None:
            self.states[:] = sources  # the next launch assigns random values
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


def _layout(
    plan: RoundPlan, backend: Backend, problem: Assignment, size: int, memory: int
) -> Layout:
    """Return the layout for `size` states; raise if the problem or the states are too large."""
    require_enough_values(problem)
    m, most, steps = problem.n, int(problem.sizes.max()), plan.improvement
    if max(m, most) * m >= MOST_MOVES:
        raise UnsupportedProblemError(
            f"problem: {m:,} variables with up to {most:,} values have {MOST_MOVES:,} moves or "
            "more; search parts of it"
        )
    layout = Layout.of(backend, problem, steps)
    needed = layout.bytes_per_state(m, most) + steps.state_bytes(m, most)
    fitting = backend.rows_that_fit(needed, 0, memory)
    if fitting < size:
        raise InsufficientMemoryError(
            f"memory_limit: {fitting:,} of {size:,} states fit; search fewer at once"
        )
    return layout


def relabelled(xp: Any, states: Any, others: Any, kinds: Any) -> Any:
    """Return states like `others`, by trades of values between variables of a kind.

    If variables of the same kind have a value in row r of both, it goes to the variable that has it
    in the other one. Both have shape (P, m), and rows are permutations.
    """
    rows = xp.arange(len(states))[:, None]
    owners = [states.argsort(axis=1), others.argsort(axis=1)]
    there, here = (kinds[own] for own in owners)
    shared = there == here
    taken = xp.take_along_axis(shared, others.astype("int64"), axis=1)
    last = len(kinds)
    variables = xp.argsort(xp.where(taken, last, kinds), axis=1, kind="stable")
    values = xp.argsort(xp.where(shared, last, there), axis=1, kind="stable")
    made = xp.empty_like(states)
    made[rows, variables] = values
    return xp.where(taken, others, made)


def _whole(target: float) -> int:
    """Return the largest integer cost that reaches a target."""
    return int(min(max(target, NO_TARGET), NOTHING) // 1)
