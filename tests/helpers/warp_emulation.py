"""Launches of CUDA kernels of independent warps on the CPU, by the source text of CUDA."""

from __future__ import annotations

import ctypes
import hashlib
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends.compiler import find_compiler

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpu_ls_plugin.backends.composition import Kernel

HEADER = Path(__file__).with_suffix(".h")
SHARED = "reinterpret_cast<{}*>(emulation::shared)"
# Optimised like tests compile kernels: fast to compile, and without fused multiply-adds.
OPTIONS = (
    "-std=c++17",
    "-O1",
    "-w",
    "-ffp-contract=off",
    "-fno-strict-aliasing",
    "-shared",
    "-fPIC",
)


def launch(
    kernel: Kernel, count: int, arguments: Mapping[str, Any], warps: int, folder: Path
) -> None:
    """Run a kernel with struct parameters on items 0 to `count` - 1; it writes arrays in place.

    `warps` is the number of warps per block, one per item. `folder` keeps the compiled kernels.
    """
    library = ctypes.CDLL(str(_compiled(kernel, folder)))
    packed = [
        p.pack(arguments, lambda _, a: 0 if a is None else a.ctypes.data)  # type: ignore[attr-defined]
        for p in kernel.parameters
    ]
    library.emulate(-(-count // warps), 32 * warps, count, *map(ctypes.c_char_p, packed))


def _compiled(kernel: Kernel, folder: Path) -> Path:
    text = re.sub(
        r"extern __shared__ (\w+) (\w+)\[\];",
        lambda found: f"{found[1]}* const {found[2]} = {SHARED.format(found[1])};",
        kernel.source,
    )
    declared = "".join(
        f", const gls::{p.type.removeprefix('gls::')}* {p.name}" for p in kernel.parameters
    )
    passed = "".join(f", *{p.name}" for p in kernel.parameters)
    text = f"""#include "{HEADER}"
{text}
extern "C" void emulate(int blocks, int threads, int count{declared}) {{
  emulation::launch(blocks, threads, [&] {{ {kernel.name}(count{passed}); }});
}}
"""
    path = folder / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.so"
    if not path.exists():
        source = path.with_suffix(".cpp")
        source.write_text(text)
        subprocess.run([*find_compiler(), *OPTIONS, "-o", str(path), str(source)], check=True)
    return path
