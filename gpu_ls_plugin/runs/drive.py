"""The loop around launches, which alone knows clocks, targets and Ctrl-C."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from gpu_ls_plugin.runs.stretch import Leg

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.core.budget import Stopwatch
    from gpu_ls_plugin.runs.stretch import Stretch


class Driven(Protocol):
    """What the loop asks of a `Population`."""

    @property
    def done(self) -> int: ...

    @property
    def generations(self) -> int: ...

    def over(self, leg: Leg) -> str | None: ...

    def launch(self, leg: Leg) -> None: ...


def drive(
    population: Driven,
    stretch: Stretch,
    enough: Callable[[], bool] = lambda: False,
    watch: Stopwatch | None = None,
) -> str:
    """Let a population go on for a stretch of a run; return why that ends, as in `Statistics`.

    Parameters
    ----------
    population : Population
        Changed in place. After Ctrl-C it is as the last complete launch has left it, or further.
    stretch : Stretch
    enough : callable
        Called after each launch; returns whether the target is reached.
    watch : Stopwatch, optional
        Of the stretch's seconds, if these began earlier.
    """
    try:
        leg = Leg(stretch, population.done, population.generations, watch)
        while (ended := population.over(leg)) is None:
            if leg.left <= 0:
                return "seconds"
            population.launch(leg)
            if enough():
                return "target"
    except KeyboardInterrupt:
        return "interrupt"
    return ended
