"""Records the programs that a process compiles: C++ in the CPU backend, CUDA in CuPy."""

from __future__ import annotations

import re
import time
from functools import wraps
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

# The name of the first function of a program, after its type and its launch bounds.
NAME = re.compile(r'extern "C"[^;{]*?\bvoid\s+(?:__launch_bounds__\s*\(.*?\)\s*)?(\w+)\s*\(')

Record = tuple[str, float, float]  # name, monotonic time of the begin, seconds


def recorded(backend: str) -> list[Record]:
    """Return a list that grows by each program that this process compiles from now on."""
    records: list[Record] = []
    if backend == "cuda":
        from cupy.cuda import compiler

        from gpu_ls_plugin.backends.cuda import PRIVATE

        compiles = getattr(compiler, PRIVATE)
        setattr(compiler, PRIVATE, noting(compiles, records, lambda source: source))
    else:
        from gpu_ls_plugin.backends.compiler import Program

        # A private method: the public one returns at once if the library is there.
        Program._compiled_in = noting(Program._compiled_in, records, lambda p: p.source)
    return records


def noting(
    compiles: Callable[..., Any], records: list[Record], source_of: Callable[[Any], str]
) -> Callable[..., Any]:
    """Return a function that compiles and adds a record; `source_of` reads the first argument."""

    @wraps(compiles)
    def noted(first: Any, *others: Any, **options: Any) -> Any:
        begin = time.monotonic()
        try:
            return compiles(first, *others, **options)
        finally:
            found = NAME.search(source_of(first))
            name = found[1] if found else "a program without a function"
            records.append((name, begin, time.monotonic() - begin))

    return noted
