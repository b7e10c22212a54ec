"""Kinds of steps that improve states in a round: their kernels, parameters and memory."""

from __future__ import annotations

import math
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
ROUND = struct_of("assignment/engines/round_state.cuh", "RoundBatch")
# Lanes of the team that searches a state, by the number of states on a multiprocessor.
LANES = {1: 1024, 2: 512, 3: 256}
# Permutations of at most FEW variables release this share: less often leads back to the same state.
FEW, SHARE_OF_FEW = 64, 0.3
MOST_DRAWN = 2 ** constant(ACCEPTED, "kNumberBits") - 1  # maximum number of moves that a step draws
LEVELS = constant(ACCEPTED, "kLevels")  # number of levels of an acceptance rule in a round
WHOLE = 1 << constant(TABU, "kTenureBits")  # fixed-point unit of tenures
MOST_SUM = 2**60  # maximum total penalty of a state; a sum of a few totals fits into 64 bits
UNKNOWN_EXCESS = 2**16  # assumed largest excess of a problem without `heaviest`


class Tenure(NamedTuple):
    """For how many steps a move is tabu.

    The number is the sum of `least`, a random number below `spread`, and `per_variable` times the
    number of variables that may be moved.
    """

    least: int
    spread: int
    per_variable: float


class RoundParameters(NamedTuple):
    """Parameters of a round; `SuccessorSearch` explains them."""

    steps: int
    share: float
    mixing: float
    migration: int


class Improvement(ABC):
    """Base class of the kinds of steps: tabu steps, accepted moves and ejection chains."""

    header: ClassVar[str]
    name: ClassVar[str]
    steps: ClassVar[Parameter]  # the kernel's arguments in addition to `ROUND`
    # How many states a multiprocessor searches at a time, unless shared memory allows fewer. The
    # number is limited by registers and the L1 cache (docs/lab/kernels-states-and-sequences.md,
    # "Tabu steps on states").
    resident: ClassVar[int] = 3
    reads_tables: ClassVar[bool] = False  # whether a step reads all of the arrays of a state

    @classmethod
    def round_defaults(cls, problem: Assignment) -> RoundParameters:
        """Return the default parameters of a round."""
        return RoundParameters(problem.steps * problem.n, share=0.1, mixing=0.5, migration=10)

    def team(self, backend: Backend, resident: int) -> str:
        """Return the C++ type of the team that searches a state; a block has one team.

        `resident` is the number of states that a multiprocessor searches at a time.
        """
        return backend.block(LANES[resident])

    @abstractmethod
    def body(self, problem: Assignment, memory: str) -> str:
        """Return the C++ type of the kernel; `memory` is the type that holds the functor's data."""

    @abstractmethod
    def numbers(self) -> dict[str, Any]:
        """Return the kernel's numeric arguments."""

    def numbers_of(self, number: int) -> dict[str, Any]:
        """Return the numeric arguments that change from round to round, for round `number`."""
        return {}

    @abstractmethod
    def arrays(self, m: int, most: int) -> dict[str, tuple[str, tuple[int, ...]]]:
        """Return each array's dtype and shape per state for m variables of up to `most` values."""

    def memory(self, problem: Assignment, xp: Any, size: int) -> dict[str, Any]:
        """Return the kernel's arrays for `size` states."""
        arrays = self.arrays(problem.n, int(problem.sizes.max()))
        return {name: xp.zeros((size, *shape), kind) for name, (kind, shape) in arrays.items()}

    def state_bytes(self, m: int, most: int) -> int:
        """Return how many bytes the arrays need for each state."""
        return sum(
            np.dtype(kind).itemsize * math.prod(shape)
            for kind, shape in self.arrays(m, most).values()
        )

    def kernel(
        self, problem: Assignment, team: str, memory: str = MEMORIES[0], resident: int | None = None
    ) -> Kernel:
        """Compose the kernel, in which each team searches one state.

        `memory` is as in `body`, and `resident` as in `team`; by default, as many as possible.
        """
        body = self.body(problem, memory)
        made = kernels.composed(self.name, self.header, (ROUND, self.steps), body, problem, team)
        return replace(made, blocks_per_multiprocessor=resident or self.resident)


def first_penalty(problem: Assignment) -> int:
    """Return the initial penalty of a unit of excess, in 1/UNIT of a unit of cost."""
    return min(max(1, round(UNIT * problem.penalty)), most_penalty(problem))


def most_penalty(problem: Assignment) -> int:
    """Return the largest penalty whose sums cannot overflow, in 1/UNIT of a unit of cost."""
    return max(1, MOST_SUM // (problem.heaviest or UNKNOWN_EXCESS))


def kinds_of_moves(problem: Assignment) -> tuple[str, ...]:
    """Return the problem's moves: only swaps if values are distinct and all are used."""
    return ("swap",) if problem.distinct and problem.sizes.max() == problem.n else problem.moves


def moves_of(problem: Assignment) -> tuple[str, ...]:
    """Return, as C++ template arguments, whether moves may assign values or swap them."""
    moves = kinds_of_moves(problem)
    return tuple(kernels.flag(kind in moves) for kind in ("assign", "swap"))


@dataclass(frozen=True)
class Tabu(Improvement):
    """Each step makes the best sampled move that is not tabu; rounds cycle through `tenures`."""

    tenures: tuple[Tenure, ...]
    sample: int

    name = "tabu"
    reads_tables = True
    header = TABU
    steps = struct_of(header, "TabuSteps")

    @classmethod
    def round_defaults(cls, problem: Assignment) -> RoundParameters:
        """Return the defaults; permutations get longer rounds, and short ones larger releases.

        docs/lab/kernels-states-and-sequences.md, "Tenures", gives the reasons.
        """
        usual = super().round_defaults(problem)
        if not problem.distinct:
            return usual
        share = SHARE_OF_FEW if problem.n <= FEW else usual.share
        return usual._replace(steps=200 * problem.n, share=share)

    def body(self, problem: Assignment, memory: str) -> str:
        """Return the C++ type of the kernel."""
        parts = problem.functor(), memory, kernels.flag(problem.distinct), *moves_of(problem)
        return f"gls::TabuSearch<{', '.join(parts)}>"

    def numbers(self) -> dict[str, Any]:
        """Return the maximum number of moves that a step evaluates."""
        return {"sample": self.sample}

    def numbers_of(self, number: int) -> dict[str, Any]:
        """Return the tenure of a round."""
        tenure = self.tenures[number % len(self.tenures)]
        return {
            "tenure": tenure.least,
            "spread": tenure.spread,
            "per_variable": round(WHOLE * tenure.per_variable),
        }

    def arrays(self, m: int, most: int) -> dict[str, tuple[str, tuple[int, ...]]]:
        """Return arrays for the end of each value's tenure, variables to move, and used values."""
        return {"tabu": ("int32", (m, most)), "listed": ("int32", (m,)), "used": ("int32", (most,))}


@dataclass(frozen=True)
class Accepted(Improvement):
    """Each step draws up to `sample` moves until an acceptance rule accepts one.

    The rule passes through all its levels in a round. A level is a multiple of the mean cost of a
    variable.
    """

    rule: Acceptance
    sample: int
    round_steps: int

    name = "accepted"
    header = ACCEPTED
    steps = struct_of(header, "AcceptedSteps")

    def body(self, problem: Assignment, memory: str) -> str:
        """Return the C++ type of the kernel."""
        functors = problem.functor(), memory, self.rule.functor
        parts = *functors, kernels.flag(problem.distinct), *moves_of(problem)
        return f"gls::AcceptedMoves<{', '.join(parts)}>"

    def kernel(
        self, problem: Assignment, team: str, memory: str = MEMORIES[0], resident: int | None = None
    ) -> Kernel:
        """Compose the kernel, with the rule."""
        made, rule = super().kernel(problem, team, memory, resident), self.rule
        return replace(
            made,
            functors=(*made.functors, *sources_of(rule)),
            headers=(*made.headers, rule.header),
            parts=(*made.parts, rule.name),
        )

    def numbers(self) -> dict[str, Any]:
        """Return how many moves a step may draw, and how many steps a round has."""
        return {"sample": min(self.sample, MOST_DRAWN), "round_steps": self.round_steps}

    def arrays(self, m: int, most: int) -> dict[str, tuple[str, tuple[int, ...]]]:
        """Return arrays for the scale of levels, variables to move, and used values."""
        return {"scales": ("float32", ()), "listed": ("int32", (m,)), "used": ("int32", (most,))}

    def memory(self, problem: Assignment, xp: Any, size: int) -> dict[str, Any]:
        """Return the kernel's arrays for `size` states, and the rule's levels."""
        levels = np.array([self.rule.level(part / LEVELS) for part in range(LEVELS)], np.float32)
        return super().memory(problem, xp, size) | {"levels": xp.asarray(levels)}


@dataclass(frozen=True)
class EjectionChains(Improvement):
    """Each step moves up to `kicks` variables at random and repairs the state with chains."""

    kicks: int

    name = "chains"
    header = "assignment/engines/ejection_chains.cuh"
    steps = struct_of(header, "ChainSteps")
    # Limited by registers (docs/lab/kernels-states-and-sequences.md, "Ejection chains").
    resident = 12

    @classmethod
    def round_defaults(cls, problem: Assignment) -> RoundParameters:
        """Return the defaults: short rounds, after which a row may continue from a better one."""
        return RoundParameters(steps=5 * problem.n, share=0.01, mixing=0.0, migration=0)

    def team(self, backend: Backend, resident: int) -> str:
        """Return a warp, whose lanes evaluate links of chains side by side."""
        return backend.warp(1)

    def body(self, problem: Assignment, memory: str) -> str:
        """Return the C++ type of the kernel."""
        return f"gls::EjectionChains<{problem.functor()}, {memory}>"

    def numbers(self) -> dict[str, Any]:
        """Return the maximum number of variables that a step kicks."""
        return {"kicks": self.kicks}

    def arrays(self, m: int, most: int) -> dict[str, tuple[str, tuple[int, ...]]]:
        """Return arrays for a tried state, each value's variables, and prices of excess."""
        return {
            "tried": ("int32", (m,)),
            "counts": ("int32", (most,)),
            "members": ("int32", (most, m)),
            "prices": ("int64", (most,)),
            "overs": ("int64", (most,)),
        }

    def memory(self, problem: Assignment, xp: Any, size: int) -> dict[str, Any]:
        """Return the kernel's arrays for `size` states, with initial prices."""
        made = super().memory(problem, xp, size)
        made["prices"] += first_penalty(problem)
        return made


class RoundPlan(NamedTuple):
    """Parameters of a search on one problem."""

    steps: int  # number of steps in a round
    improvement: Improvement
    release: str  # rule that selects the variables to release
    released: int  # maximum number of variables that are released
    mixing: float  # share of states that are mixed with another state instead
    migration: int  # a row continues from a better one after this many idle rounds
    generation: SuccessorGeneration | None  # assigns released variables; None: random values
