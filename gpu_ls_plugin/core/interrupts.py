"""Ctrl-C, remembered until somebody has taken it."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from types import FrameType


class Interrupts:
    """While a ``with`` block runs, a Ctrl-C that Python swallows is raised again at a checkpoint.

    KeyboardInterrupt is raised wherever the main thread happens to be. In a finalizer or the
    callback of a weak reference, where nothing can be raised, Python reports it and goes on.
    Outside of the main thread, and where Ctrl-C is ignored, nothing is changed. `pending`: Ctrl-C
    was pressed and nobody has said that it was taken.
    """

    def __init__(self) -> None:
        self.pending = False
        self._former: Any = None

    def __enter__(self) -> Self:
        self.pending, self._former = False, None
        handler = signal.getsignal(signal.SIGINT)
        main = threading.current_thread() is threading.main_thread()
        if main and handler not in (signal.SIG_IGN, None):
            self._former = signal.signal(signal.SIGINT, self._pressed)
        return self

    def __exit__(self, *error: object) -> None:
        if self._former is not None:
            signal.signal(signal.SIGINT, self._former)

    def check(self) -> None:
        """Raise KeyboardInterrupt where one is pending, which then is taken."""
        if self.pending:
            self.pending = False
            raise KeyboardInterrupt

    def _pressed(self, number: int, frame: FrameType | None) -> None:
        self.pending = True
        raise KeyboardInterrupt
