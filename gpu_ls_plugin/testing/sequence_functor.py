"""Compares the members of an objective's C++ struct with the costs that `evaluate` returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.composition import Kernel, parse_parameters
from gpu_ls_plugin.backends.structs import enumerators, kept_words, packed_words, struct_of
from gpu_ls_plugin.core.origins import sources_of
from gpu_ls_plugin.sequences.problem.functor import CONTRACT, FILLED, fields_of, filled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.sequences.problem.sequence import Sequence
    from gpu_ls_plugin.testing.subject import Subject

PROBE = "testing/probe_sequence.cuh"
PROBES = struct_of(PROBE, "SequenceProbes")
WAYS = enumerators(PROBE, "SequenceWay")
PARTIAL = 20  # number of incomplete sequences
CUTS = 40  # number of pairs of cuts, if there are more
CLOSE = 1e-9  # relative difference of real costs
TEXT = 120  # maximum number of characters of a sequence in a message
WRITING = "write the struct as sequences/problem/objective.cuh and docs/your-own-objective.md say"
BOUNDS = "items are 0 to n - 1, and data() must return each field that the struct reads"


@dataclass(frozen=True)
class Recorded:
    """Costs and violations that a functor gives; the last axis of arrays holds both.

    Attributes
    ----------
    heads : array, shape (P, n + 1, 2)
        Of the first items of each row, by their number.
    ways : array, shape (P, C, ways, 2)
        Of each row's sequence, put together from parts.
    rows : int32 array, shape (P, n)
    lengths : int32 array, shape (P,)
        How many items of each row make its sequence.
    cuts : int32 array, shape (C, 2)
    pairs, machines, joins, concatenates, regular : bool
        Whether the functor has these members, or is regular.
    """

    heads: NDArray[Any]
    ways: NDArray[Any]
    rows: NDArray[np.int32]
    lengths: NDArray[np.int32]
    cuts: NDArray[np.int32]
    pairs: bool
    machines: bool
    joins: bool
    concatenates: bool
    regular: bool


def check_members(
    subject: Subject, problem: Sequence, rows: NDArray[np.int32], worths: NDArray[Any]
) -> Recorded:
    """Return what a functor offers; raise unless all its members agree with `evaluate`.

    `worths`, shape (P, 2), holds the costs and violations that `evaluate` returns for the rows.
    """
    found = _recorded(subject, problem, rows)
    _expect_whole(subject, found, worths)
    if found.regular and not found.pairs:
        _expect_regular(subject, problem, found)
    # Searches also compare sequences of some items; these are compared with level "prefix".
    expected = found.heads[np.arange(len(found.rows)), found.lengths]
    if found.joins:
        _expect_joins(subject, found, expected)
    if found.concatenates:
        _expect_concatenations(subject, found, expected)
    return found


def _recorded(subject: Subject, problem: Sequence, complete: NDArray[np.int32]) -> Recorded:
    """Run the probe on complete sequences, and on the first items of some of them."""
    rng = np.random.default_rng([subject.seed, problem.n])
    rows = np.concatenate([complete, complete[:PARTIAL]])
    lengths = np.full(len(rows), problem.n, np.int32)
    least = min(max(problem.fixed, 1), problem.n)
    lengths[len(complete) :] = rng.integers(least, problem.n + 1, len(rows) - len(complete))
    cuts = _cuts(problem.n, rng)
    backend = subject.backend
    with subject.blamed("its functor", WRITING), backend.current():
        kernel = Kernel(
            name="probe_sequence",
            header=PROBE,
            body=f"gls::ProbeSequence<{FILLED}>",
            parameters=(PROBES, *parse_parameters("const gls::uint64* objective_words")),
            team=backend.warp(),
            functors=(*sources_of(problem.objective), filled(problem.objective)),
            headers=(CONTRACT, *filter(None, [problem.objective.header])),
        )
        xp, dtype = backend.xp, problem.cost_dtype
        words = kept_words(xp, fields_of(problem.objective).values())
        written = {
            "heads": xp.zeros((len(rows), problem.n + 1, 2), dtype),
            "ways": xp.zeros((len(rows), len(cuts), WAYS["kWays"], 2), dtype),
            "levels": xp.zeros(5, "int32"),
        }
        arguments = {
            **written,
            "rows": xp.asarray(rows),
            "lengths": xp.asarray(lengths),
            "cuts": xp.asarray(cuts),
            "n": problem.n,
            "count": len(cuts),
            "objective_words": packed_words(xp, words, backend.address),
        }
        backend.launch(kernel, 0, arguments)  # compiles the kernel
        subject.rehearse(
            lambda: backend.launch(kernel, len(rows), arguments), "its functor", BOUNDS
        )
        backend.launch(kernel, len(rows), arguments)
        heads, ways, levels = map(backend.to_numpy, written.values())
    return Recorded(heads, ways, rows, lengths, cuts, *map(bool, levels))


def _cuts(n: int, rng: np.random.Generator) -> NDArray[np.int32]:
    """Return pairs of places that divide sequences, all or a sample with the ends."""
    if (n + 1) * (n + 2) // 2 <= CUTS:
        pairs = [(first, second) for first in range(n + 1) for second in range(first, n + 1)]
        return np.array(pairs, np.int32)
    drawn = np.sort(rng.integers(0, n + 1, (CUTS, 2)), axis=1)
    drawn[:6] = (0, 0), (0, n), (n, n), (0, 1), (n - 1, n), (1, n - 1)
    return drawn.astype(np.int32)


def differ(found: NDArray[Any], expected: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which numbers differ; real ones may differ by rounding."""
    if found.dtype.kind == "f":
        return np.asarray(~np.isclose(found, expected, rtol=CLOSE, atol=CLOSE))
    return np.asarray(found != expected)


def items_text(items: NDArray[Any]) -> str:
    """Return a sequence as text, shortened if it is long."""
    text = str(items.tolist())
    return text if len(text) <= TEXT else f"{text[:TEXT]}...]"


def cost_texts(found: NDArray[Any], expected: NDArray[Any]) -> tuple[str, str]:
    """Return the numbers that differ, as text: costs or, if these are equal, violations."""
    kind, name = (0, "cost") if differ(found, expected)[0] else (1, "violation")
    return f"{name} {found[kind]}", str(expected[kind])


def _expect_whole(subject: Subject, found: Recorded, worths: NDArray[Any]) -> None:
    """Raise unless level "prefix", or the sum over pairs, agrees with `evaluate`."""
    count, n = len(worths), found.rows.shape[1]
    bad = differ(found.heads[:count, n], worths).any(axis=1)
    if not bad.any():
        finite = np.isfinite(found.heads.astype(np.float64)).all()
        text = "cost() is not finite for the first items of a sequence"
        subject.expect(finite, text, "searches compare incomplete sequences, too")
        return
    row = int(bad.argmax())
    own, other = cost_texts(found.heads[row, n], worths[row])
    members = "begin(), append() and cost() give"
    if found.machines:
        members = "head(), finish() and cost_of() give"
    if found.pairs:
        members = "pair(), summed over all pairs, gives"
    raise subject.fault(
        f"{members} {own} for {items_text(found.rows[row])}, but evaluate() returns {other}",
        "both must compute the same number; evaluate() is right by definition",
    )


def _expect_regular(subject: Subject, problem: Sequence, found: Recorded) -> None:
    """Raise if an item that is appended lowers the number that searches compare."""
    price = found.heads.dtype.type(problem.objective.price)
    values = found.heads[..., 0] + price * found.heads[..., 1]
    falls = (values[:, 2:] < values[:, 1:-1]) & differ(values[:, 2:], values[:, 1:-1])
    falls &= np.arange(2, problem.n + 1) <= found.lengths[:, None]
    if falls.any():
        row, step = np.argwhere(falls)[0]
        before, item = found.rows[row, : step + 1], found.rows[row, step + 1]
        raise subject.fault(
            f"kRegular is true, but append() of item {item} to {items_text(before)} lowers the "
            f"cost from {values[row, step + 1]} to {values[row, step + 2]}",
            "remove kRegular: it promises that no item that is appended lowers the cost",
        )


def _expect_joins(subject: Subject, found: Recorded, expected: NDArray[Any]) -> None:
    """Raise unless prefixes joined to suffixes have the costs of the sequences."""
    joined = found.ways[:, :, WAYS["kJoined"]]
    firsts = np.minimum(found.cuts[:, 0], found.lengths[:, None])
    empty = firsts == found.lengths[:, None]
    bad = np.asarray(differ(joined, expected[:, None]).any(axis=2))
    for of_empty in (True, False):
        here = bad & (empty == of_empty)
        if not here.any():
            continue
        members = "meet()" if of_empty else "tail() or meet()"
        if not found.machines:
            members = "join() or end()" if of_empty else "prepend() or join()"
        row, cut = np.argwhere(here)[0]
        first, length = firsts[row, cut], found.lengths[row]
        own, other = cost_texts(joined[row, cut], expected[row])
        raise subject.fault(
            f"{members} is wrong: the prefix {items_text(found.rows[row, :first])} joined to the "
            f"suffix {items_text(found.rows[row, first:length])} has {own}, but {other} if all "
            "its items are appended",
            "join() must return the cost of the whole sequence for each place of the cut",
        )


def _expect_concatenations(subject: Subject, found: Recorded, expected: NDArray[Any]) -> None:
    """Raise unless parts can be concatenated in any grouping."""
    texts = {
        "kInTwo": "concatenate(a, b c)",
        "kLeftFirst": "concatenate(concatenate(a, b), c)",
        "kRightFirst": "concatenate(a, concatenate(b, c))",
        "kFolded": "concatenate() of a and of the other items one by one, the last one first,",
    }
    bad = np.asarray(differ(found.ways, expected[:, None, None]).any(axis=3))
    for way, text in texts.items():
        here = bad[:, :, WAYS[way]]
        if not here.any():
            continue
        row, cut = np.argwhere(here)[0]
        items = found.rows[row, : found.lengths[row]]
        a, b, c = map(items_text, np.split(items, np.minimum(found.cuts[cut], len(items))))
        own, other = cost_texts(found.ways[row, cut, WAYS[way]], expected[row])
        raise subject.fault(
            f"{text} has {own} for a = {a}, b = {b}, c = {c}, but {other} if all items are "
            "appended",
            "concatenate() must be associative, and begin() must change nothing",
        )
