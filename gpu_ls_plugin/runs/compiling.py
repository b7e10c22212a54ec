"""Compiles the kernels of searches before, or beside, their use.

A search is compiled by calling it with a limit of 0 moves.
"""

from __future__ import annotations

import math
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.beside import Aside, beside_a_search
from gpu_ls_plugin.core.budget import Budget, compiling

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.runs.plan import Plan, Stage


def at_once(backend: Backend, *tasks: Callable[[], object]) -> None:
    """Call tasks that compile, each in a thread of its own; raise the first error of any.

    Beside a search, one task follows the other.
    """
    if len(tasks) < 2 or beside_a_search():
        for task in tasks:
            task()
        return

    def on_device(task: Callable[[], object]) -> None:
        with backend.current():
            task()

    pool = ThreadPoolExecutor(len(tasks))
    try:
        with compiling():
            for ended in [pool.submit(on_device, task) for task in tasks]:
                ended.result()
    finally:  # after Ctrl-C or an error, do not wait for the others
        pool.shutdown(wait=False, cancel_futures=True)


class Ahead:
    """Compiles the later stages of a plan beside the run, one after the other.

    Parameters
    ----------
    plan : Plan
        Its `beginning` is compiled.
    """

    def __init__(self, plan: Plan) -> None:
        self._ended: dict[Any, Future[None]] = {}  # by the function that compiles a stage
        self._at_work: list[Aside] = []
        for stage in plan.beginning:
            self._ended[stage.prepare] = Future()
            self._ended[stage.prepare].set_result(None)
        self._add(plan.stages)

    def ready(self, stage: Stage) -> bool:
        """Return whether the kernels of a stage are compiled; if not, they will be.

        Raises
        ------
        CompilationError, UnsupportedProblemError, BackendUnavailableError
            Raised by the search of the stage.
        """
        if stage.prepare is None:
            return True
        self._add([stage])
        ended = self._ended[stage.prepare]
        if ended.done():
            ended.result()
        return ended.done()

    def wait(self, stage: Stage, seconds: float = math.inf) -> None:
        """Wait until a stage is compiled, for at most this time; raise as `ready` does."""
        if not self.ready(stage):
            with suppress(TimeoutError):
                self._ended[stage.prepare].result(None if seconds == math.inf else seconds)

    def stop(self) -> None:
        """Compile no further stages."""
        for aside in self._at_work:
            aside.stop()

    def _add(self, stages: Sequence[Stage]) -> None:
        new = [stage for stage in stages if stage.prepare and stage.prepare not in self._ended]
        if new:
            self._ended |= {stage.prepare: Future() for stage in new}
            self._at_work.append(Aside(partial(self._compile, new)))

    def _compile(self, stages: Sequence[Stage]) -> None:
        for stage in stages:
            ended = self._ended[stage.prepare]
            try:
                assert stage.prepare is not None
                stage.prepare(stage)
            except BaseException as error:
                ended.set_exception(error)
                if not isinstance(error, Exception):
                    return
            else:
                ended.set_result(None)


def compile_search(
    search: Callable[..., Any], problem: Problem, tours: Any, backend: str | Backend
) -> None:
    """Compile the kernels that a search needs for a batch like `tours`.

    Parameters
    ----------
    search : callable
    problem : Problem
    tours : array, shape (P, n), integer
        Not changed.
    backend : {"auto", "cpu", "cuda"} or Backend

    Raises
    ------
    CompilationError, UnsupportedProblemError, BackendUnavailableError
        Raised by the search.
    KeyboardInterrupt
        Ctrl-C was pressed.
    """
    own = getattr(search, "compile_batch", None)
    if own is None:
        compile_batch(search, problem, tours, backend)
    else:
        own(problem, tours, get_backend(backend, tours=tours))


def compile_batch(
    search: Callable[..., Any],
    problem: Problem,
    tours: Any,
    backend: str | Backend,
    device: int | None = None,
) -> None:
    """Compile the kernels of the first launches of a search for a batch like `tours`."""
    place = {"backend": backend} | ({} if device is None else {"device": device})
    found = search(problem, tours, budget=Budget(moves=0), callback=lambda _: None, **place)
    if found.statistics.interrupted:  # the search has caught the exception
        raise KeyboardInterrupt
