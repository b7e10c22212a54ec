"""What a run is going to do, and why: its stages, as data that can be printed."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.core.budget import Stopwatch
    from gpu_ls_plugin.core.result import Result

    After = Callable[["Stage", "Found", float, tuple["Stage", ...]], tuple["Stage", ...]]


WIDTH = 100  # of lines


@dataclass(frozen=True)
class Found:
    """The best row of a stage.

    Attributes
    ----------
    row : int32 array, shape (n,)
        On the host.
    worth : tuple of float
        By how much it breaks constraints, and its cost: less is better.
    result : Result or None
        All rows, if the stage has returned them.
    """

    row: Any
    worth: tuple[float, float]
    result: Result | None = None


@dataclass(frozen=True)
class Stage:
    """A part of a run: what searches which rows, for how long, and why.

    Attributes
    ----------
    name : str
    why : str
        A clause.
    search : Any
        Searches rows of a problem; text for a person is made of it.
    problem, searched : Any
        As results are judged, and as rows are searched.
    size : int
        Rows; 0 if the search makes its own.
    start : str or None
        Name of the construction of the first rows.
    rows : array or None
        Rows that are among the first.
    seconds : float
        From its beginning on; infinite for the rest of the run.
    flexible : bool
        Whether other candidate lists may do if its own take too long.
    joins : bool
        Whether the best row of the stages before takes the place of its first one.
    how : str
        The search as a text.
    prepare : callable or None
        Takes the stage; compiles what it needs.
    ready : callable or None
        Takes the stage, the backend's name and the clock of the run; makes what its search needs
        within that time, and returns the search.
    after : callable or None
        Takes the stage, what it has found, the seconds that are left and the stages that would
        follow; returns those that do.

    `prepare`, `ready` and `after` can be pickled, so that copies of a run can go on.
    """

    name: str
    why: str
    search: Any
    problem: Any
    searched: Any
    size: int = 0
    start: str | None = None
    rows: Any = field(default=None, repr=False)
    seconds: float = math.inf
    flexible: bool = False
    joins: bool = False
    how: str = ""
    prepare: Callable[[Stage], object] | None = field(default=None, repr=False)
    ready: Callable[[Stage, str, Stopwatch], Any] | None = field(default=None, repr=False)
    after: After | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Plan:
    """The stages of a run, one after the other, and its limits.

    ``print(plan)`` says in a few lines what the run is going to do, and why.

    Attributes
    ----------
    problem : Any
    stages : tuple of Stage
        As far as they are known before the run. A stage may lead to others.
    seconds : float
    backend : str
        "cpu" or "cuda".
    seed : int or None
    kicks, moves, target : int, int and float, or None
    """

    problem: Any
    stages: tuple[Stage, ...]
    seconds: float
    backend: str
    seed: int | None = None
    kicks: int | None = None
    moves: int | None = None
    target: float | None = None

    def __str__(self) -> str:
        """Return what the run is going to do, and why, stage by stage."""
        limits = [f"{self.seconds:g} s", f"on {self.backend}"]
        for name in ("kicks", "moves", "target", "seed"):
            if getattr(self, name) is not None:
                limits.append(f"{name} {getattr(self, name):g}")
        lines, left = [f"{self.problem!r}", ", ".join(limits)], 1.0
        for number, stage in enumerate(self.stages, 1):
            share = min(left, stage.seconds / self.seconds) if self.seconds > 0 else left
            share = left if math.isnan(share) else share
            left -= share
            rows = f", {stage.size:,} from {stage.start or 'nothing'}" if stage.size else ""
            lines.append(f"{number}. {stage.name}{rows}, {share:.1%} of the time")
            lines += [*_wrapped("why: ", stage.why), *_wrapped("how: ", stage.how)]
        return "\n".join(lines)

    @property
    def main(self) -> Stage:
        """The last stage, which has the rest of the time."""
        return self.stages[-1]

    def prepare(self) -> None:
        """Compile what all stages need."""
        for stage in self.stages:
            if stage.prepare is not None:
                stage.prepare(stage)

    def course(self) -> Course:
        """Return the stages as a run goes through them."""
        return Course(self.stages)


class Course:
    """Stages as a run goes through them, each with what those before have led to."""

    def __init__(self, stages: tuple[Stage, ...]) -> None:
        self.stage, self._rest = stages[0], stages[1:]

    @property
    def last(self) -> bool:
        """Whether no stage follows, as far as is known."""
        return not self._rest and self.stage.after is None

    def go_on(self, found: Found, left: float) -> bool:
        """Take the next stage, with so many seconds left; return whether there is one."""
        stage, rest = self.stage, self._rest
        if stage.after is not None:
            rest = stage.after(stage, found, left, rest)
        if not rest:
            return False
        self.stage, self._rest = rest[0], rest[1:]
        return True


def _wrapped(label: str, text: str) -> list[str]:
    """Return lines of a text behind a label."""
    indent = " " * (3 + len(label))
    return textwrap.wrap(text, WIDTH, initial_indent=f"   {label}", subsequent_indent=indent)
