"""Problems that ask for a sequence: permutations with an objective of their own."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import (
    FaultyPartError,
    FileFormatError,
    InvalidParameterError,
    InvalidTourError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.core.files import naming
from gpu_ls_plugin.core.permutation_files import read_permutation, write_permutation
from gpu_ls_plugin.core.problem import Problem
from gpu_ls_plugin.core.problem_data import labels
from gpu_ls_plugin.core.rows import check_permutations
from gpu_ls_plugin.sequences.problem.libraries import LIBRARIES, from_library, in_library
from gpu_ls_plugin.sequences.problem.objective import SequenceObjective

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from numpy.typing import NDArray

MOST_ITEMS = 2**15  # kernels have random numbers to shuffle twice as many
MOST = 2**62  # costs and violations stay below this
WORDS = ("sequences", "items", "item")


class Sequence(Problem):
    """A problem whose rows are permutations of 0..n-1, read from the first item to the last.

    Parameters
    ----------
    n : int
        Number of items, 1 to 32,768.
    objective : SequenceObjective or callable
        A callable takes rows (P, n) and returns their costs (P,), integers or floats: level
        "python".
    name : str
    optimum : int or float, optional
        The lowest possible cost.
    integer : bool, optional
        Whether the costs that a callable returns are integers; False by default. Leave it out if
        `objective` is a `SequenceObjective`, which has the attribute `integer`.

    Attributes
    ----------
    front : tuple of int
        Items with which every row begins, in this order; none unless a subclass sets it.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range, or of another type.
    """

    front: tuple[int, ...] = ()

    def __init__(
        self,
        n: int,
        objective: SequenceObjective | Callable[[NDArray[Any]], Any],
        *,
        name: str = "",
        optimum: float | None = None,
        integer: bool | None = None,
    ) -> None:
        self.n = checks.integer("n", n, least=1, most=MOST_ITEMS)
        self.objective = as_objective(objective, integer)
        check_price(self.objective)
        checks.choice("objective.library", self.objective.library, known=LIBRARIES)
        self.name, _, self.optimum = labels(name, "", optimum, least=-MOST)

    def __repr__(self) -> str:
        name = f" {self.name!r}" if self.name else ""
        return f"<{type(self).__name__}{name}: {self.n} items, {self.objective.name}>"

    @property
    def integer(self) -> bool:
        return self.objective.integer

    @property
    def fixed(self) -> int:
        """Number of items at the front that searches do not move."""
        return len(self.front)

    def state_bytes(self, *, gpu: bool = False) -> int:
        """Approximate bytes of memory of a chain per item, without lists of items."""
        return 16

    @cached_property
    def constrained(self) -> bool:  # type: ignore[override]
        """Whether sequences may break constraints, which the objective reports as violations."""
        return self.evaluated(np.arange(self.n, dtype=np.int32)[None])[1] is not None

    def check(self, rows: Any, /, *, parameter: str = "rows") -> NDArray[np.int32]:
        """Return sequences as an array, or raise and name a wrong row; see `Problem.check`."""
        checked = check_permutations(rows, self.n, parameter=parameter, words=WORDS)
        wrong = (checked[:, : self.fixed] != np.array(self.front, np.int32)).any(axis=1)
        if wrong.any():
            row = int(wrong.argmax())
            found, wanted = checked[row, : self.fixed].tolist(), list(self.front)
            raise InvalidTourError(
                f"{parameter}: row {row} begins with {found}, but all sequences of this problem "
                f"begin with {wanted}; move these items to the front"
            )
        return checked

    def cost(self, rows: Any, /) -> NDArray[Any]:
        """Return the cost of each sequence, shape (P,), without the price of violations."""
        return self.evaluated(self.check(rows))[0]

    def excess(self, rows: Any, /) -> NDArray[Any]:
        """Return by how much each sequence breaks constraints, shape (P,)."""
        checked = self.check(rows)
        found = self.evaluated(checked)[1]
        return np.zeros(len(checked), self.cost_dtype) if found is None else found

    def feasible(self, rows: Any, /) -> NDArray[np.bool_]:
        """Return which sequences break no constraint, shape (P,)."""
        return np.asarray(self.excess(rows) == 0)

    def compared(self, rows: Any, /) -> NDArray[Any]:
        """Return the values (P,) that searches compare: costs plus the price of violations."""
        return self.priced(*self.evaluated(self.check(rows)))

    def priced(self, costs: NDArray[Any], excesses: NDArray[Any] | None) -> NDArray[Any]:
        """Return costs (P,) plus the price of `excesses`, None if there are no constraints."""
        if excesses is None:
            return costs
        return np.asarray(costs + costs.dtype.type(self.objective.price) * excesses)

    def compared_costs(self, backend: Any, rows: Any, costs: Any, /) -> Any:
        return backend.xp.asarray(self.compared(backend.to_numpy(rows)))

    def write_solution(self, row: Any, path: str | os.PathLike[str]) -> None:
        """Write a sequence and its cost: a line ``n cost``, and a line of items, numbered from 1.

        The file is written completely or not at all.

        Raises
        ------
        InvalidTourError, InvalidTypeError
            As in `check`, or there is more than one sequence.
        OSError
            The file cannot be written.
        """
        one = self._one(row)
        write_permutation(path, self.cost(one)[0].item(), one)

    def read_solution(self, path: str | os.PathLike[str]) -> NDArray[np.int32]:
        """Return the sequence (n,) that `write_solution` wrote.

        Raises
        ------
        FileNotFoundError
            No such file.
        FileFormatError
            The file is not a sequence of this problem, or its cost is wrong.
        """
        stated, items = read_permutation(path, self.n, WORDS[1])
        with naming(path):
            row = self._one(items)
        cost = self.cost(row)[0].item()
        if cost != stated:
            raise FileFormatError(f"{path}: the sequence costs {cost}, not {stated} as stated")
        return row

    def _one(self, row: Any) -> NDArray[np.int32]:
        """Return the only sequence as an array (n,); raise if there are several."""
        rows = self.check(row, parameter="row")
        if len(rows) != 1:
            raise InvalidTourError(f"row: {len(rows)} sequences, but one is needed; pass one row")
        return np.asarray(rows[0])

    def evaluated(self, rows: NDArray[np.int32]) -> tuple[NDArray[Any], NDArray[Any] | None]:
        """Return costs (P,) and violations (P,), or None, of checked rows, from the objective."""
        # A copy, since functions may change their arguments.
        given = self.objective.evaluate(in_library(rows.copy(), self.objective.library))
        if not isinstance(given, tuple):
            return self._numbers(given, rows, "costs"), None
        costs, excesses = given
        excesses = self._numbers(excesses, rows, "violations")
        if (excesses < 0).any():
            least = int(excesses.argmin())
            raise FaultyPartError(
                f"objective: evaluate of {self.objective.name!r} returned violation "
                f"{excesses[least]} for row {rows[least].tolist()!r:.200}; return 0 for a row that "
                "keeps all limits, such as np.maximum(violation, 0)"
            )
        return self._numbers(costs, rows, "costs"), excesses

    def _numbers(self, given: Any, rows: NDArray[Any], what: str) -> NDArray[Any]:
        array = from_library(given)
        name = self.objective.name
        if array.shape != (len(rows),):
            raise FaultyPartError(
                f"objective: evaluate of {name!r} returned {what} of shape {array.shape} for rows "
                f"of shape {rows.shape}; return an array of shape ({len(rows)},)"
            )
        wanted = "iu" if self.integer else "iuf"
        if array.dtype.kind not in wanted:
            raise FaultyPartError(
                f"objective: evaluate of {name!r} returned {what} of type {array.dtype}, but "
                f"{'integers' if self.integer else 'numbers'} are needed; "
                + ("set integer = False, or return integers" if self.integer else "return floats")
            )
        with np.errstate(invalid="ignore"):
            bad = ~(np.abs(array.astype(np.float64)) < MOST)
        if bad.any():
            raise FaultyPartError(
                f"objective: evaluate of {name!r} returned {array[bad.argmax()]} for row "
                f"{rows[bad.argmax()].tolist()!r:.200}; {what} are finite, of at most 2^62"
            )
        return array.astype(self.cost_dtype)


def sequence_problem(problem: Any) -> Sequence:
    """Return a problem; raise unless it is a sequence problem."""
    wanted = "sequence problem, such as Sequence(n, objective)"
    if isinstance(problem, Problem) and not isinstance(problem, Sequence):
        raise UnsupportedProblemError(
            f"problem: {problem!r:.80} is not a {wanted}; see docs/your-own-objective.md"
        )
    found: Sequence = checks.instance("problem", problem, kind=Sequence, wanted=wanted)
    return found


def require_functor(problem: Sequence) -> Sequence:
    """Return a sequence problem; raise UnsupportedProblemError if its objective has no functor."""
    if not problem.objective.functor():
        raise UnsupportedProblemError(
            f"problem: {problem!r:.80} has an objective of level Python, without a functor(); "
            "give it one (docs/your-own-objective.md)"
        )
    return problem


class CallableObjective(SequenceObjective):
    """The objective of a callable, at level "python"."""

    def __init__(self, evaluate: Callable[[NDArray[Any]], Any], integer: bool) -> None:
        self._evaluate, self.integer = evaluate, integer
        self.name = getattr(evaluate, "__name__", type(evaluate).__name__)  # type: ignore[misc]

    def evaluate(self, rows: NDArray[Any], /) -> Any:
        return self._evaluate(rows)


def check_price(objective: SequenceObjective) -> None:
    """Raise unless the price of violations is valid: costs stay integers if they are."""
    price = checks.number("objective: price", objective.price, least=0.0, most=float(MOST))
    if objective.integer and price != int(price):
        raise InvalidParameterError(
            f"objective: price of {objective.name!r} is {price}, but its costs are integers; "
            "use an integer, or set integer = False"
        )


def as_objective(objective: Any, integer: bool | None) -> SequenceObjective:
    """Return an objective, made from a callable if need be."""
    if isinstance(objective, SequenceObjective):
        return objective
    if not callable(objective) or isinstance(objective, type):
        raise InvalidTypeError(
            f"objective: {objective!r:.80} is neither a SequenceObjective nor a function that "
            "takes rows (P, n) and returns costs (P,)"
        )
    return CallableObjective(objective, bool(integer))


def with_front(xp: Any, rows: Any, front: tuple[int, ...]) -> Any:
    """Return rows whose first items are `front`; the others keep their order."""
    if not front:
        return rows
    keys = xp.broadcast_to(xp.arange(rows.shape[1]), rows.shape).copy()
    for place, item in enumerate(front):
        keys[rows == item] = place - len(front)
    return xp.take_along_axis(rows, keys.argsort(axis=1), axis=1)
