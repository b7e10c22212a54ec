"""Exchanges between the chains of a population of sequences."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from gpu_ls_plugin.backends.composition import Kernel, parse_parameters
from gpu_ls_plugin.backends.structs import enumerators, struct_of
from gpu_ls_plugin.backends.tuning import padded
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.runs.partners import Partners
from gpu_ls_plugin.sequences.problem.sequence import Sequence, with_front

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend

BLOCKS = "sequences/cooperation/common_blocks.cuh"
PAIRS = struct_of("runs/crossovers/pairs.cuh", "TourPairs")
MOST_EVERY = 1e6
FASTER = 4  # by which an interval may be longer than the one before
PHASES = enumerators("sequences/kernels/chain_state.cuh", "Phase")
FIRST_DESCENT, NEXT_KICK = PHASES["kFirstDescent"], PHASES["kNextKick"]
NO_QUEUE = -1  # place of the next item in a queue that does not exist yet; see `Descent`
# The C++ template of each crossover, its header, and the bytes per item that a pair needs.
CROSSOVERS = {
    "blocks": ("gls::CommonBlocks", BLOCKS, 8),
    "cycle": ("gls::Cycle", "runs/crossovers/cycle.cuh", 16),
    "order": ("gls::OrderCrossover", "runs/crossovers/order_crossover.cuh", 4),
    "partially_mapped": ("gls::PartiallyMapped", "runs/crossovers/partially_mapped.cuh", 4),
}


class ChainExchange(ABC):
    """An exchange between the chains of a population, which takes place at regular intervals.

    Attributes
    ----------
    share : float
        Share of the chains, 0 to 0.5: the worst ones take over the sequences of the best ones.
    every : float
        Kicks per item between two exchanges, more than 0.
    times : int, optional
        Approximate number of exchanges in a run with a limit on kicks or time; replaces `every`.
    """

    share: float
    every: float
    times: int | None
    name: ClassVar[str]

    def __post_init__(self) -> None:
        checks.fields(self, checks.number, "share", least=0.0, most=0.5)
        checks.fields(self, checks.number, "every", least=1e-6, most=MOST_EVERY)
        checks.given_fields(self, checks.integer, "times", least=1)

    def interval(self, n: int, last: int = 0, share: float = 0.0) -> int:
        """Return the number of kicks before the next exchange.

        Parameters
        ----------
        n : int
            Number of items.
        last : int
            Number of kicks before the last exchange; 0 if there was none.
        share : float
            Share of the run that these kicks took; 0 if the run has no limit.
        """
        if self.times is None or not last or share <= 0:
            return max(1, round(self.every * n))
        return max(1, min(FASTER * last, round(last / (self.times * share))))

    @abstractmethod
    def exchange(
        self, problem: Sequence, backend: Backend, own: dict[str, Any], number: int
    ) -> None:
        """Change the rows from which chains continue.

        Parameters
        ----------
        problem : Sequence
        backend : Backend
        own : dict
            Arguments of the kernels, with arrays (P, ...); `rows`, `bests`, `best_values` and
            `states` may be changed in place. All chains are between two kicks.
        number : int
            Number of exchanges before.
        """

    def replace_worst(self, backend: Backend, own: dict[str, Any]) -> None:
        """Let the worst chains continue from the best sequences of the best chains."""
        best = own["best_values"]
        order = backend.xp.argsort(best, kind="stable")
        count = int(self.share * len(order))
        if count == 0:
            return
        worst, leads = order[::-1][:count], order[:count]
        for name in ("rows", "bests"):
            own[name][worst] = own["bests"][leads]
        own["best_values"][worst] = best[leads]


@dataclass(frozen=True)
class ChainMigration(ChainExchange):
    """The worst chains continue from the best sequences of the best chains.

    Parameters
    ----------
    share : float
        Share of the chains that are replaced, 0 to 0.5.
    every : float
        Kicks per item between two migrations, more than 0.
    times : int, optional
        Approximate number of migrations in a run with a limit on kicks or time; replaces `every`.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or not a number.
    """

    share: float = 0.1
    every: float = 0.5
    times: int | None = None

    name = "chain_migration"

    def exchange(
        self, problem: Sequence, backend: Backend, own: dict[str, Any], number: int
    ) -> None:
        self.replace_worst(backend, own)


@dataclass(frozen=True)
class SequenceCrossing(ChainExchange):
    """Each chain continues from a child of its best sequence and that of another chain.

    Parameters
    ----------
    crossover : {"blocks", "order", "partially_mapped", "cycle"}
        "blocks" keeps blocks that both parents have in the same places (after Ruiz, Maroto and
        Alcaraz 2006); for the others, see `OrderRecombination`, `PartiallyMappedRecombination` and
        `CycleRecombination`.
    share : float
        Share of the chains, 0 to 0.5. Before the crossovers, this share of the worst chains takes
        over the best sequences of the best chains.
    every : float
        Kicks per item between two generations, more than 0.
    times : int, optional
        Approximate number of generations in a run with a limit on kicks or time; replaces `every`.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range, unknown or of another type.
    """

    crossover: str = "blocks"
    share: float = 0.0
    every: float = 0.5
    times: int | None = None

    name = "sequence_crossing"

    def __post_init__(self) -> None:
        checks.fields(self, checks.choice, "crossover", known=tuple(CROSSOVERS))
        super().__post_init__()

    def exchange(
        self, problem: Sequence, backend: Backend, own: dict[str, Any], number: int
    ) -> None:
        self.replace_worst(backend, own)
        xp, (size, n) = backend.xp, own["rows"].shape
        if size < 2 or n - problem.fixed < 2:
            return
        _, _, item_bytes = CROSSOVERS[self.crossover]
        partners = Partners(xp, size, own["seed"], own["first_row"]).of(number)
        arguments = {
            "seed": own["seed"],
            "first_row": own["first_row"],
            "generation": number,
            "first": own["bests"],
            "second": own["bests"],
            "partners": partners,
            "children": own["rows"],
            "scratch": xp.empty((size, padded(item_bytes * n) + 64), "uint8"),
            "n": n,
        }
        backend.launch(crossing_kernel(self.crossover, backend.warp()), size, arguments)
        if problem.front:
            own["rows"][:] = with_front(xp, own["rows"], problem.front)
        own["states"][:, :4] = xp.asarray(first_state(n), "int32")


def first_state(n: int) -> tuple[int, int, int, int]:
    """Return the state of a chain before its first descent; see `ChainState`."""
    return FIRST_DESCENT, NO_QUEUE, 0, n


def crossing_kernel(crossover: str, team: str) -> Kernel:
    """Compose the kernel that crosses a pair per team."""
    functor, header, _ = CROSSOVERS[crossover]
    return Kernel(
        name="cross_sequences",
        header=header,
        body=f"gls::CrossPairs<{team}, gls::PairScratch, {functor}>",
        parameters=(*parse_parameters("int n"), PAIRS),
        team=team,
        headers=(BLOCKS,),
        parts=(crossover,),
    )
