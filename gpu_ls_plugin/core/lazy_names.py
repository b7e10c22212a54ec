"""Public names that a package imports when they are first used."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.exceptions import MissingExtraError
from gpu_ls_plugin.core.former_parts import former_part

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def lazy_names(
    package: str,
    homes: Mapping[str, str],
    framework: str | None = None,
    former: Callable[[str, str], Any] | None = None,
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` for a package, so that importing it is cheap.

    Parameters
    ----------
    package : str
        ``__name__`` of the package.
    homes : mapping
        The module that defines each public name, relative to the package. It is empty if the name
        is a module of the package, and ``"module."`` if the name is an alias of a module.
    framework : str, optional
        Package that an adapter needs, which is also the name of an extra. If it is missing, the
        use of a name raises MissingExtraError.
    former : callable, optional
        Takes the package and any other name; returns its value or raises AttributeError.
    """

    def get(name: str) -> Any:
        if name not in homes:
            if (part := former_part(package, name)) is not None:
                return part
            if former is not None:
                return former(package, name)
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = homes[name]
        try:
            module = importlib.import_module(f".{home.removesuffix('.') or name}", package)
        except ModuleNotFoundError as error:
            if framework is None or (error.name or "").partition(".")[0] != framework:
                raise
            raise MissingExtraError(
                f'{name}: {framework} is not installed: pip install "gpu-ls-plugin[{framework}]"'
            ) from error
        value = module if home.endswith(".") or not home else getattr(module, name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes})

    return get, names
