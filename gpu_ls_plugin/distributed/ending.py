"""The end of a run: why it ends, the last reports of islands, and all their rows."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gpu_ls_plugin.distributed.failures import Failures
    from gpu_ls_plugin.distributed.fleet import Event, Fleet
    from gpu_ls_plugin.distributed.rhythm import Rhythm
    from gpu_ls_plugin.distributed.tally import Island
    from gpu_ls_plugin.runs.elites import Elites

TICK = 0.1  # seconds between two looks at the clock


def reason(rhythm: Rhythm, islands: list[Island], elapsed: float) -> str:
    """Return what has ended a run that nothing has cut short."""
    if rhythm.stretch(min(island.kicks for island in islands), elapsed) is not None:
        return "optimum"  # all islands have finished before
    return "kicks" if rhythm.kicks is not None and elapsed < rhythm.seconds else "seconds"


def await_reports(
    fleet: Fleet, islands: list[Island], take: Callable[[Island, Any], object], seconds: float
) -> None:
    """Take the reports of searches that were stopped, while there is time."""
    for event in _events(fleet, seconds, lambda: any(i.token is not None for i in islands)):
        island = islands[event.island]
        if event.kind in ("done", "failed") and event.token is island.token:
            island.token = None
            if event.kind == "done":
                take(island, event.content)


def collected(
    fleet: Fleet, failures: Failures, islands: list[Island], seconds: float
) -> dict[int, Elites]:
    """Return all rows of the islands that answer in time."""
    rows: dict[int, Elites] = {}
    tokens = {
        island.number: fleet.collect(island.number, island.worker)
        for island in islands
        if island.worker and island.stretches
    }
    for event in _events(fleet, seconds, lambda: bool(tokens)):
        if event.kind == "workers":
            for number in failures.look(event.content):
                tokens.pop(number, None)
        elif event.kind in ("done", "failed") and event.token is tokens.get(event.island, fleet):
            del tokens[event.island]
            if event.kind == "done" and event.content is not None:
                rows[event.island] = event.content
    return rows


def _events(fleet: Fleet, seconds: float, wanted: Callable[[], bool]) -> Iterator[Event]:
    """Yield events as long as they are wanted and there is time."""
    end = time.monotonic() + seconds
    while wanted() and time.monotonic() < end:
        event = fleet.wait(TICK)
        if event is not None:
            yield event
