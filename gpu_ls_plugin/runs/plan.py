"""The plan of a run: its stages, with reasons, as data that can be printed."""

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


WIDTH = 100  # maximum number of characters of a line


@dataclass(frozen=True)
class Found:
    """The best row of a stage.

    Attributes
    ----------
    row : int32 array, shape (n,)
        On the host.
    worth : tuple of float
        By how much the row breaks constraints, and its cost; less is better.
    result : Result or None
        All rows, if the stage returned them.
    """

    row: Any
    worth: tuple[float, float]
    result: Result | None = None


@dataclass(frozen=True)
class Stage:
    """A part of a run: a search with its rows, its time and the reason for it.

    Attributes
    ----------
    name : str
        Name of the stage in plans and reports.
    why : str
        The reason for the stage, as a clause.
    search : callable
        Called as ``search(problem, rows, ...)``.
    problem, searched : Problem
        The problem that defines the costs of results, and the form of it that is searched.
    size : int
        Number of rows, 0 if the search makes its own rows.
    start : str or None
        Name of the construction that makes the initial rows.
    rows : array or None
        Rows that the caller gave, which come before those of the construction.
    seconds : float
        Time limit of the stage; infinite if it gets the rest of the run.
    flexible : bool
        Whether the search may use other candidate lists if its own would take too long to compute.
    joins : bool
        Whether the best row of the earlier stages replaces the first row.
    how : str
        A description of the search, as a string.
    prepare : callable or None
        Takes the stage; compiles its kernels.
    ready : callable or None
        Takes the stage, the backend's name and the clock of the run; computes the problem's data
        that the search needs, within the time left, and returns the search.
    after : callable or None
        Takes the stage, its best row, the seconds left and the stages planned after it; returns the
        stages that follow.

    `prepare`, `ready` and `after` can be pickled, so that copies of a run can continue.
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
    """The stages of a run, in order, and its limits.

    ``print(plan)`` shows each stage with its reason, in a few lines.

    Attributes
    ----------
    problem : Problem
    stages : tuple of Stage
        Those that are known before the run. The result of a stage may change the stages after it.
    seconds : float
        Time limit of the run.
    backend : str
        "cpu" or "cuda".
    seed : int or None
    kicks, moves : int or None
        Limits, as in `Budget`.
    target : float or None
        Limit, as in `Budget`.
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
        """Return a description of each stage, with its reason."""
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
        """The last stage, which gets the rest of the time."""
        return self.stages[-1]

    @property
    def beginning(self) -> tuple[Stage, ...]:
        """The stages up to the first one that can go on until the next one is compiled."""
        goes_on = (getattr(stage.search, "goes_on", True) for stage in self.stages)
        count = next((number for number, can in enumerate(goes_on, 1) if can), len(self.stages))
        return self.stages[:count]

    def prepare(self, *, first: bool = False) -> None:
        """Compile the kernels of all stages; only those of the `beginning` if `first`."""
        for stage in self.beginning if first else self.stages:
            if stage.prepare is not None:
                stage.prepare(stage)

    @property
    def by_time(self) -> bool:
        """Whether time alone, or a target, ends the run."""
        return self.seconds < math.inf and self.kicks is None and self.moves is None

    def course(self) -> Course:
        """Return a new `Course` through the stages."""
        return Course(self.stages)


class Course:
    """The course of a run: its stage, and the `rest`; a stage may change those after it."""

    def __init__(self, stages: tuple[Stage, ...]) -> None:
        self.stage, self.rest = stages[0], stages[1:]

    @property
    def last(self) -> bool:
        """Whether this is known to be the last stage."""
        return not self.rest and self.stage.after is None

    def go_on(self, found: Found, left: float) -> bool:
        """Move to the next stage, with `left` seconds to go; return whether there is one."""
        stage, rest = self.stage, self.rest
        if stage.after is not None:
            rest = stage.after(stage, found, left, rest)
        if not rest:
            return False
        self.stage, self.rest = rest[0], rest[1:]
        return True


def _wrapped(label: str, text: str) -> list[str]:
    """Return a string as indented lines; the first line begins with a label."""
    indent = " " * (3 + len(label))
    return textwrap.wrap(text, WIDTH, initial_indent=f"   {label}", subsequent_indent=indent)
