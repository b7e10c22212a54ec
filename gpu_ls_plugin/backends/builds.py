"""Building of kernels: each kernel once, by any thread, if need be beside a running search.

`in_background` is for searches with a time limit: they go on without a kernel that is not ready.
"""

from __future__ import annotations

import os
import threading
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

from gpu_ls_plugin.backends.beside import Aside, beside_a_search, check, hurrying
from gpu_ls_plugin.core.budget import compiling
from gpu_ls_plugin.core.compilations import compilations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gpu_ls_plugin.backends.composition import Kernel

Built = TypeVar("Built")

_thread = threading.local()
_running: set[Kernel] = set()  # kernels being built
_all_wait: set[object] = set()  # blocks of `all_waiting` in any thread


class NotBuiltError(Exception):
    """A kernel is not ready, and this thread does not wait for it; see `in_background`."""


class Builds(Generic[Built]):
    """The kernels of a backend; the first request for a kernel builds it.

    Parameters
    ----------
    build : callable
        Takes a kernel and returns what a backend needs to launch it.
    """

    def __init__(self, build: Callable[[Kernel], Built]) -> None:
        self._build = build
        self._ready: dict[Kernel, Built] = {}
        self._renew()
        if hasattr(os, "register_at_fork"):  # a forked child has no thread that builds
            os.register_at_fork(after_in_child=self._renew)

    def get(self, kernel: Kernel) -> Built:
        """Return a kernel that is ready to run; build it, or wait for a thread that builds it.

        Raises
        ------
        NotBuiltError
            The kernel is not ready, and the thread is in `in_background`. It is being built.
        """
        found = self._ready.get(kernel)
        return self._wait(kernel) if found is None else found

    def begin(self, kernel: Kernel) -> None:
        """Begin to build a kernel in a thread of its own."""
        if kernel not in self._ready:
            self._asked_for(kernel, aside=True)

    def replace_later(self, kernel: Kernel, build: Callable[[Kernel], Built]) -> None:
        """Build a kernel once more, beside searches and after all urgent work; use it from then."""

        def work() -> None:
            with suppress(Exception), compilations.named(kernel.name):  # the first build stays
                self._ready[kernel] = build(kernel)

        Aside(work, urgent=False)

    def clear(self) -> None:
        """Forget all kernels."""
        self._ready.clear()
        self._renew()

    def _wait(self, kernel: Kernel) -> Built:
        while True:
            check()
            future = self._asked_for(kernel, aside=not waits())
            if waits():
                self._make(kernel, future)
            elif not future.done():
                raise NotBuiltError(kernel.name)
            try:
                with compiling():
                    return future.result()
            except CancelledError:  # Ctrl-C reached the thread that was building it
                continue
            except Exception:  # told once; the next launch tries again
                self._asked.pop(kernel, None)
                raise

    def _asked_for(self, kernel: Kernel, *, aside: bool) -> Future[Built]:
        """Return the future of a kernel; if it is new, begin to build it `aside`, if wanted."""
        with self._lock:
            is_new = kernel not in self._asked
            future = self._asked.setdefault(kernel, Future())
        if is_new and aside:
            Aside(partial(self._make, kernel, future))
        return future

    def _make(self, kernel: Kernel, future: Future[Built]) -> None:
        """Build a kernel in this thread, unless another one has begun."""
        with self._lock:
            if future.running() or future.done():
                return
            future.set_running_or_notify_cancel()
        _running.add(kernel)
        try:
            hurry = nullcontext() if beside_a_search() else hurrying()
            with compiling(), compilations.named(kernel.name), hurry:
                built = self._ready[kernel] = self._build(kernel)
        except Exception as error:
            future.set_exception(error)
        except BaseException:
            self._asked.pop(kernel, None)
            future.set_exception(CancelledError())
            raise
        else:
            future.set_result(built)
        finally:
            _running.discard(kernel)

    def _renew(self) -> None:
        _running.clear()
        self._lock = threading.Lock()
        self._asked: dict[Kernel, Future[Built]] = {}


@contextmanager
def in_background() -> Iterator[None]:
    """Let this thread's launches raise `NotBuiltError` instead of waiting for kernels.

    The kernels are built in threads of their own, so that a later launch finds them.
    """
    before, _thread.waits = waits(), False
    try:
        yield
    finally:
        _thread.waits = before


@contextmanager
def all_waiting() -> Iterator[None]:
    """Let all threads wait for kernels, those in `in_background`, too."""
    block = object()
    _all_wait.add(block)
    try:
        yield
    finally:
        _all_wait.discard(block)


def all_wait() -> bool:
    """Return whether any thread is in `all_waiting`, such as that of `gpu-ls warm-up`."""
    return bool(_all_wait)


def waits() -> bool:
    """Return whether this thread waits for kernels."""
    return all_wait() or getattr(_thread, "waits", True)


def hurries() -> bool:
    """Return whether a search waits for what this thread builds, and would rather begin soon."""
    return not (all_wait() or beside_a_search())


def at_work() -> bool:
    """Return whether a kernel is being built."""
    return bool(_running)
