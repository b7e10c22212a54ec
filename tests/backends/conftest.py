"""Fixtures: no compiler, a script as compiler, one that logs its runs, and an empty cache."""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING

import pytest

from gpu_ls_plugin.backends import compiler

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

REAL_COMPILER = shlex.join(compiler.find_compiler())


@pytest.fixture
def cache(monkeypatch, tmp_path) -> Path:
    """Return an empty folder for compiled programs."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("GPU_LS_CACHE_DIR", str(folder))
    return folder


@pytest.fixture
def no_compiler(monkeypatch, tmp_path) -> None:
    """Hide all compilers."""
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    without_wheel = [p for p in sys.path if not os.path.isdir(os.path.join(p, "ziglang"))]
    monkeypatch.setattr(sys, "path", without_wheel)


@pytest.fixture
def as_compiler(monkeypatch, tmp_path) -> Callable[[str], Path]:
    """Return a function that makes a shell script the compiler; `real` is the real one."""

    def make(script: str) -> Path:
        path = tmp_path / "compiler-script"
        path.write_bytes(f"#!/bin/sh\n{script.replace('real', REAL_COMPILER)}\n".encode("latin-1"))
        path.chmod(0o755)
        monkeypatch.setenv("CXX", str(path))
        return path

    return make


@pytest.fixture
def counted(as_compiler, tmp_path) -> Path:
    """Make the compiler log its runs, except `--version`, in a file; return the file."""
    log = tmp_path / "runs"
    log.touch()
    as_compiler(f'case "$*" in *--version*) ;; *) echo run >> {log} ;; esac\nexec real "$@"')
    return log
