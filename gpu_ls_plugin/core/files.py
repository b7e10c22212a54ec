"""Files that are written completely or not at all, and what their names stand for."""

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
    MissingExtraError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

STREAMS = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
DESCRIPTOR = re.compile(r"(?:/dev|/proc/(?:self|thread-self))/fd/([0-9]+)")
MOST_LINKS = 40  # that a system follows


@contextmanager
def atomically(path: Path) -> Iterator[Path]:
    """Yield the name of a file that takes the place of `path` if all goes well.

    It lies in a folder of its own beside `path`, so that nobody else writes to it. What stands for
    an open file, such as /dev/stdout, is continued where that file is, and anything that is not a
    regular file, such as a pipe or /dev/null, is yielded itself.
    """
    number = open_descriptor(path)
    if number is not None:
        with TemporaryDirectory() as folder:
            yield Path(folder, "file")
            _continue(number, Path(folder, "file"))
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
    """Raise OSError, before any work is done, where `atomically` could not write afterwards."""
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
    """Return the number of the open file that a name such as /dev/stdout stands for, else None."""
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
    """Return a file's name without its ending as text that can be written anywhere."""
    return os.fsencode(path.stem).decode("utf-8", "replace")


def _continue(number: int, file: Path) -> None:
    """Copy a file to where an open one is."""
    for stream in filter(None, (sys.stdout, sys.stderr)):  # None without a console
        stream.flush()
    with open(file, "rb") as source, open(number, "wb", closefd=False) as target:
        shutil.copyfileobj(source, target)


def _mode(path: Path) -> int | None:
    """Return what kind of file there is, with its permissions; None where there is none."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return None
    if not os.access(path, os.W_OK):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    return mode


@contextmanager
def beside(path: Path) -> Iterator[Path]:
    """Yield a name like that of `path`, or of what it links to, in a new folder beside it."""
    target = os.path.realpath(path)
    try:
        scratch = TemporaryDirectory(dir=os.path.dirname(target), prefix=".")
    except OSError as error:  # names the new folder
        raise OSError(error.errno, error.strerror, str(path)) from error
    with scratch as folder:
        yield Path(folder, os.path.basename(target))


@contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Make errors of what a file holds errors that name it."""
    try:
        yield
    except (InvalidProblemError, InvalidTourError) as error:
        if isinstance(error, FileFormatError):
            raise
        raise FileFormatError(f"{path}: {error}") from error


def is_packed(path: Path) -> bool:
    """Return whether the name of a JSON file is that of a compressed one, ``.json.gz``."""
    if not path.name.lower().endswith((".json", ".json.gz")):
        raise InvalidParameterError(f"path: {path.name!r} must end in .json or .json.gz")
    return path.suffix.lower() == ".gz"


def _image_canvas() -> type[FigureCanvasAgg]:
    """Return what figures are drawn on without a window."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
    except ImportError as error:
        raise MissingExtraError(
            'plot: drawing needs Matplotlib: pip install "gpu-ls-plugin[plot]"'
        ) from error
    return FigureCanvasAgg


def image_format(path: Path) -> str:
    """Return the format of an image file, which is the ending of its name."""
    known = _image_canvas().get_supported_filetypes()
    ending = path.suffix.lower().lstrip(".")
    if ending not in known:
        raise InvalidParameterError(
            f"plot: {path.name!r} must end in one of {', '.join(f'.{name}' for name in known)}"
        )
    return ending


def image_figure(width: float, height: float) -> Figure:
    """Return an empty figure for `save_figure`, its size in inches."""
    canvas = _image_canvas()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    canvas(figure)  # which is then the figure's own
    return figure


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure to an image file, atomically."""
    kind = image_format(path)
    with atomically(path) as file:
        figure.canvas.print_figure(file, dpi=150, format=kind)
