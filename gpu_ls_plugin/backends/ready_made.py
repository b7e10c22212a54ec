"""Ready-made programs: kernels that a wheel contains in compiled form.

`.ci/wheel` builds such wheels; all other installations contain no programs and compile. The name
of a program is a hash of the kernel's source text and of the flags, so that no program ever serves
a changed source. A damaged file is ignored.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from gpu_ls_plugin.backends.compiler import FLAGS, processor
from gpu_ls_plugin.backends.composition import NVRTC_OPTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = Path(__file__).parent / "programs"
INDEX = "index.json"  # the SHA-256 digest of each program, by file name
# Features of processors, as Linux names them; the levels of x86-64 include those before them.
_V3 = "avx avx2 bmi1 bmi2 f16c fma abm movbe xsave cx16 lahf_lm popcnt sse4_1 sse4_2 ssse3"
_V4 = "avx512f avx512bw avx512cd avx512dq avx512vl"
LEVELS = {"x86-64-v4": frozenset(f"{_V3} {_V4}".split()), "x86-64-v3": frozenset(_V3.split())}
# Wheels contain programs for this level: docs/lab/engine.md, "Ready-made kernels".
USUAL_LEVELS = ("x86-64-v3",)
TUNED_FOR = "-mtune=znver3"
# Compute capabilities times ten. A cubin also runs on later GPUs of its generation (the tens).
ARCHITECTURES = (75, 80, 86, 90, 100, 120)
OWN_COMPILER = ("CXX", "GPU_LS_CXXFLAGS")  # who sets one of these wants programs of their own


def flags_of(level: str) -> tuple[str, ...]:
    """Return the compiler's flags for a level of processors."""
    return (*(flag.replace("native", level) for flag in FLAGS), TUNED_FOR)


def library_name(source: str, level: str) -> str:
    """Return the file name of a shared library."""
    return f"{_hash(source, *flags_of(level))}.so"


def cubin_name(source: str, architecture: int) -> str:
    """Return the file name of a CUDA binary."""
    return f"{_hash(source, *NVRTC_OPTIONS, f'sm_{architecture}')}.cubin"


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode(errors="surrogateescape")).hexdigest()[:32]


@cache
def levels() -> tuple[str, ...]:
    """Return the levels that this processor supports, the best first."""
    if platform.machine() != "x86_64":
        return ()
    lines = [line.partition(":") for line in processor().splitlines()]
    features = {word for name, _, words in lines if name[:5] == "flags" for word in words.split()}
    return tuple(level for level, needed in LEVELS.items() if needed <= features)


class Programs:
    """The programs in a folder.

    Parameters
    ----------
    folder : Path
        Its index is read once. Without an index, there are no programs.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.digests = _index_of(folder)

    def library(self, source: str) -> Path | None:
        """Return the best library of a kernel for this processor, or None if there is none."""
        paths = (self._sound(library_name(source, level)) for level in levels())
        return next(filter(None, paths), None)

    def cubin(self, source: str, capability: int) -> Path | None:
        """Return the best CUDA binary of a kernel for a GPU, or None if there is none.

        `capability` is the GPU's compute capability times ten.
        """
        generation = (arch for arch in ARCHITECTURES if arch // 10 == capability // 10)
        fitting = sorted((arch for arch in generation if arch <= capability), reverse=True)
        return next(filter(None, (self._sound(cubin_name(source, arch)) for arch in fitting)), None)

    def _sound(self, name: str) -> Path | None:
        """Return the path of a program if the index has its digest, and otherwise None."""
        if name not in self.digests:
            return None
        path = self.folder / name
        try:
            content = path.read_bytes()
        except OSError:
            return None
        return path if digest(content) == self.digests[name] else None


def digest(content: bytes) -> str:
    """Return the digest of a program for the index."""
    return hashlib.sha256(content).hexdigest()


def _index_of(folder: Path) -> dict[str, str]:
    try:
        found = json.loads((folder / INDEX).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


@cache
def shipped() -> Programs:
    """Return the programs of this installation."""
    return Programs(FOLDER)


_instead: list[Programs] = []


@contextmanager
def using(others: Programs) -> Iterator[None]:
    """Use other programs than the shipped ones during a ``with`` block, in all threads."""
    _instead.append(others)
    try:
        yield
    finally:
        _instead.remove(others)


def library(source: str) -> Path | None:
    """Return the ready-made library of a kernel, or None if it must be compiled."""
    if _instead:
        return _instead[-1].library(source)
    return None if own_compiler() else shipped().library(source)


def cubin(source: str, capability: int) -> Path | None:
    """Return the ready-made CUDA binary of a kernel, or None if it must be compiled."""
    return (_instead[-1] if _instead else shipped()).cubin(source, capability)


def own_compiler() -> bool:
    """Return whether the user has chosen a compiler or flags."""
    return any(os.environ.get(variable, "").strip() for variable in OWN_COMPILER)


def serve_here() -> bool:
    """Return whether there are libraries for a processor like this one."""
    has_libraries = any(name.endswith(".so") for name in shipped().digests)
    return has_libraries and bool(levels()) and not own_compiler()
