"""Composition of the kernels that search sequences, and the memory of a chain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.composition import Kernel, parse_parameters
from gpu_ls_plugin.backends.structs import kept_words, packed_words, struct_of
from gpu_ls_plugin.backends.tuning import BLOCK_OVERHEAD
from gpu_ls_plugin.core.exceptions import InvalidTypeError
from gpu_ls_plugin.core.origins import sources_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.runs.acceptance import Acceptance
    from gpu_ls_plugin.sequences.kicks.destroy_repair import SequenceKick
    from gpu_ls_plugin.sequences.moves.sequence_moves import SequenceMove
    from gpu_ls_plugin.sequences.problem.sequence import Sequence as SequenceProblem

CHAIN = "sequences/engines/sequence_chain.cuh"
BATCH = struct_of(CHAIN, "SequenceBatch")
SHARED, SCRATCH = "SequenceShared", "SequenceScratch"  # kinds of memory of a chain
BYTES_KEY = "bytes of a sequence"
MOST_RESIDENT, FEW_RESIDENT = 16, 4  # chains per multiprocessor in shared and in device memory
FILLED = "SequenceObjectiveFilled"  # the C++ struct that derives from the author's
THREADS = 64  # of a team on a GPU: a warp for the first items, another for the last ones
FIELD_TYPES = {
    "int32": "const int*",
    "int64": "const gls::int64*",
    "uint8": "const unsigned char*",
    "uint16": "const gls::uint16*",
    "float32": "const float*",
    "float64": "const double*",
}


def chain_kernel(
    problem: SequenceProblem,
    memory: str,
    team: str,
    accept: Acceptance,
    kick: SequenceKick,
    moves: Sequence[SequenceMove],
) -> Kernel:
    """Compose the kernel of chains; each team handles one."""
    functors = ", ".join((accept.functor, kick.functor, *(move.functor for move in moves)))
    parts = (accept, kick, *moves)
    return _composed("sequence_chain", "SequenceChain", problem, memory, team, functors, parts)


def build_kernel(problem: SequenceProblem, memory: str, team: str) -> Kernel:
    """Compose the kernel that inserts items one by one."""
    return _composed("build_sequence", "BuildSequence", problem, memory, team)


def _composed(
    name: str,
    body: str,
    problem: SequenceProblem,
    memory: str,
    team: str,
    functors: str = "",
    parts: Sequence[Any] = (),
) -> Kernel:
    more = f", {functors}" if functors else ""
    objective = problem.objective
    return Kernel(
        name=name,
        header=CHAIN,
        body=f"gls::{body}<{FILLED}, gls::{memory}{more}>",
        parameters=(BATCH, *parse_parameters("const gls::uint64* objective_words")),
        team=team,
        functors=(*sources_of(objective, *parts), filled(objective.functor(), objective.data())),
        headers=("sequences/problem/objective.cuh", *filter(None, [objective.header])),
        parts=(objective.name, name),
    )


def filled(functor: str, data: Mapping[str, Any]) -> str:
    """Return C++ that fills the fields of an objective from words, and checks their types."""
    lines = []
    for place, (name, value) in enumerate(data.items()):
        lines.append(_type_check(functor, name, value))
        lines.append(f"    gls::sequences::set_field(this->{name}, words[{place}]);")
    body = "\n".join(filter(None, lines))
    return (
        f"struct {FILLED} : {functor} {{\n  explicit GLS_DEVICE {FILLED}"
        f"(const gls::uint64* words) {{\n{body}\n  }}\n}};\n"
    )


def _type_check(functor: str, name: str, value: Any) -> str:
    if isinstance(value, np.ndarray):
        wanted = FIELD_TYPES.get(value.dtype.name)
        if wanted is None:
            raise InvalidTypeError(
                f"data: {name!r} of {functor} has type {value.dtype}, which kernels cannot read; "
                f"use one of {', '.join(FIELD_TYPES)}"
            )
    elif isinstance(value, float):
        wanted = "double"
    elif isinstance(value, int) and not isinstance(value, bool):
        if abs(value) < 2**31:
            return ""  # the field may be an int or an int64
        wanted = "gls::int64"
    else:
        raise InvalidTypeError(
            f"data: {name!r} of {functor} is {value!r:.80}; fields are NumPy arrays, int or float"
        )
    return (
        f"    static_assert(gls::sequences::kSame<decltype(this->{name}), {wanted}>, "
        f'"data() gives {name} as {wanted}: declare the field so");'
    )


@dataclass(frozen=True)
class Layout:
    """The memory of a chain: in shared memory if `memory` is "SequenceShared"."""

    bytes: int
    memory: str

    @property
    def shared_bytes(self) -> int:
        """Shared memory of a block in bytes."""
        return self.bytes if self.memory == SHARED else 0

    def scratch(self, backend: Backend, size: int) -> dict[str, Any]:
        """Return the arguments for the memory of `size` chains."""
        kept = 0 if self.shared_bytes else self.bytes
        return {"scratch": backend.xp.empty(size * kept, "uint8"), "scratch_bytes": kept}

    def resident(self, backend: Backend) -> int:
        """Return how many chains a multiprocessor, or a thread of the CPU, searches at a time."""
        room = backend.shared_memory
        if not self.shared_bytes:
            return FEW_RESIDENT if room else 1
        return min(MOST_RESIDENT, room // (self.bytes + BLOCK_OVERHEAD))


def layout_of(
    backend: Backend, problem: SequenceProblem, compose: Callable[[str], Kernel]
) -> tuple[Layout, Kernel]:
    """Return the layout of a problem, and the kernel for it; `compose` takes the kind of memory.

    The kernel itself says how many bytes a chain needs. It is compiled for shared memory first, and
    for device memory if a chain does not fit there.
    """
    first = SHARED if backend.shared_memory else SCRATCH
    kernel = compose(first)
    size = backend.made_once(problem, BYTES_KEY, lambda: _bytes(backend, problem, kernel))
    if first == SCRATCH or size + BLOCK_OVERHEAD <= backend.shared_memory:
        return Layout(size, first), kernel
    return Layout(size, SCRATCH), compose(SCRATCH)


def built(backend: Backend, problem: SequenceProblem, rows: Any, seed: int) -> Any:
    """Insert the items of each row in their order, each at its best place; return the rows."""

    def compose(memory: str) -> Kernel:
        return build_kernel(problem, memory, backend.block(THREADS))

    layout, kernel = layout_of(backend, problem, compose)
    words = kept_words(backend.xp, problem.objective.data().values())
    given = {
        "seed": seed,
        "n": problem.n,
        "fixed": len(problem.front),
        "price": float(problem.objective.price),
        "rows": rows,
        "objective_words": packed_words(backend.xp, words, backend.address),
        **layout.scratch(backend, len(rows)),
    }
    arguments = without_others(kernel) | given
    backend.launch(kernel, len(rows), arguments, shared_bytes=layout.shared_bytes)
    backend.wait()
    return rows


def without_others(kernel: Kernel) -> dict[str, Any]:
    """Return null pointers and zeros for all arguments of a kernel."""
    return {field.name: None if field.is_pointer else 0 for field in kernel.fields}


def _bytes(backend: Backend, problem: SequenceProblem, kernel: Kernel) -> int:
    found = backend.xp.zeros(1, "int64")
    asked = {"n": problem.n, "kicks": -1, "look_counts": found}
    backend.launch(kernel, 1, without_others(kernel) | asked)
    return int(found[0])
