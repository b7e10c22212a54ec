"""The loop around launches: the only code that handles clocks, targets and Ctrl-C."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from gpu_ls_plugin.runs.stretch import Leg

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.core.budget import Stopwatch
    from gpu_ls_plugin.runs.stretch import Stretch


class Driven(Protocol):
    """The members of `Population` that the loop uses."""

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
    """Advance a population for a stretch of a run; return why it ended, as in `Statistics`.

    Parameters
    ----------
    population : Population
        Changed in place. After Ctrl-C, all completed launches have taken effect.
    enough : callable
        Called after each launch; returns whether the target is reached.
    watch : Stopwatch, optional
        The clock of the stretch, if it has already started; by default, a new one.
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
