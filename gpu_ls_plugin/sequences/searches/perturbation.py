"""Kicks of sequences as perturbations for the operators of frameworks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.sequences.engines.kicked_rows import kicked
from gpu_ls_plugin.sequences.moves.sequence_moves import Insertion
from gpu_ls_plugin.sequences.problem.sequence import sequence_problem
from gpu_ls_plugin.sequences.searches.evaluation import Evaluation
from gpu_ls_plugin.sequences.searches.neighbours import Inserted, removed_by

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.sequences.kicks.destroy_repair import SequenceKick
    from gpu_ls_plugin.sequences.problem.sequence import Sequence

MOVES = (Insertion(),)  # of kicks that also search


@dataclass(frozen=True)
class SequencePerturbation:
    """One kick of each row, without a descent afterwards.

    Parameters
    ----------
    kick : SequenceKick
        For example `DestroyRepair`.
    """

    kick: SequenceKick

    by_lengths: ClassVar[bool] = True  # it reads the objective

    @property
    def name(self) -> str:
        """Name of the kick."""
        return self.kick.name

    def perturb(
        self,
        problem: Problem,
        rows: Any,
        *,
        seed: int | None = 0,
        backend: str | Backend = "auto",
        first_row: int = 0,
    ) -> NDArray[np.int32]:
        """Return kicked copies of sequences (P, n), on the host; a row may become worse.

        Raises
        ------
        InvalidTourError, InvalidTypeError
            `rows` are not sequences of the problem.
        UnsupportedProblemError
            It is not a sequence problem, or the kick exists in C++ only and the objective does not.
        """
        sequence = sequence_problem(problem)
        checked = sequence.check(rows)
        numbers = {"seed": checks.seed(seed), "first_row": checks.first_row(first_row)}
        if not sequence.objective.functor():
            return _kicked_in_batches(sequence, checked, removed_by(self.kick), **numbers)
        chosen = get_backend(backend)
        with chosen.current():
            copies = chosen.xp.array(checked)
            made = kicked(chosen, sequence, copies, self.kick, MOVES, **numbers)
            return sequence.check(chosen.to_numpy(made))


def _kicked_in_batches(
    problem: Sequence, rows: NDArray[np.int32], removed: int, seed: int, first_row: int
) -> NDArray[np.int32]:
    """Return copies in which random items moved to random places, and then each to its best."""
    fixed, insert = problem.fixed, Inserted()
    movable, evaluate = problem.n - fixed, Evaluation(problem)
    items = np.empty((len(rows), min(removed, movable)), np.int32)
    made = rows.copy()
    for number, row in enumerate(made):
        random = np.random.default_rng((seed, first_row + number))
        places = fixed + random.permutation(movable)[: items.shape[1]]
        items[number] = row[places]
        kept = np.delete(row, places)
        row[:] = np.insert(kept, random.integers(fixed, len(kept) + 1, len(places)), items[number])
    places = np.arange(fixed, problem.n)[None]
    step = max(1, evaluate.most // max(1, movable))
    for number in range(items.shape[1]):
        for begin in range(0, len(made), step):
            some = made[begin : begin + step]
            at = (some == items[begin : begin + step, number, None]).argmax(axis=1)
            neighbours = insert(some, at, places)
            costs, _ = evaluate(neighbours.reshape(-1, problem.n))
            best = costs.reshape(len(some), -1).argmin(axis=1)
            some[:] = neighbours[np.arange(len(some)), best]
    return made
