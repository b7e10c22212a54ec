"""Origins of the C++ texts of parts, so that compilers name the author's file and line."""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

SUFFIXES = {".cuh", ".cu", ".h", ".hh", ".hpp", ".hxx", ".inl", ".cpp"}


def sources_of(*parts: Any) -> tuple[str, ...]:
    """Return the C++ texts of parts that bring one, each text once, with their origins.

    A text that is a header in the part's package gets the header's name and lines, such as
    ``mypkg/my_move.cuh``. Any other text gets the name of the part's module and class, and lines
    of its own. No path of this machine is in it: the text is the key of caches.
    """
    texts: dict[str, Any] = {}
    for part in parts:
        text = part.source()
        if text:
            texts.setdefault(text, part)
    return tuple(_marked(text, part) for text, part in texts.items())


def line_directive(line: int, name: str) -> str:
    """Return a line of C++ after which compilers count the lines of another file."""
    quoted = re.sub(r"[\\\"\x00-\x1f]", "_", name)
    return f'#line {line} "{quoted}"\n'


def _marked(text: str, part: Any) -> str:
    if text.startswith("#line"):  # made of several parts
        return text
    classes = type(part).__mro__
    return _with_origin(text, next((c for c in classes if "source" in vars(c)), classes[0]))


@cache
def _with_origin(text: str, owner: type) -> str:
    """Return a text with a directive in front, which says where a class has it from."""
    name = owner.__module__
    module = sys.modules.get(name)
    file = Path(getattr(module, "__file__", None) or f"{name}.py")
    package = getattr(module, "__package__", None) or ""
    place = file if package else Path(file.name)  # of a script, the name alone
    root = file.parents[package.count(".") + 1] if package and file.is_absolute() else file.parent
    for header in _headers(root, package, file):
        content = header.read_text(encoding="utf-8", errors="replace")
        if content.strip() == text.strip():
            first = len(content) - len(content.lstrip())
            line = 1 + content[:first].count("\n")
            return line_directive(line, header.relative_to(root).as_posix()) + text.lstrip()
    shown = place.relative_to(root).as_posix() if place.is_relative_to(root) else place.name
    return line_directive(1, f"{shown} ({owner.__qualname__})") + text


def _headers(root: Path, package: str, file: Path) -> Iterator[Path]:
    """Yield the C++ files of a package, of a script those beside it."""
    own = root / package.partition(".")[0]
    found = own.rglob("*") if package else file.parent.glob("*")
    try:
        yield from sorted(path for path in found if path.suffix in SUFFIXES and path.is_file())
    except OSError:  # not a folder that can be read
        return
