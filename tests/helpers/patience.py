"""Lets searches wait for all kernels of their plans, so that they do not depend on compilers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.backends import builds
from gpu_ls_plugin.runs import compiling

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

IMPATIENT = ((compiling, "Aside", compiling.Aside), (builds, "waits", builds.waits))


class AtOnce:
    """Does the work of an `Aside` before the search goes on."""

    def __init__(self, work: Callable[[], object]) -> None:
        work()

    def stop(self) -> None:
        """Do nothing: the work is done."""


def wait_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let later stages be compiled before the clock starts, and launches wait for kernels."""
    monkeypatch.setattr(compiling, "Aside", AtOnce)
    monkeypatch.setattr(builds, "waits", lambda: True)


def wait_as_users_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Undo `wait_for_all`."""
    for module, name, value in IMPATIENT:
        monkeypatch.setattr(module, name, value)
