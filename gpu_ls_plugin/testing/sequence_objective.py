"""Checks that all levels of an objective of sequences agree with its `evaluate`."""

from __future__ import annotations

from copy import copy
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.budget import Budget
from gpu_ls_plugin.sequences.construction.random_sequences import random_sequences
from gpu_ls_plugin.sequences.moves.sequence_moves import Insertion, Reversal, Swap
from gpu_ls_plugin.sequences.problem.libraries import in_library
from gpu_ls_plugin.sequences.problem.objective import SequenceObjective
from gpu_ls_plugin.sequences.problem.sequence import as_objective, check_price, sequence_problem
from gpu_ls_plugin.sequences.searches.sequence_search import SequenceSearch
from gpu_ls_plugin.testing.sequence_functor import check_members, cost_texts, differ, items_text
from gpu_ls_plugin.testing.subject import Subject

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from gpu_ls_plugin.sequences.problem.sequence import Sequence
    from gpu_ls_plugin.testing.sequence_functor import Recorded

MOST_EXHAUSTED = 5  # items that can be moved, if all sequences are checked
LEAST_ROWS, MOST_ROWS = 3, 200  # of a sample
WORK = 10**7  # rows times squared items of a check of many items
SEARCHED, KICKS, MOVES = 4, 3, 20  # rows of a search, its kicks, and its moves if n is large
MOST_COMPARED = 50  # items: searches of more are not compared
EVALUATE = (
    "evaluate() must return the costs of rows (P, n) as an array (P,), or a pair of arrays: costs "
    "and violations"
)
ALONE = "the cost of a row may depend on this row alone, not on the batch or on earlier calls"
SEARCH = "the members must not depend on anything but their arguments and the data"
PLAIN = "SequenceObjectivePlain"
# Hides all members beyond level "prefix": searches on both must find the same rows.
HIDDEN = f"""
struct {PLAIN} : {{functor}} {{{{
  static constexpr bool kRegular = false;

 private:
  void end() const;
  void prepend() const;
  void join() const;
  void concatenate() const;
}}}};
"""


def check_sequence_objective(
    objective: SequenceObjective | Callable[[NDArray[Any]], Any],
    problem: Sequence,
    *,
    backend: str = "auto",
    seed: int = 0,
) -> None:
    """Raise unless `evaluate` is sound and all members of the C++ struct agree with it.

    Costs must depend on each row alone. At level "prefix", the cost after all items must be that of
    `evaluate`; at the levels "suffix" and "segments", so must the cost of parts that are joined at
    each place. Then a short search must report exact costs, and find the same sequences as without
    the members beyond level "prefix".

    Parameters
    ----------
    objective : SequenceObjective or callable
        A callable takes rows (P, n) and returns their costs (P,).
    problem : Sequence
        A problem with this objective, such as ``Sequence(n, objective)``. With up to 5 movable
        items, all sequences are checked; otherwise a sample. Small problems reveal more faults.
    backend : {"auto", "cpu", "cuda"}
    seed : int

    Raises
    ------
    PartCheckError
        The message gives the reason, with the member at fault and a sequence, and a remedy.
    """
    tried = copy(sequence_problem(problem))
    tried.objective = as_objective(objective, problem.integer)
    check_price(tried.objective)
    subject = Subject.of("objective", tried.objective, backend, seed).on(tried)
    rows = _rows(tried, seed)
    worths = _check_evaluate(subject, tried, rows)
    functor, source = tried.objective.functor(), tried.objective.source()
    text = "source() returns C++, but functor() no name"
    subject.expect(functor or not source, text, "return the name of the struct from functor()")
    if functor:
        _check_searches(subject, tried, check_members(subject, tried, rows, worths))


def _rows(problem: Sequence, seed: int) -> NDArray[np.int32]:
    """Return all sequences of a problem in random order or, if there are many, random ones."""
    others = np.setdiff1d(np.arange(problem.n), problem.front)
    if len(others) > MOST_EXHAUSTED:
        size = int(np.clip(WORK // problem.n**2, LEAST_ROWS, MOST_ROWS))
        return random_sequences(problem, size, seed=seed, backend="cpu")
    every = [(*problem.front, *ends) for ends in permutations(others.tolist())]
    return np.random.default_rng(seed).permutation(np.array(every, np.int32))


def _check_evaluate(subject: Subject, problem: Sequence, rows: NDArray[np.int32]) -> NDArray[Any]:
    """Return the costs and violations of rows, shape (P, 2); raise unless they are valid."""
    given = rows.copy()
    with subject.blamed("evaluate()", EVALUATE):
        problem.objective.evaluate(in_library(given, problem.objective.library))
    remedy = "work on a copy"
    subject.expect_equal(given, rows, "evaluate() changed the rows in place", remedy)
    worths = _worths(subject, problem, rows)
    places = np.arange(len(rows))
    others = {
        "when called again": places,
        "when the row is alone": places[len(rows) // 2 :][:1],
        "when the rows are in another order": places[::-1],
    }
    for when, chosen in others.items():
        again = _worths(subject, problem, rows[chosen])
        bad = differ(again, worths[chosen]).any(axis=1)
        if bad.any():
            at = int(bad.argmax())
            found, expected = cost_texts(again[at], worths[chosen][at])
            raise subject.fault(
                f"evaluate() returns {found} for {items_text(rows[chosen][at])} {when}, but "
                f"{expected} before",
                ALONE,
            )
    return worths


def _worths(subject: Subject, problem: Sequence, rows: NDArray[np.int32]) -> NDArray[Any]:
    with subject.blamed("evaluate()", EVALUATE):
        return np.stack([problem.cost(rows), problem.excess(rows)], axis=1)


def _check_searches(subject: Subject, problem: Sequence, found: Recorded) -> None:
    """Raise unless a search reports exact costs, and finds the same rows at level "prefix"."""
    rows = _searched(subject, problem)
    beyond = found.joins or found.concatenates or found.regular
    if found.pairs or not beyond or not problem.integer or problem.n > MOST_COMPARED:
        return
    plain = copy(problem)
    plain.objective = _Plain(problem.objective)
    again = _searched(subject, plain)
    other = (rows != again).any(axis=1)
    if other.any():
        row = int(other.argmax())
        offers = {
            "join()": found.joins,
            "concatenate()": found.concatenates,
            "kRegular": found.regular,
        }
        names = " and ".join(name for name, offered in offers.items() if offered)
        raise subject.fault(
            f"a search finds {items_text(rows[row])}, but {items_text(again[row])} without {names}",
            SEARCH,
        )


def _searched(subject: Subject, problem: Sequence) -> NDArray[np.int32]:
    search = SequenceSearch((Insertion(2), Swap(), Reversal()))
    place: dict[str, Any] = {"seed": subject.seed, "backend": subject.backend.name}
    moves = MOVES if problem.n > MOST_COMPARED else None
    with subject.blamed("a search", SEARCH):
        starts = random_sequences(problem, SEARCHED, **place)
        found = search(problem, starts, budget=Budget(kicks=KICKS, moves=moves), **place)
    return np.asarray(subject.backend.to_numpy(found.tours))


class _Plain(SequenceObjective):
    """An objective without the members beyond level "prefix"."""

    def __init__(self, whole: SequenceObjective) -> None:
        self.whole, self.integer, self.price = whole, whole.integer, whole.price
        self.name = whole.name  # type: ignore[misc]

    def evaluate(self, rows: NDArray[Any], /) -> Any:
        return self.whole.evaluate(rows)

    def functor(self) -> str:
        return PLAIN

    def source(self) -> str:
        return self.whole.source() + HIDDEN.format(functor=self.whole.functor())

    @property
    def header(self) -> str:
        return self.whole.header

    def data(self) -> Mapping[str, Any]:
        return self.whole.data()
