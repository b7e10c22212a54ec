"""The cache of compiled programs on disk.

The name of a file contains the key of the program and a digest of the file. Files are written
atomically. A process that needs a program which another one is compiling waits for it. A damaged
file is detected and rebuilt. Files that other users could have written are never loaded.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import shlex
import shutil
import time
import warnings
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, TypeVar

from gpu_ls_plugin.backends import ready_made
from gpu_ls_plugin.backends.builds import all_wait
from gpu_ls_plugin.backends.compiler import PREFIX, Program, program_of, temporary_folder
from gpu_ls_plugin.core.compilations import compilations
from gpu_ls_plugin.core.exceptions import BackendUnavailableError, CacheWarning

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Loaded = TypeVar("Loaded")

REMEDY = "point GPU_LS_CACHE_DIR to a folder that you can write and others cannot"
BETWEEN = 0.05  # seconds between two attempts at a lock
OTHERS_MAY_WRITE = 0o022  # permission bits of group and others

warned_of: set[str] = set()  # folders that a warning of this process has named


def cache_folder() -> Path:
    """Return ``GPU_LS_CACHE_DIR``, or by default ``gpu-ls-plugin`` in the user's cache folder.

    Raise OSError if the user has no home folder, or if there is no current folder for a relative
    path.
    """
    if own := os.environ.get("GPU_LS_CACHE_DIR", "").strip():
        return Path(own).absolute()
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):  # the XDG specification says to ignore relative paths
        base = os.path.join(home_folder(), ".cache")
    return Path(base, "gpu-ls-plugin").absolute()


def home_folder() -> Path:
    """Return the user's home folder; raise OSError if there is none."""
    try:
        return Path.home()
    except RuntimeError as error:
        raise FileNotFoundError(f"there is no home folder: {error}") from None


def kept(source: str, loader: Callable[[Path], Loaded]) -> Loaded | None:
    """Load a library that is ready-made or in the cache; return None if it must be compiled."""
    if (loaded := _ready_made(source, loader)) is not None:
        return loaded
    with suppress(OSError):  # `load` says why the cache cannot be used
        folder = cache_folder()
        require_own(folder)
        return _kept_in(folder, program_of(source), loader)
    return None


def load(source: str, loader: Callable[[Path], Loaded], flags: tuple[str, ...] = ()) -> Loaded:
    """Load a translation unit as a shared library: ready-made, cached or compiled now.

    `loader` takes the path of the library and raises OSError if it cannot be loaded; `flags` are
    for the compiler, in addition to the usual ones. If the cache cannot be used, a CacheWarning
    gives the reason, and the library is loaded from a temporary folder. If that also fails,
    BackendUnavailableError is raised.
    """
    if not flags and (loaded := _ready_made(source, loader)) is not None:
        return loaded
    program = program_of(source, flags)
    place = "the cache folder"
    try:
        folder = cache_folder()
        place = str(folder)
        make_closed(folder)
        require_own(folder)
        return _load_from(folder, program, loader)
    except OSError as error:
        reason = f"{place} cannot be used: {error}"
    return _load_privately(program, loader, place, reason)


def _ready_made(source: str, loader: Callable[[Path], Loaded]) -> Loaded | None:
    if (library := ready_made.library(source)) is not None:
        with suppress(OSError):  # it may need a newer C library than this system has
            return loader(library)
    return None


def require_own(path: Path) -> None:
    """Raise PermissionError if any user but this one and root may write to a file or folder."""
    status = path.stat()
    if status.st_uid not in (0, os.geteuid()):
        raise PermissionError(f"{path} belongs to another user")
    if status.st_mode & OTHERS_MAY_WRITE:
        raise PermissionError(f"{path} may be written by others (chmod go-w)")


def make_closed(folder: Path) -> None:
    """Create a folder and its missing parents, accessible to this user only."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    for place in reversed(missing):
        place.mkdir(mode=0o700, exist_ok=True)
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))


def _load_from(folder: Path, program: Program, loader: Callable[[Path], Loaded]) -> Loaded:
    kept = _kept_in(folder, program, loader)
    if kept is None:
        with _locked(folder / f"{program.key}.lock"):
            kept = _kept_in(folder, program, loader)  # another process may have built it
            if kept is None:
                with compilations.running(_way(program, f"kept in {folder}")):
                    kept = loader(_keep(folder, program))
    return kept


def _kept_in(folder: Path, program: Program, loader: Callable[[Path], Loaded]) -> Loaded | None:
    """Load a program from the cache; remove files that cannot be used."""
    for library in list(folder.glob(f"{program.key}-*.so")):
        if _is_sound(library, program):
            with suppress(OSError):  # it may need libraries that this system lacks
                return loader(library)
        _remove(library)
    return None


@contextmanager
def alone_with(source: str) -> Iterator[None]:
    """Keep other processes from building the same program during a ``with`` block, if possible."""
    key = hashlib.sha256(source.encode(errors="surrogateescape")).hexdigest()[:32]
    with ExitStack() as stack:
        with suppress(OSError):
            folder = cache_folder()
            make_closed(folder)
            stack.enter_context(_locked(folder / f"{key}.lock"))
        yield


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the lock of a file, which is removed afterwards."""
    with path.open("w") as file:
        with suppress(OSError):  # some file systems have no locks: programs are built twice
            _lock(file)
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def _lock(file: TextIO) -> None:
    """Lock a file, even if two processes wait for each other, which different threads may do."""
    while True:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX)  # not inherited by a fork, unlike flock
        except OSError as error:
            if error.errno != errno.EDEADLK:
                raise
            time.sleep(BETWEEN)
        else:
            return


def _load_privately(
    program: Program, loader: Callable[[Path], Loaded], place: str, reason: str
) -> Loaded:
    try:  # a library stays loaded after its file is removed
        with temporary_folder() as folder, compilations.running(_way(program, "not kept")):
            loaded = loader(_keep(folder, program))
    except OSError as error:
        raise BackendUnavailableError(
            f"{PREFIX}{reason}, nor can a temporary folder: {error}; {REMEDY}"
        ) from error
    if place not in warned_of:
        warnings.warn(f"{reason}, so compiled programs are not kept; {REMEDY}", CacheWarning, 2)
        warned_of.add(place)
    return loaded


def _is_sound(library: Path, program: Program) -> bool:
    """Return whether a file belongs to this user and has the digest in its name."""
    try:
        require_own(library)
        return library.is_file() and library.name == file_name(program.key, library.read_bytes())
    except OSError:
        return False


def _keep(folder: Path, program: Program) -> Path:
    """Write the library of a program atomically; return its path."""
    content = program.library()
    library = folder / file_name(program.key, content)
    with temporary_folder(folder) as scratch:
        made = scratch / library.name
        made.write_bytes(content)
        made.chmod(0o600)
        os.replace(made, library)
    return library


def file_name(key: str, content: bytes) -> str:
    """Return the name of a library in the cache."""
    return f"{key}-{hashlib.sha256(content).hexdigest()[:32]}.so"


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _way(program: Program, place: str) -> str:
    """Return how a program is compiled, for the log."""
    compiler = shlex.join(program.compiler)
    usual = "seconds to minutes" if all_wait() else "a few seconds"
    patience = "about 40 s the first time" if "ziglang" in compiler else usual
    return f"with {compiler} ({patience}; {place})"
