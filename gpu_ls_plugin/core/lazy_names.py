"""Public names of a package, imported when they are first used.

Each name is written once: in the package's stub, ``__init__.pyi``, which type checkers read instead
of ``__init__.py``. A stub has lines of three forms::

    from .moves.reconnections import TwoOpt as TwoOpt
    from . import tours as tours
    from .tours import *
"""

from __future__ import annotations

import importlib
import os
import re
import sys
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from gpu_ls_plugin.core.exceptions import MissingExtraError
from gpu_ls_plugin.core.former_parts import former_part

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

LINE = re.compile(r"^from (\.*)([\w.]*) import (\w+|\*)(?: as (\w+))?", re.MULTILINE)


class Home(NamedTuple):
    """The module that a public name is imported from, and its name there."""

    module: str
    name: str


@cache
def public_names(package: str) -> dict[str, Home]:
    """Return the `Home` of each name in the stub of a package."""
    root, *rooms = package.split(".")
    stub = os.path.join(sys.modules[root].__path__[0], *rooms, "__init__.pyi")
    with open(stub, encoding="utf-8") as file:
        lines = LINE.findall(file.read())
    homes: dict[str, Home] = {}
    for dots, path, name, public in lines:
        base = package.rsplit(".", len(dots) - 1)[0] if dots else ""
        module = f"{base}.{path}".strip(".")
        homes |= public_names(module) if name == "*" else {public: Home(module, name)}
    return homes


def lazy_names(
    package: str,
    *,
    shown: Iterable[str] | None = None,
    framework: str | None = None,
    former: Callable[[str, str], Any] | None = None,
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package whose ``__name__`` is `package`.

    Importing the package then costs almost nothing, and an adapter can be imported without its
    `framework`. A name that needs the framework raises MissingExtraError, which names the extra;
    the extra has the name of the framework. ``dir`` shows the names in `shown`, by default all
    names. If a name is neither in the stub nor that of a former part, ``former(package, name)``
    returns the value or raises.
    """

    def get(name: str) -> Any:
        home = public_names(package).get(name)
        if home is None:
            if (part := former_part(package, name)) is not None:
                return part
            if former is not None:
                return former(package, name)
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        try:
            value = _imported(home, package)
        except ModuleNotFoundError as error:
            if framework is None or (error.name or "").partition(".")[0] != framework:
                raise
            raise MissingExtraError(
                f'{name}: {framework} is not installed: pip install "gpu-ls-plugin[{framework}]"'
            ) from error
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted(public_names(package) if shown is None else shown)

    return get, names


def _imported(home: Home, package: str) -> Any:
    """Import a name, which may be a module."""
    if home.module != package:
        module = importlib.import_module(home.module)
        if hasattr(module, home.name):
            return getattr(module, home.name)
    return importlib.import_module(f"{home.module}.{home.name}")
