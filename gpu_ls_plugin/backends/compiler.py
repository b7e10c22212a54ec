"""The C++ compiler of the CPU backend: its command, its flags, and the libraries it builds."""

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
import threading
from contextlib import contextmanager, suppress
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
from gpu_ls_plugin.core.origins import error_first

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# -fno-math-errno lets the compiler vectorise square roots; results still follow IEEE 754. Without
# -ffp-contract=off, fused multiply-adds would change the last bits of lengths, which must equal
# those that the host computes (tours/problem/referee.py).
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

# A long program takes 0.6 to 7 s to compile with FLAGS, and at most half of that with these in
# addition (GCC 12). A short one takes 0.15 s either way.
QUICK = ("-O1",)
LONG = 95_000  # minimum number of characters of a long program

LONGEST_OUTPUT = 4000  # maximum number of characters of a compiler's output in messages
PREFIX = "backend: cpu: "  # messages begin with the name of a parameter
REMEDY = 'install g++ or clang++, point CXX to a compiler, or pip install "gpu-ls-plugin[cpu]"'

CPP17 = 201703  # value of __cplusplus in C++17; it is larger in later standards
LIST_MACROS = ("-x", "c++", "-std=c++17", "-dM", "-E", "-")  # reads an empty standard input
CPU_INFO = Path("/proc/cpuinfo")
PATIENCE = 30.0  # time limit in seconds for commands that compile nothing

_running: set[subprocess.Popen[str]] = set()  # compilers at work
# Held while a compiler starts. A fork waits for it: the child would keep the pipes open, and this
# process would wait for their ends.
_starting = threading.Lock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_starting.acquire,
        after_in_parent=_starting.release,
        after_in_child=_starting.release,
    )


@dataclass
class Program:
    """A translation unit with the compiler command and flags that turn it into a library."""

    source: str
    compiler: tuple[str, ...]
    flags: tuple[str, ...]
    # Not a cached_property: before Python 3.12, it locks, and a fork could copy the held lock.
    _library: bytes = field(default=b"", init=False, repr=False)

    @property
    def key(self) -> str:
        """Hash of the source, the flags, the compiler and the processor."""
        parts = [self.source, *self.flags, *self.compiler, version(self.compiler), processor()]
        return hashlib.sha256("\0".join(parts).encode(errors="surrogateescape")).hexdigest()[:32]

    def library(self) -> bytes:
        """Return the content of the shared library; the first call compiles it."""
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
            first = error_first(done.stderr, self.source)
            raise CompilationError(f"{first}{' '.join(command)} failed:\n{output}")
        return target.read_bytes()


def _shortened(output: str) -> str:
    """Return a compiler's output, or the beginning and the end of a long one."""
    half = LONGEST_OUTPUT // 2
    if len(output) <= LONGEST_OUTPUT:
        return output
    return f"{output[:half]}\n[...]\n{output[-half:]}"


def program_of(source: str, flags: tuple[str, ...] = ()) -> Program:
    """Return a translation unit with the current compiler, its flags, and some in addition."""
    own = _words("GPU_LS_CXXFLAGS")
    return Program(source, tuple(find_compiler()), (*FLAGS, *flags, *own))


def is_long(source: str) -> bool:
    """Return whether to compile a program quickly first; never with flags of the user."""
    return len(source) >= LONG and "GPU_LS_CXXFLAGS" not in os.environ


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
    """Return the command of the compiler, without compiling; raise unless it supports C++17."""
    program = program_of("")
    with _scratch_folder() as empty:  # CXX may be any program: it must find no files to damage
        done = _run([*program.compiler, *LIST_MACROS], folder=empty, seconds=PATIENCE)
    standard = re.search(r"^#define __cplusplus (\d+)", done.stdout, re.MULTILINE)
    if done.returncode != 0 or standard is None or int(standard[1]) < CPP17:
        complaint = done.stderr.partition("\n")[0] or "its __cplusplus is missing or too old"
        raise _not_found(f"{shlex.join(program.compiler)} is not a C++17 compiler ({complaint})")
    return list(program.compiler)


@cache
def version(compiler: tuple[str, ...]) -> str:
    """Return what a compiler prints about its version, which changes with each update."""
    return _run([*compiler, "--version"], seconds=PATIENCE).stdout


def _not_found(reason: str) -> CompilerNotFoundError:
    return CompilerNotFoundError(f"{PREFIX}{reason}; {REMEDY}")


def _words(variable: str) -> list[str]:
    """Split an environment variable as a shell would; return no words if it is not set."""
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
    """Return whether ziglang is installed outside the current folder, which ``-P`` excludes."""
    places = [place for place in sys.path if place and not _is_current_folder(place)]
    return any(metadata.distributions(name="ziglang", path=places))


def _is_current_folder(place: str) -> bool:
    try:
        return os.path.samefile(place, os.curdir)
    except OSError:  # the folder does not exist
        return False


def _run(
    command: Sequence[str], *, folder: Path | None = None, seconds: float | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command; after a timeout or Ctrl-C, kill it with all processes that it started."""
    try:
        with _starting:
            started = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
                cwd=folder,
                start_new_session=True,  # so that killpg also ends what the compiler starts
            )
        with started as process:
            _running.add(process)
            try:
                output, errors = process.communicate(timeout=seconds)
            except BaseException:
                with suppress(ProcessLookupError):  # it has just ended
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                raise
            finally:
                _running.discard(process)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _not_found(f"the compiler {command[0]} does not run ({error})") from error
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


def stop_all() -> None:
    """Kill all compilers that this process is running."""
    for process in list(_running):
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)


@contextmanager
def _scratch_folder() -> Iterator[Path]:
    try:
        with temporary_folder() as folder:
            yield folder
    except OSError as error:
        raise BackendUnavailableError(
            f"{PREFIX}temporary files cannot be written ({error}); point TMPDIR to a writable "
            "folder"
        ) from error


@contextmanager
def temporary_folder(inside: Path | None = None) -> Iterator[Path]:
    """Yield a new folder and remove it afterwards.

    Unlike a TemporaryDirectory, it stays when Python ends while a thread uses it.
    """
    folder = Path(tempfile.mkdtemp(prefix="gpu-ls-plugin-", dir=inside))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@cache
def processor() -> str:
    """Return the model and features of the processor, on which -march=native depends."""
    try:
        text = CPU_INFO.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return f"{platform.machine()} {platform.processor()}"
    wanted = ("model name", "flags", "Features")
    return "\n".join(sorted({line for line in text.splitlines() if line.startswith(wanted)}))
