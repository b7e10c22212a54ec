"""Options that compile kernels in less than half the time, with the same results."""

from __future__ import annotations

import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from gpu_ls_plugin.backends import compiler, library_cache
from gpu_ls_plugin.core.exceptions import GpuLsError

if TYPE_CHECKING:
    from collections.abc import Sequence

# Few optimisations; the compiler decides what to inline.
QUICK = ("-Og", "-fno-asynchronous-unwind-tables", "-DGLS_DEVICE=inline")
HEADERS = ("algorithm", "cmath", "cstring", "limits", "vector")  # standard headers in use


def quick_flags() -> str:
    """Return the options as ``GPU_LS_CXXFLAGS``."""
    return with_headers(QUICK)


def with_headers(options: Sequence[str]) -> str:
    """Return options with precompiled standard headers, if the compiler is g++."""
    try:
        header = _precompiled(options)
    except (GpuLsError, OSError):  # tests report problems of the compiler or the folder
        header = None
    return shlex.join([*options, *(["-include", str(header)] if header else [])])


def _precompiled(options: Sequence[str]) -> Path | None:
    """Return a precompiled header in the cache folder; None if the compiler is not g++."""
    command = tuple(compiler.find_compiler())
    if "Free Software Foundation" not in compiler.version(command):
        return None
    text = "".join(f"#include <{name}>\n" for name in HEADERS)
    program = compiler.Program(text, command, (*compiler.FLAGS, *options))
    folder = library_cache.cache_folder() / "headers" / program.key
    header = folder / "standard.h"
    if not header.with_suffix(".h.gch").exists():
        library_cache.make_closed(folder)
        header.write_text(text, encoding="utf-8")
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            made = Path(scratch, "made")
            language = ("-x", "c++-header", "-o", str(made), str(header))
            subprocess.run([*command, *program.flags, *language], check=True)
            made.replace(header.with_suffix(".h.gch"))
    return header
