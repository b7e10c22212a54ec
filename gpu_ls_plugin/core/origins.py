"""``#line`` directives, with which compilers report the file and line of a part's C++ source."""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.exceptions import FaultyPartError
from gpu_ls_plugin.core.trust import OURS

if TYPE_CHECKING:
    from collections.abc import Iterator

# Rule that a part breaks if the library's use of it does not compile.
CALLED = (
    "a struct must have the name that the part's functor gives, and the members that the library "
    "calls."
)
KERNEL = "kernel "  # begins the names of texts that the library writes
SUFFIXES = {".cuh", ".cu", ".h", ".hh", ".hpp", ".hxx", ".inl", ".cpp"}


def sources_of(*parts: Any) -> tuple[str, ...]:
    """Return the C++ texts of parts, each text once, after ``#line`` directives.

    If a text is the content of a header in the part's package, the directive names that header,
    such as ``mypkg/my_move.cuh``. Otherwise it names the module and class of the part. It contains
    no path of this machine: caches use the text as a key, and keys must not depend on the machine.
    """
    texts: dict[str, Any] = {}
    for part in parts:
        try:
            text = part.source()
        except FileNotFoundError as error:
            raise FaultyPartError(
                f"source: the C++ file of {part!r} is missing ({error}); if the installed package "
                "lacks it, add package-data to pyproject.toml"
            ) from error
        if text:
            texts.setdefault(text, part)
    return tuple(_marked(text, part) for text, part in texts.items())


def line_directive(line: int, name: str) -> str:
    """Return a ``#line`` directive: the next line counts as line number `line` of file `name`."""
    quoted = re.sub(r"[\\\"\x00-\x1f]", "_", name)
    return f'#line {line} "{quoted}"\n'


def error_first(output: str, source: str) -> str:
    """Return the line of a compiler's output that an author wants to see, and a line break.

    It is the first error in a text of a plugin, or else the first error at all, which may be due to
    such a text; a second line then names these texts. The result is empty if `output` contains no
    error.
    """
    errors = [line.strip() for line in output.splitlines() if "error:" in line]
    names = set(re.findall(r'^#line \d+ "(.*)"$', source, re.MULTILINE))
    foreign = sorted(name for name in names if not name.startswith((f"{OURS}/", KERNEL)))
    own = [line for line in errors if line.startswith(tuple(foreign))]
    if own or not foreign or not "".join(errors[:1]).startswith(tuple(names)):
        return "".join(f"{line}\n" for line in (own or errors)[:1])
    return f"{errors[0]}\nCheck {', '.join(foreign)}: {CALLED}\n"


def _marked(text: str, part: Any) -> str:
    if text.startswith("#line"):  # joined from texts that already have directives
        return text
    classes = type(part).__mro__
    return _with_origin(text, next((c for c in classes if "source" in vars(c)), classes[0]))


@cache
def _with_origin(text: str, owner: type) -> str:
    """Return a text after a directive that names its header, or the class that returns the text."""
    name = owner.__module__
    module = sys.modules.get(name)
    file = Path(getattr(module, "__file__", None) or f"{name}.py")
    package = getattr(module, "__package__", None) or ""
    place = file if package else Path(file.name)  # a script has no package
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
    """Yield the C++ files of a package, or those in the folder of a script."""
    own = root / package.partition(".")[0]
    found = own.rglob("*") if package else file.parent.glob("*")
    try:
        yield from sorted(path for path in found if path.suffix in SUFFIXES and path.is_file())
    except OSError:  # the folder cannot be read
        return
