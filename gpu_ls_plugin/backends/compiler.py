"""The C++ compiler of the CPU backend: which one it is, what it is told and what it makes."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from gpu_ls_plugin.core.exceptions import (
    BackendUnavailableError,
    CompilationError,
    CompilerNotFoundError,
    InvalidParameterError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Errors of mathematical functions are never read, so roots may be vector instructions; results
# stay IEEE. Contraction would make the exact lengths differ from the referee's.
FLAGS = (
    "-std=c++17",
    "-O3",
    "-march=native",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fPIC",
    "-shared",
    "-pthread",
)

LONGEST_OUTPUT = 4000  # characters of a compiler's messages
PREFIX = "backend: cpu: "  # of messages, which name a parameter first
REMEDY = 'install g++ or clang++, point CXX to a compiler, or pip install "gpu-ls-plugin[cpu]"'

CPP17 = 201703  # what __cplusplus is at least
LIST_MACROS = ("-x", "c++", "-std=c++17", "-dM", "-E", "-")  # of an empty standard input
CPU_INFO = Path("/proc/cpuinfo")
PATIENCE = 30.0  # seconds for an answer that takes no compiling


@dataclass
class Program:
    """A translation unit, and the compiler command and flags that make a shared library of it."""

    source: str
    compiler: tuple[str, ...]
    flags: tuple[str, ...]
    # Until Python 3.12 a cached property holds a lock, which a fork would copy.
    _library: bytes = field(default=b"", init=False, repr=False)

    @property
    def key(self) -> str:
        """Hash of all that the library depends on: text, flags, compiler and processor."""
        parts = [self.source, *self.flags, *self.compiler, version(self.compiler), _processor()]
        return hashlib.sha256("\0".join(parts).encode(errors="surrogateescape")).hexdigest()[:32]

    def library(self) -> bytes:
        """Return the content of the shared library, compiled when first asked for."""
        if not self._library:
            with _scratch_folder() as scratch:
                self._library = self._compiled_in(scratch)
        return self._library

    def _compiled_in(self, folder: Path) -> bytes:
        code, target = folder / "program.cpp", folder / "program.so"
        code.write_text(self.source, encoding="utf-8")
        command = [*self.compiler, *self.flags, "-o", str(target), str(code)]
        done = _run(command)
        if done.returncode != 0 or not target.is_file():
            output = _shortened(done.stderr) or f"exit status {done.returncode}, no library"
            raise CompilationError(f"{' '.join(command)} failed:\n{output}")
        return target.read_bytes()


def _shortened(output: str) -> str:
    """Return a compiler's output; of a long one, its first errors and its end."""
    half = LONGEST_OUTPUT // 2
    if len(output) <= LONGEST_OUTPUT:
        return output
    return f"{output[:half]}\n[...]\n{output[-half:]}"


def program_of(source: str) -> Program:
    """Return a translation unit as it is compiled here and now."""
    return Program(source, tuple(find_compiler()), (*FLAGS, *_words("GPU_LS_CXXFLAGS")))


def find_compiler() -> list[str]:
    """Return the command of a C++ compiler: $CXX, c++, g++, clang++ or the ziglang wheel."""
    if own := _words("CXX"):
        if path := _located(own[0]):
            return [path, *own[1:]]
        raise _not_found(f"CXX names {os.environ['CXX']!r}, which was not found")
    for name in ("c++", "g++", "clang++"):
        if path := _located(name):
            return [path]
    if _ziglang_is_installed():
        return [sys.executable, "-P", "-m", "ziglang", "c++"]
    raise _not_found("no C++17 compiler was found (c++, g++, clang++ or ziglang)")


def check_compiler() -> list[str]:
    """Return the command of a compiler that knows C++17: it was asked, but compiled nothing."""
    program = program_of("")
    with _scratch_folder() as empty:  # where no program finds anything to damage
        done = _run([*program.compiler, *LIST_MACROS], folder=empty, seconds=PATIENCE)
    standard = re.search(r"^#define __cplusplus (\d+)", done.stdout, re.MULTILINE)
    if done.returncode != 0 or standard is None or int(standard[1]) < CPP17:
        complaint = done.stderr.partition("\n")[0] or "it does not define __cplusplus as such"
        raise _not_found(f"{shlex.join(program.compiler)} is not a C++17 compiler ({complaint})")
    return list(program.compiler)


@cache
def version(compiler: tuple[str, ...]) -> str:
    """Return what a compiler says of itself, which changes when it is updated."""
    return _run([*compiler, "--version"], seconds=PATIENCE).stdout


def _not_found(reason: str) -> CompilerNotFoundError:
    return CompilerNotFoundError(f"{PREFIX}{reason}; {REMEDY}")


def _words(variable: str) -> list[str]:
    """Split an environment variable as a shell would; one that is not set has no words."""
    text = os.environ.get(variable, "")
    try:
        return shlex.split(text)
    except ValueError as error:
        raise InvalidParameterError(
            f"{variable}: {text!r} cannot be split into words ({error}); close all quotation "
            f"marks, or unset it"
        ) from None


def _located(name: str) -> str | None:
    path = shutil.which(name)
    return path and os.path.abspath(path)


def _ziglang_is_installed() -> bool:
    """Whether the wheel is; the current folder is not asked, since ``-P`` leaves it out, too."""
    places = [place for place in sys.path if place and not _is_current_folder(place)]
    return any(metadata.distributions(name="ziglang", path=places))


def _is_current_folder(place: str) -> bool:
    try:
        return os.path.samefile(place, os.curdir)
    except OSError:  # it does not exist
        return False


def _run(
    command: Sequence[str], *, folder: Path | None = None, seconds: float | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; nothing of it goes on where it takes too long, or after Ctrl-C."""
    try:
        with subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            cwd=folder,
            start_new_session=True,  # a compiler starts others
        ) as process:
            try:
                output, errors = process.communicate(timeout=seconds)
            except BaseException:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                raise
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _not_found(f"the compiler {command[0]} does not run ({error})") from error
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


@contextmanager
def _scratch_folder() -> Iterator[Path]:
    try:
        with tempfile.TemporaryDirectory(prefix="gpu-ls-plugin-") as folder:
            yield Path(folder)
    except OSError as error:
        raise BackendUnavailableError(
            f"{PREFIX}temporary files cannot be written ({error}); point TMPDIR to a folder "
            f"where they can"
        ) from error


@cache
def _processor() -> str:
    """Return the processor's model and features: -march=native code runs on no lesser one."""
    try:
        text = CPU_INFO.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return f"{platform.machine()} {platform.processor()}"
    wanted = ("model name", "flags", "Features")
    return "\n".join(sorted({line for line in text.splitlines() if line.startswith(wanted)}))
