"""Makes ready-made programs: compiles into a folder whatever kernels searches ask for."""

from __future__ import annotations

import json
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING

from gpu_ls_plugin.backends import ready_made
from gpu_ls_plugin.backends.compile_check import cubin_of
from gpu_ls_plugin.backends.compiler import Program, find_compiler

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from gpu_ls_plugin.backends.composition import Kernel

# The libraries need the C++ runtime of the system, as SciPy does, and keep no private symbols.
LINKED = ("-Wl,--as-needed", "-Wl,-s")


class Maker(ready_made.Programs):
    """Programs that are compiled when they are first asked for.

    Parameters
    ----------
    folder : Path
        Created if it is missing. Programs that its index lists are not compiled again.
    levels : sequence of str
        Levels of processors; a kernel gets a library for each level.
    """

    def __init__(self, folder: Path, levels: Sequence[str] = ()) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        super().__init__(folder)
        self._levels = levels
        self._compiler = tuple(find_compiler())
        self._writing = threading.Lock()

    def library(self, source: str) -> Path | None:
        """Make the libraries of a kernel; return the best one for this processor, if any."""
        with ThreadPoolExecutor(len(self._levels)) as pool:
            list(pool.map(partial(self._make, source), self._levels))
        return super().library(source)

    def make_cubins(self, kernels: Iterable[Kernel], architecture: int) -> None:
        """Make the CUDA binaries of kernels for an architecture."""

        def make(kernel: Kernel) -> None:
            name = ready_made.cubin_name(kernel.source, architecture)
            if name not in self.digests:
                self._keep(name, cubin_of(kernel, architecture))

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(make, kernels))

    def _make(self, source: str, level: str) -> None:
        name = ready_made.library_name(source, level)
        if name not in self.digests:
            flags = (*ready_made.flags_of(level), *LINKED)
            self._keep(name, Program(source, self._compiler, flags).library())

    def _keep(self, name: str, content: bytes) -> None:
        """Write a program and then the index."""
        (self.folder / name).write_bytes(content)
        with self._writing:
            self.digests[name] = ready_made.digest(content)
            index = json.dumps(self.digests, indent=0, sort_keys=True)
            (self.folder / ready_made.INDEX).write_text(index, encoding="utf-8")
