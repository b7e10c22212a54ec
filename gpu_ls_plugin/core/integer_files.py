"""Text files that consist of integers."""

from __future__ import annotations

from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from gpu_ls_plugin.core.exceptions import FileFormatError
from gpu_ls_plugin.core.files import naming, plain_name
from gpu_ls_plugin.core.text import quoted, real, whole

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from numpy.typing import NDArray

Made = TypeVar("Made")
MOST = 2**24  # maximum number of jobs, agents, vertices and the like


def made_of(
    path: str | os.PathLike[str],
    read: Callable[..., tuple[Any, ...]],
    make: Callable[..., Made],
    *more: Any,
    **known: Any,
) -> Made:
    """Return the problem that a file describes; errors in its content name the file.

    `make` is called with what `read` returns, `more`, the name of the file and `known`.
    """
    with naming(path):
        return make(*read(path), *more, name=plain_name(Path(path)), **known)


def lines_of(path: str | os.PathLike[str]) -> list[str]:
    """Return the lines of a text file; raise FileFormatError if it is binary."""
    content = Path(path).read_bytes()
    if b"\0" in content:
        raise FileFormatError(f"{path}: a binary file, not a text file")
    return content.decode("utf-8-sig", "replace").splitlines()


class Integers:
    """The integers of a file, read one after the other."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = path
        self.words = [
            (word, number)
            for number, line in enumerate(lines_of(path), start=1)
            for word in line.replace(",", " ").split()
        ]
        self.place = 0

    def error(self, what: str) -> FileFormatError:
        """Return an error at the line of the last word read."""
        line = self.words[self.place - 1][1] if self.place else 1
        return FileFormatError(f"{self.path}: line {line}: {what}")

    @property
    def left(self) -> int:
        """Number of words that have not been read."""
        return len(self.words) - self.place

    def take(self, what: str, *shape: int) -> NDArray[np.int64]:
        """Return the next integers as an array; `what` names them in errors."""
        size = int(np.prod(shape, dtype=object))
        found = self.words[self.place : self.place + size]
        numbers = []
        for offset, (word, _) in enumerate(found):
            number = whole(word)
            if number is None:
                self.place += offset + 1
                raise self.error(
                    f"{quoted(word)} is not an integer ({what}), or not one of 64 bits"
                )
            numbers.append(number)
        self.place += len(found)
        if len(found) < size:
            raise self.error(
                f"the file ends after {len(found)} of {size} numbers ({what}); it may be cut off"
            )
        return np.array(numbers, np.int64).reshape(shape)

    def count(self, what: str, most: int = MOST) -> int:
        """Return the next integer, the number of `what`; raise unless it is from 1 to `most`."""
        (number,) = self.take(what, 1)
        if not 1 <= number <= most:
            raise self.error(f"{number} {what}, which is not between 1 and {most}")
        return int(number)

    def number(self, what: str) -> float:
        """Return the next number, an integer if it is written as one; `what` names it in errors."""
        if not self.left:
            raise self.error(f"the file ends before the {what}; it may be cut off")
        word = self.words[self.place][0]
        self.place += 1
        found: float | None = whole(word)
        if found is None:
            found = real(word)
        if found is None:
            raise self.error(f"{quoted(word)} is not a number ({what})")
        return found

    def skip_title(self) -> None:
        """Skip the first line if a word of it is not an integer."""
        first = [*takewhile(lambda pair: pair[1] == self.words[0][1], self.words)]
        if any(whole(word) is None for word, _ in first):
            self.place = len(first)

    def line(self, what: str, size: int) -> NDArray[np.int64]:
        """Return the next integers; the line must hold `size` of them."""
        if self.left:
            here = self.words[self.place][1]
            found = sum(line == here for _, line in self.words[self.place : self.place + size + 1])
            if found != size:
                self.place += 1
                more = "or more " if found > size else ""
                raise self.error(f"{found} {more}numbers, but {what} are {size}")
        return self.take(what, size)

    def end(self) -> None:
        """Raise if a word is left."""
        if self.left:
            self.place += 1
            last = quoted(self.words[self.place - 1][0])
            raise self.error(f"{last} follows the last number")
