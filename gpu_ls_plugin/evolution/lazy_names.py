"""Public names of an adapter that are imported when they are first used."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.exceptions import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def lazy_names(
    package: str, homes: Mapping[str, str], framework: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package.

    The plugin loader can then look at the package at no cost, and without the framework.

    Parameters
    ----------
    package : str
        Its ``__name__``.
    homes : mapping of str
        The module of the package in which each public name is defined.
    framework : str
        The package that the adapter is for; the extra has the same name.

    Notes
    -----
    ``__getattr__`` raises MissingExtraError where the framework is needed and not installed.
    """

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        try:
            module = importlib.import_module(f"{package}.{homes[name]}")
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] != framework:
                raise
            raise MissingExtraError(
                f'{name}: {framework} is not installed: pip install "gpu-ls-plugin[{framework}]"'
            ) from error
        value = getattr(module, name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes})

    return get, names
