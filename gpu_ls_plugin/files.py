"""Files that are written completely or not at all."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gpu_ls_plugin.exceptions import InvalidParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def atomically(path: Path) -> Iterator[Path]:
    """Yield a temporary file name beside `path` that takes its place if all goes well.

    What is no regular file, such as /dev/stdout, is yielded itself.
    """
    if path.exists() and not path.is_file():
        yield path
        return
    target = path.resolve()
    temporary = target.with_name(f".{target.stem}.{os.getpid()}{target.suffix}")
    try:
        yield temporary
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def is_packed(path: Path) -> bool:
    """Return whether the name of a JSON file is that of a compressed one.

    Raises
    ------
    InvalidParameterError
        It ends neither in ``.json`` nor in ``.json.gz``.
    """
    if not path.name.lower().endswith((".json", ".json.gz")):
        raise InvalidParameterError(f"path: {path.name!r} must end in .json or .json.gz")
    return path.suffix.lower() == ".gz"
