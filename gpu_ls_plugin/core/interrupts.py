"""Remembers a Ctrl-C until it is handled."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from types import FrameType


class Interrupts:
    """Keeps each Ctrl-C until `check` is called, in case Python swallows its exception.

    Python raises KeyboardInterrupt at any point of the main thread. In a finalizer, or in the
    callback of a weak reference, Python only reports the exception and continues. During a ``with``
    block, each Ctrl-C also sets `pending`. The block has no effect in other threads, or if Ctrl-C
    is ignored.
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
        """Raise KeyboardInterrupt, and reset `pending`, if a Ctrl-C is pending."""
        if self.pending:
            self.pending = False
            raise KeyboardInterrupt

    def _pressed(self, number: int, frame: FrameType | None) -> None:
        self.pending = True
        raise KeyboardInterrupt
