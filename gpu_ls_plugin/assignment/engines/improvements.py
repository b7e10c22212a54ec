"""How states are improved in a round: kernels, their numbers, and the memory that they take."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from gpu_ls_plugin.assignment.engines import kernels
from gpu_ls_plugin.assignment.problem.load_prices import UNIT
from gpu_ls_plugin.assignment.successors.layouts import MEMORIES
from gpu_ls_plugin.backends.structs import constant, struct_of
from gpu_ls_plugin.core.origins import sources_of

if TYPE_CHECKING:
    from gpu_ls_plugin.assignment.problem.assignment import Assignment
    from gpu_ls_plugin.assignment.successors.generation import SuccessorGeneration
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Kernel, Parameter
    from gpu_ls_plugin.runs.acceptance import Acceptance

ACCEPTED, TABU = "assignment/engines/accepted_moves.cuh", "assignment/engines/tabu.cuh"
LANES = 256
MOST_DRAWN = 2 ** constant(ACCEPTED, "kNumberBits") - 1  # moves that a step tells apart
LEVELS = constant(ACCEPTED, "kLevels")  # of a rule in a round
WHOLE = 1 << constant(TABU, "kTenureBits")  # fixed point of the tenure
MOST_SUM = 2**60  # of penalties: kernels add up a few of them in 64 bits
UNKNOWN_EXCESS = 2**16  # of a problem that does not say its `heaviest`


class Tenure(NamedTuple):
    """How long a move is tabu: `least` steps, up to `spread` more, and some for each variable."""

    least: int
    spread: int
    per_variable: float


class RoundDefaults(NamedTuple):
    """Default parameters of a round; `SuccessorSearch` explains them."""

    steps: float  # for each variable
    share: float
    mixing: float
    migration: int


class Improvement(ABC):
    """What the steps of a round are."""

    header: ClassVar[str]
    name: ClassVar[str]
    batch: ClassVar[Parameter]

    @classmethod
    def round_defaults(cls, problem: Assignment) -> RoundDefaults:
        """Return the default parameters of a round."""
        return RoundDefaults(steps=50, share=0.1, mixing=0.5, migration=10)

    def team(self, backend: Backend) -> str:
        """Return the C++ type of the team of a state, of which a block has one."""
        return backend.block(LANES)

    def resident(self, problem: Assignment) -> int:
        """Return how many states a multiprocessor has at a time, if their memory lets it."""
        return 3  # so that registers suffice, and L1 holds what shared memory leaves

    @abstractmethod
    def body(self, problem: Assignment, memory: str) -> str:
        """Return the C++ type of the kernel."""

    @abstractmethod
    def numbers(self, problem: Assignment) -> dict[str, Any]:
        """Return what the kernel is told, whatever the states are."""

    def numbers_of(self, number: int) -> dict[str, Any]:
        """Return what the kernel is told of a round."""
        return {}

    @abstractmethod
    def memory(self, problem: Assignment, xp: Any, size: int) -> dict[str, Any]:
        """Return arrays that steps need beside states."""

    @abstractmethod
    def state_bytes(self, m: int, most: int) -> int:
        """Return the bytes of these for each state."""

    def kernel(self, problem: Assignment, team: str, memory: str = MEMORIES[0]) -> Kernel:
        """Compose the steps of one state per team; `memory` is where what is kept of it lies."""
        body, blocks = self.body(problem, memory), self.resident(problem)
        made = kernels.composed(self.name, self.header, self.batch, body, problem, team)
        return replace(made, blocks_per_multiprocessor=blocks)


def first_penalty(problem: Assignment) -> int:
    """Return what a unit of excess costs at first, as kernels count it."""
    return min(max(1, round(UNIT * problem.penalty)), most_penalty(problem))


def most_penalty(problem: Assignment) -> int:
    """Return what a unit of excess costs at most, as kernels count it, so that none overflows."""
    return max(1, MOST_SUM // (problem.heaviest or UNKNOWN_EXCESS))


def kinds_of_moves(problem: Assignment) -> tuple[str, ...]:
    """Return the problem's moves: swaps alone if all values are used and have to differ."""
    return ("swap",) if problem.distinct and problem.sizes.max() == problem.n else problem.moves


def moves_of(problem: Assignment) -> tuple[str, ...]:
    """Return the problem's moves as C++ template arguments: assignments, swaps."""
    moves = kinds_of_moves(problem)
    return tuple(kernels.flag(kind in moves) for kind in ("assign", "swap"))


@dataclass(frozen=True)
class Tabu(Improvement):
    """The best move that is not tabu, of a sample of moves; rounds take turns in tenures."""

    tenures: tuple[Tenure, ...]
    sample: int

    name = "tabu"
    header = TABU
    batch = struct_of(header, "TabuBatch")

    @classmethod
    def round_defaults(cls, problem: Assignment) -> RoundDefaults:
        """Return long rounds for permutations, whose steps lead on for longer."""
        usual = super().round_defaults(problem)
        return usual._replace(steps=200) if problem.distinct else usual

    def body(self, problem: Assignment, memory: str) -> str:
        """Return the C++ type of the kernel."""
        parts = problem.functor(), memory, kernels.flag(problem.distinct), *moves_of(problem)
        return f"gls::TabuSearch<{', '.join(parts)}>"

    def numbers(self, problem: Assignment) -> dict[str, Any]:
        """Return the sample, and what a unit of excess may cost."""
        return {"sample": self.sample, "most_penalty": most_penalty(problem)}

    def numbers_of(self, number: int) -> dict[str, Any]:
        """Return the tenure of a round."""
        tenure = self.tenures[number % len(self.tenures)]
        return {
            "tenure": tenure.least,
            "spread": tenure.spread,
            "per_variable": round(WHOLE * tenure.per_variable),
        }

    def memory(self, problem: Assignment, xp: Any, size: int) -> dict[str, Any]:
        """Return a step for each variable and value, and room for lists of both."""
        m, most = problem.n, int(problem.sizes.max())
        return {
            "tabu": xp.empty((size, m, most), "int32"),
            "listed": xp.empty((size, m), "int32"),
            "used": xp.empty((size, most), "int32"),
        }

    def state_bytes(self, m: int, most: int) -> int:
        """Return the bytes of these for each state."""
        return 4 * m * most + 4 * m + 4 * most


@dataclass(frozen=True)
class Accepted(Improvement):
    """Moves, a sample in each step of a round, that are drawn until a rule takes one.

    The rule's level, in mean costs of a variable, runs through a round.
    """

    rule: Acceptance
    sample: int
    steps: int

    name = "accepted"
    header = ACCEPTED
    batch = struct_of(header, "AcceptedBatch")

    def body(self, problem: Assignment, memory: str) -> str:
        """Return the C++ type of the kernel."""
        functors = problem.functor(), memory, self.rule.functor
        parts = *functors, kernels.flag(problem.distinct), *moves_of(problem)
        return f"gls::AcceptedMoves<{', '.join(parts)}>"

    def kernel(self, problem: Assignment, team: str, memory: str = MEMORIES[0]) -> Kernel:
        """Compose the steps of one state per team, with the rule."""
        made, rule = super().kernel(problem, team, memory), self.rule
        return replace(
            made,
            functors=(*made.functors, *sources_of(rule)),
            headers=(*made.headers, rule.header),
            parts=(*made.parts, rule.name),
        )

    def numbers(self, problem: Assignment) -> dict[str, Any]:
        """Return the sample, the steps of a round, and what a unit of excess may cost."""
        return {
            "sample": min(self.sample, MOST_DRAWN),
            "round_steps": self.steps,
            "most_penalty": most_penalty(problem),
        }

    def memory(self, problem: Assignment, xp: Any, size: int) -> dict[str, Any]:
        """Return the rule's levels, a scale for each state, and room for lists."""
        levels = [self.rule.level(part / LEVELS) for part in range(LEVELS)]
        return {
            "levels": xp.asarray(np.array(levels, np.float32)),
            "scales": xp.zeros(size, "float32"),
            "used": xp.empty((size, int(problem.sizes.max())), "int32"),
            "listed": xp.empty((size, problem.n), "int32"),
        }

    def state_bytes(self, m: int, most: int) -> int:
        """Return the bytes of these for each state."""
        return 4 * most + 4 * m + 4


@dataclass(frozen=True)
class EjectionChains(Improvement):
    """Kicks, moving at most so many variables at random, that are repaired by ejection chains."""

    kicks: int

    name = "chains"
    header = "assignment/engines/ejection_chains.cuh"
    batch = struct_of(header, "ChainSteps")

    @classmethod
    def round_defaults(cls, problem: Assignment) -> RoundDefaults:
        """Return short rounds, after each of which rows go on from better ones."""
        return RoundDefaults(steps=5, share=0.01, mixing=0.0, migration=0)

    def team(self, backend: Backend) -> str:
        """Return a warp: a lane for each beginning of a group."""
        return backend.warp(1)

    def resident(self, problem: Assignment) -> int:
        """Return how many states a multiprocessor has at a time: registers of a scout for each."""
        return 12

    def body(self, problem: Assignment, memory: str) -> str:
        """Return the C++ type of the kernel."""
        return f"gls::EjectionChains<{problem.functor()}, {memory}>"

    def numbers(self, problem: Assignment) -> dict[str, Any]:
        """Return how much a step changes, and what a unit of excess may cost."""
        return {"kicks": self.kicks, "most_price": most_penalty(problem)}

    def memory(self, problem: Assignment, xp: Any, size: int) -> dict[str, Any]:
        """Return a state that is tried, lists of the variables of each value, and prices."""
        m, most = problem.n, int(problem.sizes.max())
        return {
            "tried": xp.empty((size, m), "int32"),
            "counts": xp.empty((size, most), "int32"),
            "members": xp.empty((size, most, m), "int32"),
            "prices": xp.full((size, most), first_penalty(problem), "int64"),
            "overs": xp.empty((size, most), "int64"),
        }

    def state_bytes(self, m: int, most: int) -> int:
        """Return the bytes of these for each state."""
        return 4 * m + 4 * most * m + 20 * most


class RoundPlan(NamedTuple):
    """The numbers of a search on one problem."""

    steps: int  # of a round
    improvement: Improvement  # what steps are
    release: str  # name of the rule by which variables are released
    released: int  # variables at most
    mixing: float  # share of states that are mixed with another one instead
    migration: int  # rounds after which rows go on from better ones
    generation: SuccessorGeneration | None  # assigns released variables; None: random values
