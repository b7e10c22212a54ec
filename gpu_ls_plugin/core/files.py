"""Atomic writing of files, also through links and to /dev/stdout."""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
import sys
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from gpu_ls_plugin.core.exceptions import (
    FileFormatError,
    InvalidParameterError,
    InvalidProblemError,
    InvalidTourError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

# Descriptors of open files, by name.
STREAMS = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
DESCRIPTOR = re.compile(r"(?:/dev|/proc/(?:self|thread-self))/fd/([0-9]+)")
MOST_LINKS = 40  # maximum number of consecutive symbolic links that Linux follows


@contextmanager
def atomically(path: Path) -> Iterator[Path]:
    """Yield the name of a new file that replaces `path` if the ``with`` block raises nothing.

    The new file is in a temporary folder beside `path`, so that no other process writes to it. If
    `path` names an open file, such as /dev/stdout, the content is appended to that file. If `path`
    is not a regular file but, for example, a pipe or /dev/null, `path` itself is yielded.
    """
    number = open_descriptor(path)
    if number is not None:
        with TemporaryDirectory() as folder:
            yield Path(folder, "file")
            _append(number, Path(folder, "file"))
        return
    mode = _mode(path)
    if mode is not None and not stat.S_ISREG(mode):
        yield path
        return
    with beside(path) as file:
        yield file
        if mode is not None:
            file.chmod(stat.S_IMODE(mode))
        os.replace(file, os.path.realpath(path))


def check_writable(path: Path) -> None:
    """Raise OSError if `atomically` could not write the file; call it before long work."""
    number = open_descriptor(path)
    if number is not None:
        os.fstat(number)
        return
    mode = _mode(path)
    if mode is None or stat.S_ISREG(mode):
        with beside(path) as file:
            file.touch()
    elif stat.S_ISDIR(mode):
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))


def open_descriptor(path: Path) -> int | None:
    """Return the descriptor of an open file that has a name such as /dev/stdout, otherwise None."""
    name = os.path.abspath(path)
    for _ in range(MOST_LINKS):
        if name in STREAMS:
            return STREAMS[name]
        if match := DESCRIPTOR.fullmatch(name):
            return int(match[1])
        if not os.path.islink(name):
            return None
        name = os.path.abspath(os.path.join(os.path.dirname(name), os.readlink(name)))
    return None


def plain_name(path: Path) -> str:
    """Return a file's name without its extension, as a string that is valid UTF-8."""
    return os.fsencode(path.stem).decode("utf-8", "replace")


def _append(number: int, file: Path) -> None:
    """Write a file's content to an open descriptor."""
    for stream in filter(None, (sys.stdout, sys.stderr)):  # None without a console
        stream.flush()
    with open(file, "rb") as source, open(number, "wb", closefd=False) as target:
        shutil.copyfileobj(source, target)


def _mode(path: Path) -> int | None:
    """Return the mode of a file, or None if there is no file; raise OSError if it is read-only."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return None
    if not os.access(path, os.W_OK):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    return mode


@contextmanager
def beside(path: Path) -> Iterator[Path]:
    """Yield a name in a new temporary folder beside `path`, or beside the file that it links to."""
    target = os.path.realpath(path)
    try:
        scratch = TemporaryDirectory(dir=os.path.dirname(target), prefix=".")
    except OSError as error:  # its message would name the temporary folder
        raise OSError(error.errno, error.strerror, str(path)) from error
    with scratch as folder:
        yield Path(folder, os.path.basename(target))


@contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn errors in the content of a file into FileFormatErrors that name the file."""
    try:
        yield
    except (InvalidProblemError, InvalidTourError) as error:
        if isinstance(error, FileFormatError):
            raise
        raise FileFormatError(f"{path}: {error}") from error


def is_packed(path: Path) -> bool:
    """Return whether a name ends in ``.json.gz``; raise unless it ends in that or ``.json``."""
    if not path.name.lower().endswith((".json", ".json.gz")):
        raise InvalidParameterError(f"path: {path.name!r} must end in .json or .json.gz")
    return path.suffix.lower() == ".gz"
