"""The kernel that kicks each row once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.sequences.engines.kernels import PIVOTS, changed, composed, team_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.sequences.engines.kernels import Team
    from gpu_ls_plugin.sequences.kicks.destroy_repair import SequenceKick
    from gpu_ls_plugin.sequences.moves.sequence_moves import SequenceMove
    from gpu_ls_plugin.sequences.problem.sequence import Sequence as SequenceProblem


def kick_kernel(
    problem: SequenceProblem,
    memory: str,
    team: Team,
    kick: SequenceKick,
    moves: Sequence[SequenceMove],
) -> Kernel:
    """Compose the kernel that kicks each row; `moves` are for kicks that also search."""
    functors = ", ".join((kick.functor, PIVOTS["first"], *(move.functor for move in moves)))
    change, parts = f"gls::KickOnce<{functors}>", (kick, *moves)
    return composed("kick_sequence", "ChangeRow", problem, memory, team, change, parts)


def kicked(
    backend: Backend,
    problem: SequenceProblem,
    rows: Any,
    kick: SequenceKick,
    moves: Sequence[SequenceMove],
    **numbers: int,
) -> Any:
    """Kick each row once, in place, and return the rows; `numbers` are "seed" and "first_row"."""

    def compose(memory: str) -> Kernel:
        return kick_kernel(problem, memory, team_of(backend, problem), kick, moves)

    return changed(backend, problem, rows, compose, strength=kick.strength, **numbers)
