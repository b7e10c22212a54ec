"""What islands begin with: rows that are given, whole populations, or a checkpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.runs.elites import Elites, joined

if TYPE_CHECKING:
    from gpu_ls_plugin.distributed.checkpoint import Checkpoint
    from gpu_ls_plugin.distributed.run import IslandRun
    from gpu_ls_plugin.distributed.tally import Island


def hand_out(islands: list[Island], rows: list[Any] | None) -> None:
    """Let islands begin with parts of some rows."""
    for island, part in zip(islands, rows or (), strict=False):
        island.rows, island.size = part, len(part)


def populate(run: IslandRun, islands: list[Island], groups: list[Elites | None]) -> Elites:
    """Let islands begin with populations of which the others know; return the best row first.

    `groups` are all rows of each island, or of fewer; None where it has to make its own.
    """
    for island, group in zip(islands, groups, strict=False):
        if group is not None:
            island.rows, island.elites = group.rows, group.chosen(run.problem, *run.offered)
    return joined(run.problem, [island.elites for island in islands])


def resume(run: IslandRun, islands: list[Island], saved: Checkpoint) -> Elites:
    """Let islands go on from a checkpoint, whose islands may be more; return the best row first."""
    for number, elites in saved.islands.items():
        island = islands[number % len(islands)]
        island.elites = joined(run.problem, [island.elites, elites])
    for island in islands:
        island.kicks, island.stretches = saved.kicks, saved.stretches
        island.life = saved.lives + 1 if saved.islands else 0
    return joined(run.problem, saved.islands.values())
