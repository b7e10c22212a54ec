"""A compiler that notes what it compiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.backends import compiler

if TYPE_CHECKING:
    from pathlib import Path

# Notes the kernel of each program, the last function of its source.
NOTING_COMPILER = """#!/bin/sh
for last; do :; done
case "$last" in *.cpp)
  name=$(sed -n 's/^extern "C" void \\([a-z_0-9]*\\)(.*/\\1/p' "$last" | tail -n 1)
  echo "$name" >> {folder}/begun
  {block}
esac
exec {compiler} "$@"
"""


def noting_compiler(folder: Path, block: str = "") -> str:
    """Return the path of a compiler that notes kernels in the file `begun`."""
    path = folder / "noting-compiler"
    command = " ".join(compiler.find_compiler())
    path.write_text(NOTING_COMPILER.format(folder=folder, compiler=command, block=block))
    path.chmod(0o755)
    return str(path)
