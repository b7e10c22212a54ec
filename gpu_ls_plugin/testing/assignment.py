"""Checks that the functor of an assignment problem agrees with `cost()` and `feasible()`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.assignment.problem.assignment import Assignment
from gpu_ls_plugin.backends.composition import Kernel, parse_parameters
from gpu_ls_plugin.backends.structs import kept_words, packed_words, struct_of
from gpu_ls_plugin.backends.tuning import padded
from gpu_ls_plugin.core.origins import sources_of
from gpu_ls_plugin.testing.subject import Subject

if TYPE_CHECKING:
    from numpy.typing import NDArray

PROBES = struct_of("testing/probe_assignment.cuh", "AssignmentProbes")
STATES, MOVES = 6, 60  # number of states, and of moves per state
GUARD, MARK = 64, 0xA5  # number of guard bytes after the functor's data, and their value
FUNCTOR = "write the functor as assignment/problem/assignment.cuh describes it"
PYTHON = "cost() and feasible() must accept rows of values and -1, and return arrays of shape (P,)"
SIZES = "give all variables the same number of values, at least as many as there are variables"
DISTINCT = "feasible() must include the test of Assignment: super().feasible(rows) & ..."
WORTH = (
    "worth() must return the cost that cost() returns (-1 costs nothing), and for complete states "
    "excess 0 if and only if they are feasible"
)
KINDS = "kinds must name variables that could swap their values in any state at no cost"
CHANGES = (
    "assigned() and swapped() must return the change of worth(); assign() and swap() must leave "
    "the kept data as begin() would compute them"
)


def check_assignment(problem: Assignment, *, backend: str = "auto", seed: int = 0) -> None:
    """Raise unless the functor of a problem agrees with its Python methods, for states and moves.

    The check changes random states (complete, partial and empty) by assignments and swaps. The
    change that the functor returns for each move must be the difference between the worths (cost
    and excess) of the states after and before the move. After all moves, the worth must be the same
    as if computed from scratch.

    Parameters
    ----------
    problem : Assignment
        A small problem: the check computes the costs of several hundred states.
    backend : {"auto", "cpu", "cuda"}
    seed : int

    Raises
    ------
    PartCheckError
        The message gives the reason and a remedy.
    """
    subject = Subject.of("problem", problem, backend, seed, Assignment)
    rng = np.random.default_rng(subject.seed)
    _expect_distinct(subject, rng)
    with subject.blamed("cost() or feasible()", PYTHON):
        states = _states(problem, rng)
        moves, before, after = _played(problem, states, rng)
        ends = np.concatenate([before.reshape(-1, problem.n), after.reshape(-1, problem.n)])
        costs = np.asarray(problem.cost(ends))
        feasible = np.asarray(problem.feasible(ends))
    none = np.zeros((len(ends), 0, 4), np.int32)
    fresh = _probed(subject, ends, none)[0][:, 0]
    _expect_worths(subject, ends, fresh, costs, feasible)
    _expect_kinds(subject, states)
    worths, changes, left = _probed(subject, states, moves)
    last = np.where(moves[:, -1, 1:2] == 1, after[:, -1], before[:, -1])
    remedy = "assign() and swap() must write the kept data only; their caller writes the values"
    subject.expect_equal(left, last, "its functor changed values", remedy)
    was, will = fresh.reshape(2, *changes.shape)
    _expect_changes(subject, before, moves, changes, will - was)
    made = np.where(moves[:, -1:, 1] == 1, will[:, -1], was[:, -1])
    text = f"after the moves, worth() is {worths[:, 1].tolist()}, not {made.tolist()}"
    subject.expect_equal(worths[:, 1], made, text, CHANGES)


def _expect_distinct(subject: Subject, rng: np.random.Generator) -> None:
    """If values must be distinct, raise if they are too few or `feasible` allows a value twice."""
    problem = subject.part
    if not problem.distinct:
        return
    least, most = int(problem.sizes.min()), int(problem.sizes.max())
    wrong = f"it is distinct, but its {problem.n} variables have {least} to {most} values"
    subject.expect(problem.n <= least == most, wrong, SIZES)
    if problem.n == 1:
        return
    rows = np.array([rng.permutation(most)[: problem.n] for _ in range(STATES)], np.int32)
    rows[:, 0] = rows[:, -1]
    with subject.blamed("feasible()", PYTHON):
        feasible = np.asarray(problem.feasible(rows))
    subject.expect(
        not feasible.any(),
        f"it is distinct, but feasible() is True for {rows[int(feasible.argmax())].tolist()}, "
        "in which two variables have the same value",
        DISTINCT,
    )


def _expect_kinds(subject: Subject, states: NDArray[np.int32]) -> None:
    """Raise if a swap of two variables of the same kind changes the cost."""
    problem = subject.part
    with subject.blamed("kinds", KINDS):
        kinds, costs = np.asarray(problem.kinds), problem.cost(states)
        for variable in np.flatnonzero(kinds != np.arange(problem.n)):
            pair = [variable, kinds[variable]]
            swapped = states.copy()
            swapped[:, pair] = states[:, pair[::-1]]
            same = np.array_equal(problem.cost(swapped), costs)
            wrong = (
                f"variables {pair[1]} and {pair[0]} are of one kind, but a swap changes the cost"
            )
            subject.expect(same, wrong, KINDS)


def _states(problem: Assignment, rng: np.random.Generator) -> NDArray[np.int32]:
    """Return random states; some of their variables have no value."""
    values = rng.integers(0, problem.sizes, (STATES, problem.n))
    if problem.distinct:
        values = rng.permuted(np.tile(np.arange(problem.sizes.max()), (STATES, 1)), axis=1)
    states = np.array(values[:, : problem.n], np.int32)
    lacking = rng.random(states.shape) < np.linspace(0, 1.2, STATES)[:, None] ** 2
    states[lacking | (states >= problem.sizes)] = -1
    return problem.check(states)


def _played(
    problem: Assignment, states: NDArray[np.int32], rng: np.random.Generator
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Return moves for each state, and the states before and after each move."""
    moves = np.zeros((STATES, MOVES, 4), np.int32)
    before = np.zeros((STATES, MOVES, problem.n), np.int32)
    after = np.zeros_like(before)
    for row, state in enumerate(states):
        current = state.copy()
        for step in range(MOVES):
            move = _move(problem, current, rng)
            changed = current.copy()
            variable, other = move[2:]
            if move[0]:
                changed[[variable, other]] = current[[other, variable]]
            else:
                changed[variable] = other
            moves[row, step], before[row, step], after[row, step] = move, current, changed
            current = changed if move[1] else current
    return moves, before, after


def _move(problem: Assignment, state: NDArray[np.int32], rng: np.random.Generator) -> list[int]:
    """Return a random move as `AssignmentProbes.moves` describes it."""
    made = int(rng.random() < 0.5)
    first, second = (int(v) for v in rng.integers(0, problem.n, 2))
    value, other = state[first], state[second]
    fit = value < problem.sizes[second] and other < problem.sizes[first]
    if value != other and fit and rng.random() < 0.5:
        return [1, made, first, second]
    free = np.arange(-1, problem.sizes[first])
    taken = state[state >= 0] if problem.distinct else state[first : first + 1]
    free = free[~np.isin(free, [*taken, value])]
    if len(free):
        return [0, made, first, int(rng.choice(free))]
    return [0, 0, first, int(value)] if value < 0 else [0, made, first, -1]


def _probed(
    subject: Subject, states: NDArray[np.int32], moves: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
    """Return worths before and after the moves, the change of each move, and the final states."""
    problem, backend = subject.part, subject.backend
    with subject.blamed("its functor", FUNCTOR), backend.current():
        xp, rows = backend.xp, len(states)
        kernel = Kernel(
            name="probe_assignment",
            header="testing/probe_assignment.cuh",
            body=f"gls::ProbeAssignment<{problem.functor()}>",
            parameters=(PROBES, *parse_parameters("const gls::uint64* problem_words")),
            team=backend.warp(),
            functors=sources_of(problem),
            headers=("assignment/problem/assignment.cuh", *filter(None, [problem.header])),
        )
        kept_bytes = int(problem.kept_bytes())
        words = kept_words(xp, problem.words())
        stride = padded(kept_bytes) + GUARD
        kept = xp.full((rows, stride), MARK, "uint8")
        written = {
            "states": xp.asarray(states).copy(),
            "worths": xp.zeros((rows, 2, 2), "int64"),
            "changes": xp.zeros((rows, moves.shape[1], 2), "int64"),
        }
        arguments = {
            **written,
            "moves": xp.asarray(moves),
            "count": moves.shape[1],
            "m": problem.n,
            "kept": kept,
            "kept_bytes": stride,
            "problem_words": packed_words(xp, words, backend.address),
        }
        backend.launch(kernel, 0, arguments)  # compiles the kernel
        subject.rehearse(lambda: backend.launch(kernel, rows, arguments), "its functor")
        backend.launch(kernel, rows, arguments)
        found = {name: backend.to_numpy(array) for name, array in written.items()}
        intact = bool((kept[:, kept_bytes:] == MARK).all())
    wrong = f"its functor wrote beyond the {kept_bytes} bytes of its kept data"
    subject.expect(intact, wrong, "kept_bytes() must return the size of the kept data")
    return found["worths"], found["changes"], found["states"]


def _expect_worths(
    subject: Subject,
    states: NDArray[np.int32],
    worths: NDArray[np.int64],
    costs: NDArray[Any],
    feasible: NDArray[np.bool_],
) -> None:
    complete = (states >= 0).all(axis=1)
    wrong = (worths[:, 0] != costs) | (worths[:, 1] < 0)
    wrong |= complete & ((worths[:, 1] == 0) != feasible)
    if wrong.any():
        row = int(wrong.argmax())
        cost, excess = worths[row]
        raise subject.fault(
            f"for {states[row].tolist()}, worth() has cost {cost} and excess {excess}, but cost() "
            f"is {costs[row]} and feasible() is {bool(feasible[row])}",
            WORTH,
        )


def _expect_changes(
    subject: Subject,
    before: NDArray[np.int32],
    moves: NDArray[np.int32],
    changes: NDArray[np.int64],
    differences: NDArray[np.int64],
) -> None:
    wrong = (changes != differences).any(axis=2)
    if wrong.any():
        row, step = np.argwhere(wrong)[0]
        swaps, _, variable, other = moves[row, step]
        raise subject.fault(
            f"for {before[row, step].tolist()}, {'swapped' if swaps else 'assigned'}({variable}, "
            f"{other}) is {changes[row, step].tolist()} (cost, excess), but worth() changes by "
            f"{differences[row, step].tolist()}",
            CHANGES,
        )
