"""Composition of the kernels that search sequences, and the memory of a chain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from gpu_ls_plugin.backends.composition import Kernel, parse_parameters
from gpu_ls_plugin.backends.structs import kept_words, packed_words, struct_of
from gpu_ls_plugin.backends.tuning import BLOCK_OVERHEAD
from gpu_ls_plugin.core.origins import sources_of
from gpu_ls_plugin.sequences.problem.functor import CONTRACT, FILLED, fields_of, filled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.runs.acceptance import Acceptance
    from gpu_ls_plugin.sequences.kicks.destroy_repair import SequenceKick
    from gpu_ls_plugin.sequences.moves.sequence_moves import SequenceMove
    from gpu_ls_plugin.sequences.problem.sequence import Sequence as SequenceProblem

CHAIN = "sequences/engines/sequence_chain.cuh"
BATCH = struct_of(CHAIN, "SequenceBatch")
SHARED, SCRATCH = "SequenceShared", "SequenceScratch"  # kinds of memory of a chain
PIVOTS = {"first": "gls::FirstImprovement", "best": "gls::BestImprovement"}
BYTES_KEY = "bytes of a sequence"
# Threads that look ahead on a multiprocessor: each half of a warp looks at an item, and about one
# look in 30 finds a move. They form two teams if the memory suffices, else one.
AHEAD, TEAMS_AHEAD = 512, 2
# Threads of a team if the objective does not look ahead, where lanes share the places of an item,
# and most teams of a multiprocessor.
ALONE, TEAMS_ALONE = 64, 8
PER_ITEM = 16  # bytes of a chain's lists


class Team(NamedTuple):
    """A team that handles a chain: its C++ type, and how many share a multiprocessor of a GPU."""

    type: str
    at_once: int = 1


def team_of(backend: Backend, problem: SequenceProblem) -> Team:
    """Return the teams of a problem on a backend."""
    ahead, room = problem.objective.looks_ahead, backend.shared_memory
    size = problem.n * (PER_ITEM + problem.state_bytes(gpu=True))
    at_once = max(1, min(TEAMS_AHEAD if ahead else TEAMS_ALONE, room // size))
    return Team(backend.block(threads_of(problem, at_once)), at_once)


def threads_of(problem: SequenceProblem, at_once: int) -> int:
    """Return the number of threads of each of the teams that share a multiprocessor."""
    return AHEAD // at_once if problem.objective.looks_ahead else ALONE


def chain_kernel(
    problem: SequenceProblem,
    memory: str,
    team: Team,
    accept: Acceptance,
    kick: SequenceKick,
    moves: Sequence[SequenceMove],
    pivoting: str,
) -> Kernel:
    """Compose the kernel of chains; each team handles one."""
    functors = ", ".join(
        (accept.functor, kick.functor, PIVOTS[pivoting], *(move.functor for move in moves))
    )
    parts = (accept, kick, *moves)
    return composed("sequence_chain", "SequenceChain", problem, memory, team, functors, parts)


def build_kernel(problem: SequenceProblem, memory: str, team: Team) -> Kernel:
    """Compose the kernel that inserts items one by one."""
    return composed("build_sequence", "ChangeRow", problem, memory, team, "gls::Insert")


def composed(
    name: str,
    body: str,
    problem: SequenceProblem,
    memory: str,
    team: Team,
    functors: str,
    parts: Sequence[Any] = (),
) -> Kernel:
    """Compose a kernel of sequences; `functors` are the arguments of `body` behind the memory."""
    objective = problem.objective
    return Kernel(
        name=name,
        header=CHAIN,
        body=f"gls::{body}<{FILLED}, gls::{memory}, {functors}>",
        parameters=(BATCH, *parse_parameters("const gls::uint64* objective_words")),
        team=team.type,
        functors=(*sources_of(objective, *parts), filled(objective)),
        headers=(CONTRACT, *filter(None, [objective.header])),
        parts=(objective.name, name, *(part.name for part in parts)),
        # Registers suffice for all teams of objectives that look ahead, others need too many.
        blocks_per_multiprocessor=team.at_once if objective.looks_ahead else 1,
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
        """Return the arguments for the memory of `size` chains; vectors read beyond their data."""
        kept = 0 if self.shared_bytes else self.bytes
        return {"scratch": backend.xp.zeros(size * kept, "uint8"), "scratch_bytes": kept}


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
        return build_kernel(problem, memory, team_of(backend, problem))

    return changed(backend, problem, rows, compose, seed=seed)


def changed(
    backend: Backend,
    problem: SequenceProblem,
    rows: Any,
    compose: Callable[[str], Kernel],
    **numbers: int,
) -> Any:
    """Change rows in place by the kernel that `compose` returns for a kind of memory."""
    layout, kernel = layout_of(backend, problem, compose)
    words, known = problem_arguments(backend, problem)
    given = {"rows": rows, **numbers, **known, **layout.scratch(backend, len(rows))}
    arguments = without_others(kernel) | given
    backend.launch(kernel, len(rows), arguments, shared_bytes=layout.shared_bytes)
    backend.wait()
    del words  # the kernel has read them
    return rows


def problem_arguments(
    backend: Backend, problem: SequenceProblem
) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments of kernels that depend on a problem, and arrays to keep for them."""
    words = kept_words(backend.xp, fields_of(problem.objective).values())
    return words, {
        "n": problem.n,
        "fixed": problem.fixed,
        "price": float(problem.objective.price),
        "objective_words": packed_words(backend.xp, words, backend.address),
    }


def without_others(kernel: Kernel) -> dict[str, Any]:
    """Return null pointers and zeros for all arguments of a kernel."""
    return {field.name: None if field.is_pointer else 0 for field in kernel.fields}


def _bytes(backend: Backend, problem: SequenceProblem, kernel: Kernel) -> int:
    found = backend.xp.zeros(1, "int64")
    asked = {"n": problem.n, "until": -1, "look_counts": found}
    backend.launch(kernel, 1, without_others(kernel) | asked)
    return int(found[0])
