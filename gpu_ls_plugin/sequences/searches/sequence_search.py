"""Iterated search on sequences: kick, descend, accept or undo."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.budget import NO_LIMIT, Budget, Stopwatch
from gpu_ls_plugin.core.exceptions import (
    InsufficientMemoryError,
    InvalidParameterError,
    InvalidTypeError,
)
from gpu_ls_plugin.core.feasibility import warns_if_infeasible
from gpu_ls_plugin.runs.acceptance import Acceptance, Annealing
from gpu_ls_plugin.runs.search_population import search_population
from gpu_ls_plugin.sequences.construction.random_sequences import random_sequences
from gpu_ls_plugin.sequences.cooperation.exchanges import ChainExchange
from gpu_ls_plugin.sequences.engines.kernels import PIVOTS
from gpu_ls_plugin.sequences.engines.sequence_population import SequencePopulation
from gpu_ls_plugin.sequences.kicks.destroy_repair import DestroyRepair, SequenceKick
from gpu_ls_plugin.sequences.moves.sequence_moves import Insertion, SequenceMove
from gpu_ls_plugin.sequences.problem.sequence import Sequence
from gpu_ls_plugin.sequences.searches.batched_population import BatchedPopulation

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.result import Callback, Result

# With 50, a generation of 200 sequences of a 100 x 20 flow shop takes 9 s on two cores.
KICKS_OF_OFFSPRING = 10
ROW_BYTES = 32  # bytes of a chain per item, besides states: rows and lists
TEMPERATURE = 0.05  # of the default acceptance, in mean costs per item


def _default_kick() -> DestroyRepair:
    return DestroyRepair(removed=2, descend=True)


def _default_accept() -> Annealing:
    return Annealing(TEMPERATURE, TEMPERATURE)


@dataclass(frozen=True)
class SequenceSearch:
    """Improve sequences by iterated local search or iterated greedy.

    Each row has a chain: it descends to a local optimum; then it kicks, descends, and continues
    from the new sequence if the acceptance rule takes it (Ruiz and Stützle 2007).

    Parameters
    ----------
    moves : sequence of SequenceMove
        For each item, the descent tries the kinds of moves in this order. The first kind with an
        improving move makes its best move.
    kick : SequenceKick, optional
        None: the search ends at local optima.
    accept : Acceptance
        By default, annealing at a constant temperature.
    exchange : ChainExchange, optional
        How chains help each other: `ChainMigration` or `SequenceCrossing`. By default, chains are
        independent.
    pivoting : {"first", "best"}
        Whether a descent makes the first move that lowers the value, or the best move of all items.
        `First()` and `Best()` are also accepted.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A part is of the wrong kind.
    """

    moves: tuple[Any, ...] = (Insertion(),)
    kick: SequenceKick | None = field(default_factory=_default_kick)
    accept: Acceptance = field(default_factory=_default_accept)
    exchange: ChainExchange | None = None
    pivoting: str = "first"

    name = "sequence_search"
    adopts: ClassVar[bool] = True  # its populations accept rows from elsewhere

    def __post_init__(self) -> None:
        if not isinstance(self.moves, (list, tuple)):
            raise InvalidTypeError(
                f"moves: {self.moves!r:.80} is not a list, such as [Insertion()]"
            )
        object.__setattr__(self, "moves", tuple(self.moves))
        if not self.moves:
            raise InvalidParameterError("moves: the list is empty; give it Insertion()")
        for move in self.moves:
            checks.instance("moves", move, kind=SequenceMove, wanted="move of sequences")
        checks.given_fields(
            self, checks.instance, "kick", kind=SequenceKick, wanted="kick of sequences"
        )
        wanted = "acceptance rule, such as Better()"
        checks.fields(self, checks.instance, "accept", kind=Acceptance, wanted=wanted)
        object.__setattr__(self, "pivoting", getattr(self.pivoting, "name", self.pivoting))
        checks.fields(self, checks.choice, "pivoting", known=tuple(PIVOTS))
        wanted = "exchange, such as SequenceCrossing()"
        checks.given_fields(self, checks.instance, "exchange", kind=ChainExchange, wanted=wanted)

    def iterated(
        self, perturbation: SequenceKick | None = None, accept: Acceptance | None = None
    ) -> SequenceSearch:
        """Return this search with a kick and an acceptance rule; None: the default."""
        return replace(
            self, kick=perturbation or _default_kick(), accept=accept or _default_accept()
        )

    @warns_if_infeasible
    def __call__(
        self,
        problem: Sequence,
        sequences: Any,
        *,
        seed: int | None = 0,
        budget: Budget | None = None,
        backend: str | Backend = "auto",
        device: int | None = None,
        callback: Callback | None = None,
        memory_limit: int | None = None,
        first_row: int = 0,
    ) -> Result:
        """Improve a batch of sequences until the budget is spent.

        Parameters
        ----------
        problem : Sequence
        sequences : array, shape (P, n), integer
            NumPy or CuPy array, not changed. With CuPy, the result is on the same device.
        seed : int or None
            None draws a random seed.
        budget : Budget, optional
            `seconds`, `kicks` and `moves` of each row, `target`. By default 50 kicks.
        backend, device
            See `get_backend`.
        callback : callable, optional
            Called with a `Progress` after each launch of about 50 ms.
        memory_limit : int, optional
            How many bytes may be used; by default, all that are available.
        first_row : int
            Number of the first row if the batch is part of a larger one.

        Returns
        -------
        Result
            The best sequence of each chain, never worse than the given one. After Ctrl-C, these are
            the best so far, and `statistics.interrupted` is true.

        Raises
        ------
        InvalidTourError, InvalidTypeError, InvalidParameterError
            Sequences or a parameter are invalid.
        FaultyPartError
            The objective's functor and its `evaluate` disagree.
        InsufficientMemoryError
            The sequences do not fit into memory.
        """
        watch = Stopwatch(budget)
        checks.callback(callback)
        population = self.population(
            problem,
            sequences,
            seed=seed,
            backend=backend,
            device=device,
            memory_limit=memory_limit,
            first_row=first_row,
            target=watch.budget.target,
            moves=watch.budget.moves,
        )
        with population.backend.current():
            return search_population(self, population, problem, watch, callback, sequences)

    def prepare(
        self,
        problem: Sequence,
        size: int = 2,
        *,
        backend: str | Backend = "auto",
        device: int | None = None,
    ) -> None:
        """Compile all kernels, so that later calls find them.

        Parameters
        ----------
        problem : Sequence
        size : int
            Number of rows; any value works.
        backend, device
            Those of the later calls; see `get_backend`.

        Raises
        ------
        CompilationError, BackendUnavailableError
            As in a call.
        """
        rows = random_sequences(problem, 2, backend="cpu")
        self.population(problem, rows, backend=backend, device=device).compile()

    def population(
        self,
        problem: Sequence,
        sequences: Any,
        *,
        seed: int | None = 0,
        backend: str | Backend = "auto",
        device: int | None = None,
        memory_limit: int | None = None,
        first_row: int = 0,
        target: float | None = None,
        moves: int | None = None,
        asked: Sequence | None = None,
        seconds: float = math.inf,
        parts: int = 1,
    ) -> SequencePopulation | BatchedPopulation:
        """Return a population of the given rows; see `__call__`.

        `asked`, `seconds` and `parts` have no effect.
        """
        checks.instance("problem", problem, kind=Sequence, wanted="Sequence")
        chosen = get_backend(backend, device, tours=sequences)
        with chosen.current():
            rows = problem.check(chosen.to_numpy(sequences), parameter="sequences")
            _require_memory(problem, len(rows), chosen, memory_limit)
            compiled = bool(problem.objective.functor())
            return (SequencePopulation if compiled else BatchedPopulation)(
                problem,
                rows,
                checks.seed(seed),
                chosen,
                moves=self.moves,
                pivoting=self.pivoting,
                kick=self.kick,
                accept=self.accept,
                exchange=self.exchange,
                first_row=checks.first_row(first_row),
                target=target,
                most_moves=NO_LIMIT if moves is None else moves,
            )

    def own_kicks(self, problem: Sequence) -> int:
        """Return how many kicks an operator of a framework makes per row if nothing limits it."""
        return KICKS_OF_OFFSPRING


def _require_memory(
    problem: Sequence, size: int, backend: Backend, memory_limit: int | None
) -> None:
    """Raise InsufficientMemoryError if a number of chains needs more than the limit of bytes."""
    needed = problem.n * (ROW_BYTES + problem.state_bytes(gpu=bool(backend.shared_memory)))
    fitting = backend.rows_that_fit(needed, 0, backend.memory(memory_limit))
    if fitting < size:
        raise InsufficientMemoryError(
            f"memory_limit: {fitting:,} of {size:,} sequences fit; search fewer at once"
        )
