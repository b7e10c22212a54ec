"""What is being compiled is said: what it is, how far it is, and when it is over."""

from __future__ import annotations

import logging
import os
import threading
from contextlib import ExitStack, contextmanager
from queue import Queue
from typing import TYPE_CHECKING

import pytest

from gpu_ls_plugin.core import compilations as module
from gpu_ls_plugin.core.compilations import Compilations, CompileLog

if TYPE_CHECKING:
    from collections.abc import Iterator


class Unlogged(Compilations):
    """Compilations without a thread that writes the log."""

    def _follow(self) -> None:
        pass


@contextmanager
def compiling(kernels: Compilations, *names: str) -> Iterator[None]:
    """Compile kernels at the same time, each as in a thread of its own."""
    with ExitStack() as stack:
        for name in names:
            with kernels.named(name):
                stack.enter_context(kernels.running("with cc"))
        yield


class Lines(logging.Handler):
    """The lines of the log, from the oldest to the newest."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: Queue[str] = Queue()

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.put(record.getMessage())

    def wait(self) -> str:
        """Return the next line, when it comes."""
        return self._lines.get(timeout=60)

    def taken(self) -> list[str]:
        """Return the lines that have come."""
        return [self.wait() for _ in range(self._lines.qsize())]


@pytest.fixture
def log() -> Iterator[Lines]:
    lines = Lines()
    module.logger.addHandler(lines)
    with module.compilations.displayed():  # no lines about kernels of earlier tests
        yield lines
    module.logger.removeHandler(lines)


def test_names_and_their_count() -> None:
    kernels = Unlogged()
    assert str(kernels) == ""
    with compiling(kernels, "chain", "descent", "chain"):
        assert str(kernels) == "compiling chain, descent"
    with kernels.running("with cc", otherwise="CuPy's kernels"):
        assert str(kernels) == "compiling CuPy's kernels (3 done)"
    assert str(kernels) == "" and kernels.count == 4


def test_what_fails_is_not_done() -> None:
    kernels = Unlogged()
    with pytest.raises(ValueError, match="broken"), compiling(kernels, "chain"):
        raise ValueError("broken")
    assert str(kernels) == "" and kernels.count == 0


def test_threads_name_their_own_kernels() -> None:
    kernels, seen = Unlogged(), list[str]()

    def other() -> None:
        with kernels.running("with cc"):
            seen.append(str(kernels))

    with kernels.named("chain"):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert seen == ["compiling a kernel"]


def test_lines_come_ever_later_and_the_last_says_that_it_is_over(log: Lines) -> None:
    kernels = Unlogged()
    writer = CompileLog(kernels)
    writer.begin(0.0)
    with compiling(kernels, "chain", "descent"):
        assert writer.look(0.4) and log.taken() == []  # most calls are over by then
        assert writer.look(0.5)
        assert log.taken() == ["compiling search kernels with cc: chain, descent"]
        told = [now for now in range(1, 60) if writer.look(now) and log.taken()]
        assert told == [6, 16, 36]
    assert writer.look(59.4) and log.taken() == []
    with compiling(kernels, "greedy"):
        assert writer.look(60.0) and log.taken() == []
    assert writer.look(60.4) and not writer.look(60.5)
    assert log.taken() == ["compiling took 60.0 s"]


def test_a_second_time_soon_after_the_first_is_not_worth_a_line(log: Lines) -> None:
    kernels = Unlogged()
    writer = CompileLog(kernels)
    for begin, expected in ((0.0, True), (2.0, False), (6.0, True)):
        writer.begin(begin)
        with compiling(kernels, "chain"):
            writer.look(begin + 1.0)
        assert not writer.look(begin + 2.0)
        assert bool(log.taken()) is expected
    writer.begin(60.0)
    with compiling(kernels, "chain"):
        writer.look(61.0)
    assert log.taken() == ["compiling chain (3 done)"]  # the way has been told


def test_the_log_is_silent_while_a_display_shows_it(log: Lines) -> None:
    kernels = Unlogged()
    writer = CompileLog(kernels)
    writer.begin(0.0)
    with kernels.displayed(), compiling(kernels, "chain"):
        assert writer.look(1.0)
    assert not writer.look(9.0) and log.taken() == []


def test_a_thread_writes_the_log_until_compiling_is_over(
    log: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FIRST", 0.0)
    monkeypatch.setattr(module, "OVER", 0.0)
    kernels = Compilations()
    for first in ("compiling search kernels with cc: chain", "compiling chain (1 done)"):
        kernels._log._last = -60.0
        with compiling(kernels, "chain"):
            assert log.wait() == first
        assert log.wait().startswith("compiling took ")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_child_begins_anew() -> None:
    kernels = Unlogged()
    with compiling(kernels, "chain"):
        child = os.fork()
        if child == 0:
            os._exit(0 if str(kernels) == "" and not kernels._followed else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
