"""Packages that `gpu-ls new` writes, imported by the process of a test."""

from __future__ import annotations

import importlib
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from gpu_ls_plugin.plugins.new_package import write_package

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import ModuleType


@contextmanager
def new_package(name: str, kind: str, folder: Path) -> Iterator[ModuleType]:
    """Write a package into a folder, and import it for a while.

    A process of xdist may run a module's tests in two turns, and then makes its fixtures twice.
    """
    package = f"gpu_ls_{name}"
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.syspath_prepend(write_package(name, kind, folder))
        yield importlib.import_module(package)
    for module in [*sys.modules]:
        if module.partition(".")[0] == package:
            del sys.modules[module]
